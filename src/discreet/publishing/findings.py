"""What a result of any kind found, as the rows of a report: names, estimates, errors and intervals, panel by panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..analysis.groups.comparison import Comparison
from ..analysis.groups.group_moments import DrawnGroups
from ..analysis.groups.means import Means, doubts, group_text
from ..contexts import Context
from ..core import tables
from ..core.errors import InvalidInput
from ..estimation.decoders import decoder_of
from ..estimation.results.figures import figure_lines, figures_of
from ..estimation.results.frames import plain_data
from ..estimation.results.score_law import remark_on_few
from ..estimation.results.shares import Shares
from ..mechanisms.mechanism import Mechanism

SHARE, NUMBER = "share", "number"
"""What estimates are measured in."""
MIN_ORDERED = 3
"""Fewer values along a line are in no order that would be worth keeping."""


@dataclass(frozen=True)
class Panel:
    """Estimates below one heading, None for the only panel; `names` says what each is of, or None for the values.

    `numbers` are columns by name: estimate, stderr, low, high and `sampling_stderr`, the error that would be left
    without randomization; None for one that is not known. `n` is the number of reports.
    """

    heading: str | None
    names: tuple[Any, ...] | None
    numbers: dict[str, list[float | None] | None]
    n: int | None = None


@dataclass(frozen=True)
class Findings:
    """What a result found, and about whom; `weight` is how many people the heaviest report stands for."""

    mechanism: Mechanism
    n: int
    method: str
    biased: bool
    unit: str
    difference: bool
    panels: tuple[Panel, ...]
    remarks: tuple[str, ...]
    notes: dict[str, str]
    weight: float = 1.0
    insecure: bool = False
    """True if a seed drew some of the reports, so that whoever knows it can undo them."""


def findings_of(result: Shares | Means | Comparison, confidence: float) -> Findings:
    """What a result found, with intervals at this confidence."""
    if isinstance(result, Shares):
        return _of_shares(result, confidence)
    groups = result.groups if isinstance(result, Comparison) else result
    source = groups.moments.source
    if source is None or len(mechanisms := source.mechanisms) != 1:
        raise InvalidInput("result has reports of several mechanisms: each has its own promise, and its own report")
    drawn = isinstance(source, DrawnGroups)
    share = groups.shares or (source.weights is not None and bool(np.isin(source.weights, (0, 1)).all()))
    finite = not isinstance(source, DrawnGroups) and source.fraction > 0
    plain = share and not drawn and not finite
    panels = (
        _of_comparison(result, confidence) if isinstance(result, Comparison) else _of_means(result, confidence, plain)
    )
    heaviest = source.survey.relative_weights.max() * source.survey.n if isinstance(source, DrawnGroups) else 1.0
    return Findings(
        mechanisms[0],
        int(groups.moments.sizes.sum()),
        "unbiased",
        False,
        SHARE if share else NUMBER,
        isinstance(result, Comparison),
        panels,
        tuple(_remarks(result, groups)),
        {},
        float(heaviest),
        source.insecure,
    )


def _remarks(result: Means | Comparison, groups: Means) -> list[str]:
    """What is said of the sample, its design and its small groups, and the test of all differences at once."""
    remarks = [*groups.notes[1:], *result.reference.remarks(), *remark_on_few(result.laws, "estimates")]
    if isinstance(result, Comparison) and result.omnibus is not None:
        remarks.append(f"a test of no difference at all has p {tables.p_value(result.omnibus.p)}")
    return remarks + doubts(groups.moments, groups.shares)


def _of_shares(result: Shares, confidence: float) -> Findings:
    columns, notes = result._columns(confidence)
    numbers = {"estimate" if name == "shares" else name: plain_data(column) for name, column in columns.items()}
    panel = Panel(None, None, numbers | {"sampling_stderr": _sampling(result.shares, result.n)}, result.n)
    figures = figures_of(result.tally, confidence=confidence)
    said = [] if figures is None else figure_lines(figures, confidence)
    remarks = (*said, *result._remarks())
    about = result.mechanism, result.n, result.method, result.biased
    return Findings(*about, SHARE, False, (panel,), remarks, notes, insecure=result.tally.insecure)


def _sampling(shares: Any, n: int) -> list[float | None]:
    """The standard errors that shares of so many people have without any randomization."""
    held = np.clip(np.nan_to_num(shares), 0, 1)
    return [float(error) for error in np.sqrt(held * (1 - held) / max(n, 1))]


def _of_means(result: Means, confidence: float, plain: bool) -> tuple[Panel, ...]:
    ends = result.interval(confidence)
    sizes = result.moments.sizes
    sampling = [_sampling(row, n) if plain else None for row, n in zip(result.estimate, sizes, strict=True)]
    columns = {"estimate": result.estimate, "stderr": result.stderr, "low": ends[0], "high": ends[1]}
    heads = [_labels(result.labels, group) for group in result.groups]
    if len(result.names) == 1 and result.labels:
        numbers = {name: plain_data(column[:, 0]) for name, column in columns.items()}
        flat = [one[0] for one in sampling if one is not None]
        return (Panel(str(result.names[0]), tuple(heads), numbers | {"sampling_stderr": flat or None}),)
    return tuple(
        Panel(
            head or None,
            None if result.shares else tuple(result.names),
            {name: plain_data(column[g]) for name, column in columns.items()} | {"sampling_stderr": sampling[g]},
            int(sizes[g]),
        )
        for g, head in enumerate(heads)
    )


def _of_comparison(result: Comparison, confidence: float) -> tuple[Panel, ...]:
    low, high = result.interval(confidence)
    columns = {"estimate": result.difference, "stderr": result.stderr, "low": low, "high": high}
    columns |= {"p": result.p, "adjusted_p": result.adjusted_p}
    heads = [result.heading(pair) for pair in result.pairs]
    if len(result.names) == 1:
        numbers = {name: plain_data(column[:, 0]) for name, column in columns.items()}
        return (Panel(str(result.names[0]), tuple(heads), numbers | {"sampling_stderr": None}),)
    return tuple(
        Panel(
            head,
            None,
            {name: plain_data(column[at]) for name, column in columns.items()} | {"sampling_stderr": None},
        )
        for at, head in enumerate(heads)
    )


def _labels(names: Sequence[str], group: Sequence[Any]) -> str:
    return ", ".join(f"{name} {group_text([label])}" for name, label in zip(names, group, strict=True))


def declared_order(context: Context) -> list[int] | None:
    """The numbers of the values in the order that the context gives them; None where they have no order.

    Numbers go by size, values along a line or around a ring from one to the next, and graded ones as declared.
    """
    values = list(context.values)
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        return sorted(range(len(values)), key=lambda x: values[x])  # type: ignore[arg-type,return-value]
    if len(values) < MIN_ORDERED or context.smallest == context.largest:
        return None
    if (line := context.line) is not None:
        return list(line.order if line.order[0] <= line.order[-1] else reversed(line.order))
    if (ring := context.ring) is not None:
        start = ring.order.index(0)
        turned = [*ring.order[start:], *ring.order[:start]]
        return turned if turned[1] <= turned[-1] else [turned[0], *reversed(turned[1:])]
    return list(range(len(values))) if context.grades is not None else None


def influence(found: Findings) -> float:
    """How many people one crafted report can weigh as much as, on one value, if it has the largest weight."""
    return float(decoder_of(found.mechanism).influence() * found.weight)
