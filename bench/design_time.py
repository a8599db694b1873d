"""Whether a design ends in the seconds it was given, and in how much memory, for domains of hundreds of values.

    python bench/design_time.py [--values 140 200 320] [--seconds 5 20]

Each row is a process of its own. "over" is the time of the call divided by what it was given. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from discreet.core import tables

CASES = ("uniform shares", "uniform cumulative", "uniform mean", "line shares", "matrix shares", "uniform worst")


def measure(case: str, k: int, seconds: float) -> dict[str, Any]:
    """One design: its seconds, its memory, and what is known of it."""
    import resource

    import numpy as np

    import discreet as dc

    form, what = case.split()
    if form == "matrix":
        entries = np.random.default_rng(0).integers(500, 1500, (k, k)).tolist()
        context = dc.Context.matrix(
            range(k), [[f"{e}e-3" if x != z else 0 for z, e in enumerate(row)] for x, row in enumerate(entries)]
        )
    else:
        context = dc.Context.metric(range(k), "line", "0.1") if form == "line" else dc.Context.uniform(range(k), "1")
    query = "cumulative" if what == "worst" else what
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, worked = time.monotonic(), time.process_time()
    designed = dc.design(context, query=query, worst=what == "worst", seconds=seconds)
    took, worked = time.monotonic() - began, time.process_time() - worked
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": took,
        "cpu": worked,
        "MB": (most - before) / 1024,
        "error": designed.error,
        "bound": designed.bound,
        "name": f"{designed.mechanism.name} of {designed.mechanism.sampler.outputs}"
        if designed.mechanism.bits < 32
        else designed.mechanism.name,
        "closed": designed.compared[0].error if designed.compared else float("nan"),
        "label": designed.label,
    }


def main() -> None:
    """Measure every case in a process of its own, and print one row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--values", type=int, nargs="+", default=[140, 200, 320])
    parser.add_argument("--seconds", type=float, nargs="+", default=[5.0, 20.0])
    parser.add_argument("--case", nargs="+", default=list(CASES), choices=CASES)
    parser.add_argument("--one", nargs=3, metavar=("CASE", "K", "SECONDS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        case, k, seconds = given.one
        print(json.dumps(measure(case, int(k), float(seconds))))
        return
    rows = []
    for case in given.case:
        for k in given.values:
            for seconds in given.seconds:
                command = [sys.executable, __file__, "--one", case, str(k), str(seconds)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                row = json.loads(done.stdout)
                shown = (row["seconds"] / seconds, row["cpu"], row["MB"], row["error"], row["closed"], row["bound"])
                rows.append((case, k, seconds, *shown, row["name"], row["label"]))
                print(*rows[-1], file=sys.stderr, flush=True)
    numbers = [
        ("over", ".2f"),
        ("CPU s", ".1f"),
        ("MB", ".0f"),
        ("error", ".6g"),
        ("closed form", ".6g"),
        ("bound", ".6g"),
    ]
    columns = [("case", "s"), ("k", "d"), ("seconds", ".3g"), *numbers, ("mechanism", "s"), ("label", "s")]
    print(tables.text(columns, rows))


if __name__ == "__main__":
    main()
