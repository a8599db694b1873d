"""Figure 2: four distributions on 1,000 values. As `discreet papers acharya2020-figure2`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "acharya2020-figure2", *sys.argv[1:]])
