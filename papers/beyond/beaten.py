"""The paper's method beside ours on the same data. The same as `discreet papers beaten`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "beaten", *sys.argv[1:]])
