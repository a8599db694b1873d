"""Circulant response: sets of shifts for queries of ordered values."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, NotServed
from discreet.estimation.decoders import decoder_of
from discreet.estimation.decoders.two_level import CirculantDecoder, CyclicDecoder
from discreet.mechanisms.uniform.circulant import Circulant


def least_moment(mechanism: dc.Mechanism, scores: np.ndarray) -> float:
    """The least second moment of an unbiased score at even shares, from the exact channel."""
    q = np.array(mechanism.channel(), dtype=float)
    even = np.full(len(q), 1 / len(q))
    return float(scores @ np.linalg.solve((q / (even @ q)) @ q.T, scores))


@pytest.mark.parametrize("epsilon", ["1/4", "1", "3", "8"])
@pytest.mark.parametrize("k", [2, 3, 9, 33])
def test_by_default_it_is_one_interval_that_no_report_wraps_around(k: int, epsilon: str) -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(k), epsilon), "circulant")
    ((*shifts,),) = mechanism.sampler.sets
    assert shifts == list(range(len(shifts)))
    assert mechanism.law().modulus == k + len(shifts) - 1
    assert mechanism.certificate.realised == pytest.approx(float(mechanism.context.smallest), rel=1e-9)


@pytest.mark.parametrize("sets", [[range(8)], [[0, 1, 5], [0, 3]], [[0, 1], [2, 3], [0, 5, 6, 9]]])
def test_its_estimate_is_unbiased_and_has_the_least_variance_at_even_shares(sets) -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(9), "1"), "circulant", modulus=16, sets=sets)
    decoder, scores = decoder_of(mechanism), np.arange(9.0)
    assert type(decoder) is CirculantDecoder
    phi = decoder.decode(np.eye(mechanism.sampler.outputs)).T
    channel = np.array(mechanism.channel(), dtype=float)
    assert phi @ channel.T == pytest.approx(np.eye(9), abs=1e-12)
    assert decoder.channel == pytest.approx(channel, rel=1e-12)  # which the decoder writes out by itself
    even = np.full(9, 1 / 9)
    assert even @ channel @ (scores @ phi) ** 2 == pytest.approx(least_moment(mechanism, scores), rel=1e-9)


def test_sets_that_treat_all_values_alike_are_decoded_as_the_pure_protocol_that_they_are() -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(7), "1"), "circulant", modulus=7, sets=[[1, 2, 4]])
    projective = dc.mechanism(mechanism.context, "projective", family="singer", key=[2, 3])
    assert type(decoder_of(mechanism)) is CyclicDecoder
    assert mechanism.sampler.p == projective.sampler.p
    assert mechanism.sampler.q == projective.sampler.q


def test_a_law_that_is_read_is_decoded_as_the_one_that_was_published() -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(12), "2"), "circulant")
    again = dc.wire.parse_law(mechanism.published)
    counts = np.arange(mechanism.sampler.outputs, dtype=float)
    assert again.fingerprint == mechanism.fingerprint
    assert decoder_of(again).decode(counts) == pytest.approx(decoder_of(mechanism).decode(counts))
    spec = dc.Spec.of_mechanism(mechanism)
    assert spec.mechanism.fingerprint == mechanism.fingerprint
    assert spec.choice["name"] == "circulant"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"modulus": 9}, "both of modulus and sets"),
        ({"modulus": 4, "sets": [[0]]}, "modulus=4 must be a whole number, at least the number of values, 5"),
        ({"modulus": True, "sets": [[0]]}, "modulus=True must be a whole number"),
        ({"modulus": 8, "sets": 3}, "sets must be lists of shifts"),
        ({"modulus": 8, "sets": []}, "0 sets must be from 1 to 64"),
        ({"modulus": 8, "sets": [[0, 8]]}, r"sets\[0\] must be whole numbers from 0 to 7"),
        ({"modulus": 8, "sets": [[0], [1, 1]]}, r"sets\[1\] must hold each shift once"),
        ({"modulus": 10**12, "sets": [[0]]}, "modulus=1000000000000 for 1 sets must give at most 16777216 reports"),
        ({"modulus": 8, "sets": [range(8)]}, "some of the shifts, and not all"),
    ],
)
def test_parameters_that_make_no_law_are_refused_by_name(parameters, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        dc.mechanism(dc.Context.uniform(range(5), "1"), "circulant", **parameters)


def test_reports_that_do_not_tell_all_values_apart_are_refused_when_decoded() -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(4), "1"), "circulant", modulus=4, sets=[[0, 2]])
    with pytest.raises(dc.errors.NotIdentifiable, match="do not tell all 4 values apart"):
        dc.estimate(mechanism.tally(mechanism.randomize_many([0, 1], dc.random.seeded(1)))).shares  # noqa: B018


def test_it_serves_blocks_but_no_high_low_part() -> None:
    blocks = dc.Context.blocks({"a": range(4), "b": range(4, 9)}, "1")
    assert dc.mechanism(blocks, "circulant").name == "blocks(circulant)"
    with pytest.raises(NotServed, match="no high-low form"):
        dc.mechanism(dc.Context.high_low(range(5), [0, 1], "1"), "circulant")


def test_the_usual_interval_is_near_the_best_law_for_a_mean() -> None:
    """At most 9 % above the averages of NUMBERS: of the best law of a mean in -1 .. 1 with even values, many of them.

    The figures are lower bounds of the linear program over all unbiased laws; the control is a set of as many shifts
    that are no interval.
    """
    least = {0.5: 16.002, 1: 3.8840, 2: 0.77618, 3: 0.25977, 4: 0.10481, 6: 0.02153}
    scores = np.linspace(-1, 1, 101)
    spread = float(np.mean(scores**2))
    for epsilon, bound in least.items():
        context = dc.Context.uniform(range(101), str(epsilon))
        mechanism = dc.mechanism(context, "circulant")
        error = least_moment(mechanism, scores) - spread
        assert bound * 0.98 <= error <= 1.09 * bound, epsilon
        width, modulus = len(mechanism.sampler.sets[0]), mechanism.law().modulus
        other = np.random.default_rng(1).choice(modulus, width, replace=False).tolist()
        control = dc.mechanism(context, "circulant", modulus=modulus, sets=[other])
        assert least_moment(control, scores) - spread > 2 * bound, epsilon


def test_an_interval_of_half_the_shifts_is_one_bit_about_a_random_threshold() -> None:
    """Var = c**2 - 2/3 - 1/(3 m**2) for every value, c = coth(epsilon/2), with the scores mid_j + c and mid_j - c."""
    m, c = 16, 1 / math.tanh(0.5)
    mechanism = dc.mechanism(dc.Context.uniform(range(m + 1), "1"), "circulant", modulus=2 * m, sets=[range(m)])
    scores, channel = np.linspace(-1, 1, m + 1), np.array(mechanism.channel(), dtype=float)
    reached = [np.flatnonzero(channel[:, y] > channel[:, y].min()) for y in range(2 * m)]
    middle = [
        (scores[own[-1]] + scores[own[-1] + 1]) / 2 - c if own[0] == 0 and own[-1] < m else None for own in reached
    ]
    above = [(scores[own[0] - 1] + scores[own[0]]) / 2 + c if own[-1] == m and own[0] > 0 else None for own in reached]
    score = np.array([low if low is not None else high for low, high in zip(middle, above, strict=True)], dtype=float)
    assert channel @ score == pytest.approx(scores, abs=1e-12)
    assert channel @ score**2 - scores**2 == pytest.approx(np.full(m + 1, c**2 - 2 / 3 - 1 / (3 * m**2)), rel=1e-9)
    assert least_moment(mechanism, scores) <= np.mean(channel @ score**2) + 1e-12


def test_a_sampler_of_one_value_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 2"):
        Circulant(1, dc.Context.uniform(range(2), "1").smallest)
