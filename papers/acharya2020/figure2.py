"""Figure 2: four distributions on 1,000 values. The same as `discreet papers acharya2020-figure2`; options are passed on."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    main(["papers", "acharya2020-figure2", *sys.argv[1:]])
