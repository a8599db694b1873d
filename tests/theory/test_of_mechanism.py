"""The error a mechanism attains, worked out and measured."""

from __future__ import annotations

import math

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.estimation.decoders import decoder_of
from discreet.theory.of_mechanism import (
    groups_of,
    moments_of,
    squared_error,
    total_variation_at,
    worst_shares,
    worst_squared_error,
    worst_total_variation,
)

C = dc.Context
BLOCKS = C.blocks(
    {"a": range(5), "b": range(5, 12), "c": [12], "d": range(13, 18)}, {"a": "1", "b": "0.5", "c": "1", "d": "1"}
)
MADE = [
    *(dc.mechanism(C.uniform(range(6), "1"), n) for n in ("randomized_response", "subset", "hadamard", "unary")),
    dc.mechanism(C.uniform(range(6), "1"), "general_hadamard"),
    *(dc.mechanism(BLOCKS, n) for n in ("hadamard", "subset", "auto")),
    *(dc.mechanism(C.high_low(range(9), range(3), "1"), n) for n in ("hadamard", "subset", "utility_rappor")),
    dc.mechanism(C.binary("no", "yes", ("0.5", "2"))),
    dc.mechanism(C.metric(range(5), lambda a, b: abs(a - b), "0.5"), "exponential"),
]


def error_at(mechanism, p):
    return float(np.sum(decoder_of(mechanism.sampler).second_moments(p)) - p @ p)


def deviations_at(mechanism, p):
    return float(np.sqrt(np.maximum(decoder_of(mechanism.sampler).second_moments(p) - p**2, 0)).sum()) / 2


@pytest.mark.parametrize("mechanism", MADE, ids=lambda m: m.name)
def test_no_shares_have_more_error_than_the_worst(mechanism):
    """Random shares, corners and steps away from the worst: none is above it, and the worst is itself attained."""
    rng = np.random.default_rng(1)
    k = mechanism.context.size
    worst = worst_squared_error(mechanism, 1).value
    at = worst_shares(mechanism)
    assert at.sum() == pytest.approx(1)
    assert at.min() >= 0
    assert error_at(mechanism, at) == pytest.approx(worst, rel=1e-9)
    tried = [*np.eye(k), *rng.dirichlet(np.full(k, 0.5), size=200), *(0.9 * at + 0.1 * q for q in np.eye(k))]
    assert max(error_at(mechanism, p) for p in tried) <= worst * (1 + 1e-9)


@pytest.mark.parametrize("mechanism", MADE, ids=lambda m: m.name)
def test_no_shares_have_more_deviation_than_the_bound(mechanism):
    rng = np.random.default_rng(2)
    k = mechanism.context.size
    bound = worst_total_variation(mechanism, 1).value
    tried = [np.full(k, 1 / k), *np.eye(k), *rng.dirichlet(np.full(k, 0.5), size=300), worst_shares(mechanism)]
    most = max(deviations_at(mechanism, p) for p in tried)
    assert most <= bound * (1 + 1e-12)
    assert most > 0.85 * bound  # the bound is near what some shares have


@pytest.mark.parametrize("mechanism", MADE, ids=lambda m: m.name)
def test_values_of_a_group_are_treated_alike(mechanism):
    groups = groups_of(decoder_of(mechanism))
    assert sorted(x for group in groups for x in group) == list(range(mechanism.context.size))
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(mechanism.context.size))
    before = error_at(mechanism, p)
    for group in groups:
        if len(group) > 1 and mechanism.served.form != "blocks":
            moved = p.copy()
            moved[group] = rng.permutation(p[group])
            assert error_at(mechanism, moved) == pytest.approx(before, rel=1e-9)


def test_moments_by_groups_are_those_one_by_one():
    mechanism = dc.mechanism(BLOCKS, "subset")
    sizes, table = moments_of(decoder_of(mechanism))
    groups = groups_of(decoder_of(mechanism))
    assert len(groups) == 3  # two blocks of five at the same epsilon are alike
    for h, group in enumerate(groups):
        for z in (group[0], group[-1]):
            alone = np.zeros(mechanism.context.size)
            alone[z] = 1.0
            total = decoder_of(mechanism.sampler).second_moments(alone).sum()
            assert (sizes @ table)[h] == pytest.approx(total, rel=1e-12)


def test_large_domains_are_worked_out_where_values_are_alike():
    many = C.blocks({b: range(25 * b, 25 * b + 25) for b in range(1000)}, "1")
    assert worst_squared_error(dc.mechanism(many), 1).value == pytest.approx(85, rel=0.01)
    rows = dc.mechanism(C.uniform(range(2000), "1"), "general_hadamard")
    with pytest.raises(InvalidInput, match="at most 1024 values"):
        worst_squared_error(rows, 1)


@pytest.mark.parametrize("mechanism", MADE, ids=lambda m: m.name)
def test_the_attained_errors_are_those_of_simulated_surveys(mechanism):
    """60 surveys of 400 people at the worst shares: within six standard errors, so a false alarm once in 10**8."""
    n, surveys = 400, 60
    p = worst_shares(mechanism)
    rng = np.random.default_rng(4)
    source = dc.random.seeded(5)
    squares, distances = [], []
    for _ in range(surveys):
        held = rng.choice(len(p), size=n, p=p)
        off = dc.estimate(mechanism.tally(mechanism.randomize_indices(held, source))).shares - p
        squares.append(off @ off)
        distances.append(np.abs(off).sum() / 2)
    reach = 6 * np.std(squares) / math.sqrt(surveys)
    assert np.mean(squares) == pytest.approx(worst_squared_error(mechanism, n).value, abs=reach)
    assert np.mean(squares) == pytest.approx(squared_error(mechanism, n, p).value, abs=reach)
    bound = total_variation_at(mechanism, n, p).value
    slack = 6 * np.std(distances) / math.sqrt(surveys)
    assert np.mean(distances) <= bound + slack
    assert np.mean(distances) == pytest.approx(bound * math.sqrt(2 / math.pi), rel=0.1, abs=slack)
