"""Figure 1, Remark 1 and the examples. The same as `discreet papers asoodeh2021`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "asoodeh2021", *sys.argv[1:]])
