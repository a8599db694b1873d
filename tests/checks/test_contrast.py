"""The check of contrasts passes for the library's mechanisms, and catches one that claims too much hiding."""

from __future__ import annotations

from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context
from discreet.checks import CheckFailed, check_contrast
from discreet.mechanisms.contrast import Contrast, two_levels
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.subset import Subset


class NotUneven(Subset):
    """Takes the draws for even: its sets are as likely as in theory, not as its words have them."""

    def contrast(self, x, z, among=None):
        rows = super().contrast(x, z, None)
        return [Contrast(r.floor / self._even, r.own * self._even, r.other / self._even, r.neutral) for r in rows]


class TooHigh(Hadamard):
    """Takes all columns for such that everybody writes them often."""

    def contrast(self, x, z, among=None):
        return [row._replace(floor=max(row.own, row.other)) for row in super().contrast(x, z, among)]


class LeavesOut(Hadamard):
    """Knows of x against z alone what they share."""

    def contrast(self, x, z, among=None):
        return [row for row in super().contrast(x, z, among) if row.own == row.other]


CONTEXT = Context.uniform(range(5), "1")


def made(kind, **parameters):
    return Mechanism(CONTEXT, kind(5, Fraction(1), **parameters))


def test_the_bases_pass():
    for kind in (Hadamard, Subset):
        check_contrast(made(kind))


@pytest.mark.parametrize("kind", [TooHigh, LeavesOut])
def test_a_floor_that_nobody_keeps_and_a_report_that_is_left_out_are_caught(kind):
    with pytest.raises(CheckFailed, match="stands out"):
        check_contrast(made(kind))


def test_draws_that_are_taken_for_even_are_caught():
    """Of 7 values the parts of a word are uneven, by one in 2**64: the claim is below the truth by 1e-19 of it."""
    context = Context.uniform(range(7), "1")
    check_contrast(Mechanism(context, Subset(7, Fraction(1), d=3)))
    with pytest.raises(CheckFailed, match="stands out"):
        check_contrast(Mechanism(context, NotUneven(7, Fraction(1), d=3)))


def test_two_values_that_no_listed_pair_is_like_are_caught(monkeypatch):
    mechanism = dc.mechanism(Context.metric(range(4), "line", "1"), "exponential")
    check_contrast(mechanism)
    monkeypatch.setattr(type(mechanism.sampler), "contrasts", lambda self: iter([(0, 1), (1, 0)]))
    with pytest.raises(CheckFailed, match="no contrast"):
        check_contrast(mechanism)


def test_spare_words_tell_nothing_and_are_left_out():
    rows = two_levels((Fraction(1, 8), Fraction(3, 8)), (0, 1, 2), spare=Fraction(1, 4))
    assert rows[-1] == Contrast(Fraction(0), Fraction(1, 4), Fraction(1, 4))
    assert sum(row.own for row in rows) == 1
