"""Figure 1, Remark 1 and the examples. As `discreet papers asoodeh2021`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "asoodeh2021", *sys.argv[1:]])
