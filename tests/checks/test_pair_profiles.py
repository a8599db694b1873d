"""The check of pair profiles passes for the library's mechanisms, and catches one that claims too much hiding."""

from __future__ import annotations

from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context
from discreet.checks import CheckFailed, check_pair_profiles
from discreet.leakage.profiles import PROFILES, Profile, ReportGroup
from discreet.leakage.profiles.pure import HadamardProfile, SubsetProfile
from discreet.leakage.profiles.rows import two_levels
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.subset import Subset


class NotUneven(SubsetProfile):
    """Takes the draws for even: its sets are as likely as in theory, not as its words have them."""

    def pair_profile(self, x, z, among=None):
        rows, even = super().pair_profile(x, z, None), self.sampler.evenness
        return [ReportGroup(r.blanket / even, r.own * even, r.other / even, r.cover) for r in rows]


class TooHigh(HadamardProfile):
    """Takes all columns for such that everybody writes them often."""

    def pair_profile(self, x, z, among=None):
        return [row._replace(blanket=max(row.own, row.other)) for row in super().pair_profile(x, z, among)]


class LeavesOut(HadamardProfile):
    """Knows of x against z alone what they share."""

    def pair_profile(self, x, z, among=None):
        return [row for row in super().pair_profile(x, z, among) if row.own == row.other]


CONTEXT = Context.uniform(range(5), "1")


def made(kind, **parameters):
    return Mechanism(CONTEXT, kind(5, Fraction(1), **parameters))


def test_the_bases_pass():
    for kind in (Hadamard, Subset):
        check_pair_profiles(made(kind))


@pytest.mark.parametrize("kind", [TooHigh, LeavesOut])
def test_a_blanket_that_nobody_keeps_and_a_report_that_is_left_out_are_caught(kind, monkeypatch):
    monkeypatch.setitem(PROFILES, "hadamard", kind)
    with pytest.raises(CheckFailed, match="stands out"):
        check_pair_profiles(made(Hadamard))


def test_draws_that_are_taken_for_even_are_caught(monkeypatch):
    """Of 7 values the parts of a word are uneven, by one in 2**64: the claim is below the truth by 1e-19 of it."""
    context = Context.uniform(range(7), "1")
    check_pair_profiles(Mechanism(context, Subset(7, Fraction(1), d=3)))
    monkeypatch.setitem(PROFILES, "subset", NotUneven)
    with pytest.raises(CheckFailed, match="stands out"):
        check_pair_profiles(Mechanism(context, Subset(7, Fraction(1), d=3)))


def test_two_values_that_no_listed_pair_is_like_are_caught(monkeypatch):
    mechanism = dc.mechanism(Context.metric(range(4), "line", "1"), "exponential")
    check_pair_profiles(mechanism)
    monkeypatch.setattr(Profile, "representative_pairs", lambda self: iter([(0, 1), (1, 0)]))
    with pytest.raises(CheckFailed, match="no profile"):
        check_pair_profiles(mechanism)


def test_spare_words_tell_nothing_and_are_left_out():
    rows = two_levels((Fraction(1, 8), Fraction(3, 8)), (0, 1, 2), spare=Fraction(1, 4))
    assert rows[-1] == ReportGroup(Fraction(0), Fraction(1, 4), Fraction(1, 4))
    assert sum(row.own for row in rows) == 1
