"""The audit at 10**6 reports a value: all our mechanisms, and the order leak of a set with the true value first.

    python bench/audit.py [--samples N] [--only TEXT] [--json FILE]

Joint confidence 1 - 1e-6 for each row. A breach in one of ours, or none in a leak, ends it with code 1.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import discreet as dc
from discreet.auditing import Audit, Bulk, audit
from discreet.mechanisms.uniform.subset import least_error_size

BASES = (
    *("randomized_response", "unary", "optimised_unary", "subset", "hadamard", "projective", "cyclotomic"),
    "general_hadamard",
)
FEW = [(0, 1), (1, 0), (1, 999), (999, 0)]
"""Pairs for reports of a thousand bits, which are slow to make."""


def ours() -> Iterator[tuple[str, Any, Any]]:
    """Every mechanism in every form of context, with the pairs to audit."""
    for k in (2, 10, 100, 1000):
        context = dc.Context.uniform(range(k), "1")
        for name in BASES:
            if (k, name) == (2, "cyclotomic"):
                continue  # needs more values
            wide = k == 1000 and name in ("unary", "optimised_unary", "subset")
            yield f"uniform {k}", dc.mechanism(context, name), FEW if wide else None
    for epsilon in ("0.1", "5"):
        yield f"uniform 10, epsilon {epsilon}", dc.mechanism(dc.Context.uniform(range(10), epsilon)), None
    blocks = dc.Context.blocks({"a": range(5), "b": range(5, 12), "c": [12]}, {"a": "1", "b": "0.5", "c": "1"})
    high_low = dc.Context.high_low(range(30), range(6), "1")
    for name in ("auto", *(name for name in BASES if name != "cyclotomic")):
        yield "blocks 5, 7, 1", dc.mechanism(blocks, name), None
    for name in ("auto", *(name for name in BASES[:-1] if name != "cyclotomic"), "utility_rappor"):
        yield "high-low 6 of 30", dc.mechanism(high_low, name), None
    few = [0.05 / 6] * 6 + [0.95 / 24] * 24
    yield "high-low, few sensitive", dc.mechanism(high_low, prior=few), None
    many = dc.Context.blocks({b: range(25 * b, 25 * b + 25) for b in range(40)}, "1")
    yield "40 blocks of 25", dc.mechanism(many), None
    yield "binary inf, 1", dc.mechanism(dc.Context.binary("no", "yes", ("inf", "1"))), None
    yield "binary 0.5, 1", dc.mechanism(dc.Context.binary("no", "yes", ("0.5", "1"))), None
    metric = dc.Context.metric(range(8), lambda a, b: abs(a - b), "0.5")
    for name in ("auto", "exponential"):
        yield "metric 8", dc.mechanism(metric, name), None


def true_value_first(k: int, seed: int) -> Bulk:
    """Subset selection at epsilon 1 as two published libraries write it: a list that begins with the truth."""
    rng = np.random.default_rng(seed)
    d = max(2, least_error_size(k, 1.0))
    hit = d * math.e / (d * math.e + k - d)

    def many(x: int, n: int) -> Any:
        keys = rng.random((n, k), dtype=np.float32)
        keys[:, x] = 2.0
        chosen = rng.permuted(np.argpartition(keys, d, axis=1)[:, :d].astype("<u2"), axis=1)
        chosen[rng.random(n) < hit, 0] = x
        return np.ascontiguousarray(chosen).view(np.uint8)

    return Bulk(many)


def row_of(label: str, name: str, found: Audit, seconds: float) -> dict[str, Any]:
    """One line of the table."""
    return {"context": label, "mechanism": name, **found.as_dict(), "seconds": round(seconds, 1)}


def main() -> int:
    """Run the audits and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=10**6)
    parser.add_argument("--only", default="", help="audit only what has this text in its name")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    jobs = [(label, made.name, made, None, pairs, False) for label, made, pairs in ours()]
    for k in (10, 100, 1000):
        pairs = [(0, 1), (1, k - 1), (k - 1, 0)]
        context = dc.Context.uniform(range(k), "1")
        jobs.append((f"uniform {k}", "true value first", true_value_first(k, k), context, pairs, True))
    rows, wrong = [], 0
    for label, name, subject, context, pairs, leaks in jobs:
        if given.only not in f"{label}: {name}":
            continue
        begun = time.perf_counter()
        with tqdm(total=1, desc=f"{label}: {name}", disable=not sys.stderr.isatty(), leave=False) as bar:
            found = audit(
                subject,
                context=context,
                samples=given.samples,
                pairs=pairs,
                progress=lambda done, total, bar=bar: bar.update(done / total - bar.n),  # type: ignore[misc]
                rng=dc.random.seeded(20_200_713),
            )
        row = row_of(label, name, found, time.perf_counter() - begun)
        wrong += found.breach != leaks
        rows.append(row)
        print(
            f"{label:24} {name:30} claimed {row['claimed']:<5g} lower {found.epsilon_lower:7.4f} "
            f"{'BREACH' if found.breach else 'quiet':6} {len(found.findings):4} of {found.protected:7,} pairs "
            f"{row['seconds']:7.1f} s  {found.event[:70]}",
            flush=True,
        )
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
