"""Figure 3: the heat map of check-ins. As `discreet papers acharya2020-figure3`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "acharya2020-figure3", *sys.argv[1:]])
