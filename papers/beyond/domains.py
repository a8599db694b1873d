"""Page categories, a census table and a survey of affairs. As `discreet papers domains`, with its options."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "domains", *sys.argv[1:]])
