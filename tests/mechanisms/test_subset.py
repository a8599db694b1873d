"""Laws of k-subset selection: its sizes, its error and its information, with the corrected formulas."""

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.checks.law import channel_of
from discreet.core.errors import InvalidInput
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.subset import Subset, information, least_error_size, most_information_size, total_error

SIZES = [2, 3, 4, 10, 33, 100, 1000]
EPSILONS = [0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", SIZES)
def test_k_sharp_has_the_least_error_and_k_star_the_most_information_of_all_sizes(k, epsilon):
    errors = [total_error(k, d, epsilon) for d in range(1, k)]
    known = [information(k, d, epsilon) for d in range(1, k)]
    assert total_error(k, least_error_size(k, epsilon), epsilon) == pytest.approx(min(errors), rel=1e-13)
    assert information(k, most_information_size(k, epsilon), epsilon) == pytest.approx(max(known), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_information_is_unimodal_but_not_concave(epsilon):
    known = np.array([information(60, d, epsilon) for d in range(1, 60)])
    peak = known.argmax()
    assert (np.diff(known[: peak + 1]) > 0).all()
    assert (np.diff(known[peak:]) < 0).all()
    far = np.array([information(1000, d, 6.0) for d in range(1, 1000)])
    assert (np.diff(far, 2) > 0).any()


@pytest.mark.parametrize("k", [2, 5, 20, 500])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0, 8.0])
def test_one_value_is_best_exactly_when_two_do_not_tell_more(k, epsilon):
    best = most_information_size(k, epsilon)
    assert (best == 1) == (k == 2 or information(k, 1, epsilon) >= information(k, 2, epsilon))


@pytest.mark.parametrize(("k", "d", "epsilon"), [(5, 1, "1"), (5, 2, "1"), (6, 3, "0.5"), (6, 4, "2")])
def test_error_information_and_truth_agree_with_the_enumerated_channel(k, d, epsilon):
    """n f = (k-1)**2/(e-1)**2 (e**2/(k-d) + 1/d) - (k-1), I = log(k/(de+k-d)) + de eps/(de+k-d), p = de/(de+k-d)."""
    level, e = float(epsilon), math.exp(float(epsilon))
    mechanism = Mechanism(Context.uniform(range(k), epsilon), Subset(k, Fraction(epsilon), d=d))
    channel = np.array(channel_of(mechanism), dtype=float)
    shares = np.full(k, 1 / k)
    fixed = (decoder_of(mechanism.sampler).second_moments(shares) - shares).sum()
    assert fixed == pytest.approx((k - 1) ** 2 / (e - 1) ** 2 * (e**2 / (k - d) + 1 / d) - (k - 1), rel=1e-12)
    assert fixed + (k - 1) == pytest.approx(total_error(k, d, level), rel=1e-12)
    law = shares @ channel
    told = (shares[:, None] * channel * np.log(channel / law)).sum()
    assert told == pytest.approx(information(k, d, level), rel=1e-10)
    assert told == pytest.approx(math.log(k / (d * e + k - d)) + d * e * level / (d * e + k - d), rel=1e-10)
    assert float(mechanism.sampler.p) == pytest.approx(d * e / (d * e + k - d))


def test_sizes_are_given_by_number_or_by_name():
    context = Context.uniform(range(30), "1")
    assert dc.mechanism(context, "subset", d=7).sampler.d == 7
    assert dc.mechanism(context, "subset", d="k_star").sampler.d == most_information_size(30, 1.0)
    assert dc.mechanism(context, "subset", d="k_sharp").sampler.d == least_error_size(30, 1.0)
    assert dc.mechanism(context, "subset").sampler.d == least_error_size(30, 1.0)
    with pytest.raises(InvalidInput, match="d='best' must be a whole number, k_star or k_sharp"):
        dc.mechanism(context, "subset", d="best")


@pytest.mark.parametrize("d", [0, 5, -1, 2.0, True])
def test_a_set_holds_at_least_one_value_and_not_all(d):
    with pytest.raises(InvalidInput, match="must be a whole number from 1 to 4"):
        Subset(5, Fraction(1), d=d)


def test_one_value_alone_has_no_subsets():
    with pytest.raises(InvalidInput, match="size=1 must be at least 2"):
        Subset(1, Fraction(1))


def test_every_report_has_exactly_d_values_in_no_order():
    mechanism = dc.mechanism(Context.uniform(range(70), "1"), "subset", d=19)
    reports = mechanism.randomize_indices(np.arange(70).repeat(20), dc.random.seeded(1))
    assert reports.shape == (1400, 2)
    assert set(np.bitwise_count(reports).sum(axis=1).tolist()) == {19}


def test_very_many_values_take_two_words_a_draw():
    few, many = Subset(1 << 17, Fraction(10)), Subset((1 << 17) + 100, Fraction(10))
    assert few.words == 1 + few.d
    assert many.words == 1 + 2 * many.d
