import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.core.errors import InvalidEpsilon, InvalidInput
from discreet.mechanisms.finite_geometry import difference_sets as ds
from discreet.mechanisms.finite_geometry.difference_sets import Parameters

EPSILONS = (0.1, 0.5, 1, 2, 3, 5, 8)

SMALL = [
    *[("singer", key) for key in [(2, 3), (2, 7), (3, 3), (3, 5), (4, 3), (4, 4), (5, 3), (5, 4), (7, 3), (8, 3)]],
    *[("singer", key) for key in [(9, 3), (11, 3), (13, 3), (16, 3)]],
    *[("paley", (p,)) for p in (3, 7, 11, 19, 23, 103, 131)],
    *[("twin primes", key) for key in [(3, 5), (5, 7), (11, 13), (17, 19)]],
    *[("biquadratic", (p,)) for p in (37, 101, 197)],
    *[("biquadratic and zero", (p,)) for p in (13, 109)],
    ("orbits", (133, 5, 1, 14, 19)),
    ("trivial", (5,)),
]
LARGE = [
    *[("singer", key) for key in [(2, 16), (3, 11), (4, 8), (5, 7), (7, 6), (8, 6), (9, 5), (11, 5), (13, 5), (16, 5)]],
    *[("singer", key) for key in [(17, 4), (19, 4), (23, 4), (25, 4), (27, 4), (29, 4), (31, 4), (32, 4), (37, 4)]],
    *[("singer", key) for key in [(49, 3), (64, 3), (127, 3), (128, 3), (131, 3), (307, 3), (131, 4)]],
    ("paley", (65539,)),
    ("twin primes", (281, 283)),
    ("biquadratic", (44101,)),
    ("biquadratic and zero", (47533,)),
    ("orbits", (901, 13, 0, 1, 5, 9, 41, 53, 106, 159, 318)),
]


@pytest.mark.parametrize(("family", "key"), SMALL)
def test_every_difference_of_a_small_set_occurs_lam_times(family: str, key: tuple[int, ...]) -> None:
    parameters = ds.describe(family, key)
    elements, v = ds.build(parameters), parameters.v
    assert len(elements) == parameters.r
    assert list(elements) == sorted(set(elements))
    counts = Counter((a - b) % v for a in elements for b in elements if a != b)
    assert [counts[m] for m in range(1, v)] == [parameters.lam] * (v - 1)


@pytest.mark.parametrize(("family", "key"), LARGE)
def test_every_difference_of_a_large_set_occurs_lam_times(family: str, key: tuple[int, ...]) -> None:
    # The transform of r ones errs by less than 2**-52 * 16 log2(v) * r in each count; far below 1/2, so
    # rounding gives the exact counts.
    parameters = ds.describe(family, key)
    indicator = np.zeros(parameters.v)
    indicator[list(ds.build(parameters))] = 1
    assert 2.0**-52 * 16 * math.log2(parameters.v) * parameters.r < 1e-3
    counts = np.fft.irfft(np.abs(np.fft.rfft(indicator)) ** 2, parameters.v)
    assert np.array_equal(np.rint(counts), [parameters.r] + [parameters.lam] * (parameters.v - 1))
    assert np.abs(counts - np.rint(counts)).max() < 1e-3


@pytest.mark.parametrize(("family", "key"), [case for case in SMALL if ds.describe(*case).r > 3])
def test_verify_refuses_a_set_with_one_element_moved(family: str, key: tuple[int, ...]) -> None:
    parameters = ds.describe(family, key)
    v, elements = parameters.v, ds.build(parameters)
    ds.verify(v, parameters.lam, elements)
    for n in set(range(v)) - set(elements):
        with pytest.raises(InvalidInput, match=f"must occur {parameters.lam} times"):
            ds.verify(v, parameters.lam, (n, *elements[1:]))


@pytest.mark.parametrize("family", ["paley", "twin primes", "biquadratic", "biquadratic and zero"])
def test_one_difference_of_each_orbit_stands_for_all(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ds, "_EXHAUSTIVE", 0)
    keys: dict[str, list[tuple[int, ...]]] = {
        "paley": [(19,), (23,), (43,)],
        "twin primes": [(3, 5), (5, 7), (11, 13)],
        "biquadratic": [(37,), (101,)],
        "biquadratic and zero": [(13,), (109,)],
    }
    for key in keys[family]:
        parameters = ds.describe(family, key)
        v, elements = parameters.v, set(ds.build(parameters))
        multipliers = [u for u in range(1, v) if {u * n % v for n in elements} == elements]
        reached = {s * u * m % v for m in ds._representatives(parameters) for u in multipliers for s in (1, -1)}
        assert reached == set(range(1, v))


@pytest.mark.parametrize(
    ("family", "key"),
    [
        ("paley", (13,)),
        ("paley", (15,)),
        ("twin primes", (7, 9)),
        ("twin primes", (5, 11)),
        ("biquadratic", (5,)),
        ("biquadratic", (17,)),
        ("biquadratic and zero", (45,)),
        ("singer", (6, 3)),
        ("singer", (1, 3)),
        ("singer", (2, 2)),
        ("singer", (81, 3)),
        ("singer", (131, 5)),
        ("singer", (2, 33)),
        ("orbits", (133, 5, 1, 14, 20)),
        ("trivial", (1,)),
        ("hall", (31,)),
        ("paley", (7, 7)),
    ],
)
def test_keys_that_break_a_familys_condition_are_refused(family: str, key: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput, match="known difference set"):
        ds.describe(family, key)


def test_parameters_that_contradict_their_key_are_refused() -> None:
    with pytest.raises(InvalidInput, match="those of the family and key"):
        ds.build(Parameters("paley", 11, 5, 3, (11,)))


@given(k=st.integers(2, 100_000))
@settings(max_examples=40, deadline=None)
def test_candidates_are_described_sets_within_the_bounds(k: int) -> None:
    found = list(ds.candidates(k))
    assert len(set(found)) == len(found)
    for parameters in found:
        assert parameters == ds.describe(parameters.family, parameters.key)
        assert k <= parameters.v <= 256 * k
        assert parameters.lam * (parameters.v - 1) == parameters.r * (parameters.r - 1)
        assert 2 * parameters.r <= parameters.v
        assert 2 ** (parameters.bits - 1) < parameters.v <= 2**parameters.bits


def test_small_candidates_cover_the_classical_tables() -> None:
    found = {(p.v, p.r, p.lam) for k in range(2, 140) for p in ds.candidates(k)}
    classical = {
        (7, 3, 1),
        (11, 5, 2),
        (13, 4, 1),
        (15, 7, 3),
        (19, 9, 4),
        (21, 5, 1),
        (23, 11, 5),
        (31, 6, 1),
    }
    classical |= {(31, 15, 7), (35, 17, 8), (37, 9, 2), (40, 13, 4), (57, 8, 1), (73, 9, 1), (85, 21, 5)}
    classical |= {
        (91, 10, 1),
        (101, 25, 6),
        (109, 28, 7),
        (121, 40, 13),
        (133, 12, 1),
        (133, 33, 8),
        (156, 31, 6),
    }
    assert classical <= found


def test_a_limit_on_bits_is_kept() -> None:
    for bits in (10, 11, 16):
        assert all(p.v <= 2**bits for p in ds.candidates(1000, bits=bits))
        assert ds.best(1000, 5.0, bits=bits).bits <= bits
    assert ds.best(1000, 5.0).bits > 11
    assert list(ds.candidates(1000, bits=9)) == []
    with pytest.raises(InvalidInput, match="bits=9 must be enough"):
        ds.best(1000, 5.0, bits=9)


def exact_error(parameters: Parameters, k: int, e: Fraction) -> Fraction:
    """Sum over values of the variance of the unbiased estimate from one report, from the channel itself."""
    v, elements = parameters.v, set(ds.build(parameters))
    low = 1 / (parameters.r * e + v - parameters.r)
    channel = [[e * low if (y - x) % v in elements else low for y in range(v)] for x in range(k)]
    assert all(sum(row) == 1 for row in channel)
    inside = [{(x + d) % v for d in elements} for x in range(k)]
    g = sum(channel[0][y] for y in inside[0])
    h = sum(channel[1][y] for y in inside[0])
    total = Fraction(0)
    for x in range(k):
        scores = [((y in inside[x]) - h) / (g - h) for y in range(v)]
        means = [sum(q * score for q, score in zip(row, scores, strict=True)) for row in channel]
        assert means == [z == x for z in range(k)]
        square = sum(q * score**2 for row in channel for q, score in zip(row, scores, strict=True)) / k
        total += square - Fraction(1, k * k)
    return total


@pytest.mark.parametrize(
    ("family", "key"), [("singer", (3, 3)), ("paley", (11,)), ("biquadratic", (37,)), ("trivial", (9,))]
)
@pytest.mark.parametrize("e", [Fraction(11, 10), Fraction(3), Fraction(100)])
def test_the_closed_form_error_is_that_of_the_channel(family: str, key: tuple[int, ...], e: Fraction) -> None:
    parameters = ds.describe(family, key)
    for k in {4, parameters.v}:
        expected = float(exact_error(parameters, k, e))
        assert ds.squared_error(parameters, k, math.log(e)) == pytest.approx(expected, rel=1e-12)


@given(epsilon=st.floats(1e-3, 30), k=st.integers(2, 3000))
@settings(max_examples=60, deadline=None)
def test_complements_never_have_less_error(epsilon: float, k: int) -> None:
    for p in ds.candidates(k):
        if p.r > 1:
            other = Parameters(p.family, p.v, p.v - p.r, p.v - 2 * p.r + p.lam, p.key)
            assert ds.squared_error(other, k, epsilon) >= ds.squared_error(p, k, epsilon) * (1 - 1e-12)


@given(epsilon=st.floats(1e-6, 1000), k=st.integers(2, 3000), slack=st.floats(0, 0.1))
@settings(max_examples=60, deadline=None)
def test_the_best_has_least_error_and_slack_trades_it_for_size(epsilon: float, k: int, slack: float) -> None:
    errors = {p: ds.squared_error(p, k, epsilon) for p in ds.candidates(k)}
    least = min(errors.values())
    best, near = ds.best(k, epsilon), ds.best(k, epsilon, slack=slack)
    assert errors[best] == least
    assert best.v == min(p.v for p, error in errors.items() if error == least)
    assert errors[near] <= least * (1 + slack)
    assert near.v == min(p.v for p, error in errors.items() if error <= least * (1 + slack))


def subset_error(k: int, epsilon: float) -> float:
    """The least total error of subset selection over the subset size d."""
    d = np.arange(1, k)
    e = math.exp(epsilon)
    g = d * e / (d * e + k - d)
    h = (g * (d - 1) + (1 - g) * d) / (k - 1)
    return float((((k - 1) * h * (1 - h) + g * (1 - g)) / (g - h) ** 2).min()) + 1 - 1 / k


@pytest.mark.parametrize("k", [100, 1000, 1250, 43750])
def test_the_error_is_within_a_tenth_of_subset_selection(k: int) -> None:
    ratios = [ds.squared_error(ds.best(k, epsilon), k, epsilon) / subset_error(k, epsilon) for epsilon in EPSILONS]
    assert max(ratios) <= 1.10
    assert min(ratios) >= 1 - 1e-9
    # the control: randomized response alone is far off at small epsilon
    assert ds.squared_error(ds.describe("trivial", (k,)), k, 0.5) > 1.10 * subset_error(k, 0.5)


@pytest.mark.parametrize("k", [-1, 0, 1, 2**32])
def test_a_domain_no_set_serves_is_refused(k: int) -> None:
    with pytest.raises(InvalidInput, match=f"k={k} must be between"):
        ds.best(k, 1.0)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon: float) -> None:
    with pytest.raises(InvalidEpsilon, match="must be positive"):
        ds.best(10, epsilon)


def test_a_negative_slack_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"slack=-0\.1 must not be negative"):
        ds.best(10, 1.0, slack=-0.1)


def test_without_noise_randomized_response_is_chosen() -> None:
    best = ds.best(10, math.inf)
    assert best == Parameters("trivial", 10, 1, 0, (10,))
    assert ds.squared_error(best, 10, math.inf) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("family", "key"),
    [
        ("singer", (10**9 + 7, 3)),
        ("singer", (2, 10**9)),
        ("singer", (10**4000, 3)),
        ("singer", (2**61 - 1, 3)),
        ("paley", (10**4000,)),
        ("paley", (2**61 - 1,)),
        ("twin primes", (10**4000, 10**4000 + 2)),
        ("biquadratic", (10**4000,)),
        ("trivial", (2**33,)),
        ("trivial", (True,)),
        ("trivial", ("7",)),
        ("singer", (2.0, 3)),
    ],
    ids=range(12),
)
def test_keys_beyond_all_sets_are_refused_before_a_prime_or_a_power_is_sought(family, key):
    with pytest.raises(InvalidInput, match="must name a known difference set"):
        ds.describe(family, key)
