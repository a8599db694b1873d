"""Page categories, a census table and a survey of affairs. The same as `discreet papers domains`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "domains", *sys.argv[1:]])
