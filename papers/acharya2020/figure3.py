"""Figure 3: the heat map of check-ins. The same as `discreet papers acharya2020-figure3`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "acharya2020-figure3", *sys.argv[1:]])
