"""Table 1 of Acharya2020: check-ins on 43,750 cells, hidden in the country or in blocks of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..estimation.results.projection import project
from ..estimation.results.unbiased import estimate
from ..geo import grid_context
from ..mechanisms.build import mechanism
from ..mechanisms.mechanism import Mechanism
from ..plots import plot_bars
from .data import SHAPE, CheckInGrid, check_ins, read_expected
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting, beside_the_print
from .simulate import Mean, MeanErrors, recorded_tally, total_variation

EPSILON = "1"
EPSILONS = ("0.5", "0.75", EPSILON, "1.25", "1.5", "2")
"""The paper does not name its epsilon; these are tried."""
TRIED = 10
"""The most surveys at each of the other epsilons: a mean is then known to 0.5 %."""
PARTS = {"LDP": (1, 1), "(5, 7)": (5, 7), "(25, 35)": (25, 35), "(25, 70)": (25, 70)}
TOLERANCE = 0.03
WAYS = {
    "simplex": "projection onto the simplex",
    "blocks": "projection onto block totals",
    "clip": "clipped and rescaled",
    "raw": "unbiased, not projected",
}
"""The last step: the paper does not name its own either."""


def shown_parts() -> list[str]:
    """The columns as tables and pictures name them."""
    return [parts if parts == "LDP" else f"{parts} blocks" for parts in PARTS]


@lru_cache(maxsize=8)
def mechanism_for(parts: str, name: str, epsilon: str = EPSILON) -> Mechanism:
    """The mechanism called `name` for the rectangles of a column of the table."""
    return mechanism(grid_context(SHAPE, PARTS[parts], epsilon), name)


def measure(setting: Setting, epsilon: str, parts: str, run: int) -> dict[str, float]:
    """The total variation of one survey of everyone by the paper's mechanism, after each last step."""
    data = check_ins(setting)
    used = mechanism_for(parts, "hadamard", epsilon)
    raw = estimate(recorded_tally(used, data.people, 1000 * run + list(PARTS).index(parts)))
    shares = {
        "simplex": project(raw, onto="simplex").shares,
        "blocks": project(raw).shares,
        "clip": project(raw, onto="clip").shares,
        "raw": raw.shares,
    }
    return {way: total_variation(shares[way], data.shares) for way in WAYS}


def run(setting: Setting) -> ExperimentReport:
    """The table beside the paper's, and the same at other epsilons and with other last steps."""
    runs = setting.repetitions(short=5, full=100)
    data = check_ins(setting)
    repeated = {epsilon: runs if epsilon == EPSILON else min(runs, TRIED) for epsilon in EPSILONS}
    jobs = [(setting, e, parts, number) for e in EPSILONS for parts in PARTS for number in range(repeated[e])]
    measured = dict(zip([job[1:] for job in jobs], setting.each(measure, jobs, "acharya2020-table1"), strict=True))
    results: MeanErrors = {
        (e, parts): {way: Mean.of([measured[e, parts, number][way] for number in range(repeated[e])]) for way in WAYS}
        for e in EPSILONS
        for parts in PARTS
    }
    choices = _choices(results, data)
    return ExperimentReport(
        "acharya2020-table1",
        "check-ins on 43,750 cells, classical and in blocks",
        f"""
        Acharya2020, Table 1, on the data named below. Total variation of the paper's method: Hadamard response
        inside m1 x m2 equal rectangles, everyone randomized by the mechanism itself, projection onto the simplex;
        mean of {runs} surveys of the same people.

        {_nearest(choices, data)}

        Projection onto the block totals, which the reports give exactly, is done with the same reports, so it costs
        no privacy; with one block it is the projection onto the simplex.

        {_deviation(data)}
        """,
        [_table(results, data), choices],
        _checks(results, data),
        {"acharya2020-table1": lambda path: _draw(results, data, runs, path)},
        data.source,
        beside=_beside_print(results, data),
    )


def printed_values(column: str = "printed") -> dict[str, float]:
    """The values of the paper, or those of our "earlier" simulation, by column of the table."""
    return {row["parts"]: float(row[column]) for row in read_expected("acharya2020_table1")}


def _beside_print(results: MeanErrors, data: CheckInGrid) -> ReportTable:
    """The printed row, and ours by the same method."""
    paper = printed_values()
    rows = [
        (shown, f"{paper[parts]:.3f}", results[EPSILON, parts]["simplex"].value)
        for shown, parts in zip(shown_parts(), PARTS, strict=True)
    ]
    caption = f"Total variation, printed for the paper's file, and ours on {data.name}, epsilon {EPSILON}"
    return beside_the_print(caption, rows)


def _nearest(choices: ReportTable, data: CheckInGrid) -> str:
    """What the rows say of the epsilon and the last step that the paper does not name."""
    unnamed = (
        "The paper names neither its epsilon nor its last step; we took epsilon 1 and the projection onto the simplex."
    )
    if data.key == "population":
        return f"{unnamed} These data cannot tell whether that is right: they are not check-ins."
    first, second, *_ = sorted(choices.rows, key=lambda row: float(row[-1]))
    far = f"its largest difference from a printed value is {first[-1]:.1%}"
    proof = "" if data.key == "gowalla" else " As the data are a stand-in, that makes the choice plausible and no more."
    return (
        f"{unnamed} Of the {len(choices.rows)} combinations in the last table, epsilon {first[0]} with "
        f"*{first[1]}* is nearest to the print: {far}. Next is epsilon {second[0]} with *{second[1]}*, "
        f"{second[-1]:.1%} off. Other epsilons and last steps were not tried.{proof}"
    )


def _deviation(data: CheckInGrid) -> str:
    if data.key == "gowalla":
        return f"Tolerance {TOLERANCE:.0%} of the printed values."
    if data.key == "semi-synthetic":
        return (
            f"The *earlier* row is our own earlier simulation on the same grid; tolerance {TOLERANCE:.0%}, which "
            "checks this program against that one and not against the paper. The paper's own file was not at hand "
            "(--gowalla takes it), so how much of a difference from the print comes from the data is unknown."
        )
    return (
        "These are not check-ins, so the values differ from the paper's and from those on the result pages, and "
        "only show the method; give the paper's file with --gowalla."
    )


def _table(results: MeanErrors, data: CheckInGrid) -> ReportTable:
    paper = printed_values()
    rows: list[list[object]] = [["paper", "its file", *(paper[parts] for parts in PARTS)]]
    if data.key == "semi-synthetic":
        earlier = printed_values("earlier")
        rows.append(["our earlier simulation: simplex", data.name, *(earlier[parts] for parts in PARTS)])
    for way, shown in WAYS.items():
        rows.append([f"now: {shown}", data.name, *(results[EPSILON, parts][way].value for parts in PARTS)])
    errors = [results[EPSILON, parts]["simplex"].stderr for parts in PARTS]
    rows.append(["standard error of the first of these", data.name, *errors])
    columns = [("", "s"), ("data", "s"), *((parts, ".4f") for parts in PARTS)]
    return ReportTable("tv", f"Total variation at epsilon {EPSILON}, on {data.name}", columns, rows)


def _choices(results: MeanErrors, data: CheckInGrid) -> ReportTable:
    """Every epsilon and last step that was tried, beside the paper's values."""
    paper = printed_values()
    rows = []
    for epsilon in EPSILONS:
        for way, shown in WAYS.items():
            values = {parts: results[epsilon, parts][way].value for parts in PARTS}
            far = max(abs(value / paper[parts] - 1) for parts, value in values.items())
            rows.append((epsilon, shown, *values.values(), far))
    columns = [("epsilon", "s"), ("last step", "s"), *((parts, ".4f") for parts in PARTS)]
    columns += [("largest difference from the paper", ".1%")]
    caption = f"Total variation at other epsilons and with other last steps, on {data.name}"
    return ReportTable("choices", caption, columns, rows)


def _checks(results: MeanErrors, data: CheckInGrid) -> list[CheckedClaim]:
    means = [results[EPSILON, parts]["simplex"].value for parts in PARTS]
    order = " > ".join(f"{mean:.4f}" for mean in means)
    finer = "the finer the blocks, the less error, as in the print"
    checks = [CheckedClaim(finer, means == sorted(means, reverse=True), order)]
    gains = {
        parts: results[EPSILON, parts]["blocks"].value / mean - 1 for parts, mean in zip(PARTS, means, strict=True)
    }
    better = all(gain < 0 for parts, gain in gains.items() if parts != "LDP")
    gained = ", ".join(f"{parts} {gain:+.1%}" for parts, gain in gains.items())
    checks.append(CheckedClaim("in blocks, less error by projection onto the block totals", better, gained))
    shown = {"gowalla": ("printed", "the printed values"), "semi-synthetic": ("earlier", "our own earlier simulation")}
    if data.key in shown:
        column, whose = shown[data.key]
        held = printed_values(column)
        far = [mean / held[parts] - 1 for mean, parts in zip(means, PARTS, strict=True)]
        differences = ", ".join(f"{one:+.1%}" for one in far)
        checks.append(CheckedClaim(f"within {TOLERANCE:.0%} of {whose}", max(map(abs, far)) <= TOLERANCE, differences))
    return checks


def _draw(results: MeanErrors, data: CheckInGrid, runs: int, path: Path) -> None:
    names = {f"its method, {data.name}": "simplex", f"onto block totals, {data.name}": "blocks"}
    series = {
        "paper, on its own file": [printed_values()[parts] for parts in PARTS],
        **{name: [results[EPSILON, parts][way].value for parts in PARTS] for name, way in names.items()},
    }
    errors = {name: [2 * results[EPSILON, parts][way].stderr for parts in PARTS] for name, way in names.items()}
    note = f"{data.note} Mean of {runs} surveys; lines at the ends: two standard errors to either side."
    labels = {"y_label": "total variation", "x_label": "context", "title": f"Hadamard response, epsilon {EPSILON}"}
    plot_bars(shown_parts(), series, path, **labels, errors=errors, note=note)
