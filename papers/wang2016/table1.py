"""Table 1: subset selection beside randomised response. The same as `discreet papers wang2016-table1`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "wang2016-table1", *sys.argv[1:]])
