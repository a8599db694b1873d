"""The worst of very many pairs, and closed forms of what hides a report: never below what looking at all says."""

from __future__ import annotations

import math

import pytest

import discreet as dc
from discreet import Context
from discreet.leakage import pairs, shuffling
from discreet.leakage.divergence import Divergence
from discreet.leakage.profiles import profile_of
from discreet.leakage.profiles.rows import enumerate_reports
from discreet.leakage.profiles.tree_subsets import _rows as level_rows


def nested(shape, epsilons):
    """Equal blocks inside equal blocks, with numbers for values."""
    numbers = iter(range(10**6))

    def inside(sizes):
        if len(sizes) == 1:
            return [next(numbers) for _ in range(sizes[0])]
        return {f"b{i}": inside(sizes[1:]) for i in range(sizes[0])}

    return Context.nested(inside(shape), epsilons)


CASES = {
    "levels": dc.mechanism(nested((3, 2, 2), ["1/2", 1, 2]), "levels"),
    "levels of three children": dc.mechanism(nested((2, 3, 2), [1, 2, 4]), "levels"),
    "blocks in blocks": dc.mechanism(nested((2, 2, 3), [1, 2, 4]), "nested"),
    "blocks in blocks in blocks": dc.mechanism(nested((2, 2, 2, 3), [1, 2, 3, 5]), "nested"),
    "utility-optimised RAPPOR": dc.mechanism(Context.high_low(range(7), range(3), 1), "utility_rappor"),
    "line": dc.mechanism(Context.metric(range(12), "line", "1/2"), "geometric"),
    "ring": dc.mechanism(Context.metric(range(9), "ring", "1/2"), "ring"),
    "grid": dc.mechanism(Context.metric([(i, j) for i in range(4) for j in range(3)], "l1", 1), "torus"),
}
ROUNDED = 1e-12


def probe(rows):
    divergence = Divergence(rows)
    return [divergence.delta(n, epsilon) for n, epsilon in ((1, 0.1), (2, 0.3), (3, 0.05))]


@pytest.mark.parametrize("mechanism", CASES.values(), ids=CASES)
def test_closed_forms_are_not_below_what_is_listed_and_hardly_above(mechanism):
    sampler, size = mechanism.sampler, mechanism.context.size
    for x, z in [(0, 1), (1, 0), (0, size - 1), (size - 1, 2), (size // 2, size // 2 + 1)]:
        closed, exact = (
            probe(profile_of(sampler).pair_profile(x, z)),
            probe(enumerate_reports(profile_of(sampler), x, z, None)),
        )
        assert all(a >= b * (1 - ROUNDED) for a, b in zip(closed, exact, strict=True))
        if mechanism.name != "nested":  # whose floor of a third block is that of its likeliest values
            assert closed == pytest.approx(exact, rel=1e-3)


def test_levels_hidden_by_people_who_all_hold_one_value():
    sampler = CASES["levels"].sampler
    for x, z in [(0, 1), (0, 11), (5, 2)]:
        above = [profile_of(sampler)._children_above(v) for v in (x, z)]
        for alone, among in ((1, (x,)), (2, (z,))):
            closed, exact = (
                probe(level_rows(sampler, *above, alone)),
                probe(enumerate_reports(profile_of(sampler), x, z, among)),
            )
            assert all(a >= b * (1 - ROUNDED) for a, b in zip(closed, exact, strict=True))
            assert closed == pytest.approx(exact, rel=1e-3)


def test_a_closed_form_that_forgets_what_others_hold_is_caught():
    """The control: with the floor of x alone, as if all held x, a batch would look safer than it is."""
    sampler = CASES["levels"].sampler
    above = [profile_of(sampler)._children_above(v) for v in (0, 11)]
    assert probe(level_rows(sampler, *above, 1))[2] < probe(enumerate_reports(profile_of(sampler), 0, 11, None))[2]


@pytest.mark.parametrize("mechanism", CASES.values(), ids=CASES)
def test_every_pair_has_the_contrast_of_one_that_stands_for_it(mechanism):
    """No pair of values is told apart better than all of those that `contrasts` gives."""
    sampler, values = mechanism.sampler, range(mechanism.context.size)
    listing = pairs.list_pairs(mechanism).pairs
    closure = mechanism.context.closure()
    every = [(x, z) for x in values for z in values if x != z and closure.at(x, z) < math.inf]
    worst = max(probe(profile_of(sampler).pair_profile(x, z))[1] for x, z in listing)
    assert max(probe(profile_of(sampler).pair_profile(x, z))[1] for x, z in every) <= worst * (1 + 1e-9)
    assert len(listing) < len(every)


def test_meetings_of_utility_optimised_rappor_are_those_of_all_reports():
    sampler = CASES["utility-optimised RAPPOR"].sampler
    for x, z in [(0, 1), (0, 5), (5, 0), (4, 5)]:
        chances = (sampler.probability(x, y) * sampler.probability(z, y) for y in sampler.reports())
        assert profile_of(sampler).collision_probability(x, z) == sum(chances)


@pytest.fixture
def few(monkeypatch):
    """More than two pairs are very many."""
    monkeypatch.setattr(pairs, "FEW_PAIRS", 0)
    monkeypatch.setattr(pairs, "MAX_PAIRS", 2)


def test_the_worst_of_very_many_pairs_is_found(few):
    mechanism = dc.mechanism(Context.metric(range(4), "line", "1/2"), "geometric")
    batch = dc.shuffled(mechanism, 10)
    assert batch._listing.many
    assert batch._listing.most == sorted(batch._listing.most, reverse=True)
    found = batch.worst(1e-3)
    assert (found.x, found.z, found.basis) == (0, 3, "floor")
    assert found.epsilon == max(row.epsilon for row in batch.pairs(1e-3))


def test_the_worst_of_too_many_pairs_is_bounded(few, monkeypatch):
    monkeypatch.setattr(shuffling, "MAX_LOOKED_AT", 0)
    mechanism = dc.mechanism(Context.metric(range(4), "line", "1/50"), "geometric")
    batch = dc.shuffled(mechanism, 10)
    bounded = batch.worst(1e-2)
    assert bounded.basis == "E"
    assert max(row.epsilon for row in batch.pairs(1e-2)) < bounded.epsilon <= 3 / 50
    assert bounded.success >= max(row.success for row in batch.pairs(1e-2))


def test_no_batch_is_large_enough_for_a_line(few):
    mechanism = dc.mechanism(Context.metric(range(4), "line", "1/2"), "geometric")
    with pytest.raises(dc.errors.NotServed, match="no batch brings every pair within epsilon="):
        dc.batch_needed(mechanism, 0.0, 0.0)
    with pytest.raises(dc.errors.InvalidInput, match="try sizes with `worst`"):
        dc.batch_needed(mechanism, 1.4, 1e-3)


def test_the_worst_hidden_by_some_values_is_that_of_every_pair():
    mechanism = dc.mechanism(Context.uniform(range(4), 1), "randomized_response")
    batch = dc.shuffled(mechanism, 20, among=[3])
    pairs = [(x, z) for x in range(4) for z in range(4) if x != z]
    worst = batch.worst(1e-3).epsilon
    assert worst == max(batch.epsilon(x, z, 1e-3) for x, z in pairs)
    assert worst > min(batch.epsilon(x, z, 1e-3) for x, z in pairs)
