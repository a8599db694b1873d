"""Figure 1: the errors a test can reach. As `discreet papers acharya2020-figure1`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "acharya2020-figure1", *sys.argv[1:]])
