"""Table 1: check-ins on 43,750 cells. As `discreet papers acharya2020-table1`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "acharya2020-table1", *sys.argv[1:]])
