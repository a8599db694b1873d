"""Domains other than places: page categories, a census table and a survey of affairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimation.results.likelihood import likelihood
from ..estimation.results.projection import project
from ..estimation.results.shrinking import shrink
from ..estimation.results.unbiased import estimate
from ..estimation.tally import Tally
from ..mechanisms.build import mechanism
from ..mechanisms.composed.high_low import HighLowResponse
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.uniform.hadamard import Hadamard
from ..plots import plot_dots
from . import data
from .data import find_file
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting
from .simulate import Mean, MeanErrors, recorded_tally, squared_error, total_variation

TITLE = "page categories, a census table and a survey of affairs"
EPSILONS = ("0.5", "1", "2")
SHOWN = "1"
"""The epsilon of the longer table and of the figure."""
SURVEYS = {survey.__name__: survey for survey in (data.pages, data.census, data.affairs, data.affair)}
METHODS: dict[str, tuple[str, Callable[[Tally], NDArray[np.float64]]]] = {
    "paper": ("the paper's mechanism, simplex", lambda tally: project(tally, onto="simplex").shares),
    "project": ("ours, projection", lambda tally: project(tally).shares),
    "likelihood": ("ours, likelihood", lambda tally: likelihood(tally).shares),
    "shrink": ("ours, shrinkage", lambda tally: shrink(tally).shares),
}


@lru_cache(maxsize=64)
def mechanism_for(survey: str, context: str, epsilon: str, *, paper: bool) -> Mechanism:
    """The paper's mechanism for a context, Hadamard response (Warner and Mangat for two values), or ours."""
    wanted = SURVEYS[survey]().contexts[context](epsilon)
    if not paper:
        return mechanism(wanted)
    if wanted.size == 2:
        return mechanism(wanted, "binary" if wanted.parts is None else "randomized_response")
    part = (wanted.parts or ())[0]
    if not part.is_uniform:
        inner = Hadamard(len(part.sensitive), part.level)
        return Mechanism(wanted, HighLowResponse(wanted.size, part.sensitive, inner, part.level))
    return mechanism(wanted, "hadamard")


def measure(survey: str, context: str, epsilon: str, run: int) -> dict[str, dict[str, float]]:
    """One survey by each mechanism: errors after every method, and the error and coverage of the question."""
    held = SURVEYS[survey]()
    errors: dict[str, dict[str, float]] = {}
    for paper in (True, False):
        tally = recorded_tally(mechanism_for(survey, context, epsilon, paper=paper), held.counts, run)
        query = estimate(tally).query(held.asked, calibrated=False)  # as the papers add shares up
        truth = float(held.asked @ held.shares)
        low, high = query.interval(0.95)
        for name, (_, finish) in METHODS.items():
            if (name == "paper") == paper:
                shares = finish(tally)
                errors[name] = {
                    "tv": total_variation(shares, held.shares),
                    "squared": squared_error(shares, held.shares),
                    "asked": (query.value - truth) ** 2,
                    "covered": float(low <= truth <= high),
                }
    return errors


def run(setting: Setting) -> ExperimentReport:
    """Every survey, context and method side by side."""
    absent = [name for name in data.FILES if find_file(name) is None]
    if absent:
        return ExperimentReport(
            "domains", TITLE, f"Not run: {absent[0]} must lie in the folder that DISCREET_DATA names."
        )
    runs = setting.repetitions(short=10, full=40)
    cases = [
        (name, context, epsilon)
        for name, survey in SURVEYS.items()
        for context in survey().contexts
        for epsilon in EPSILONS
    ]
    measured = setting.repeat(measure, cases, runs, "domains")
    results: MeanErrors = {
        (*case, method): Mean.of_each([one[method] for one in several])
        for case, several in zip(cases, measured, strict=True)
        for method in METHODS
    }
    return ExperimentReport(
        "domains",
        TITLE,
        f"""
        Acharya2020 asks whether the gains on check-ins hold in other domains. Three public tables (counts
        only), each under classical privacy and under a context that suits it, at the same epsilon: page
        categories where only *health* is sensitive (high-low, 17 values, 989,818 people); marital status x
        occupation x race x sex, where race and sex may show (blocks, 1,050 values, 48,842 people); a survey of
        affairs, where only having had one is hidden (high-low over 240 answers, and yes or no alone, 6,366
        people).

        Every person is randomized by the mechanism itself; mean of {runs} runs, ± one standard error. The paper's
        mechanism is Hadamard response in the context (Warner's and Mangat's for yes or no), then projection onto the
        simplex; ours is what `discreet.mechanism` chooses, with nothing tuned but the safeguard of shrinkage that
        `shrunk` names. Each survey has a question, a share that one would ask for: began with health, widowed, had
        an affair. The unbiased estimate answers it, so the answer is the same for every last step; *covered* says how
        often its 95 % interval holds the truth (it also allows for who was asked, so more than 95 % is right where
        people are held fixed). A single entry of it rests on {runs} runs only and is known to
        ±{(0.05 * 0.95 / runs) ** 0.5:.2f}; the check takes all of them together.

        {_projected(results)} A projection takes as much from the shares of the values that show, which are nearly
        exact, as from the hidden ones; likelihood and shrinkage weigh them by their noise.

        The promises differ: under a context, whoever holds a value that needs no hiding is hidden less. That is
        what pays for the smaller error; where everything is sensitive, classical privacy is the right column.
        """,
        [_table(results), _gains(results)],
        _checks(results, runs),
        {"domains": lambda path: _draw(results, runs, path)},
        {name: survey().label for name, survey in SURVEYS.items()},
    )


def _projected(results: MeanErrors) -> str:
    """What the rows say of the last step under the high-low context of the affairs."""
    reports = {m: results["affairs", "high-low, an affair", SHOWN, m]["squared"].value for m in METHODS}
    return (
        f"On the affairs under high-low the last step matters: at epsilon {SHOWN} the same reports of ours have a "
        f"squared error of {reports['project']:.3g} after projection, {reports['likelihood']:.3g} by likelihood and "
        f"{reports['shrink']:.3g} by shrinkage."
    )


def _table(results: MeanErrors) -> ReportTable:
    rows: list[list[Any]] = []
    for (survey, context, epsilon, method), means in results.items():
        if epsilon != SHOWN:
            continue
        used = mechanism_for(survey, context, epsilon, paper=method == "paper")
        label = METHODS[method][0]
        line: list[Any] = [survey, context, label, used.name, used.bits, means["tv"].value, means["tv"].stderr]
        rows.append([*line, means["squared"].value, means["asked"].value ** 0.5, means["covered"].value])
    columns = [("survey", "s"), ("context", "s"), ("method", "s"), ("mechanism", "s"), ("bits", "d")]
    columns += [("TV", ".4f"), ("±", ".4f"), ("squared error", ".3g"), ("question off by", ".4f"), ("covered", ".2f")]
    return ReportTable("errors", f"Errors at epsilon {SHOWN}", columns, rows)


def _gains(results: MeanErrors) -> ReportTable:
    """The gains from the context and from the library, as ratios of squared error."""
    rows = []
    for name, survey in SURVEYS.items():
        classical, suited = survey().contexts
        for epsilon in EPSILONS:
            first = results[name, classical, epsilon, "paper"]["squared"]
            second = results[name, suited, epsilon, "paper"]["squared"]
            third = results[name, suited, epsilon, "shrink"]["squared"]
            line: list[Any] = [name, suited, epsilon]
            for above, below in ((first, second), (second, third), (first, third)):
                ratio = above.value / below.value
                line += [ratio, ratio * math.hypot(above.stderr / above.value, below.stderr / below.value)]
            rows.append(line)
    columns = [("survey", "s"), ("context", "s"), ("epsilon", "s"), ("by the context", ".2f"), ("±", ".2f")]
    columns += [("by the library", ".2f"), ("±", ".2f"), ("together", ".2f"), ("±", ".2f")]
    return ReportTable(
        "gains",
        "How many times smaller the squared error is: of the paper's method, by the context; in the context, by our "
        "method (shrinkage); and by both together (± one standard error, as if the surveys of both were independent)",
        columns,
        rows,
    )


def _checks(results: MeanErrors, runs: int) -> list[CheckedClaim]:
    def lowered(method: str) -> CheckedClaim:
        better = 0
        for name, survey in SURVEYS.items():
            classical, suited = (
                [results[name, c, e, method]["squared"].value for e in EPSILONS] for c in survey().contexts
            )
            better += sum(a > b for a, b in zip(classical, suited, strict=True))
        total = len(SURVEYS) * len(EPSILONS)
        claim = f"the context lowers the squared error, {METHODS[method][0]}"
        return CheckedClaim(claim, better == total, f"{better} of {total} settings")

    covered = [means["covered"].value for (_, _, _, method), means in results.items() if method in ("paper", "project")]
    mean = float(np.mean(covered))
    band = 4 * (0.05 * 0.95 / (runs * len(covered))) ** 0.5
    return [
        lowered("paper"),
        lowered("likelihood"),
        lowered("shrink"),
        CheckedClaim("95 % intervals of the question hold", mean >= 0.95 - band, f"{mean:.3f} of all runs"),
    ]


def _draw(results: MeanErrors, runs: int, path: Path) -> None:
    groups: list[str] = []
    series: dict[str, list[float]] = {}
    errors: dict[str, list[float | None]] = {}
    for name, survey in SURVEYS.items():
        classical, suited = survey().contexts
        groups.append(f"{name}\n({suited})")
        for promise, context in (("classical", classical), ("context", suited)):
            for whose, method in (("paper's", "paper"), ("ours", "shrink")):
                tv, label = results[name, context, SHOWN, method]["tv"], f"{promise}, {whose}"
                series.setdefault(label, []).append(tv.value)
                errors.setdefault(label, []).append(2 * tv.stderr)
    note = (
        f"Real tables: {'; '.join(survey().label for survey in SURVEYS.values())}. Epsilon {SHOWN}, mean of {runs} "
        "surveys; ours ends with shrinkage, the paper's with projection onto the simplex. Lines: two standard errors "
        "each way."
    )
    labels = {"x_label": "total variation, logarithmic", "title": f"Epsilon {SHOWN}"}
    plot_dots(groups, series, path, **labels, errors=errors, log_x=True, note=note)
