"""`goodness_of_fit`: could these reports come from this law? By totals, shares below 0, and counts of cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import InvalidInput
from ...core.tables import p_value
from ...estimation.decoders import Decoder, Group, decoder_of
from ...estimation.results.score_law import ScoreLaw, law_of_cells, normal_law
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
PSEUDO = 0.5
"""How many people are added to every value where cells are weighed, so that none is impossible."""
MAX_MATRIX = 1 << 22
"""The most entries of the matrices by which leverages are computed."""

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
        counts, one = shares.tally.counts[cells], np.ones(part.size)
        n = part.total(counts)[:, 0]
        even = one / part.size
        excess = float(np.sum(part.cross_moment(even, one, one))) - 1
        if excess <= ROUNDING * float(np.sum(part.second_moments(even))):
            continue
        enough = n >= (MIN_REPORTS if several else 1)
        short += int((~enough).sum())
        for block in np.flatnonzero(enough):
            law = _sum_law(part, counts[block], int(n[block]), shares.norm_shares[values[block]] * shares.n / n[block])
            z.append(float(law.z_scores()[0]))
            names.append(block_names[block])
    if not z:
        reason = "the scores of every report add up to 1, whatever is sent"
        return reason if not short else f"no block has {MIN_REPORTS} reports", None
    blocks = [
        Check("sum", name, one, None, float(two_sided(one)))
        for name, one in zip(names if several else ["all"], z, strict=True)
    ]
    return [_total("sum", [one**2 for one in z], [1] * len(z)), *blocks] if several else blocks, None


def _sum_law(part: Decoder[Any], counts: Array, n: int, shares: Array) -> ScoreLaw:
    """The confidence distribution of the mean of ``1 . phi(y) - 1``, which is 0 whatever people hold."""
    one = np.ones(part.size)
    scores = (part.decode_adjoint(one) - part.unit_weights()).reshape(1, -1)
    if part.disjoint:
        used = part.expected_counts(one / part.size) > 0
        return law_of_cells(n, counts[used].astype(float), scores[:, used])
    variance = np.sum(part.cross_moment(shares, one, one)) - 1
    deviation = np.sqrt(np.maximum(variance, 0.0)).reshape(1)
    return normal_law(n, scores @ counts / n, deviation**2, -deviation, deviation)


def negative_test(shares: Estimate) -> Outcome:
    """Test whether the lowest share is far below 0, by the confidence distribution of each."""
    varies = decoder_of(shares.mechanism).reach()[0] < -ROUNDING
    if not varies.any():
        return "no report can make a share negative", None
    z = np.where(varies, shares.law.z_scores(), np.inf)
    p_least = min(1.0, int(varies.sum()) * math.erfc(-float(z.min()) / math.sqrt(2)) / 2)
    return [Check("negative", "all", float(z.min()), None, p_least)], np.where(varies, z, np.nan)


def cells_test(shares: Estimate) -> Outcome:
    """Test whether some shares give the frequencies of disjoint cells: chi-square on the cells beyond the values."""
    counts, away = shares.tally.counts, np.zeros(decoder_of(shares.mechanism).cells)
    blocks, variances, reasons = list[Check](), list[float](), dict[str, None]()
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
            own, n = cells[enough], n[enough, None]
            p = (shares.plug_in[values[enough]] * shares.n + PSEUDO) / (n + PSEUDO * part.size)
            fit, law = fit_cells(part, counts[own] / n, p)
            away[own] = (counts[own] - n * fit) / np.sqrt(n * np.where(law > 0, law, 1.0))
            squares = (away[own] ** 2).sum(axis=-1)
            if not np.isfinite(squares).all():
                return "the least-squares fit of so many cells did not settle", None
            spread = square_variances(part, law, n[:, 0])
            used = [name for name, use in zip(names, enough, strict=True) if use]
            blocks += [
                Check("cells", name, one, free, scaled_tail(one, free, variance))
                for name, one, variance in zip(used, squares.tolist(), spread.tolist(), strict=True)
            ]
            variances += spread.tolist()
    if not blocks:
        return "; ".join(reasons), None
    total, df = sum(check.statistic for check in blocks), sum(check.df or 0 for check in blocks)
    whole = Check("cells", "all", total, df, scaled_tail(total, df, sum(variances)))
    return [whole, *(blocks if len(shares.blocks[1]) > 1 else [])], away


def square_variances(part: Decoder[Any], law: Array, n: Array) -> Array:
    """The exact variance of X**2 of each row, where counts are multinomial with this law and it weighs the distance.

    ``2 df (1 - 1/n) + (sum_y law_y h_y**2 - df**2) / n`` with ``h_y = (1 - leverage_y) / law_y``: far above 2 df where
    cells are rare. The leverages, diagonal entries of the projection on the fitted frequencies, are taken for even
    ones where the matrix is too large.
    """
    used = law[0] > 0
    law, cells = law[:, used], int(used.sum())
    free = cells - part.size
    left = np.full(law.shape, free / cells)
    if law.size * part.size <= MAX_MATRIX:
        Q = part.expected_counts(np.eye(part.size))[:, used]
        basis = np.linalg.qr(Q.T / np.sqrt(law)[:, :, None])[0]
        left = 1 - (basis**2).sum(axis=-1)
    return np.asarray(2 * free * (1 - 1 / n) + np.maximum((left**2 / law).sum(axis=-1) - free**2, 0.0) / n)


def scaled_tail(statistic: float, df: int, variance: float) -> float:
    """The tail of a statistic with mean df and this variance: a multiple of a chi-square one (Satterthwaite1946)."""
    scale = max(variance / (2 * df), 1.0)
    return chi_square_tail(statistic / scale, df / scale)


def _total(test: str, squares: Sequence[float], df: Sequence[int]) -> Check:
    """The check of all reports by the sum of independent squares, of one block each."""
    return Check(test, "all", sum(squares), sum(df), chi_square_tail(sum(squares), sum(df)))


def _groups(shares: Estimate) -> list[tuple[Group, list[str]]]:
    """The groups of blocks, with the name of each block."""
    names: list[Hashable] = list(shares.block_totals)
    groups = decoder_of(shares.mechanism).groups()
    return [(group, [str(names[number]) for number in group.numbers]) for group in groups]


def fit_cells(part: Decoder[Any], frequencies: Array, shares: Array) -> tuple[Array, Array]:
    """The cell probabilities nearest to the frequencies, row by row, and those that the distance was weighted by.

    ``min_p sum_y (f_y - (Q'p)_y)**2 / law_y`` over all p, negative ones too, where the law is that at `shares`, a
    distribution near those of the people with none of its shares 0. No matrix is written out; nan where the equations
    were not solved.
    """
    law = np.maximum(part.expected_counts(shares), 0.0)
    weights = np.divide(1.0, law, out=np.zeros_like(law), where=law > 0)

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
        return f"<GoodnessOfFit of {self.n:,} reports of {self.mechanism.name}: least p {p_value(self.p)}>"


def goodness_of_fit(reports: Tally | Survey | Shares) -> GoodnessOfFit:
    """Tests of whether reports can come from the law that they claim, from a tally, a survey or any result.

    *sum*: estimated shares must add up to the known total, so that the mean of ``1 . phi(y) - 1`` is 0; where reports
    show their block, the squared z for the blocks are added up. It exists where the scores of one report need not add
    up to 1: Hadamard, unary, some projective mechanisms. *negative*: no share is far below 0, one-sided, p times k.
    Both take the confidence distribution of the mean score, and z is its normal quantile. *cells*: where more reports
    than values are possible, and each has a cell of its own, the frequencies f must be those of some shares:
    ``X**2 = n min_p sum_y (f_y - (Q'p)_y)**2 / law_y``, compared with the multiple of a chi-square variable that has
    its mean, K - rank Q, and its exact variance, which is larger where cells are rare.

    None of them needs a sampling design: given what people hold, each report is drawn by itself. None sees people who
    claim another value, and with two values and two reports hardly anything shows.

    References: Pearson1900, Satterthwaite1946.

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
