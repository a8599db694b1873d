"""Laws of certificates: exact, tight, and refused for one unit too many."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import Context, Domain
from discreet.contexts import Blocks
from discreet.core.errors import InvalidInput, PrivacyViolation
from discreet.core.exact import exp_below
from discreet.mechanisms.build import BASES

N = 2**64


def two_by_two(high, low, total=N):
    return [[Fraction(high, total), Fraction(low, total)], [Fraction(low, total), Fraction(high, total)]]


@settings(max_examples=60, deadline=None)
@given(st.fractions(min_value="0.01", max_value=10, max_denominator=1000), st.integers(1, 2**40))
def test_a_matrix_is_accepted_at_the_limit_and_refused_with_one_unit_more(epsilon, low):
    context = Context.uniform(["x", "z"], epsilon)
    high = math.floor(exp_below(epsilon) * low)
    certificate = dc.verify(two_by_two(high, low, high + low), context=context)
    assert certificate.realised <= float(epsilon)
    with pytest.raises(PrivacyViolation, match="'x' against 'z' leaks"):
        dc.verify(two_by_two(high + 1, low, high + 1 + low), context=context)


def test_the_tightest_pair_of_a_matrix_is_named():
    context = Context.matrix(list("abc"), [[0, 2, 2], [2, 0, "0.8"], [2, "0.8", 0]])
    rows = [["4/8", "2/8", "2/8"], ["2/8", "4/8", "2/8"], ["2/8", "2/8", "4/8"]]
    certificate = dc.verify(rows, context=context)
    assert (certificate.x, certificate.z) == ("b", "c")
    assert certificate.ratio == 2
    assert certificate.gap == pytest.approx(0.8 - math.log(2))
    assert certificate.fingerprint is None


def test_a_context_may_be_asymmetric_and_infinite():
    context = Context.binary("no", "yes", ("inf", "1"))
    assert dc.verify([["1/2", "1/2"], [0, 1]], context=context).claimed == 1
    with pytest.raises(PrivacyViolation, match="report 0 tells 'no' from 'yes' for certain; E allows 1"):
        dc.verify([["1/2", "1/2"], [0, 1]], context=Context.binary("no", "yes", ("1", "inf")))


def test_a_context_without_finite_entries_is_satisfied_by_anything():
    context = Context.binary("no", "yes", ("inf", "inf"))
    certificate = dc.verify([[1, 0], [0, 1]], context=context)
    assert certificate.claimed == math.inf
    assert certificate.as_dict()["claimed"] is None
    assert certificate.as_dict()["gap"] is None
    assert "claimed inf" in str(certificate)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.5]], "matrix[0][0]=0.5 must be exact"),
        ([[True, False], [True, False]], "must be exact"),
        ([["half", 1], [0, 1]], "matrix[0][0]='half' must be an exact probability"),
        ([["1/0", 1], [0, 1]], "must be an exact probability"),
        ([[None, 1], [0, 1]], "must be an exact probability"),
        ([["3/2", "-1/2"], [0, 1]], "matrix[0][1]='-1/2' must not be negative"),
        ([["1/2", "1/3"], [0, 1]], "row 0 adds up to 5/6; it must add up to exactly 1"),
        ([[1]], "one row per value (2)"),
        ([[1], ["1/2", "1/2"]], "all of the same length"),
    ],
)
def test_a_matrix_that_is_no_exact_channel_is_refused(rows, message):
    with pytest.raises(InvalidInput) as refused:
        dc.verify(rows, context=Context.uniform(["x", "z"], "1"))
    assert message in str(refused.value)


def test_a_matrix_needs_a_context():
    with pytest.raises(InvalidInput, match="context must be given"):
        dc.verify([[1]])


def test_a_mechanism_is_held_against_another_context_by_what_it_really_leaks():
    mechanism = dc.mechanism(Context.uniform(range(4), "1"), "hadamard")
    lax = dc.verify(mechanism, context=Context.uniform(range(4), "2"))
    assert lax.claimed == 2
    assert lax.realised == pytest.approx(1)
    with pytest.raises(PrivacyViolation, match=r"leaks 1, more than the 0\.9 that E allows"):
        dc.verify(mechanism, context=Context.uniform(range(4), "0.9"))
    nothing = Context.matrix(range(4), [[0 if x == z else "inf" for z in range(4)] for x in range(4)])
    assert dc.verify(mechanism, context=nothing).claimed == math.inf
    table = dc.mechanism(Context.uniform(range(2), "2"), "table", rows=[["2/3", "1/3"], ["1/3", "2/3"]])
    assert dc.verify(table, context=Context.uniform(range(2), "0.7")).claimed == Fraction(7, 10)


def test_the_certificate_of_a_weaker_context_names_its_own_tightest_pair():
    context = Context.metric([0, 1, 5, 6, 7], lambda x, z: abs(x - z) if abs(x - z) < 3 else "inf", "1")
    certificate = dc.mechanism(context, "subset").certificate
    assert certificate.claimed == 1
    assert abs(certificate.x - certificate.z) == 1
    assert certificate.gap < 1e-9


def test_the_plain_data_of_a_certificate():
    mechanism = dc.mechanism(Context.uniform(["a", "b"], "1"), "hadamard")
    told = mechanism.certificate.as_dict()
    assert told["ok"] is True
    assert told["mechanism"] == "hadamard"
    assert told["claimed"] == 1.0
    assert 0 <= told["gap"] < 1e-8
    assert told["tightest"] == {"x": "a", "z": "b"}
    assert told["outputs"] == 4
    assert told["fingerprint"] == mechanism.fingerprint
    wide = dc.mechanism(Context.uniform(range(100), "1"), "unary").certificate
    assert "up to 2**100 reports" in str(wide)


def uniform(k, epsilon):
    return Context.uniform(range(k), epsilon)


def high_low(k, epsilon):
    return Context.high_low(range(k), range(0, k, 2), epsilon)


def blocks(k, epsilon):
    sizes = [k - 4, 3, 1] if k > 4 else [k]
    return Blocks.from_sizes(Domain(range(k)), sizes, epsilon)


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "5", "10"])
@pytest.mark.parametrize("form", [uniform, high_low, blocks])
@pytest.mark.parametrize("k", [2, 3, 15, 16, 17, 1000, 43_750])
def test_every_form_is_within_1e_minus_8_of_its_claim(form, k, epsilon):
    context = form(k, epsilon)
    for name in BASES:
        if name == "cyclotomic":  # which is not for every size, and slow to make at large ones
            continue
        certificate = dc.mechanism(context, name).certificate
        assert certificate.claimed == Fraction(epsilon)
        assert 0 <= certificate.gap <= 1e-8
        assert certificate.realised <= float(certificate.claimed)


@pytest.mark.parametrize("name", [name for name in BASES if name != "cyclotomic"])
@pytest.mark.parametrize("epsilon", ["0.1", "10"])
def test_a_million_values_are_within_1e_minus_8_of_their_claim(name, epsilon):
    assert 0 <= dc.mechanism(uniform(10**6, epsilon), name).certificate.gap <= 1e-8


@pytest.mark.parametrize("form", [high_low, blocks])
def test_a_million_values_in_two_classes_are_within_1e_minus_8_of_their_claim(form):
    context = form(10**6, "1")
    for name in ("randomized_response", "hadamard", "projective"):
        assert 0 <= dc.mechanism(context, name).certificate.gap <= 1e-8


def test_the_fingerprint_tells_a_weaker_law_in_the_same_context_apart() -> None:
    context = dc.Context.uniform(range(5), "2")
    whole = dc.mechanism(context, "randomized_response")
    stricter = dc.Mechanism(context, type(whole.sampler)(5, Fraction(1)))
    assert whole.fingerprint != stricter.fingerprint
