"""Three tests of reports against their law: totals, shares below 0, and cells."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...estimation.decoders import Group, decoder_of
from ...estimation.results.unbiased import Estimate
from ...estimation.tails import chi_square_tail
from ..groups.tails import two_sided
from ..tables.cell_fit import fitted

Array = NDArray[np.float64]

FEW = 30
"""A block with fewer reports is left out: normal and chi-square laws do not hold for it."""

SETTLED = 1e-10
"""Where the scores of a report add up to 1 but for this part of their second moments, they always do."""


@dataclass(frozen=True)
class Check:
    """One test of all reports, or of those of one block: its statistic, degrees of freedom (None: normal), and p."""

    test: str
    where: str
    statistic: float
    df: int | None
    p: float


@dataclass(frozen=True)
class Found:
    """The checks of one test: of all reports, of single blocks; or why there are none."""

    checks: tuple[Check, ...] = ()
    blocks: tuple[Check, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    deviations: Array = field(default_factory=lambda: np.zeros(0))


def sum_test(made: Estimate) -> Found:
    """Shares must add up to the known total of their block: a squared z for each block where they need not."""
    z, names, short = list[float](), list[str](), 0
    for group, of in _groups(made):
        part, _, cells, values = group
        n = part.total(made.tally.counts[cells])[:, 0]
        p, one = made.plausible[values], np.ones(values.shape)
        excess = part.cross_moment(p, one, one)[:, 0] - p.sum(axis=-1)
        loose = excess > SETTLED * part.second_moments(p).sum(axis=-1)
        enough = n >= (FEW if len(made.blocks[1]) > 1 else 1)
        short += int((loose & ~enough).sum())
        used = loose & enough
        away = made.shares[values].sum(axis=-1) - n / made.n
        z += (away[used] / np.sqrt(excess[used] / made.n)).tolist()
        names += [name for name, use in zip(of, used, strict=True) if use]
    if not z:
        reason = "the scores of every report add up to 1, whatever is sent"
        return Found(left_out={"sum": reason if not short else f"no block has {FEW} reports"})
    if len(made.blocks[1]) == 1:
        return Found((Check("sum", "all", z[0], None, float(two_sided(z[0]))),))
    blocks = tuple(Check("sum", name, one, None, float(two_sided(one))) for name, one in zip(names, z, strict=True))
    return Found((_added("sum", [one**2 for one in z], [1] * len(z)),), blocks)


def negative_test(made: Estimate) -> Found:
    """No share may be far below 0: the lowest, in standard errors as they are where nobody holds the value."""
    decoder, p = decoder_of(made.mechanism), made.plausible
    alpha = decoder.second_moments(p) - decoder.second_moment_derivative(p) * p
    varies = alpha > SETTLED
    if not varies.any():
        return Found(left_out={"negative": "no report can make a share negative"})
    z = np.where(varies, made.shares / np.sqrt(np.where(varies, alpha, 1.0) / made.n), np.inf)
    p_least = min(1.0, int(varies.sum()) * math.erfc(-float(z.min()) / math.sqrt(2)) / 2)
    return Found((Check("negative", "all", float(z.min()), None, p_least),), deviations=np.where(varies, z, np.nan))


def cells_test(made: Estimate) -> Found:
    """The frequencies of disjoint cells must be those of some shares: chi-square on the cells beyond the values."""
    counts, away = made.tally.counts, np.zeros(decoder_of(made.mechanism).cells)
    x2, df, names, reasons = list[float](), list[int](), list[str](), dict[str, None]()
    for group, of in _groups(made):
        part, _, cells, values = group
        n = part.total(counts[cells])[:, 0].astype(float)
        free = int((part.expected_counts(np.full(part.size, 1 / part.size)) > 0).sum()) - part.size
        enough = n >= max(FEW, part.cells)
        if not part.disjoint:
            reasons["reports are sets, of which a tally keeps how often each value was in one"] = None
        elif not free:
            reasons["there are as many reports as values, so that some shares give any frequencies"] = None
        elif not enough.any():
            reasons[f"fewer reports ({int(n.max()):,}) than cells ({part.cells:,})"] = None
        else:
            own, n = cells[enough], n[enough]
            p = made.plausible[values[enough]] * made.n / n[:, None]
            fit, law = fitted(part, counts[own] / n[:, None], p, n)
            away[own] = (counts[own] - n[:, None] * fit) / np.sqrt(n[:, None] * law)
            squares = (away[own] ** 2).sum(axis=-1)
            if not np.isfinite(squares).all():
                return Found(left_out={"cells": "the least-squares fit of so many cells did not settle"})
            x2 += squares.tolist()
            df += [free] * len(own)
            names += [name for name, use in zip(of, enough, strict=True) if use]
    if not x2:
        return Found(left_out={"cells": "; ".join(reasons)})
    blocks = [
        Check("cells", name, one, free, chi_square_tail(one, free))
        for name, one, free in zip(names, x2, df, strict=True)
    ]
    return Found((_added("cells", x2, df),), tuple(blocks) if len(made.blocks[1]) > 1 else (), deviations=away)


def _added(test: str, squares: Sequence[float], df: Sequence[int]) -> Check:
    """The sum of independent squares, of one block each."""
    return Check(test, "all", sum(squares), sum(df), chi_square_tail(sum(squares), sum(df)))


def _groups(made: Estimate) -> list[tuple[Group, list[str]]]:
    """The parts that reports can be told apart by, with their names."""
    names: list[Hashable] = list(made.block_totals)
    return [(group, [str(names[number]) for number in group.numbers]) for group in decoder_of(made.mechanism).groups()]
