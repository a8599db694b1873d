"""Many reports of one person: the reference figures, the exact sum, and what a change of value shows."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput
from discreet.leakage.profiles import profile_of
from discreet.leakage.repetition import Repeated


def uniform(name, epsilon, k=15, **parameters):
    return dc.mechanism(Context.uniform(range(k), epsilon), name, **parameters)


def trinomial(masses, losses, times, epsilon):
    """delta of `times` losses that are one of three, by positive terms."""
    total = 0.0
    for i in range(times + 1):
        for j in range(times + 1 - i):
            counts = i, j, times - i - j
            loss = sum(c * one for c, one in zip(counts, losses, strict=True))
            if loss > epsilon:
                logs = [c * math.log(m) - math.lgamma(c + 1) for c, m in zip(counts, masses, strict=True)]
                total += -math.expm1(epsilon - loss) * math.exp(math.lgamma(times + 1) + sum(logs))
    return total


@pytest.mark.parametrize(
    ("name", "level", "times", "epsilon"),
    [
        ("hadamard", "0.1", 100, 3.2754),
        ("hadamard", "0.1", 365, 6.8811),
        ("hadamard", "1", 30, 22.588),
        ("hadamard", "1", 100, 53.002),
        ("hadamard", "1", 365, 143.344),
        ("randomized_response", "0.1", 100, 1.6861),
    ],
)
def test_epsilons_after_many_reports_and_the_trinomial_sum_agrees(name, level, times, epsilon):
    mechanism = uniform(name, level)
    found = dc.repeated(mechanism, times).epsilon(0, 1, 1e-6)
    assert found == pytest.approx(epsilon, rel=2e-5)
    r = mechanism.sampler
    only = r.outputs // 4 if name == "hadamard" else 1
    high, low = only * float(r.high), only * float(r.low)
    step = math.log(high / low)
    truth = trinomial((1 - high - low, high, low), (0.0, step, -step), times, found)
    assert 1e-6 * (1 - 1e-3) < truth <= 1e-6


def test_different_mechanisms_together():
    mixed = Repeated(((uniform("hadamard", "0.5"), 7), (uniform("subset", "0.3", d=6), 4)))
    assert mixed.epsilon(0, 1, 1e-3) == pytest.approx(3.0734, rel=2e-5)
    assert mixed.epsilon(0, 1, 1e-6) == pytest.approx(4.3778, rel=2e-5)
    assert mixed.context.epsilon(0, 1) == Fraction(47, 10)


@pytest.mark.parametrize(
    ("times", "success"), [(1, 0.61553), (2, 0.67329), (5, 0.77094), (10, 0.85641), (20, 0.93522), (50, 0.99195)]
)
def test_success_in_telling_two_values_apart(times, success):
    assert dc.repeated(uniform("hadamard", "1"), times).success(0, 1) == pytest.approx(success, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "k", "parameters", "chance"),
    [
        ("randomized_response", 2, {}, 0.60678),
        ("randomized_response", 15, {}, 0.93404),
        ("hadamard", 15, {}, 0.9375),
        ("subset", 15, {"d": 4}, 0.99928),
    ],
)
def test_a_change_of_value_shows(name, k, parameters, chance):
    mechanism = uniform(name, "1", k=k, **parameters)
    assert dc.repeated(mechanism, 1).change_shows(0, 1) == pytest.approx(chance, abs=1e-5)
    rows = mechanism.channel()
    exact = 1 - sum(a * b for a, b in zip(rows[0], rows[1], strict=True))
    assert dc.repeated(mechanism, 1).change_shows(0, 1) == pytest.approx(float(exact), abs=1e-9)


@pytest.mark.parametrize(
    "mechanism",
    [
        dc.mechanism(Context.high_low(range(6), [0, 1, 2], "1"), "subset"),
        dc.mechanism(Context.blocks({"a": [0, 1, 2], "b": [3, 4]}, "1"), "unary"),
        dc.mechanism(Context.uniform(range(5), "1"), "general_hadamard"),
        dc.mechanism(Context.uniform(range(3), "1") * Context.metric(range(2), "line", "1")),
        dc.mechanism(
            Context.high_low(range(6), [0, 2, 3, 5], "1"),
            "mixture",
            parts=[{"name": "subset", "d": 1}, {"name": "subset", "d": 2}],
            units=[2**62, 3 * 2**62],
        ),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_a_change_of_value_shows_as_the_channel_says_for_any_mechanism(mechanism):
    rows, values = mechanism.channel(), mechanism.context.values
    for i, j in ((0, 1), (1, 0)):
        exact = 1 - sum(a * b for a, b in zip(rows[i], rows[j], strict=True))
        assert dc.repeated(mechanism, 1).change_shows(values[i], values[j]) == pytest.approx(float(exact), abs=1e-9)


def test_the_sum_of_contexts_is_exact_for_any_form():
    line = dc.mechanism(Context.metric(range(5), "line", "0.3"), "geometric")
    assert dc.repeated(line, 30).context.epsilon(0, 4) == 36
    blocks = dc.mechanism(Context.blocks({"a": [0, 1], "b": [2, 3]}, "0.1"), "hadamard")
    assert dc.repeated(blocks, 7).context == Context.blocks({"a": [0, 1], "b": [2, 3]}, "0.7")
    assert dc.repeated(blocks, 7).context.epsilon(0, 2) == math.inf
    rough = dc.mechanism(Context.metric(range(5), lambda x, z: abs(x - z) ** 0.5, "1"), "exponential")
    assert dc.repeated([rough, rough], 3).context.epsilon(0, 1) == 6


def test_epsilon_is_never_above_the_sum_and_one_report_has_its_own():
    mechanism = uniform("hadamard", "1")
    assert dc.repeated(mechanism, 3).epsilon(0, 1, 1e-12) <= 3
    assert dc.repeated(mechanism, 1).epsilon(0, 1, 0.0) == pytest.approx(1, abs=1e-5)
    assert dc.repeated(mechanism, 1).delta(0, 1, 0.0) == pytest.approx(2 * 0.61553 - 1, abs=2e-5)


def test_what_only_x_can_write_counts_every_time():
    mechanism = dc.mechanism(Context.binary("no", "yes", ("inf", "1")))
    told = float(mechanism.channel()[0][0])
    found = dc.repeated(mechanism, 4)
    assert found.delta("no", "yes", 20.0) == pytest.approx(1 - (1 - told) ** 4, rel=1e-9)
    assert found.epsilon("no", "yes", 1e-6) == math.inf


# -- shuffled collections ------------------------------------------------------------------------------
@pytest.mark.slow
def test_thirty_shuffled_collections_and_a_year_of_them():
    batch = dc.shuffled(uniform("hadamard", "1"), 10**5)
    assert dc.repeated(batch, 30).epsilon(0, 1, 1e-6) == pytest.approx(0.0538, rel=2e-3)
    assert dc.repeated(batch, 365).epsilon(0, 1, 1e-6) == pytest.approx(0.205, rel=2e-3)
    assert "only E" not in str(dc.repeated(batch, 30))


def test_one_shuffled_collection_repeated_once_is_itself_but_for_the_dots():
    batch = dc.shuffled(uniform("randomized_response", "1"), 1000)
    once = dc.repeated(batch, 1)
    for epsilon in (0.0, 0.013, 0.04, 0.0571):
        assert batch.delta(0, 1, epsilon) <= once.delta(0, 1, epsilon) * (1 + 1e-9)
        assert once.delta(0, 1, epsilon) <= batch.delta(0, 1, epsilon) * 1.02 + 1e-9


def test_two_small_batches_are_within_what_the_dots_say():
    """Two batches of two people whose others hold one value, enumerated: the composed delta is above."""
    mechanism = uniform("randomized_response", "1", k=2)
    rows = [[float(entry) for entry in row] for row in mechanism.channel()]
    batch = dc.shuffled(mechanism, 2)
    both = dc.repeated(batch, 2)
    for v in (0, 1):
        laws = []
        for x in (0, 1):
            a, b = rows[x], rows[v]
            laws.append([a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1]])
        for epsilon in (0.0, 0.2, 0.5):
            truth = sum(
                max(p * q - math.exp(epsilon) * r * s, 0)
                for p, r in zip(*laws, strict=True)
                for q, s in zip(*laws, strict=True)
            )
            assert truth <= both.delta(0, 1, epsilon) * (1 + 1e-12)


def test_the_table_and_json():
    found = dc.repeated(uniform("hadamard", "1", k=4), 3)
    assert "a collector who keeps every report" in str(found)
    told = json.loads(json.dumps(found.as_dict(delta=1e-3)))
    assert told["releases"] == [{"mechanism": "hadamard", "times": 3}]
    assert set(told["pairs"][0]) == {"x", "z", "claimed", "epsilon", "success", "change_shows", "basis"}


@pytest.mark.parametrize("releases", [[], [3], "hadamard"])
def test_what_is_no_release_is_refused(releases):
    with pytest.raises(InvalidInput, match="releases"):
        dc.repeated(releases, 2)


def test_other_values_and_no_repetition_are_refused():
    with pytest.raises(InvalidInput, match="same values"):
        dc.repeated([uniform("hadamard", "1"), uniform("hadamard", "1", k=4)], 2)
    with pytest.raises(InvalidInput, match="times"):
        dc.repeated(uniform("hadamard", "1"), 0)
    with pytest.raises(InvalidInput, match="different"):
        dc.repeated(uniform("hadamard", "1"), 1).delta(0, 0, 1)


def test_two_layers_never_cost_more_than_the_stored_report():
    """A kept report with fresh noise on top: epsilon after T of them, as worked out for two values."""
    e = math.e
    g, a = e / (1 + e), 0.75
    for times, known in ((1, 0.47061), (5, 0.99039)):
        own, other = (p * a**times + (1 - p) * (1 - a) ** times for p in (g, 1 - g))
        assert math.log(own / other) == pytest.approx(known, abs=1e-5)
        assert known < 1


def test_what_rests_on_e_says_so(monkeypatch):
    made = dc.mechanism(Context.uniform(range(3), 1), "randomized_response")
    assert dc.repeated(made, 2).basis(0, 1) == "reports"
    monkeypatch.setattr(type(profile_of(made)), "pair_profile", lambda *_: None)
    assert dc.repeated(made, 2).as_dict()["pairs"][0]["basis"] == "E"
    assert "the worst that E allows is taken" in str(dc.repeated(made, 2))
