"""`goodness_of_fit`: could these reports come from this law?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidInput
from ...estimation.results.shares import Shares, tally_of
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.tally import Tally
from ...mechanisms.mechanism import Mechanism
from ..groups.comparison import holm
from ..result import CONFIDENCE, Result
from ..survey.survey import Survey
from .fit_tests import Check, cells_test, negative_test, sum_test

Array = NDArray[np.float64]

SIGNIFICANCE = 0.05
"""The level at which a test counts as one that failed."""

UNSEEN = (
    "no test sees people who claim another value: their reports follow the law of that value. dc.noncompliance says "
    "what they would change"
)


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
        said = [f"{self.n:,} reports of {self.mechanism.name}; holm_p is corrected for the number of tests"]
        failed = [check.test for check, p in zip(self.checks, self.adjusted, strict=True) if p < SIGNIFICANCE]
        if failed:
            said.append(f"these reports do not look like reports of this law: {', '.join(failed)}")
            if self.standing_out is not None and "cells" in failed:
                count = self.estimate.tally.counts[self.standing_out]
                said.append(f"most above what any shares give: {self._cell(self.standing_out)}, {count:,} times")
        elif self.checks:
            said.append("nothing speaks against the law")
        if self.blocks:
            few = int((self.block_adjusted < SIGNIFICANCE).sum())
            said.append(f"{len(self.blocks)} tests of single blocks, of which {few} fail after correction")
        said += [f"no test of {name}: {reason}" for name, reason in self.left_out.items()]
        if "sum" in self.left_out and "cells" in self.left_out:
            said.append("whatever frequencies some shares could give pass: only a share far below 0 would show")
        return [*said, UNSEEN]

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

    def _cell(self, cell: int) -> str:
        names = self.mechanism.report_names
        return f"report {names[cell] if names else cell}"

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
    counted = reports.tally if isinstance(reports, Survey) else tally_of("reports", reports)
    if not counted.n:
        raise InvalidInput("reports must not be empty: there is nothing to test")
    made = estimate(counted)
    found = [sum_test(made), negative_test(made), cells_test(made)]
    deviations = found[-1].deviations if found[-1].checks else found[1].deviations
    return GoodnessOfFit(
        made,
        tuple(check for part in found for check in part.checks),
        tuple(check for part in found for check in part.blocks),
        {name: reason for part in found for name, reason in part.left_out.items()},
        deviations,
    )
