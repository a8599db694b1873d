"""Blocks that follow cities beside uniform grids. As `discreet papers partitions`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "partitions", *sys.argv[1:]])
