"""Sets of shifts that are chosen for what is asked of ordered values."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet.planning.circulant import _centred, _spectrum, coloured
from discreet.planning.objective import objective_of


def error(mechanism: dc.Mechanism, query, **options) -> float:
    size = mechanism.context.size
    return objective_of(mechanism.context, query, **options).error(mechanism, np.full(size, 1 / size))


@pytest.mark.parametrize(("k", "epsilon"), [(17, "1"), (33, "2"), (101, "1/2"), (60, "4")])
def test_a_mean_is_asked_by_one_interval_and_much_better_than_shares_are(k: int, epsilon: str) -> None:
    context = dc.Context.uniform(range(k), epsilon)
    chosen = dc.mechanism(context, query="mean")
    assert chosen.name == "circulant"
    assert len(chosen.sampler.sets) == 1
    assert error(chosen, "mean") <= error(dc.mechanism(context, "circulant"), "mean")
    assert error(chosen, "mean") < error(dc.mechanism(context), "mean") / 3
    assert dc.mechanism(context).name != "circulant"  # for shares it is none


@pytest.mark.parametrize(("k", "epsilon", "above"), [(32, 1.0, 1.2), (64, 0.5, 1.2), (64, 2.0, 1.3)])
def test_cumulative_shares_are_asked_by_sets_of_their_spectrum(k: int, epsilon: float, above: float) -> None:
    context = dc.Context.uniform(range(k), str(epsilon))
    chosen = dc.mechanism(context, query="cumulative")
    assert chosen.name == "circulant"
    bound = dc.bounds.unbiased_queries(context, "cumulative").value
    assert bound <= error(chosen, "cumulative") <= above * bound
    assert error(dc.mechanism(context), "cumulative") > 2 * bound


def test_the_same_question_has_the_same_law() -> None:
    context = dc.Context.uniform(range(24), "1")
    assert len({dc.mechanism(context, query="cumulative").fingerprint for _ in range(2)}) == 1


def test_several_questions_are_balanced() -> None:
    """Sets of one kind alone have 2.1 times the error of the mean, or 3 times that of the cumulative shares."""
    context = dc.Context.uniform(range(1000, 1033), "1")
    both = dc.mechanism(context, query=["mean", "cumulative"])
    alone = {query: error(dc.mechanism(context, query=query), query) for query in ("mean", "cumulative")}
    assert all(alone[query] <= error(both, query) < 1.45 * alone[query] for query in alone)
    assert len({len(one) for one in both.sampler.sets}) == 2  # intervals, and coloured sets


def test_the_worst_case_is_near_that_of_one_bit() -> None:
    """One bit has (c / 2)**2 for values in 0 .. 1, the least that the worst shares can have."""
    context = dc.Context.uniform(range(20), "1")
    chosen = dc.mechanism(context, query="mean", worst=True)
    bit = (19 / 2 / math.tanh(0.5)) ** 2
    assert bit * (1 - 1e-9) <= error(chosen, "mean", worst=True) < 1.1 * bit


def test_parts_of_a_context_are_asked_by_themselves() -> None:
    context = dc.Context.blocks({"young": range(18, 40), "old": range(40, 90), "one": [99], "two": [100, 101]}, "1")
    chosen = dc.mechanism(context, query="mean")
    assert chosen.name == "blocks(mixed)"  # two values need no sets
    assert error(chosen, "mean") < error(dc.mechanism(context), "mean") / 3


def test_exchanging_shifts_brings_the_spectrum_nearer() -> None:
    rows = np.tri(40)[:-1]
    gram = rows.T @ rows
    spectrum = _spectrum(_centred(gram), 48)

    def cost(sets):
        flags = np.zeros((len(sets), 48))
        for own, members in zip(flags, sets, strict=True):
            own[list(members)] = 1
        return float((spectrum / (abs(np.fft.rfft(flags)[:, 1:]) ** 2).mean(axis=0)).sum())

    chosen = coloured(48, 13, spectrum)
    assert {len(own) for own in chosen} == {13}
    draws = np.random.default_rng(1)
    others = [cost([draws.choice(48, 13, replace=False) for _ in chosen]) for _ in range(200)]
    assert cost(chosen) < 0.6 * min(others)
