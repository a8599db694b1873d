"""Shrinkage beside projection on every shared data set. The same as `discreet papers shrunk`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "shrunk", *sys.argv[1:]])
