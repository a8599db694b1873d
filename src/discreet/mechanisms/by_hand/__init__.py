"""Randomized response by hand: with dice, coins, cards or birthdays, as people did it before there were devices.

A design is a small table of exact probabilities, one row per value and one column per report. Each function here
makes a mechanism of it, certified for the tightest context that the table satisfies, so that everything that serves
other mechanisms serves a survey on paper: tallies, estimates, comparisons, regressions, plans, screening.

>>> import discreet as dc
>>> design = dc.by_hand.forced_response(["no", "yes"], truth="2/3")
>>> round(design.certificate.realised, 4)
1.6094
>>> round(float(dc.estimate(design.tally(design.reports_of(["yes"] * 40 + ["no"] * 60)))["yes"]), 4)
0.35
"""

from .classics import crosswise, forced_response, kuk, triangular, unrelated_question, warner
from .exact_table import ByHand, rounded, table
from .reading import DESIGNS

__all__ = [
    "DESIGNS",
    "ByHand",
    "crosswise",
    "forced_response",
    "kuk",
    "rounded",
    "table",
    "triangular",
    "unrelated_question",
    "warner",
]


def __dir__() -> list[str]:
    return __all__
