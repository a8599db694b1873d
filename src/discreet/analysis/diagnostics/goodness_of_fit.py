"""`goodness_of_fit`: could these reports come from this law? By totals, shares below 0, and counts of cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import InvalidInput
from ...estimation.decoders import Decoder, Group, decoder_of
from ...estimation.results.shares import Shares, tally_of
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.tails import chi_square_tail
from ...estimation.tally import Tally
from ...mechanisms.mechanism import Mechanism
from ..groups.comparison import holm
from ..reference_distribution import Array, two_sided
from ..result import CONFIDENCE, Result
from ..survey.survey import Survey

MIN_REPORTS = 30
"""A block with fewer reports is left out: normal and chi-square laws do not hold for it."""
ROUNDING = 1e-10
"""Where the scores of a report add up to 1 but for this part of their second moments, they always do."""
MAX_RESIDUAL = 1e-11
"""The part of the right-hand side that may be left when the equations count as solved."""
MAX_STEPS = 300
"""The most steps to a solution, beside two for every value."""
SIGNIFICANCE = 0.05
"""The level at which a test counts as one that failed."""
MIN_COUNT = 1e-3
"""No cell is taken for rarer than this part of one report."""

UNSEEN = (
    "no test sees people who claim another value: their reports follow the law of that value. dc.noncompliance says "
    "what they would change"
)


@dataclass(frozen=True)
class Check:
    """One test of all reports, or of those of one block: its statistic, degrees of freedom (None: normal), and p."""

    test: str
    where: str
    statistic: float
    df: int | None
    p: float


Outcome = tuple[list[Check] | str, Array | None]
"""The check of all reports followed by those of blocks, or why there is none; and the deviations that it looked at."""


def sum_test(shares: Estimate) -> Outcome:
    """Test whether shares add up to the known total of their block, where they need not do so by themselves."""
    z, names, short = list[float](), list[str](), 0
    several = len(shares.blocks[1]) > 1
    for (part, _, cells, values), block_names in _groups(shares):
        n = part.total(shares.tally.counts[cells])[:, 0]
        p, one = shares.plug_in[values], np.ones(values.shape)
        excess = part.cross_moment(p, one, one)[:, 0] - p.sum(axis=-1)
        loose = excess > ROUNDING * part.second_moments(p).sum(axis=-1)
        enough = n >= (MIN_REPORTS if several else 1)
        short += int((loose & ~enough).sum())
        used = loose & enough
        away = shares.shares[values].sum(axis=-1) - n / shares.n
        z += (away[used] / np.sqrt(excess[used] / shares.n)).tolist()
        names += [name for name, use in zip(block_names, used, strict=True) if use]
    if not z:
        reason = "the scores of every report add up to 1, whatever is sent"
        return reason if not short else f"no block has {MIN_REPORTS} reports", None
    blocks = [
        Check("sum", name, one, None, float(two_sided(one)))
        for name, one in zip(names if several else ["all"], z, strict=True)
    ]
    return [_total("sum", [one**2 for one in z], [1] * len(z)), *blocks] if several else blocks, None


def negative_test(shares: Estimate) -> Outcome:
    """Test whether the lowest share, over its standard error where nobody holds the value, is far below 0."""
    decoder, p = decoder_of(shares.mechanism), shares.plug_in
    alpha = decoder.second_moments(p) - decoder.second_moment_derivative(p) * p
    varies = alpha > ROUNDING
    if not varies.any():
        return "no report can make a share negative", None
    z = np.where(varies, shares.shares / np.sqrt(np.where(varies, alpha, 1.0) / shares.n), np.inf)
    p_least = min(1.0, int(varies.sum()) * math.erfc(-float(z.min()) / math.sqrt(2)) / 2)
    return [Check("negative", "all", float(z.min()), None, p_least)], np.where(varies, z, np.nan)


def cells_test(shares: Estimate) -> Outcome:
    """Test whether some shares give the frequencies of disjoint cells: chi-square on the cells beyond the values."""
    counts, away = shares.tally.counts, np.zeros(decoder_of(shares.mechanism).cells)
    blocks, reasons = list[Check](), dict[str, None]()
    for (part, _, cells, values), names in _groups(shares):
        n = part.total(counts[cells])[:, 0].astype(float)
        free = int((part.expected_counts(np.full(part.size, 1 / part.size)) > 0).sum()) - part.size
        enough = n >= max(MIN_REPORTS, part.cells)
        if not part.disjoint:
            reasons["reports are sets, of which a tally keeps how often each value was in one"] = None
        elif not free:
            reasons["there are as many reports as values, so that some shares give any frequencies"] = None
        elif not enough.any():
            reasons[f"fewer reports ({int(n.max()):,}) than cells ({part.cells:,})"] = None
        else:
            own, n = cells[enough], n[enough]
            p = shares.plug_in[values[enough]] * shares.n / n[:, None]
            fit, law = fit_cells(part, counts[own] / n[:, None], p, n)
            away[own] = (counts[own] - n[:, None] * fit) / np.sqrt(n[:, None] * law)
            squares = (away[own] ** 2).sum(axis=-1)
            if not np.isfinite(squares).all():
                return "the least-squares fit of so many cells did not settle", None
            used = [name for name, use in zip(names, enough, strict=True) if use]
            blocks += [
                Check("cells", name, one, free, chi_square_tail(one, free))
                for name, one in zip(used, squares.tolist(), strict=True)
            ]
    if not blocks:
        return "; ".join(reasons), None
    total = _total("cells", [check.statistic for check in blocks], [check.df or 0 for check in blocks])
    return [total, *(blocks if len(shares.blocks[1]) > 1 else [])], away


def _total(test: str, squares: Sequence[float], df: Sequence[int]) -> Check:
    """The check of all reports by the sum of independent squares, of one block each."""
    return Check(test, "all", sum(squares), sum(df), chi_square_tail(sum(squares), sum(df)))


def _groups(shares: Estimate) -> list[tuple[Group, list[str]]]:
    """The groups of blocks, with the name of each block."""
    names: list[Hashable] = list(shares.block_totals)
    groups = decoder_of(shares.mechanism).groups()
    return [(group, [str(names[number]) for number in group.numbers]) for group in groups]


def fit_cells(part: Decoder[Any], frequencies: Array, shares: Array, n: Array) -> tuple[Array, Array]:
    """The cell probabilities nearest to the frequencies, row by row, and those that the distance was weighted by.

    ``min_p sum_y (f_y - (Q'p)_y)**2 / law_y`` over all p, negative ones too, where the law is that at `shares`, a
    distribution near those of the people. `n` is the number of reports of each row. No matrix is written out; nan
    where the equations were not solved.
    """
    used = part.expected_counts(np.full(part.size, 1 / part.size)) > 0
    law = np.maximum(part.expected_counts(shares), MIN_COUNT / np.maximum(n, 1)[:, None])
    weights = np.where(used, 1 / law, 0.0)

    def product(p: Array) -> Array:
        return np.asarray(part.expected_counts_adjoint(weights * part.expected_counts(p)))

    p = _conjugate_gradients(product, np.asarray(part.expected_counts_adjoint(weights * frequencies)), shares)
    return np.asarray(part.expected_counts(p)), law


def _conjugate_gradients(product: Callable[[Array], Array], right: Array, start: Array) -> Array:
    """The solution of ``product(p) = right`` row by row, by conjugate gradients; nan in rows that did not settle."""
    p = start.copy()
    left = right - product(p)
    way, size = left.copy(), (left**2).sum(axis=-1)
    goal = MAX_RESIDUAL**2 * (right**2).sum(axis=-1)
    for _ in range(MAX_STEPS + 2 * p.shape[-1]):
        open_rows = size > goal
        if not open_rows.any():
            return p
        moved = product(way)
        along = (way * moved).sum(axis=-1)
        step = np.where(open_rows & (along > 0), size / np.where(along > 0, along, 1.0), 0.0)[:, None]
        p, left = p + step * way, left - step * moved
        now = np.where(open_rows, (left**2).sum(axis=-1), size)
        way = left + np.where(open_rows, now / np.maximum(size, 1e-300), 0.0)[:, None] * way
        size = now
    return np.where((size > goal)[:, None], np.nan, p)


@dataclass(frozen=True, eq=False, repr=False)
class GoodnessOfFit(Result):
    """Tests of whether reports can come from the law that they claim; `checks` are of all, `blocks` of single blocks.

    `left_out` says of each test that does not exist why. `deviations` are how far the count of each cell is from the
    nearest that the law could give, in standard errors; of each share from 0, where cells cannot be tested.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> fit = dc.goodness_of_fit(mechanism.tally([1] * 9000 + [0] * 1000))
    >>> fit.n, [check.test for check in fit.checks], fit.p < 1e-6
    (10000, ['negative'], True)
    """

    estimate: Estimate
    checks: tuple[Check, ...]
    blocks: tuple[Check, ...]
    left_out: dict[str, str]
    deviations: Array

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.estimate.n

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that the reports are said to come from."""
        return self.estimate.mechanism

    @property
    def standing_out(self) -> int | None:
        """The cell whose count is furthest above what the law could give; None where cells were not tested."""
        return None if "cells" in self.left_out else int(np.argmax(self.deviations))

    @property
    def adjusted(self) -> Array:
        """The p-values of `checks` after Holm's correction for their number (Holm1979)."""
        return holm(np.array([check.p for check in self.checks]))

    @property
    def block_adjusted(self) -> Array:
        """The p-values of `blocks`, corrected for all of them."""
        return holm(np.array([check.p for check in self.blocks]))

    @property
    def p(self) -> float:
        """The smallest corrected p-value; nan where no test exists."""
        return float(self.adjusted.min()) if self.checks else math.nan

    def table(self, confidence: float = CONFIDENCE) -> dict[str, Sequence[Any]]:
        low = [at for at, p in enumerate(self.block_adjusted) if p < SIGNIFICANCE]
        checks = [*self.checks, *(self.blocks[at] for at in low)]
        return {
            "test": [check.test for check in checks],
            "where": [check.where for check in checks],
            "statistic": [check.statistic for check in checks],
            "df": ["normal" if check.df is None else str(check.df) for check in checks],
            "p": [check.p for check in checks],
            "holm_p": [*self.adjusted, *self.block_adjusted[low]],
        }

    def remarks(self, confidence: float = CONFIDENCE) -> list[str]:
        remarks = [f"{self.n:,} reports of {self.mechanism.name}; holm_p is corrected for the number of tests"]
        failed = [check.test for check, p in zip(self.checks, self.adjusted, strict=True) if p < SIGNIFICANCE]
        if failed:
            remarks.append(f"these reports do not look like reports of this law: {', '.join(failed)}")
            if self.standing_out is not None and "cells" in failed:
                names = self.mechanism.report_names
                name = names[self.standing_out] if names else self.standing_out
                count = self.estimate.tally.counts[self.standing_out]
                remarks.append(f"most above what any shares give: report {name}, {count:,} times")
        elif self.checks:
            remarks.append("nothing speaks against the law")
        if self.blocks:
            few = int((self.block_adjusted < SIGNIFICANCE).sum())
            remarks.append(f"{len(self.blocks)} tests of single blocks, of which {few} fail after correction")
        remarks += [f"no test of {name}: {reason}" for name, reason in self.left_out.items()]
        if "sum" in self.left_out and "cells" in self.left_out:
            remarks.append("whatever frequencies some shares could give pass: only a share far below 0 would show")
        return [*remarks, UNSEEN]

    @property
    def about(self) -> dict[str, Any]:
        return {
            "mechanism": self.mechanism.name,
            "fingerprint": self.mechanism.fingerprint,
            "n": self.n,
            "least_p": self.p,
            "left_out": self.left_out,
            "blocks": [vars(check) | {"holm_p": p} for check, p in zip(self.blocks, self.block_adjusted, strict=True)],
        }

    def plot(self, path: Any, *, title: str = "", confidence: float = CONFIDENCE) -> None:
        """Draw how far every cell's count, or every value's share, is from what the law could give."""
        from ...plots import plot_deviations

        cells = "cells" not in self.left_out
        plot_deviations(
            self.deviations,
            path,
            title=title or f"{self.n:,} reports of {self.mechanism.name}",
            x_label="report" if cells else "value",
            y_label="count less fitted, in standard errors" if cells else "share, in standard errors at share 0",
            one_sided=not cells,
            confidence=confidence,
        )

    def __repr__(self) -> str:
        return f"<GoodnessOfFit of {self.n:,} reports of {self.mechanism.name}: least p {self.p:.3g}>"


def goodness_of_fit(reports: Tally | Survey | Shares) -> GoodnessOfFit:
    """Tests of whether reports can come from the law that they claim, from a tally, a survey or any result.

    *sum*: estimated shares must add up to the known total, ``z = (sum p - 1) / sqrt((E[(1 . phi)**2] - 1) / n)``; where
    reports show their block, the squares for the blocks are added up. It exists where the scores of one report need
    not add up to 1: Hadamard, unary, some projective mechanisms. *negative*: no share is far below 0, ``min_x p_x /
    sqrt(alpha_x / n)`` with ``alpha_x = E[phi_x**2]`` where nobody holds x, one-sided, p times k. *cells*: where more
    reports than values are possible, and each has a cell of its own, the frequencies f must be those of some shares:
    ``X**2 = n min_p sum_y (f_y - (Q'p)_y)**2 / law_y``, chi-square on K - rank Q.

    None of them needs a sampling design: given what people hold, each report is drawn by itself. None sees people who
    claim another value, and with two values and two reports hardly anything shows.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> dc.goodness_of_fit(mechanism.tally([1] * 6000 + [0] * 4000)).p  # as 72 % of yes would give
    1.0
    >>> dc.goodness_of_fit(mechanism.tally([1] * 9000 + [0] * 1000)).p < 1e-6  # no shares give so few of one report
    True
    """
    if isinstance(reports, Survey):  # each report by itself, whatever it weighs
        counted = sum((wave.tally for wave in reports.waves), reports.mechanism.tally())
    else:
        counted = tally_of("reports", reports)
    if not counted.n:
        raise InvalidInput("reports must not be empty: there is nothing to test")
    shares = estimate(counted)
    outcomes = {"sum": sum_test(shares), "negative": negative_test(shares), "cells": cells_test(shares)}
    checks = [checks for checks, _ in outcomes.values() if not isinstance(checks, str)]
    deviations = next((away for name in ("cells", "negative") if (away := outcomes[name][1]) is not None), np.zeros(0))
    return GoodnessOfFit(
        shares,
        tuple(check for check, *_ in checks),
        tuple(check for _, *blocks in checks for check in blocks),
        {name: reason for name, (reason, _) in outcomes.items() if isinstance(reason, str)},
        deviations,
    )
