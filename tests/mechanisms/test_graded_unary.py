"""Graded unary: one coin per bit, by the epsilon of the bit's value."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidInput, NotServed, PrivacyViolation
from discreet.core.exact import exp_below
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.law import Row
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.graded_unary import GradedUnary, GradedUnaryLaw


def graded(*epsilons):
    """E[x, z] = epsilon of x, written out."""
    rows = [["0" if x == z else epsilon for z in range(len(epsilons))] for x, epsilon in enumerate(epsilons)]
    return dc.Context.matrix(range(len(epsilons)), rows)


def error(sampler):
    even = np.full(sampler.size, 1 / sampler.size)
    return float(np.sum(decoder_of(sampler).second_moments(even)) - np.sum(even**2))


@pytest.mark.parametrize("epsilons", [("1", "2", "1", "4"), ("0.3", "0.3", "7"), ("0.01", "20", "1")])
def test_it_keeps_every_law(epsilons):
    mechanism = dc.mechanism(graded(*epsilons), "graded_unary")
    done = set(check_mechanism(mechanism))
    assert {"moments", "pairs", "round trips"} <= done
    assert ("every word" in done) == ("20" not in epsilons)  # too far apart for small words


def test_every_value_is_as_private_as_it_asks_and_no_more():
    """Against every other value the realised epsilon is that of the row, to the last words."""
    mechanism = dc.mechanism(graded("0.5", "1", "3"), "graded_unary")
    for pair in mechanism.sampler.ratio_bounds():
        asked = exp_below(mechanism.context.at(pair.x, pair.z))
        assert asked * (1 - Fraction(1, 1 << 50)) < pair.ratio <= asked


def test_a_unit_more_for_the_own_bit_is_refused():
    context = graded("1", "2", "1")
    law = dc.mechanism(context, "graded_unary").law()
    closer = GradedUnaryLaw(law.grade_of, law.own, tuple(other + (1 << 10) for other in law.other), 64)
    Mechanism(context, GradedUnary.from_law(closer))
    forged = GradedUnaryLaw(law.grade_of, (law.own[0] + 4, law.own[1]), law.other, 64)
    with pytest.raises(PrivacyViolation, match="0 against"):
        Mechanism(context, GradedUnary.from_law(forged))


def test_the_number_c_is_the_best_of_all():
    grades = [Fraction(1)] * 5 + [Fraction(4)] * 15
    best = GradedUnary(grades, prior=[1 / 20] * 20)
    for c in np.linspace(0.01, 0.99, 99) * (np.e - 1):
        b = [c / np.expm1(float(epsilon)) for epsilon in (1, 4)]
        a = [b[i] * np.exp((1, 4)[i]) / (1 + c) for i in (0, 1)]
        law = GradedUnaryLaw(
            best.law.grade_of, tuple(int(x * 2**64) for x in a), tuple(int(x * 2**64) + 1 for x in b), 64
        )
        assert error(best) <= error(GradedUnary.from_law(law)) * (1 + 1e-6)


def test_the_error_of_a_thousand_values_is_as_computed_elsewhere():
    grades = [Fraction(1)] * 50 + [Fraction(4)] * 950
    assert error(GradedUnary(grades, prior=[1e-3] * 1000)) == pytest.approx(267.709, abs=1e-3)


def test_other_contexts_are_not_served():
    with pytest.raises(NotServed, match="one finite epsilon for each value"):
        dc.mechanism(dc.Context.metric(range(4), lambda x, z: abs(x - z), "1"), "graded_unary")
    with pytest.raises(InvalidInput, match="takes no parameter d"):
        dc.mechanism(graded("1", "2", "1"), "graded_unary", d=2)


@pytest.mark.parametrize(
    ("law", "match"),
    [
        (GradedUnaryLaw(Row.of([0, 2]), (8, 8, 8), (4, 4, 4), 6), "must be numbered from 0"),
        (GradedUnaryLaw(Row.of([0, 1]), (8, 8), (4,), 6), "must be numbered from 0"),
        (GradedUnaryLaw(Row.of([0, 1]), (8, 4), (4, 4), 6), "0 < other < own"),
        (GradedUnaryLaw(Row.of([0, 1]), (8, 64), (4, 4), 6), "0 < other < own"),
        (GradedUnaryLaw(Row.of([]), (), (), 6), "size=0"),
    ],
)
def test_a_law_that_contradicts_itself_is_refused(law, match):
    with pytest.raises(InvalidInput, match=match):
        GradedUnary.from_law(law)
