"""Shrinkage beside projection on every shared data set. As `discreet papers shrunk`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "shrunk", *sys.argv[1:]])
