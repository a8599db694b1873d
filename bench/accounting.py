"""Epsilon of shuffled batches and the seconds that it takes, beside what other accountants give at the same delta.

    python bench/accounting.py

Each row is certified here, at delta 1e-6 (1e-8 for 10**12 reports). The figures beside it are those that the
variation-ratio and the clones code gave in one run, where one is known; they took 5 to 52 seconds from 10**6 reports
on. The variation-ratio code is no upper bound where x and z share reports.
"""

from __future__ import annotations

import time

import discreet as dc
from discreet.core import tables

NAMES = {"hadamard": {}, "randomized_response": {}, "subset": {"d": 4}}

OTHERS = {
    ("hadamard", 10**4): (0.02974, 0.05548),
    ("randomized_response", 10**4): (0.01920, 0.05548),
    ("subset", 10**4): (0.03082, 0.05548),
    ("hadamard", 10**6): (0.00244, 0.00458),
    ("randomized_response", 10**6): (0.00153, 0.00458),
    ("subset", 10**6): (0.00250, 0.00458),
    ("hadamard", 10**8): (0.000244, 0.000319),
}
"""The epsilons of variation ratios and of clones, where a run is known."""


def batches() -> list[tuple[object, ...]]:
    """One row for each mechanism and number of reports."""
    rows: list[tuple[object, ...]] = []
    for name, parameters in NAMES.items():
        mechanism = dc.mechanism(dc.Context.uniform(range(15), "1"), name, **parameters)
        for n in (10**4, 10**6, 10**8, 10**12):
            begun = time.perf_counter()
            epsilon = dc.shuffled(mechanism, n).epsilon(0, 1, 1e-6 if n < 10**12 else 1e-8)
            taken = time.perf_counter() - begun
            rows.append((name, n, epsilon, taken, *OTHERS.get((name, n), (None, None))))
    begun = time.perf_counter()
    wide = dc.mechanism(dc.Context.uniform(range(43_750), "1"), "projective")
    epsilon = dc.shuffled(wide, 3_670_000).epsilon(0, 1, 1e-8)
    rows.append(("projective, 43,750 values", 3_670_000, epsilon, time.perf_counter() - begun, None, None))
    return rows


def others() -> list[tuple[object, ...]]:
    """The other answers: the least batch, many reports of one person, and what one report tells."""
    mechanism = dc.mechanism(dc.Context.uniform(range(15), "1"), "hadamard")
    batch = dc.shuffled(mechanism, 10**5)
    asked = {
        "least batch for 0.01 at 1e-6": lambda: dc.batch_needed(mechanism, 0.01, 1e-6),
        "365 fresh reports, epsilon at 1e-6": lambda: dc.repeated(mechanism, 365).epsilon(0, 1, 1e-6),
        "30 shuffled collections of 1e5": lambda: dc.repeated(batch, 30).epsilon(0, 1, 1e-6),
        "a guess from one report": lambda: dc.exposure(mechanism).guess,
    }
    rows = []
    for what, answer in asked.items():
        begun = time.perf_counter()
        found = answer()
        rows.append((what, f"{found:.6g}", time.perf_counter() - begun))
    return rows


def main() -> None:
    """Print both tables."""
    columns: list[tables.Column] = [("mechanism", "s"), ("n", ",d"), ("epsilon", ".6g"), ("seconds", ".2f")]
    columns += [("variation ratio", ".6g"), ("clones", ".6g")]
    print(tables.text(columns, batches()))
    print()
    print(tables.text([("hadamard, 15 values, epsilon 1", "s"), ("answer", "s"), ("seconds", ".2f")], others()))


if __name__ == "__main__":
    main()
