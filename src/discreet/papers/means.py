"""Means and cumulative shares of numbers that are all hidden alike, beside the mechanisms of the literature."""

from __future__ import annotations

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
from .printed_means import LITERATURE
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting, beside_the_print

Array = NDArray[np.float64]

EPSILONS = ("0.25", "0.5", "1", "2", "3", "4", "6", "8")
NODES = (33, 65)
"""How many numbers there are, in short and in full."""
BETWEEN = 33
"""At how many numbers of a step its variance is looked at."""
SECONDS = 60
"""What the search for the best law may take at each epsilon."""

PREFIXES = 128
PRINTED = "1910.87"
"""The worst summed variance of 128 prefixes at epsilon 1 that the program of McKenna2020 prints for its design."""


def variances(used: Mechanism, rows: Array) -> Array:
    """The variance of the estimates of some queries from one report, summed, for each value that may be held."""
    decoder = decoder_of(used)
    scores = decoder.decode_adjoint(rows)
    return np.asarray(decoder.expected_counts_adjoint((scores**2).sum(axis=0)) - (rows**2).sum(axis=0))


def worst_between(x: Array, own: Array) -> float:
    """The largest variance for any number, also between nodes, to which it is rounded at random.

    ``(1 - f) m_j + f m_(j+1) - x^2`` with the second moments m of the nodes, a fraction f of a step above node j.
    """
    f, moments = np.linspace(0, 1, BETWEEN)[:, None], own + x**2
    second, between = ((1 - f) * some[:-1] + f * some[1:] for some in (moments, x))
    return float((second - between**2).max())


def run(setting: Setting) -> ExperimentReport:
    """The mean at every epsilon, and all prefixes at three."""
    x = np.linspace(-1, 1, NODES[setting.full])
    rows, hardest = [], []
    for epsilon in EPSILONS:
        context = Context.uniform(range(len(x)), epsilon)
        printed = [of(x, float(epsilon)) for of in LITERATURE.values()]
        own, safe = (variances(mechanism(context, query="mean", worst=worst), x[None]) for worst in (False, True))
        found = design(context, query="mean", seconds=SECONDS)
        units = (2 / (len(x) - 1)) ** 2
        best, least = (float(error * units - (x**2).mean()) for error in (found.error, found.bound))
        rows.append((float(epsilon), *(float(one.mean()) for one in printed), float(own.mean()), best, least))
        between = (worst_between(x, one) for one in (own, safe))
        hardest.append((float(epsilon), *(float(one.max()) for one in printed), *between, least))
    ordered = [_prefixes(epsilon) for epsilon in ("0.5", "1", "2")]
    names = [("epsilon", "g"), *((name, ".5g") for name in LITERATURE)]
    columns = [*names, ("ours", ".5g"), ("best found", ".5g"), ("at least", ".5g")]
    columns_of_worst = [*names, ("ours", ".5g"), ("ours, worst=True", ".5g"), ("at least", ".5g")]
    worst = next(row[3] for row in ordered if row[0] == 1)
    above = max(row[-3] / row[-2] for row in rows)
    gain = min(min(row[1:-3]) / row[-3] for row in rows)
    simple = slice(1, 1 + list(LITERATURE).index("three outputs"))
    gain_in_print = min(min(row[simple]) / row[-2] for row in hardest)
    losses = {f"{row[0]:g}": row[-2] / min(row[1:-3]) for row in hardest}
    beyond = ", ".join(epsilon for epsilon, ratio in losses.items() if ratio > 1)
    return ExperimentReport(
        "means",
        "means and cumulative shares beside the mechanisms of the literature",
        f"""
        Numbers from -1 to 1 under classical privacy, {len(x)} of them, evenly spread and equally frequent. The first
        table has n times the variance that randomization adds to an estimated mean, averaged over the numbers: one bit
        about a number (Duchi2013), the piecewise and the hybrid mechanism (Wang2019), three outputs (Zhao2021), the
        best mixture of any of these with any piecewise mechanism, whose parameters have the least worst case, the
        reports of the square wave (Li2020) and Laplace noise, all by their closed forms; *ours* as
        `dc.mechanism(context, query="mean")` chooses it, *best found* by `dc.design`, and *at least* the bound that it
        proves for every mechanism and every unbiased estimate. Reports of ours take at most {max(_bits(len(x)))} bits.

        The second table has n times the variance for the number that has most, as papers give it, between nodes too.
        There *ours* is the same mechanism, and *ours, worst=True* the one with the least worst case over all
        distributions of these nodes (of two nodes it is one bit). The bound is that on the average, which no worst case
        is below.

        The third table is about the shares of the values up to each of {PREFIXES}, by
        `dc.mechanism(context, query="cumulative")`: n times the summed variances, averaged and for the value that has
        most, which is how McKenna2020 measures it. *At least* is the closed bound on the average
        (`dc.bounds.unbiased_queries`, less what sampling adds).
        """,
        [
            ReportTable("means", "n x variance of the mean, averaged over the numbers", columns, rows),
            ReportTable("worst", "n x variance of the mean, for the number that has most", columns_of_worst, hardest),
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
                gain > 1,
                f"least ratio {gain:.3f}",
            ),
            CheckedClaim("ours is within 4 % of the best law", above <= 1.04, f"largest ratio {above:.4f}"),
            CheckedClaim(
                "for the number that has most, ours has less than one bit, piecewise, hybrid and Laplace noise",
                gain_in_print > 1,
                f"least ratio {gain_in_print:.3f}",
            ),
            CheckedClaim(
                "and at most 6 % more than three outputs and the best hybrid",
                max(losses.values()) <= 1.06,
                f"largest ratio {max(losses.values()):.3f}, above 1 at epsilon {beyond}",
            ),
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
