"""The check of what one report tells passes for the library's mechanisms, and catches a wrong guess."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet import Context
from discreet.checks import CheckFailed, check_telling
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.subset import Subset


class Modest(Subset):
    """Says that a guess gains nothing."""

    def guess(self, shares, ops, *, beside=0.0):
        return float(shares.max())


class Vague(Subset):
    """Says that a report leaves every share as it was."""

    def telling(self, x, shares, ops, *, beside=0.0):
        return super().telling(x, shares, ops)._replace(most=float(shares[x]))


def test_subsets_pass_and_those_who_say_less_are_caught():
    context = Context.uniform(range(5), "1")
    check_telling(Mechanism(context, Subset(5, Fraction(1))))
    for kind in (Modest, Vague):
        with pytest.raises(CheckFailed, match="after one report"):
            check_telling(Mechanism(context, kind(5, Fraction(1))))
