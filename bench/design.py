"""Designs beside their targets: what is found, what is proved, and how long it takes.

    python bench/design.py [--only NAME ...] [--seconds S]

A row is a context, or a context and what is made small; `--only` takes the beginning of names. "reach" is what a
design must come to, "closed form" the best mechanism that needs no search. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import discreet as dc
from discreet.contexts.forms.metric import Metric
from discreet.core import tables
from discreet.core.domain import Domain
from discreet.core.exact import Epsilon


@dataclass(frozen=True)
class Row:
    """A context to design for, what is made small, and what each of its errors must come to."""

    name: str
    context: Callable[[], dc.Context]
    reach: tuple[float, ...]
    seconds: float
    query: Any = None


def line(k: int, step: str) -> Callable[[], dc.Context]:
    """Values on a line."""
    return lambda: Metric.from_points(Domain(range(k)), [[x] for x in range(k)], "l1", step)


def grid(side: int, norm: str, step: str) -> Callable[[], dc.Context]:
    """Cells of a square."""
    points = [[x, y] for x in range(side) for y in range(side)]
    return lambda: Metric.from_points(Domain(range(side**2)), points, norm, step)


def entries(E: np.ndarray[Any, Any]) -> Callable[[], dc.Context]:
    """A matrix of exact entries, given in thousandths."""

    def made() -> dc.Context:
        exact: list[list[Epsilon]] = [[Fraction(int(entry), 1000) for entry in row] for row in E]
        return dc.Context.matrix(range(len(E)), exact)

    return made


def ring(k: int, step: int) -> np.ndarray[Any, Any]:
    """The shorter way round."""
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    return step * np.minimum(apart, k - apart)


def uniform(k: int, level: int) -> np.ndarray[Any, Any]:
    """All pairs alike."""
    return level * (1 - np.eye(k, dtype=int))


def straight(k: int, step: int) -> np.ndarray[Any, Any]:
    """The distance on a line."""
    return step * np.abs(np.subtract.outer(np.arange(k), np.arange(k)))


def both(*factors: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Several questions at once: their entries added up."""
    first, *rest = factors
    for other in rest:
        ones = np.ones_like
        first = np.kron(first, ones(other)) + np.kron(ones(first), other)
    return first


def dense(k: int) -> np.ndarray[Any, Any]:
    """Entries from 1 to 2 without any structure."""
    E = np.rint(1000 * np.round(np.random.default_rng(0).uniform(1, 2, (k, k)), 3)).astype(int)
    np.fill_diagonal(E, 0)
    return E


WISHES = ["shares", "mean", "cumulative"]

ROWS = [
    Row("line-10", line(10, "0.5"), (51.8,), 20),
    Row("line-30", line(30, "0.5"), (71.8,), 20),
    Row("line-100", line(100, "0.5"), (79.2,), 60),
    Row("line-30-fine", line(30, "0.1"), (4760,), 40),
    Row("line-100-fine", line(100, "0.1"), (9450,), 120),
    Row("ring-12", entries(ring(12, 500)), (70.7,), 20),
    Row("ring-24", entries(ring(24, 500)), (81.4,), 20),
    Row("ring-64", entries(ring(64, 500)), (82.1,), 40),
    Row("l1-5x5", grid(5, "l1", "0.5"), (165,), 20),
    Row("l1-7x7", grid(7, "l1", "0.5"), (289,), 60),
    Row("torus-6x6", entries(both(ring(6, 500), ring(6, 500))), (253,), 40),
    Row("torus-10x10", entries(both(ring(10, 500), ring(10, 500))), (645,), 90),
    Row("l2-6x6", grid(6, "l2", "0.5"), (333,), 40),
    Row("l2-10x10", grid(10, "l2", "0.5"), (850,), 110),
    Row("l2-17x17", grid(17, "l2", "0.5"), (1700,), 120),
    Row("uniform-5-and-4", entries(both(uniform(5, 1000), uniform(4, 1000))), (50.4,), 40),
    Row("line-10-and-uniform-5", entries(both(straight(10, 500), uniform(5, 1000))), (235,), 60),
    Row("yes-no-3", entries(both(*[uniform(2, 1000)] * 3)), (12.53,), 20),
    Row("yes-no-5", entries(both(*[uniform(2, 1000)] * 5)), (50.7,), 20),
    Row("random-20", entries(dense(20)), (40.4,), 40),
    Row("random-40", entries(dense(40)), (106,), 110),
    *(
        Row(
            f"ages-{k}-{step}-{'-'.join(query) if isinstance(query, list) else query}",
            line(k, step),
            reach,
            seconds,
            query,
        )
        for k, step, query, reach, seconds in (
            (30, "0.1", "shares", (4735.8,), 40),
            (30, "0.1", "mean", (239.8,), 20),
            (30, "0.1", "cumulative", (2749.2,), 40),
            (30, "0.1", WISHES, (6159.0, 333.2, 3290.0), 60),
            (30, "0.5", "mean", (82.34,), 20),
            (30, "0.5", "cumulative", (36.24,), 20),
            (30, "0.5", WISHES, (73.45, 83.81, 36.73), 40),
            (100, "0.1", "shares", (9301.0,), 120),
            (100, "0.1", "mean", (1022.1,), 40),
            (100, "0.1", "cumulative", (5176.0,), 120),
            (100, "0.1", WISHES, (10_700.0, 1150.0, 5700.0), 120),
        )
    ),
]

COLUMNS: list[tables.Column] = [
    ("context", "s"),
    ("reach", "s"),
    ("found", "s"),
    ("proved", ".6g"),
    ("gap", ".2%"),
    ("closed form", ".6g"),
    ("reports", "d"),
    ("search s", ".1f"),
    ("all s", ".1f"),
    ("CPU s", ".1f"),
]


def measured(row: Row, seconds: float | None) -> tuple[Any, ...]:
    """The cells of a row."""
    context = row.context()
    began, worked = time.monotonic(), time.process_time()
    found = dc.design(context, query=row.query, seconds=seconds or row.seconds)
    took, work = time.monotonic() - began, time.process_time() - worked
    errors = [error for _, error in found.targets]
    closed = found.compared[0].error if found.compared else None
    searched = found.history[-1].seconds if found.history else 0.0
    listed = ["/".join(f"{error:.6g}" for error in many) for many in (row.reach, errors)]
    return row.name, *listed, found.bound, found.gap, closed, found.mechanism.sampler.outputs, searched, took, work


def main() -> None:
    """Print one table, a line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="rows whose names begin like this")
    parser.add_argument("--seconds", type=float, help="for every row, in place of its own")
    asked = parser.parse_args()
    rows = []
    for row in ROWS:
        if asked.only is None or any(row.name.startswith(name) for name in asked.only):
            rows.append(measured(row, asked.seconds))
            print(tables.text(COLUMNS, rows[-1:]).splitlines()[-1], flush=True)
    print("\n" + tables.text(COLUMNS, rows))


if __name__ == "__main__":
    main()
