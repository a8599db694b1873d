"""The check of what one report tells passes for the library's mechanisms, and catches a wrong guess."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet import Context
from discreet.checks import CheckFailed, check_posteriors
from discreet.leakage.profiles import PROFILES
from discreet.leakage.profiles.pure import SubsetProfile
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.subset import Subset


class Modest(SubsetProfile):
    """Says that a guess gains nothing."""

    def bayes_success(self, shares, *, beside=0.0):
        return float(shares.max())


class Vague(SubsetProfile):
    """Says that a report leaves every share as it was."""

    def posterior_range(self, x, shares, *, beside=0.0):
        return super().posterior_range(x, shares)._replace(most=float(shares[x]))


@pytest.mark.parametrize("kind", [Modest, Vague])
def test_subsets_pass_and_those_who_say_less_are_caught(kind, monkeypatch):
    context = Context.uniform(range(5), "1")
    check_posteriors(Mechanism(context, Subset(5, Fraction(1))))
    monkeypatch.setitem(PROFILES, "subset", kind)
    with pytest.raises(CheckFailed, match="after one report"):
        check_posteriors(Mechanism(context, Subset(5, Fraction(1))))
