"""The classical designs against the estimators and variances of the literature."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.estimation.decoders import decoder_of

SHARES = (0.0, 0.1, 0.35, 1.0)


def warner(pi, p):
    rate = p * pi + (1 - p) * (1 - pi)
    return rate, lambda r: (r - (1 - p)) / (2 * p - 1), pi * (1 - pi) + p * (1 - p) / (2 * p - 1) ** 2


def forced(pi, truth, yes):
    rate = truth * pi + yes
    return rate, lambda r: (r - yes) / truth, rate * (1 - rate) / truth**2


def unrelated(pi, p, prevalence):
    return forced(pi, p, (1 - p) * prevalence)


def triangular(pi, q):
    rate = pi + (1 - pi) * q
    return rate, lambda r: (r - q) / (1 - q), pi * (1 - pi) + (1 - pi) * q / (1 - q)


def kuk(pi, yes, no):
    rate = yes * pi + no * (1 - pi)
    return rate, lambda r: (r - no) / (yes - no), rate * (1 - rate) / (yes - no) ** 2


BOOKS = {
    "Warner 1965": (dc.by_hand.warner(p="0.7"), lambda pi: warner(pi, 0.7)),
    "forced response, a die": (dc.by_hand.forced_response(truth="2/3"), lambda pi: forced(pi, 2 / 3, 1 / 6)),
    "forced response, uneven": (
        dc.by_hand.forced_response(truth="0.5", forced={"yes": 0.125, "no": 0.375}),
        lambda pi: forced(pi, 0.5, 0.125),
    ),
    "Greenberg 1969": (dc.by_hand.unrelated_question(p=0.7, prevalence="1/12"), lambda pi: unrelated(pi, 0.7, 1 / 12)),
    "crosswise": (dc.by_hand.crosswise(prevalence="1/4"), lambda pi: warner(pi, 0.25)),
    "triangular": (dc.by_hand.triangular(prevalence="1/4"), lambda pi: triangular(pi, 0.25)),
    "Kuk 1990": (dc.by_hand.kuk(yes="0.8", no="0.3"), lambda pi: kuk(pi, 0.8, 0.3)),
}


@pytest.mark.parametrize(("name", "pi"), list(product(BOOKS, SHARES)))
def test_estimator_and_variance_are_those_of_the_book(name, pi):
    design, book = BOOKS[name]
    rate, estimator, variance = book(pi)
    law = np.array([1 - pi, pi]) @ np.array([[float(q) for q in row] for row in design.channel()])
    assert law[1] == pytest.approx(rate)
    tally = dc.Tally(design, np.array([63, 37]), 100)
    assert dc.estimate(tally)[list(design.context.values)[1]] == pytest.approx(estimator(0.37))
    yes = np.array([0.0, 1.0])
    exact = decoder_of(design.sampler).cross_moment(np.array([1 - pi, pi]), yes, yes)[0] - pi**2
    assert exact == pytest.approx(variance)


def test_a_die_over_several_values():
    design = dc.by_hand.forced_response(["never", "once", "often"], truth="1/2")
    assert design.rows[1] == (Fraction(1, 6), Fraction(2, 3), Fraction(1, 6))
    assert design.context.at(0, 1) == Fraction("1.386294361120")
    assert design.report_names == ("never", "once", "often")
    uneven = dc.by_hand.forced_response(range(3), truth=0.5, forced=["1/4", "1/8", "1/8"])
    assert uneven.rows[0] == (Fraction(3, 4), Fraction(1, 8), Fraction(1, 8))


@pytest.mark.parametrize("draws", [2, 3, 5])
def test_more_cards_vary_no_more_than_kuks_estimator_at_even_shares(draws):
    yes, no, pi = 0.8, 0.3, 0.5
    design = dc.by_hand.kuk(yes=yes, no=no, draws=draws)
    assert len(design.report_names) == draws + 1
    weights = np.array([0.0, 1.0])
    exact = decoder_of(design.sampler).cross_moment(np.array([0.5, 0.5]), weights, weights)[0] - pi**2
    rate = yes * pi + no * (1 - pi)
    book = rate * (1 - rate) / (draws * (yes - no) ** 2) + (1 - 1 / draws) * pi * (1 - pi)
    assert exact <= book + 1e-12
    assert exact > 0.8 * book
    assert (
        dc.goodness_of_fit(dc.Tally(design, np.arange(1, draws + 2) * 20, 10 * (draws + 1) * (draws + 2)))
        .checks[-1]
        .test
        == "cells"
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dc.by_hand.warner(p="1/2"), "p='1/2' must not be 1/2"),
        (lambda: dc.by_hand.warner(p=1.5), r"p=1.5 must be a probability"),
        (lambda: dc.by_hand.warner(p="seven tenths"), "must be a probability from 0 to 1"),
        (lambda: dc.by_hand.warner(range(3), p=0.7), "values: 3 must be as many as the rows, 2"),
        (lambda: dc.by_hand.crosswise(prevalence=0.5), "prevalence=0.5 must not be 1/2"),
        (lambda: dc.by_hand.triangular(prevalence=1), "prevalence=1 must be between 0 and 1"),
        (lambda: dc.by_hand.unrelated_question(p=0, prevalence=0.5), "p=0 must be more"),
        (lambda: dc.by_hand.forced_response(truth=0), "truth=0 must be more"),
        (lambda: dc.by_hand.forced_response(truth="2/3", forced={"yes": "1/6"}), "must add up to 1"),
        (lambda: dc.by_hand.kuk(yes=0.5, no="1/2"), "must differ"),
        (lambda: dc.by_hand.kuk(yes=0.5, no=0.2, draws=0), "draws=0"),
        (lambda: dc.by_hand.warner(p=0.7, reports=["yes", "yes"]), "2 names must be 2 different ones"),
        (lambda: dc.by_hand.warner(p=0.7, reports=["#end", "yes"]), "must not begin with #"),
        (lambda: dc.by_hand.warner(p=0.7, reports=["no ", "yes"]), "without spaces around"),
    ],
)
def test_what_is_refused(make, said):
    with pytest.raises(InvalidInput, match=said):
        make()


def test_a_die_for_too_many_values_is_refused_before_it_is_written_out():
    with pytest.raises(InvalidInput, match="1000000 x 1000000 entries"):
        dc.by_hand.forced_response(range(10**6), truth="1/2")
