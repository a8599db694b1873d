"""Queries that use the exact totals of blocks: unbiased, with less variance, and with intervals that still cover."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.checks.statistics import enumerate_channel
from discreet.core.errors import InvalidInput
from discreet.estimation.decoders import decoder_of
from discreet.estimation.results.weights import calibrated_weights, constants
from discreet.estimation.tally import Tally

from ..analysis.reference import B5, figures, survey

BLOCKS = Context.blocks({"a": [0, 1, 2], "b": [3], "c": [4, 5]}, "1")
TREE = Context.nested({"a": [0, 1], "b": [2, 3]}, ["1", "3"])
MECHANISMS = {
    "hadamard": dc.mechanism(Context.uniform(range(5), "1"), "hadamard"),
    "unary": dc.mechanism(Context.uniform(range(5), "1"), "unary"),
    "projective": dc.mechanism(Context.uniform(range(6), "1"), "projective"),
    "blocks": dc.mechanism(BLOCKS, "hadamard"),
    "blocks of sets": dc.mechanism(BLOCKS, "unary"),
    "high_low": dc.mechanism(Context.high_low(range(6), [1, 2, 3], "1"), "hadamard"),
    "blocks of two epsilons": dc.mechanism(
        Context.blocks({"a": [0, 1, 2], "b": [3, 4, 5]}, {"a": "1", "b": "2"}), "hadamard"
    ),
    "nested": dc.mechanism(TREE, "nested"),
    "levels": dc.mechanism(TREE, "levels"),
    "graded": dc.mechanism(Context.graded({x: ("1", "2")[x % 2] for x in range(4)}), "graded_unary"),
    "randomized_response": dc.mechanism(Context.uniform(range(5), "1"), "randomized_response"),
}
every = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)


def even(mechanism):
    return np.full(mechanism.context.size, 1 / mechanism.context.size)


def simulated(mechanism, n=2000, seed=1):
    rng = np.random.default_rng(seed)
    values = rng.choice(mechanism.context.size, size=n, p=rng.dirichlet(np.ones(mechanism.context.size)))
    return dc.estimate(mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(seed))))


def calibrated_scores(mechanism, weights):
    """The calibrated score of every report, from the weights of its cells."""
    _, _, cells = enumerate_channel(mechanism)
    c = constants(decoder_of(mechanism), weights, even(mechanism))
    return cells @ calibrated_weights(decoder_of(mechanism), weights, c)


@every
def test_calibrated_scores_are_unbiased_and_vary_least_at_even_shares(mechanism):
    channel, phi, _ = enumerate_channel(mechanism)
    law, rng = even(mechanism) @ channel, np.random.default_rng(2)
    for _ in range(3):
        w = rng.normal(size=mechanism.context.size)
        found = calibrated_scores(mechanism, w)
        assert channel @ found == pytest.approx(w, abs=1e-11)
        spread = law @ found**2
        assert spread <= law @ (phi @ w) ** 2 + 1e-12
        best = constants(decoder_of(mechanism), w, even(mechanism))
        for step in (-0.01, 0.01):
            for _, numbers, _, values in decoder_of(mechanism).groups():
                for row in range(len(numbers)):
                    moved = best.copy()
                    moved[values[row]] += step
                    _, _, cells = enumerate_channel(mechanism)
                    other = cells @ calibrated_weights(decoder_of(mechanism), w, moved)
                    assert law @ other**2 >= spread - 1e-12


@every
def test_values_errors_and_covariances_are_those_of_the_calibrated_scores(mechanism):
    estimate, rng = simulated(mechanism), np.random.default_rng(5)
    channel, _, _ = enumerate_channel(mechanism)
    law = estimate.norm_shares @ channel
    w, u = rng.normal(size=(2, mechanism.context.size))
    s, t = calibrated_scores(mechanism, w), calibrated_scores(mechanism, u)
    query = estimate.query(w)
    c = constants(decoder_of(mechanism), w, even(mechanism))
    counted = estimate.tally.counts @ calibrated_weights(decoder_of(mechanism), w, c) / estimate.n
    assert query.value == pytest.approx(counted, abs=1e-11)
    means = query.value, estimate.query(u).value
    assert query.stderr**2 == pytest.approx((law @ s**2 - means[0] ** 2) / estimate.n, rel=0.05)
    assert estimate.covariance(w, u) == pytest.approx((law @ (s * t) - means[0] * means[1]) / estimate.n, abs=1e-12)
    assert estimate.covariance(w, w) == pytest.approx(query.stderr**2, rel=0.05)
    low, high = query.interval(0.9)
    assert low < query.value < high
    plain = estimate.query(w, calibrated=False)
    assert plain.value == pytest.approx(w @ estimate.shares)
    assert estimate.covariance(w, w, calibrated=False) == pytest.approx(plain.stderr**2, rel=0.05)


@every
def test_totals_are_exact(mechanism):
    estimate = simulated(mechanism)
    everyone = estimate.query(np.ones(mechanism.context.size))
    assert everyone.value == pytest.approx(1, abs=1e-12)
    assert everyone.stderr == pytest.approx(0, abs=1e-7)
    block_of, totals = estimate.blocks
    for block, total in enumerate(totals):
        query = estimate.query((block_of == block).astype(float))
        assert query.value == pytest.approx(total, abs=1e-12)
        assert query.stderr == pytest.approx(math.sqrt(total * (1 - total) / estimate.n), abs=1e-7)


def test_the_reference_figures():
    expected = figures()
    hadamard = survey(dc.mechanism(Context.uniform(range(5), "1"), "hadamard"), B5, 2)
    mean = dc.estimate(hadamard.tally).mean()
    assert mean.value == pytest.approx(expected["B mean calibrated, stderr"][0], abs=1e-9)
    assert mean.stderr == pytest.approx(expected["B mean calibrated, stderr"][1], rel=0.01)  # theirs by the sample
    assert mean.constants == pytest.approx([1.937293] * 5, abs=1e-6)
    blocks = survey(dc.mechanism(Context.blocks({"a": [0, 1, 2], "b": [3, 4]}, "1"), "hadamard"), B5, 4)
    found = [dc.estimate(blocks.tally).query({0: 1, 1: 1, 3: 1}, calibrated=how) for how in (False, True)]
    raw, error, calibrated, less = expected["D query {0,1,3} raw, stderr, calibrated, stderr"]
    assert [query.value for query in found] == pytest.approx([raw, calibrated], abs=1e-9)
    assert [query.stderr for query in found] == pytest.approx([error, less], rel=0.02)
    assert found[1].constants == pytest.approx([2 / 3] * 3 + [1 / 2] * 2)


def test_the_error_of_a_mean_of_0_to_10_halves_under_hadamard():
    estimate = simulated(dc.mechanism(Context.uniform(range(11), "1"), "hadamard"))
    assert estimate.mean().stderr < 0.55 * estimate.query("mean", calibrated=False).stderr


RARE = [0.498, 0.498, 0.002, 0.002]
CONTEXTS = {
    "uniform": Context.uniform(range(4), "2"),
    "high-low": Context.high_low(range(4), [0, 1], "2"),
    "blocks": Context.blocks({0: [0, 1], 1: [2, 3]}, "2"),
}


@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize("name", ["hadamard", "unary"])
@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_calibrated_intervals_cover_with_few_reports_and_values_that_hardly_anybody_holds(context, name, n):
    """200 surveys of each: at 95 %, fewer than 173 of 200 covered has probability below 1e-6 (binomial)."""
    mechanism = dc.mechanism(context, name)
    channel, _, cells = enumerate_channel(mechanism)
    asked = [{2: 1.0}, {2: 1.0, 3: -1.0}, {2: 3.0, 3: 1.0}, {0: 1, 2: 1}, "mean"]
    truths = [0.002, 0.0, 0.008, 0.5, 0.508]
    covered, narrow = np.zeros(len(asked)), np.zeros(len(asked))
    for reports in np.random.default_rng(7).multinomial(n, np.array(RARE) @ channel, size=200):
        estimate = dc.estimate(Tally(mechanism, np.rint(reports @ cells).astype(np.int64), n))
        for place, (weights, truth) in enumerate(zip(asked, truths, strict=True)):
            query = estimate.query(weights)
            low, high = query.interval(0.95)
            covered[place] += low <= truth <= high
            narrow[place] += abs(query.value - truth) <= query.stderr / 2
    assert (covered >= 173).all()
    assert narrow.min() < 173  # the control: a quarter as wide


def test_what_calibrated_must_be():
    estimate = simulated(MECHANISMS["hadamard"], n=10)
    for ask in (
        lambda how: estimate.query("mean", calibrated=how),
        lambda how: estimate.covariance([1] * 5, [1] * 5, calibrated=how),
    ):
        with pytest.raises(InvalidInput, match="calibrated='no' must be True or False"):
            ask("no")
