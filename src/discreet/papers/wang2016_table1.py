"""Table 1 of Wang2016: subset selection beside binary and multivariate randomized response, every row and column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..estimation.results.projection import project
from ..estimation.simplex import project_blocks
from ..mechanisms.build import mechanism
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.uniform.pure import PureSampler
from ..mechanisms.uniform.subset import least_error_size, most_information_size
from ..plots import plot_ratios
from .data import read_expected
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting
from .simulate import Mean, recorded_tally

Array = NDArray[np.float64]

PEOPLE = 10_000
PAPER_RUNS = 100
METHODS = ("brr", "mrr", "k_star", "k_sharp")
SHOWN = {"brr": "BRR", "mrr": "MRR", "k_star": "k*-SS", "k_sharp": "k#-SS"}
NORMS = ("l2", "l1")


@dataclass(frozen=True)
class PrintedRow:
    """One row of the table: the printed values and the two sizes."""

    d: int
    epsilon: str
    printed: dict[str, str]

    @property
    def sizes(self) -> tuple[int, int]:
        """k* and k# of the library."""
        epsilon = float(self.epsilon)
        return most_information_size(self.d, epsilon), least_error_size(self.d, epsilon)

    @property
    def printed_sizes(self) -> tuple[int, int]:
        """k* and k# of the paper."""
        return int(self.printed["k_star"]), int(self.printed["k_sharp"])

    @property
    def tolerance(self) -> float:
        """How far off a mean may be, beyond Monte-Carlo error: the fewer values, the rougher the projection."""
        return 0.15 if self.d <= 4 else 0.10 if self.d < 16 else 0.05

    def value(self, method: str, norm: str) -> float:
        """The printed mean."""
        return float(self.printed[f"{method}_{norm}"])

    def rounding(self, method: str, norm: str) -> float:
        """Half a unit in the last printed digit."""
        mantissa, _, exponent = self.printed[f"{method}_{norm}"].partition("e")
        return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def rows() -> list[PrintedRow]:
    """The 41 rows as printed."""
    return [PrintedRow(int(row["d"]), row["epsilon"], row) for row in read_expected("wang2016_table1")]


@lru_cache(maxsize=256)
def mechanism_for(d: int, epsilon: str, method: str) -> Mechanism:
    """The library's mechanism for one column: unary is BRR, randomized response is MRR."""
    context = Context.uniform(range(d), epsilon)
    if method in ("k_star", "k_sharp"):
        return mechanism(context, "subset", d=method)
    return mechanism(context, {"brr": "unary", "mrr": "randomized_response"}[method])


def draw_people(d: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """How many of 10,000 people hold each value, in the proportions of normalised uniforms."""
    weights = generator.random(d)
    asked = PEOPLE * weights / weights.sum()
    counts: NDArray[np.int64] = np.floor(asked).astype(np.int64)
    counts[np.argsort(counts - asked)[: PEOPLE - counts.sum()]] += 1
    return counts


def measure_shortcut(row: PrintedRow, method: str, *, runs: int) -> dict[str, Mean]:
    """The mean errors of the paper's model: each value's support count is a binomial draw of its own.

    ``f_j ~ Binomial(n_j, p) + Binomial(n - n_j, q)`` independent over j; in the mechanism they are not.
    """
    design = mechanism_for(row.d, row.epsilon, method).sampler
    assert isinstance(design, PureSampler)
    p, q = float(design.p), float(design.q)
    generator = _generator(row, method, 0)
    people = np.stack([draw_people(row.d, generator) for _ in range(runs)])
    counts = generator.binomial(people, p) + generator.binomial(PEOPLE - people, q)
    raw = (counts / PEOPLE - q) / (p - q)
    labels = np.repeat(np.arange(runs), row.d)
    return _errors(project_blocks(raw.ravel(), labels, np.ones(runs)).reshape(runs, row.d), people)


def measure_mechanism(row: PrintedRow, method: str, *, runs: int) -> dict[str, Mean]:
    """The mean errors of the mechanism itself, with every one of the people randomized."""
    generator = _generator(row, method, 1)
    people = np.stack([draw_people(row.d, generator) for _ in range(runs)])
    used = mechanism_for(row.d, row.epsilon, method)
    tallies = [recorded_tally(used, one, int(generator.integers(1 << 62))) for one in people]
    return _errors(np.stack([project(tally).shares for tally in tallies]), people)


def _errors(shares: Array, people: NDArray[np.int64]) -> dict[str, Mean]:
    theta = people / PEOPLE
    squared, absolute = (shares - theta) ** 2, np.abs(shares - theta)
    return {"l2": Mean.of(squared.sum(axis=1)), "l1": Mean.of(absolute.sum(axis=1))}


def _generator(row: PrintedRow, method: str, model: int) -> np.random.Generator:
    return np.random.default_rng([2016, row.d, round(1000 * float(row.epsilon)), METHODS.index(method), model])


Measured = dict[str, tuple[dict[str, Mean], dict[str, Mean]]]
"""For each method, the mean errors of the shortcut and of the mechanism itself."""

Compared = list[tuple[PrintedRow, Measured]]
"""Every printed row beside what was measured."""


def _measure(row: PrintedRow, short_runs: int, own_runs: int) -> Measured:
    return {m: (measure_shortcut(row, m, runs=short_runs), measure_mechanism(row, m, runs=own_runs)) for m in METHODS}


def excess(row: PrintedRow, method: str, norm: str, mean: Mean) -> float:
    """How far the mean is from the printed one beyond three standard errors and rounding, relative to it."""
    printed = row.value(method, norm)
    noise = 3 * mean.stderr_beside(PAPER_RUNS) + row.rounding(method, norm)
    return max(abs(mean.value - printed) - (0.0 if math.isnan(noise) else noise), 0.0) / printed


def run(setting: Setting) -> ExperimentReport:
    """Both models beside the printed values."""
    own = setting.repetitions(short=PAPER_RUNS // 2, full=4 * PAPER_RUNS)
    jobs = [(row, 20 * own, own) for row in rows()]
    measured = setting.each(_measure, jobs, "wang2016-table1")
    table = list(zip(rows(), measured, strict=True))
    return ExperimentReport(
        "wang2016-table1",
        "subset selection beside randomized response, 41 settings",
        f"""
        Wang2016, Table 1: n = 10,000 people held fixed in the proportions theta, normalised uniforms,
        projection onto the simplex; BRR is unary encoding, MRR is randomized response, k*-SS and k#-SS are
        subset selection with the most mutual information and with the least squared error. Shortcut: {20 * own}
        repetitions; mechanism: {own}.

        The *shortcut* draws each value's count from a binomial of its own; the checks say how near the paper's
        numbers that comes. The paper does not say how it drew them. In MRR and subset selection the counts are tied
        (they add up), which the shortcut leaves out. {_beside_print(table)} BRR flips every bit by itself, so
        there both models have the same law.

        Tolerance for the shortcut: 15 % for d <= 4, 10 % for d = 6 and 8, 5 % from d = 16, beyond three
        standard errors of the difference of the two means (the paper has 100 repetitions) and the rounding of
        the print.
        """,
        [_table(table, norm) for norm in NORMS],
        _checks(table),
        {"wang2016-table1": lambda path: _draw(table, own, path)},
        beside=_all_beside(table),
    )


def _all_beside(table: Compared) -> ReportTable:
    """Every printed squared error, ours by the shortcut, and the difference."""
    columns = [("d", "d"), ("epsilon", "s")]
    for method in METHODS:
        columns += [(f"{SHOWN[method]} printed", ".3g"), ("ours", ".3g"), ("difference", "+.1%")]
    body: list[list[Any]] = []
    for row, results in table:
        line: list[Any] = [row.d, row.epsilon]
        for method in METHODS:
            printed, ours = row.value(method, "l2"), results[method][0]["l2"].value
            line += [printed, ours, ours / printed - 1]
        body.append(line)
    caption = "Mean squared error of all shares as printed, of 100 repetitions, and ours by the shortcut, all 41 rows"
    return ReportTable("beside", caption, columns, body)


def _beside_print(table: Compared) -> str:
    """What the rows say of the mechanism itself beside the shortcut, without BRR."""

    def ratios(low: int, high: int) -> str:
        of = [f[m][1]["l2"].value / f[m][0]["l2"].value for r, f in table if low <= r.d <= high for m in METHODS[1:]]
        return f"{min(of):.2f} to {max(of):.2f}" if of else "-"

    return (
        f"The squared error of the mechanism *itself* is {ratios(2, 2)} times that of the shortcut at d = 2, "
        f"{ratios(4, 8)} times at d = 4 to 8, {ratios(16, 32)} times at d = 16 and 32, and {ratios(64, 256)} times "
        "from d = 64 on, noise included."
    )


def _table(table: Compared, norm: str) -> ReportTable:
    columns = [("d", "d"), ("epsilon", "s"), ("k*", "d"), ("k#", "d")]
    for method in METHODS:
        columns += [(f"{SHOWN[method]} paper", ".3g"), ("shortcut", ".3g"), ("itself", ".3g"), ("ratio", ".2f")]
    body: list[list[Any]] = []
    for row, results in table:
        line: list[Any] = [row.d, row.epsilon, *row.sizes]
        for method in METHODS:
            printed, (near, own) = row.value(method, norm), results[method]
            line += [printed, near[norm].value, own[norm].value, own[norm].value / printed]
        body.append(line)
    what = "squared error" if norm == "l2" else "absolute error"
    return ReportTable(norm, f"Mean {what} of all shares; ratio is the mechanism itself over the paper", columns, body)


def _checks(table: Compared) -> list[CheckedClaim]:
    same = sum(row.sizes == row.printed_sizes for row, _ in table)
    checks = [CheckedClaim("k* and k# are the paper's", same == len(table), f"{same} of {len(table)} rows")]
    for low, high in ((2, 4), (6, 8), (16, 256)):
        chosen = [
            (row, method, norm, f) for row, f in table if low <= row.d <= high for method in METHODS for norm in NORMS
        ]
        results = [(row, excess(row, method, norm, f[method][0][norm])) for row, method, norm, f in chosen]
        plain = sum(
            abs(f[method][0][norm].value / row.value(method, norm) - 1) <= row.tolerance
            for row, method, norm, f in chosen
        )
        near = sum(far <= row.tolerance for row, far in results)
        outside = sum(far > 0 for _, far in results)
        claim = f"shortcut within {results[0][0].tolerance:.0%} of the paper for d from {low} to {high}, beyond noise"
        shown = f"{near} of {len(results)} means, {outside} past the noise at all; without allowing for noise {plain}"
        checks.append(CheckedClaim(claim, near == len(results), shown))
    apart = [_apart(*results["brr"], norm) for _, results in table for norm in NORMS]
    shown = f"largest difference {max(apart):.1f} of {len(apart)}"
    return [*checks, CheckedClaim("BRR: both models within four standard errors", max(apart) <= 4, shown)]


def _apart(near: dict[str, Mean], own: dict[str, Mean], norm: str) -> float:
    """How many standard errors lie between the means of the two models."""
    return abs(near[norm].value - own[norm].value) / math.hypot(near[norm].stderr, own[norm].stderr)


def _draw(table: Compared, runs: int, path: Path) -> None:
    series: dict[str, tuple[list[float], list[float]]] = {}
    errors: dict[str, list[float]] = {}
    for method in METHODS:
        for model, name in enumerate(("shortcut", "itself")):
            x = [row.d * 1.0 for row, _ in table]
            y = [results[method][model]["l2"].value / row.value(method, "l2") for row, results in table]
            series[f"{SHOWN[method]} {name}"] = x, y
            errors[f"{SHOWN[method]} {name}"] = [
                2 * results[method][model]["l2"].stderr_beside(PAPER_RUNS) / row.value(method, "l2")
                for row, results in table
            ]
    note = (
        f"Simulated people, n = {PEOPLE:,}; one point for each epsilon of the paper's table. Shortcut: {20 * runs} "
        f"repetitions, mechanism itself: {runs}, paper: {PAPER_RUNS}. Lines: two standard errors of the "
        "difference each way."
    )
    labels = {"x_label": "values d", "y_label": "squared error, ours over printed"}
    plot_ratios(series, path, **labels, title="Squared error over the paper's", errors=errors, note=note)
