"""Shuffled batches: the reference figures, who hides whom, and what nobody hides."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput, MechanismMismatch, NotServed
from discreet.leakage import shuffling
from discreet.leakage.divergence import Divergence
from discreet.leakage.profiles import profile_of


def uniform(name, epsilon, k=15, **parameters):
    return dc.mechanism(Context.uniform(range(k), epsilon), name, **parameters)


@pytest.mark.parametrize(
    ("name", "parameters", "epsilon", "n", "delta", "lower", "certified"),
    [
        ("hadamard", {}, "1", 10**3, 1e-6, 0.102233, 0.102752),
        ("hadamard", {}, "1", 10**5, 1e-6, 0.0085158, 0.0085161),
        ("hadamard", {}, "4", 10**4, 1e-6, 0.278736, 0.284841),
        ("hadamard", {}, "1", 10**8, 1e-8, 0.000297005, 0.000297005),
        ("hadamard", {}, "4", 10**3, 1e-6, 0.93462, 1.33487),
        ("randomized_response", {}, "4", 10**4, 1e-6, 0.364547, 0.364551),
        ("randomized_response", {}, "1", 10**3, 1e-6, 0.066276, 0.066293),
        ("subset", {"d": 4}, "1", 10**3, 1e-6, 0.097462, 0.106142),
        ("subset", {"d": 4}, "1", 10**5, 1e-6, 0.0081007, 0.0088302),
        ("subset", {"d": 2}, "2", 10**4, 1e-6, 0.080788, 0.083835),
    ],
)
def test_epsilons_of_fifteen_values(name, parameters, epsilon, n, delta, lower, certified):
    row = dc.shuffled(uniform(name, epsilon, **parameters), n).worst(delta)
    assert lower <= row.epsilon <= certified * (1 + 1e-4)
    assert lower * (1 - 2e-5) <= row.attained <= row.epsilon


def test_forty_thousand_values_take_no_longer():
    mechanism = uniform("projective", "1", k=43750)
    assert dc.shuffled(mechanism, 3_670_000).epsilon(0, 1, 1e-8) == pytest.approx(0.00171903, rel=1e-5)


@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
def test_any_number_of_reports_has_an_answer(n):
    found = dc.shuffled(uniform("hadamard", "1"), n).epsilon(0, 1, 1e-8)
    normal = math.sqrt((math.e - 1) ** 2 / (math.e + 1) / n)
    assert 1.5 * normal < found < 7 * normal


# -- who hides whom ---------------------------------------------------------------------------------
BLOCKS = Context.blocks({"a": [0, 1], "b": [2, 3, 4]}, "1")


def test_the_own_block_hides_and_no_other():
    mechanism = dc.mechanism(BLOCKS, "randomized_response")
    batch = dc.shuffled(mechanism, {"a": 1000, "b": 1000})
    assert batch.epsilon(0, 1, 1e-6) == pytest.approx(0.148671, rel=1e-4)
    assert batch.epsilon(2, 3, 1e-6) == pytest.approx(0.130695, rel=1e-4)
    assert batch.attained(0, 1, 1e-6) == pytest.approx(0.126615, rel=1e-4)
    assert batch.attained(2, 3, 1e-6) == pytest.approx(0.130566, rel=1e-4)
    assert dc.shuffled(mechanism, 2000, among=range(5)).epsilon(0, 1, 1e-6) >= 0.99999
    assert dc.shuffled(mechanism, 1000, among=[0, 1]).epsilon(0, 1, 1e-6) == batch.epsilon(0, 1, 1e-6)
    assert batch.delta(0, 2, 100) == 1


def test_the_control_counting_everybody_for_a_block_would_promise_what_is_not_kept():
    mechanism = dc.mechanism(BLOCKS, "randomized_response")
    right, wrong = dc.shuffled(mechanism, {"a": 100, "b": 900}), dc.shuffled(mechanism, {"a": 1000, "b": 900})
    assert wrong.epsilon(0, 1, 1e-6) < right.attained(0, 1, 1e-6)


def test_a_tally_says_how_many_are_in_each_block():
    mechanism = dc.mechanism(BLOCKS, "randomized_response")
    tally = mechanism.tally(mechanism.randomize_many([0] * 300 + [2] * 500, dc.random.seeded(1)))
    counted, named = dc.shuffled(mechanism, tally), dc.shuffled(mechanism, {"a": 300, "b": 500})
    assert counted.worst(1e-6) == named.worst(1e-6)
    with pytest.raises(MechanismMismatch, match="does not say"):
        dc.shuffled(uniform("hadamard", "1"), tally)


@pytest.mark.parametrize("n", [{"a": 10}, {"a": 10, "b": 10, "c": 10}, {"a": 0, "b": 10}, 100, True, 0, 1.5, "many"])
def test_a_number_that_does_not_say_who_hides_whom_is_refused(n):
    with pytest.raises(InvalidInput, match="n"):
        dc.shuffled(dc.mechanism(BLOCKS, "hadamard"), n)


def test_sensitive_values_are_hidden_by_everybody_and_the_bound_is_attained():
    mechanism = dc.mechanism(Context.high_low(range(12), range(5), "1"), "hadamard")
    batch = dc.shuffled(mechanism, 1000)
    assert batch.epsilon(0, 1, 1e-6) == pytest.approx(0.10275, rel=1e-4)
    assert batch.attained(0, 1, 1e-6) == pytest.approx(0.10275, rel=1e-4)


@pytest.mark.parametrize(("n", "epsilon"), [(100, 0.83415), (10**4, 0.64033), (10**6, 0.62174)])
def test_a_sensitive_value_against_one_that_is_shown_never_falls_below_a_limit(n, epsilon):
    mechanism = dc.mechanism(Context.high_low(range(12), range(5), "1"), "hadamard")
    assert dc.shuffled(mechanism, n).epsilon(0, 7, 1e-6) == pytest.approx(epsilon, rel=1e-4)
    limit = -math.log(1 - float(mechanism.sampler.disclosing))
    assert dc.shuffled(mechanism, n).epsilon(0, 7, 1e-6) > limit == pytest.approx(0.6201, abs=1e-4)


def test_people_who_showed_the_other_value_hide_it():
    mechanism = dc.mechanism(Context.high_low(range(12), range(5), "1"), "hadamard")
    assert dc.shuffled(mechanism, 1000, among=[7]).epsilon(0, 7, 1e-6) == pytest.approx(0.12400, rel=1e-4)
    assert dc.shuffled(mechanism, 1000).epsilon(7, 0, 1e-6) == math.inf
    assert dc.shuffled(mechanism, 1000).delta(7, 0, 50.0) >= float(mechanism.sampler.disclosing)


def test_two_values_differ_in_both_directions():
    mechanism = dc.mechanism(Context.binary("no", "yes", ("1", "2")))
    batch = dc.shuffled(mechanism, 1000)
    assert batch.epsilon("no", "yes", 1e-6) == pytest.approx(0.27401, rel=1e-4)
    assert batch.epsilon("yes", "no", 1e-6) == pytest.approx(0.25610, rel=1e-4)
    assert batch.attained("no", "yes", 1e-6) == pytest.approx(0.26204, rel=1e-4)
    assert batch.attained("yes", "no", 1e-6) == pytest.approx(0.22874, rel=1e-4)


def test_nothing_hides_an_answer_that_only_one_value_gives():
    mechanism = dc.mechanism(Context.binary("no", "yes", ("inf", "1")))
    assert dc.shuffled(mechanism, 10**6).epsilon("yes", "no", 1e-6) == 1
    assert dc.shuffled(mechanism, 1000, among=["no"]).epsilon("yes", "no", 1e-6) == pytest.approx(0.1447, abs=1e-4)
    with pytest.raises(NotServed, match="no batch"):
        dc.batch_needed(mechanism, 0.5, 1e-6)


# -- small groups, batches ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "n", "success", "epsilon"),
    [
        ("hadamard", 1, 0.6155, 1),
        ("hadamard", 5, 0.5734, 1),
        ("hadamard", 20, 0.5391, 0.9487),
        ("hadamard", 100, 0.5177, 0.3624),
        ("hadamard", 1000, 0.5056, 0.1028),
        ("randomized_response", 20, 0.5252, 0.5079),
        ("randomized_response", 100, 0.5117, 0.2245),
    ],
)
def test_small_groups_are_told_apart_no_more_often_than_by_the_floor_of_low_reports(name, n, success, epsilon):
    """For hadamard these figures leave out that column 0 supports everybody, so ours may be smaller."""
    batch = dc.shuffled(uniform(name, "1"), n)
    least = 0.97 if name == "hadamard" else 0.999
    assert 0.5 + least * (success - 0.5) <= batch.success(0, 1) + 5e-5 <= success + 1e-4
    assert 0.9 * epsilon <= batch.epsilon(0, 1, 1e-6) <= epsilon + 1e-4


@pytest.mark.parametrize(
    ("name", "parameters", "level", "epsilon", "needed"),
    [
        ("hadamard", {}, "1", 0.5, 58),
        ("hadamard", {}, "1", 0.1, 1052),
        ("hadamard", {}, "1", 0.01, 74526),
        ("hadamard", {}, "4", 1.0, 1368),
        ("hadamard", {}, "4", 0.1, 68445),
        ("subset", {"d": 4}, "1", 0.1, 1118),
        ("randomized_response", {}, "1", 0.1, 464),
        ("randomized_response", {}, "4", 0.1, 110550),
    ],
)
def test_the_least_batch(name, parameters, level, epsilon, needed):
    mechanism = uniform(name, level, **parameters)
    found = dc.batch_needed(mechanism, epsilon, 1e-6)
    assert found <= needed <= found * 1.11
    assert found == needed or name == "hadamard"
    assert dc.shuffled(mechanism, found).epsilon(0, 1, 1e-6) <= epsilon * (1 + 1e-5)
    assert dc.shuffled(mechanism, found - 1).delta(0, 1, epsilon) > 1e-6


def test_column_0_hides_everybody_and_the_gain_is_real(exactly):
    """The floor that takes it for any other column is larger, and both are above the worst population."""
    mechanism = uniform("hadamard", "1", k=3)
    rows = profile_of(mechanism).pair_profile(0, 1)
    plain = [
        row._replace(blanket=row.blanket if row.blanket < row.own or row.own != row.other else row.blanket / 2)
        for row in rows
    ]
    ours, without = Divergence(rows).delta(4, 0.6), Divergence(plain).delta(4, 0.6)
    assert ours == pytest.approx(0.016036504, abs=1e-9)
    assert without > ours


# -- what is sound where little is known ---------------------------------------------------------------
def test_where_reports_are_too_many_to_look_at_nobody_is_taken_to_hide_them(monkeypatch):
    mechanism = dc.mechanism(Context.metric(range(6), "line", "0.5"), "exponential")
    known = dc.shuffled(mechanism, 10**4).account(0, 5, 1e-6)
    monkeypatch.setattr("discreet.leakage.profiles.rows.MAX_LISTED", 0)
    row = dc.shuffled(mechanism, 10**4).account(0, 5, 1e-6)
    assert (row.basis, known.basis) == ("E", "floor")
    assert known.epsilon < row.epsilon <= 2.5
    assert known.success < row.success < 1
    assert "nobody is taken to hide them" in str(dc.shuffled(mechanism, 10**4))


def test_values_that_are_far_away_leave_no_floor_and_those_nearby_do():
    mechanism = dc.mechanism(Context.metric(range(30), "line", "0.5"), "geometric")
    everybody = dc.shuffled(mechanism, 10**4)
    nearby = dc.shuffled(mechanism, 10**4, among=range(10, 15))
    assert nearby.epsilon(11, 12, 1e-6) < everybody.epsilon(11, 12, 1e-6) / 2
    assert nearby.other_users == [10, 11, 12, 13, 14]


def test_a_failed_sum_leaves_e_and_certainty(monkeypatch):
    monkeypatch.setattr("discreet.leakage.divergence.positive_part", lambda *_, **__: math.nan)
    batch = dc.shuffled(uniform("hadamard", "1"), 1000)
    assert batch.epsilon(0, 1, 1e-6) == 1
    assert batch.success(0, 1) == 1
    assert batch.delta(0, 1, 0.1) == 1


def test_epsilons_have_six_digits_that_are_certified():
    batch = dc.shuffled(uniform("hadamard", "1"), 12345)
    epsilon = batch.epsilon(0, 1, 1e-7)
    assert epsilon == float(f"{epsilon:.5e}")
    assert batch.delta(0, 1, epsilon) <= 1e-7 < batch.delta(0, 1, epsilon * (1 - 2e-5))


@pytest.mark.parametrize(("delta", "message"), [(-1, "delta"), (1, "delta"), (math.nan, "delta"), ("x", "delta")])
def test_what_is_no_delta_is_refused(delta, message):
    with pytest.raises(InvalidInput, match=message):
        dc.shuffled(uniform("hadamard", "1"), 100).epsilon(0, 1, delta)


def test_what_is_no_epsilon_or_no_pair_is_refused():
    batch = dc.shuffled(uniform("hadamard", "1"), 100)
    for epsilon in (-1, math.nan, "1", True):
        with pytest.raises(InvalidInput, match="epsilon"):
            batch.delta(0, 1, epsilon)
    with pytest.raises(InvalidInput, match="different"):
        batch.delta(0, 0, 1)
    with pytest.raises(InvalidInput, match="among"):
        dc.shuffled(uniform("hadamard", "1"), 100, among=[])


def test_the_table_says_whom_it_is_about_and_json_has_the_agreed_keys():
    batch = dc.shuffled(uniform("hadamard", "1", k=5), 100)
    assert "against the collector, only E holds" in str(batch)
    assert "more than one in n" in batch.text(0.5)
    told = json.loads(json.dumps(batch.as_dict()))
    assert set(told) >= {"n", "delta", "hiders", "pairs"}
    assert set(told["pairs"][0]) >= {"x", "z", "claimed", "epsilon", "attained", "success"}
    assert told["hiders"] == "everybody"


def test_contrasts_of_many_pairs_are_ranked_and_the_worst_is_the_largest(monkeypatch):
    monkeypatch.setattr(shuffling, "MAX_SHOWN", 2)
    mechanism = dc.mechanism(Context.metric(range(3), "line", "0.4"), "exponential")
    batch = dc.shuffled(mechanism, 1000)
    rows = list(batch.pairs(1e-6))
    assert batch.worst(1e-6).epsilon == max(row.epsilon for row in rows)
    assert len(batch.as_dict()["pairs"]) == 2
    assert f"of {len(rows)}" in str(batch)


def test_batches_from_the_real_sampler_have_the_delta_that_is_computed():
    """hadamard of 3 values, 49 others at the value whose row is the sum of both: 20,000 batches for each of x and z.

    The difference of two frequencies is within 5.2 deviations of the truth but for one run in a million; a
    control, the delta of batches of half the size, is not.
    """
    mechanism, n, runs, epsilon = uniform("hadamard", "1", k=3), 50, 20_000, 0.1
    sampler = mechanism.sampler
    laws = np.array([[float(sampler.probability(v, y)) for y in range(4)] for v in range(3)])
    gain = (laws[0] - math.exp(epsilon) * laws[1]) / laws[2]
    hits = []
    for x in (0, 1):
        held = np.full((runs, n), 2)
        held[:, 0] = x
        reports = mechanism.randomize_indices(held.ravel(), dc.random.seeded(7 + x)).reshape(runs, n)
        hits.append(float((gain[reports.astype(int)].sum(axis=1) > 0).mean()))
    seen = hits[0] - math.exp(epsilon) * hits[1]
    deviation = math.sqrt((hits[0] * (1 - hits[0]) + math.exp(2 * epsilon) * hits[1] * (1 - hits[1])) / runs)
    truth = Divergence(profile_of(sampler).pair_profile(0, 1, (2,)))
    assert truth.delta(n, epsilon) == pytest.approx(0.015979, abs=1e-6)
    assert abs(seen - truth.delta(n, epsilon)) < 5.2 * deviation
    assert abs(seen - truth.delta(n // 4, epsilon)) > 5.2 * deviation


@pytest.mark.parametrize(("base", "limit"), [("hadamard", 0.6201), ("subset", 0.5231), ("randomized_response", 0.2954)])
def test_the_limit_against_a_shown_value_is_how_often_it_is_shown(base, limit):
    mechanism = dc.mechanism(Context.high_low(range(12), range(5), "1"), base)
    assert -math.log(1 - float(mechanism.sampler.disclosing)) == pytest.approx(limit, abs=1e-4)
    assert limit - 1e-4 < dc.shuffled(mechanism, 10**9).epsilon(0, 7, 1e-6) < limit + 1e-2


@pytest.mark.parametrize(
    "mechanism",
    [
        dc.mechanism(Context.nested({b: range(40 * b, 40 * b + 40) for b in range(3)}, ["1", "2"]), "nested"),
        dc.mechanism(Context.graded({x: "1" if x < 20 else "2" for x in range(40)}), "graded_unary"),
        dc.mechanism(Context.high_low(range(60), range(30), "1"), "subset"),
        dc.mechanism(Context.uniform(range(64), "1"), "unary"),
        dc.mechanism(Context.uniform(range(600), "2"), "general_hadamard"),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_mechanisms_with_too_many_reports_to_list_have_closed_forms(mechanism):
    row = dc.shuffled(mechanism, 10**6).account(0, 1, 1e-6)
    assert row.basis == "floor"
    assert row.epsilon < float(row.claimed) / 20


def test_one_sensitive_value_is_hidden_by_the_others():
    mechanism = dc.mechanism(Context.high_low(range(3), [0], "1"), "randomized_response")
    limit = -math.log(1 - float(mechanism.sampler.disclosing))
    assert dc.shuffled(mechanism, 10**6).epsilon(0, 1, 1e-6) < limit + 1e-2 < 1 + 2e-2


def test_a_ring_has_one_contrast_for_every_distance():
    mechanism = dc.mechanism(Context.metric(range(6), "ring", "0.5"), "ring")
    batch = dc.shuffled(mechanism, 1000)
    assert batch.delta(0, 2, 0.01) == pytest.approx(batch.delta(3, 5, 0.01), rel=1e-9)
    assert batch.delta(0, 2, 0.01) == pytest.approx(batch.delta(2, 0, 0.01), rel=1e-9)
    assert len(list(profile_of(mechanism).representative_pairs())) == 3
