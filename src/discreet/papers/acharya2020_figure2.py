"""Figure 2 of Acharya2020: error against people for four distributions on 1,000 values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..estimation.results.projection import project
from ..geo import blocks_context
from ..mechanisms.build import mechanism
from ..mechanisms.mechanism import Mechanism
from ..plots import plot_curves
from .data import read_expected
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting
from .simulate import Mean, drawn_tally, total_variation

SIZE = 1000
EPSILON = "1"
BLOCKS = (1, 10, 20, 50, 100)
"""The numbers of equal blocks; one block is classical privacy, LDP in the figure."""
PEOPLE = tuple(1000 * 2**i for i in range(10))
TOLERANCE = 0.05
EARLIER_RUNS = 10
"""Repetitions behind the values of our earlier simulation."""
TITLES = {
    "uniform": "uniform",
    "geometric": "Geo(0.95)",
    "zipf": "Zipf(1)",
    "permuted": "Geo(0.95) permuted",
}


def distribution(name: str, generator: np.random.Generator) -> NDArray[np.float64]:
    """The shares of one of the four distributions; "permuted" is drawn anew each time.

    Geo(l) is ``p(i) ~ l**i``, i from 0: with the printed ``(1-l)**i l`` one value would hold 95 % of all people.
    """
    i = np.arange(SIZE)
    weights = {"uniform": np.ones(SIZE), "zipf": 1 / (i + 1.0)}.get(name, 0.95**i)
    if name == "permuted":
        weights = generator.permutation(weights)
    return np.asarray(weights / weights.sum())


def hadamard(blocks: int) -> Mechanism:
    """The paper's mechanism: Hadamard response inside equal blocks of neighbouring values."""
    context = Context.uniform(range(SIZE), EPSILON)
    if blocks > 1:
        context = blocks_context(np.arange(SIZE) * blocks // SIZE, EPSILON)
    return mechanism(context, "hadamard")


def measure(name: str, blocks: int, people: int, *, runs: int, seed: int = 2020) -> Mean:
    """The mean total variation of the simplex projection over repeated surveys."""
    used = hadamard(blocks)
    errors = []
    for run in range(runs):
        generator = np.random.default_rng([seed, run, blocks, people, list(TITLES).index(name)])
        truth = distribution(name, generator)
        tally = drawn_tally(used, truth, people, generator)
        errors.append(total_variation(project(tally, onto="simplex").shares, truth))
    return Mean.of(errors)


Curves = dict[tuple[str, int], list[Mean]]
"""For a distribution and a number of blocks, the mean error at each number of people."""


def _curve(name: str, blocks: int, runs: int) -> list[Mean]:
    return [measure(name, blocks, people, runs=runs) for people in PEOPLE]


def run(setting: Setting) -> ExperimentReport:
    """The four panels, beside the values of our own earlier simulation."""
    runs = setting.repetitions(short=100, full=200)
    jobs = [(name, blocks, runs) for name in TITLES for blocks in BLOCKS]
    curves = dict(zip([job[:2] for job in jobs], setting.each(_curve, jobs, "acharya2020-figure2"), strict=True))
    return ExperimentReport(
        "acharya2020-figure2",
        "four distributions on 1,000 values, classical and in blocks",
        f"""
        Acharya2020, Figure 2: k = 1,000, epsilon 1, Hadamard response inside m equal blocks, projection onto
        the simplex, total variation, mean of {runs} repetitions. The counts of all reports are drawn at once
        from their exact law.

        The paper prints the figure without numbers, so there is none of its to compare with. The *earlier* values
        are our own: an earlier simulation of ours after the same description, of {EARLIER_RUNS} repetitions as the
        paper has. That the two agree says nothing of the paper's own run. Tolerance {TOLERANCE:.0%}, or three
        standard errors of the difference, for the earlier values have noise of their own.

        Two departures from the print: Geo(l) is taken as l^i (1-l), not (1-l)^i l, with which one value would hold
        95 % of the people; and the permutation is drawn anew in every repetition.
        """,
        [_comparison(curves), _all(curves)],
        _checks(curves),
        {"acharya2020-figure2": lambda path: _draw(curves, runs, path)},
    )


def _comparison(curves: Curves) -> ReportTable:
    rows = []
    for name, people, blocks, earlier in earlier_values():
        mean = curves[name, blocks][PEOPLE.index(people)]
        off = mean.value / earlier - 1
        far = abs(off) * earlier / mean.stderr_beside(EARLIER_RUNS)
        rows.append((TITLES[name], people, _label(blocks), mean.value, mean.stderr, earlier, off, far))
    columns = [("distribution", "s"), ("n", ",d"), ("m", "s"), ("now", ".3f"), ("±", ".4f")]
    columns += [("earlier", ".3f"), ("difference", "+.1%"), ("in standard errors", ".1f")]
    caption = "Total variation beside our own earlier simulation (± one standard error)"
    return ReportTable("comparison", caption, columns, rows)


def earlier_values() -> list[tuple[str, int, int, float]]:
    """Distribution, people, blocks and the total variation of our earlier simulation."""
    return [
        (row["distribution"], int(row["n"]), blocks, float(row[_label(blocks)]))
        for row in read_expected("acharya2020_figure2")
        for blocks in (1, 10, 100)
    ]


def _all(curves: Curves) -> ReportTable:
    columns = [("distribution", "s"), ("m", "s"), *((f"n={n:,}", ".3f") for n in PEOPLE)]
    rows = [(TITLES[name], _label(blocks), *(mean.value for mean in curves[name, blocks])) for name, blocks in curves]
    return ReportTable("all", "Every point of the figure", columns, rows)


def _checks(curves: Curves) -> list[CheckedClaim]:
    compared = _comparison(curves).rows
    plain = sum(abs(row[6]) <= TOLERANCE for row in compared)
    near = sum(abs(row[6]) <= TOLERANCE or row[7] <= 3 for row in compared)
    ordered = 0
    for name in TITLES:
        lines = np.array([[mean.value for mean in curves[name, blocks]] for blocks in BLOCKS])
        ordered += int(np.sum(np.diff(lines, axis=0) < 0))
    total = len(TITLES) * (len(BLOCKS) - 1) * len(PEOPLE)
    shown = f"{near} of {len(compared)}; {plain} without allowing for noise"
    claim = f"our earlier simulation within {TOLERANCE:.0%} or three standard errors"
    return [
        CheckedClaim(claim, near == len(compared), shown),
        CheckedClaim("more blocks, less error, at every n", ordered == total, f"{ordered} of {total} comparisons"),
    ]


def _label(blocks: int) -> str:
    return "LDP" if blocks == 1 else str(blocks)


def _draw(curves: Curves, runs: int, path: Path) -> None:
    panels: list[dict[str, Any]] = []
    for name, title in TITLES.items():
        lines = {("LDP" if blocks == 1 else f"m = {blocks}"): curves[name, blocks] for blocks in BLOCKS}
        series = {label: [mean.value for mean in line] for label, line in lines.items()}
        bands = {
            label: tuple([min(mean.value + side * mean.spread, 1.0) for mean in line] for side in (-2, 2))
            for label, line in lines.items()
            if runs > 1
        }
        panels.append({"title": title, "x": PEOPLE, "series": series, "bands": bands})
    note = (
        f"Simulated people, 1,000 values, epsilon {EPSILON}, Hadamard response, simplex projection. Lines: mean of "
        f"{runs} surveys. Shaded: two standard deviations of a single survey each way, cut at 1."
    )
    plot_curves(panels, path, x_label="people", y_label="total variation", log_x=True, columns=2, note=note)
