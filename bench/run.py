"""Speed as ratios in one run: ours compiled, ours in NumPy, the machine's limits, and published libraries.

    python bench/run.py [--quick] [--only SECTION ...] [--json FILE] [--plot FILE]

Prints one table, and writes the same lines as JSON and as a picture to bench/results; then prints the table of
accuracy. Nothing is asserted: a machine that has other things to do gives other rates, but its ratios hold better,
and the least of a few tries is taken.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

from columns import columns
from limits import Limits, limits, told
from measure import Result, table
from parquet import parquet
from peers import peers
from picture import draw
from ratios import ratios
from speed import decode, estimate, growth, privatise
from start import start
from store import store
from timing import timing

SECTIONS = [
    "start",
    "timing",
    "privatise",
    "columns",
    "ratios",
    "tally",
    "estimate",
    "peers",
    "files",
    "growth",
    "store",
    "accuracy",
]
KS = [1000, 43_750]
RESULTS = Path(__file__).parent / "results"


def sections(asked: list[str], quick: bool, found: Limits) -> Iterator[Result]:
    """The lines of the sections asked for, one after the other."""
    if "start" in asked:
        yield from start()
    if "timing" in asked:
        yield from timing(5_000 if quick else 20_000)
    if "privatise" in asked:
        yield from privatise(found, KS, 4_000_000 if quick else 10_000_000)
    if "columns" in asked:
        yield from columns(1_000_000 if quick else 10_000_000)
    if "ratios" in asked:
        yield from ratios(KS, 4_000_000 if quick else 10_000_000)
    if "tally" in asked:
        yield from decode(found, KS, 4_000_000 if quick else 50_000_000)
    if "estimate" in asked:
        yield from estimate([*KS, 1 << 20])
    if "peers" in asked:
        yield from peers(KS, quick=quick)
    if "files" in asked:
        yield from parquet(2_000_000 if quick else 100_000_000, tries=2)
    if "growth" in asked:
        ns, ks = (
            ([10**5, 10**6], [10**3, 10**4])
            if quick
            else ([10**6, 10**7, 10**8], [10, 10**2, 10**3, 10**4, 10**5, 10**6])
        )
        yield from growth(ns, ks)
    if "store" in asked:
        yield from store(quick=quick)


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a minute or two instead of a quarter of an hour")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS)
    parser.add_argument("--json", type=Path, default=RESULTS / "speed.json", help="where the lines go as JSON")
    parser.add_argument("--plot", type=Path, default=RESULTS / "speed.png", help="where the picture goes")
    asked = parser.parse_args()
    asked.json.parent.mkdir(exist_ok=True)
    found = limits()
    lines = told(found)
    print(f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores")
    print(table(lines), flush=True)
    section = ""
    for line in sections(asked.only, asked.quick, found):
        lines.append(line)
        text = table([line]).splitlines()
        print("\n".join(text[1 if line.section == section else 0 :][1 if line.section == section else 0 :]), flush=True)
        section = line.section
    asked.json.write_text(json.dumps([line.as_dict() for line in lines], indent=1) + "\n")
    draw(lines, asked.plot)
    print(f"\nwritten: {asked.json}, {asked.plot}\n", flush=True)
    if "accuracy" in asked.only:
        subprocess.run([sys.executable, Path(__file__).with_name("accuracy.py")], check=True)


if __name__ == "__main__":
    main()
