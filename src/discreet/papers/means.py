"""Means and cumulative shares of numbers that are all hidden alike, beside the mechanisms of the literature."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..estimation.decoders import decoder_of
from ..mechanisms.build import mechanism
from ..mechanisms.mechanism import Mechanism
from ..planning.design import design
from ..plots import plot_curves
from ..theory.unbiased import unbiased_queries
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting, beside_the_print

Array = NDArray[np.float64]

EPSILONS = ("0.25", "0.5", "1", "2", "3", "4", "6", "8")
NODES = (33, 65)
"""How many numbers there are, in short and in full."""
SECONDS = 60
"""What the search for the best law may take at each epsilon."""

PREFIXES = 128
PRINTED = "1910.87"
"""The worst summed variance of 128 prefixes at epsilon 1 that the program of McKenna2020 prints for its design."""


def duchi(x: Array, epsilon: float) -> Array:
    """One bit: B = +1 with probability (1 + t x)/2, t = tanh(epsilon/2), and B/t is unbiased (Duchi2013)."""
    return np.asarray(1 / math.tanh(epsilon / 2) ** 2 - x**2)


def laplace(x: Array, epsilon: float) -> Array:
    """Laplace noise of scale 2/epsilon."""
    return 8 / epsilon**2 + 0 * x


def piecewise(x: Array, epsilon: float) -> Array:
    """The piecewise mechanism: x^2/(s - 1) + (s + 3)/(3 (s - 1)^2), s = e^(epsilon/2) (Wang2019)."""
    s = math.exp(epsilon / 2)
    return np.asarray(x**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2))


def hybrid(x: Array, epsilon: float) -> Array:
    """The piecewise mechanism with probability 1 - e^(-epsilon/2) above epsilon 0.61, else one bit (Wang2019)."""
    share = 1 - math.exp(-epsilon / 2) if epsilon > 0.61 else 0.0
    return share * piecewise(x, epsilon) + (1 - share) * duchi(x, epsilon)


LITERATURE: dict[str, Callable[[Array, float], Array]] = {
    "Laplace noise": laplace,
    "one bit": duchi,
    "piecewise": piecewise,
    "hybrid": hybrid,
}


def variances(used: Mechanism, rows: Array) -> Array:
    """The variance of the estimates of some queries from one report, summed, for each value that may be held."""
    decoder = decoder_of(used)
    scores = decoder.decode_adjoint(rows)
    return np.asarray(decoder.expected_counts_adjoint((scores**2).sum(axis=0)) - (rows**2).sum(axis=0))


def run(setting: Setting) -> ExperimentReport:
    """The mean at every epsilon, and all prefixes at three."""
    x = np.linspace(-1, 1, NODES[setting.full])
    rows, above = [], []
    for epsilon in EPSILONS:
        context = Context.uniform(range(len(x)), epsilon)
        others = [float(of(x, float(epsilon)).mean()) for of in LITERATURE.values()]
        own = variances(mechanism(context, query="mean"), x[None])
        found = design(context, query="mean", seconds=SECONDS)
        units = (2 / (len(x) - 1)) ** 2
        best, least = (float(error * units - (x**2).mean()) for error in (found.error, found.bound))
        rows.append((float(epsilon), *others, float(own.mean()), best, least))
        above.append(float(own.mean()) / best)
    ordered = [_prefixes(epsilon) for epsilon in ("0.5", "1", "2")]
    columns = [("epsilon", "g"), *((name, ".5g") for name in LITERATURE)]
    columns += [("ours", ".5g"), ("best found", ".5g"), ("at least", ".5g")]
    worst = next(row[3] for row in ordered if row[0] == 1)
    least_gain = min(min(row[1 : 1 + len(LITERATURE)]) / row[-3] for row in rows)
    return ExperimentReport(
        "means",
        "means and cumulative shares beside the mechanisms of the literature",
        f"""
        Numbers from -1 to 1 under classical privacy, {len(x)} of them, evenly spread and equally frequent. The first
        table has n times the variance that randomization adds to an estimated mean, averaged over the numbers: one bit
        about a number (Duchi2013), the piecewise and the hybrid mechanism (Wang2019) and Laplace noise by their closed
        forms, *ours* as `dc.mechanism(context, query="mean")` chooses it, *best found* by `dc.design`, and *at least*
        the bound that it proves for every mechanism and every unbiased estimate. Reports of ours take at most
        {max(_bits(len(x)))} bits.

        The second table is about the shares of the values up to each of {PREFIXES}, by
        `dc.mechanism(context, query="cumulative")`: n times the summed variances, averaged and for the value that has
        most, which is how McKenna2020 measures it. *At least* is the closed bound on the average
        (`dc.bounds.unbiased_queries`, less what sampling adds).
        """,
        [
            ReportTable("means", "n x variance of the mean", columns, rows),
            ReportTable(
                "prefixes",
                f"n x summed variances of {PREFIXES} prefixes",
                [("epsilon", "g"), ("bits", "d"), ("average", ".5g"), ("worst", ".5g"), ("at least", ".5g")],
                ordered,
            ),
        ],
        [
            CheckedClaim(
                "ours has less variance than every mechanism of the literature at every epsilon",
                least_gain > 1,
                f"least ratio {least_gain:.3f}",
            ),
            CheckedClaim("ours is within 4 % of the best law", max(above) <= 1.04, f"largest ratio {max(above):.4f}"),
        ],
        figures={"means": lambda path: _draw(rows, path)},
        beside=beside_the_print(
            "McKenna2020, prefixes at epsilon 1, as printed by its program, and ours by the same measure",
            [(f"{PREFIXES} prefixes, worst", PRINTED, worst)],
            form=".2f",
        ),
    )


def _bits(size: int) -> list[int]:
    """How many bits reports about a mean have, at each epsilon."""
    return [mechanism(Context.uniform(range(size), epsilon), query="mean").bits for epsilon in EPSILONS]


def _prefixes(epsilon: str) -> tuple[float, int, float, float, float]:
    context, rows = Context.uniform(range(PREFIXES), epsilon), np.tri(PREFIXES)
    used = mechanism(context, query="cumulative")
    own, shares = variances(used, rows), rows.mean(axis=1)
    sampling = float((shares * (1 - shares)).sum())
    least = unbiased_queries(context, "cumulative").value - sampling
    return float(epsilon), used.bits, float(own.mean()), float(own.max()), least


def _draw(rows: list[tuple[float, ...]], path: Path) -> None:
    names = [*LITERATURE, "ours"]
    series = {name: [row[1 + place] / row[-1] for row in rows] for place, name in enumerate(names)}
    panel = {"title": "the mean", "x": [row[0] for row in rows], "series": series}
    plot_curves([panel], path, log_y=True, x_label="epsilon", y_label="variance over the least that is possible")
