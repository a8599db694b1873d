"""Table 1: subset selection beside randomised response. As `discreet papers wang2016-table1`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "wang2016-table1", *sys.argv[1:]])
