"""Blocks that follow cities beside uniform grids. The same as `discreet papers partitions`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "partitions", *sys.argv[1:]])
