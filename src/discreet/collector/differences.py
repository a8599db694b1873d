"""Differences between the shares of the texts of a label, as `discreet.compare` finds and tests them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from ..analysis.groups.comparison import differences_of
from ..analysis.groups.group_moments import TalliedGroups
from ..analysis.groups.moments import queries_of
from ..analysis.groups.omnibus import of_tallies
from ..core.domain import plain_value
from ..estimation.tally import Tally

MOST_TESTS = 1_000_000
"""The most tests that one question may ask for."""


def differences(groups: Mapping[str, Tally]) -> dict[str, Any]:
    """For every two groups how far their shares differ, the first less the second, and a test of all of them at once.

    `adjusted` holds for all tests together: to call everything below 0.05 different is wrong about anything with
    probability of at most 0.05.
    """
    if len(groups) < 2:
        return {"pairs": [], "omnibus": None}
    values = next(iter(groups.values())).mechanism.context.values
    names, weights = queries_of(values, None)
    tallied = TalliedGroups({(text,): [tally] for text, tally in groups.items()}, weights)
    texts, pairs = list(groups), list(combinations(range(len(groups)), 2))
    rows = zip(pairs, *differences_of(tallied.moments(), pairs), strict=True)
    found = of_tallies(tallied, [range(len(groups))])
    return {
        "pairs": [
            {
                "first": texts[a] or None,
                "second": texts[b] or None,
                "values": [plain_value(value) for value in names],
                "difference": gap.tolist(),
                "stderr": error.tolist(),
                "p": p.tolist(),
                "adjusted": adjusted.tolist(),
            }
            for (a, b), gap, error, p, adjusted in rows
        ],
        "omnibus": None if found is None else {"statistic": found.statistic, "df": found.freedom, "p": found.p},
    }
