"""The paper's method beside ours on the same data. As `discreet papers beaten`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "beaten", *sys.argv[1:]])
