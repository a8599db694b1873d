"""Laws of exact epsilons and certified exponentials."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidEpsilon, shown
from discreet.core.exact import (
    ceil_div,
    epsilon_of,
    exp_below,
    gap,
    log_of,
    positive_finite,
    rough_gap,
    text_of,
    within,
)

fractions = st.fractions(min_value=0, max_value=30, max_denominator=10**6)


def exp_above(epsilon: Fraction) -> Fraction:
    """A rational at least e**epsilon, by another way: the series of e**(epsilon/64) with its remainder, to the 64th.

    The tail after n terms of the series of e**t is at most twice the next term for t <= 1.
    """
    t = epsilon / 64
    assert t <= 1
    term, total = Fraction(1), Fraction(1)
    for n in range(1, 60):
        term = term * t / n
        total += term
    bound = total + 2 * term
    bound = Fraction(math.ceil(bound * 10**100), 10**100)
    return bound**64


@given(fractions)
def test_the_rational_is_below_the_exponential_and_nearly_equal(epsilon):
    below, above = exp_below(epsilon), exp_above(epsilon)
    assert below <= above
    assert above / below - 1 < Fraction(1, 2**200)


@pytest.mark.parametrize("epsilon", ["0", "1e-30", "0.01", "1", "10", "20", "45", "700"])
def test_the_rational_agrees_with_the_decimal_module_to_55_digits(epsilon):
    exact = epsilon_of(epsilon)
    with localcontext() as context:
        context.prec = 70
        below = exp_below(exact)
        relative = Decimal(below.numerator) / Decimal(below.denominator) / Decimal(epsilon).exp() - 1
    assert abs(relative) < Decimal("1e-55")


@given(fractions, fractions)
def test_a_larger_epsilon_never_has_a_smaller_exponential(a, b):
    assert exp_below(min(a, b)) <= exp_below(max(a, b))


def test_the_exponential_of_zero_is_one():
    assert exp_below(Fraction(0)) == 1


def test_an_epsilon_beyond_all_words_costs_no_more_than_the_largest():
    assert exp_below(Fraction(10**300)) == exp_below(Fraction(4096))
    assert within(Fraction(2**2000), Fraction(10**300))


def test_a_negative_epsilon_has_no_exponential_here():
    with pytest.raises(InvalidEpsilon, match="epsilon=-1 must be non-negative"):
        exp_below(Fraction(-1))


@given(fractions.filter(lambda e: e > 0), st.integers(1, 2**64))
def test_one_unit_more_than_the_exponential_allows_is_refused(epsilon, low):
    high = math.floor(exp_below(epsilon) * low)
    assert within(Fraction(high, low), epsilon)
    assert not within(Fraction(high + 1, low), epsilon)


def test_any_ratio_is_within_an_infinite_epsilon():
    assert within(Fraction(10**400), math.inf)


@given(st.one_of(fractions, st.just(math.inf)))
def test_the_text_of_an_epsilon_reads_back_as_itself(epsilon):
    assert epsilon_of(text_of(epsilon)) == epsilon
    assert epsilon_of(text_of(epsilon)) == epsilon


@pytest.mark.parametrize(
    ("given", "exact", "text"),
    [
        (0.1, Fraction(1, 10), "0.1"),
        ("0.10", Fraction(1, 10), "0.1"),
        (" 1 ", Fraction(1), "1"),
        (1, Fraction(1), "1"),
        ("1e-3", Fraction(1, 1000), "0.001"),
        (Decimal("2.50"), Fraction(5, 2), "2.5"),
        (Fraction(1, 3), Fraction(1, 3), "1/3"),
        ("1/3", Fraction(1, 3), "1/3"),
        ("inf", math.inf, "inf"),
        (math.inf, math.inf, "inf"),
        ("-0", Fraction(0), "0"),
    ],
)
def test_a_number_means_the_decimal_it_prints(given, exact, text):
    assert epsilon_of(given) == exact
    assert text_of(epsilon_of(given)) == text


@pytest.mark.parametrize(
    "wrong",
    [
        -1,
        "-1",
        "-inf",
        -0.5,
        math.nan,
        "nan",
        "snan",
        "one",
        "",
        "1/0",
        "-1/3",
        "a/b",
        True,
        None,
        [1],
        "1e301",
        10**301,
        "1e999999999",
        "9" * 10_000,
        "1/" + "9" * 10_000,
        "1_0",
        "1_0/3",
        "１",
        "٣/٤",
        "1e1_0",
        "\t1",
    ],
)
def test_what_is_no_epsilon_is_refused_with_its_name_and_value(wrong):
    with pytest.raises(InvalidEpsilon) as refused:
        epsilon_of(wrong, name="epsilon[3]")
    assert str(refused.value) == f'epsilon[3]={shown(wrong)} must be a non-negative decimal or "inf"'


@pytest.mark.parametrize("wrong", [0, "0", "inf", math.inf])
def test_forms_without_use_for_zero_or_infinity_say_so(wrong):
    with pytest.raises(InvalidEpsilon, match="must be positive and finite here"):
        positive_finite(wrong)


@given(st.fractions(min_value="0.001", max_value=1000, max_denominator=1000))
def test_the_logarithm_for_display_agrees_with_floats(ratio):
    assert float(log_of(ratio)) == pytest.approx(math.log(ratio), abs=1e-12)


def test_the_gap_is_right_far_below_the_spacing_of_doubles():
    low = 2**64 // 4
    high = math.floor(exp_below(Fraction(1)) * low)
    assert 0 < gap(Fraction(1), Fraction(high, low)) < 1e-18
    assert rough_gap(Fraction(1), Fraction(high, low)) == pytest.approx(0, abs=1e-14)


def test_the_gap_to_infinity_and_of_nothing_is_infinite():
    assert gap(math.inf, Fraction(2)) == math.inf
    assert gap(Fraction(1), Fraction(0)) == math.inf
    assert rough_gap(Fraction(1), Fraction(0)) == math.inf


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_division_rounded_up_is_the_least_multiple_that_reaches(a, b):
    up = ceil_div(a, b)
    assert up * b >= a > (up - 1) * b
