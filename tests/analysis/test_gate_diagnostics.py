"""Error bars of two arms and of one survey of which some evade, and the sizes of the tests of goodness of fit.

Tallies are drawn from their exact law, reports where these are sets. A figure fails where fewer surveys cover than a
true coverage of .935 gives with a probability of 1e-8 over all its values, or more are rejected than a size of .07
does. The controls are the rules that took variances at projected shares, or weighed arms by the covariance of reports.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import discreet as dc
from discreet.analysis.diagnostics import two_arms
from discreet.analysis.groups.moments import MechanismQueries
from discreet.estimation.decoders import decoder_of
from discreet.estimation.tally import Tally

COVERAGE, SIZE, ALARM = 0.935, 0.07, 1e-8
SHORT, LONG = 20, 1_000
"""Surveys in the quick tier, and in the long one."""


def uniform(k, epsilon, *name):
    return dc.mechanism(dc.Context.uniform(range(k), epsilon), *name)


def two(make):
    return make("1"), make("3")


ARMS = {
    "randomized response": two(lambda e: uniform(5, e, "randomized_response")),
    "hadamard": two(lambda e: uniform(5, e, "hadamard")),
    "hadamard and randomized response": (uniform(5, "1", "hadamard"), uniform(5, "3", "randomized_response")),
    "blocks": two(lambda e: dc.mechanism(dc.Context.blocks({"a": range(3), "b": [3, 4]}, e))),
    "high-low": two(lambda e: dc.mechanism(dc.Context.high_low(range(5), [3, 4], e))),
    "unary": two(lambda e: uniform(5, e, "unary")),
    "many values": two(lambda e: uniform(20, e, "randomized_response")),
}


def law_of(size, kind):
    shares = {"common": 1 / np.arange(2.0, size + 2), "rare": np.append(100.0, 3 / np.arange(1.0, size) ** 1.5)}[kind]
    return shares / shares.sum()


def draw(mechanism, shares, n, rng, evading=0.0, sent=1):
    """The tally of n people, of whom this part sends one report."""
    decoder = decoder_of(mechanism)
    if decoder.disjoint:
        law = np.maximum(decoder.expected_counts(shares), 0.0)
        law = (1 - evading) * law / law.sum()
        law[sent] += evading
        return Tally(mechanism, rng.multinomial(n, law), n)
    people = rng.choice(len(shares), n, p=shares)
    reports = mechanism.randomize_indices(people, dc.random.seeded(int(rng.integers(1 << 60))))
    reports[rng.random(n) < evading] = sent
    return mechanism.tally(reports)


def inside(ends, truth):
    low, high = np.asarray(ends)
    return (low <= truth + 1e-12) & (truth <= high + 1e-12)


def coverage(arms, shares, evading, n, count, seed=5):
    rng = np.random.default_rng(seed)
    truth = np.append(evading, (1 - evading) * shares)
    covered = {"arms": np.zeros(len(truth)), "first": np.zeros(1), "old": np.zeros(len(truth))}
    rejected = 0
    for _ in range(count):
        tallies = [draw(arm, shares, n, rng, evading) for arm in arms]
        found = dc.noncompliance(*tallies, report=1)
        columns = found.table()
        ends = columns["low"], columns["high"]
        assert inside(ends, found.law.value).all()
        covered["arms"] += inside(ends, truth)
        covered["old"] += np.abs(found.law.value - truth) <= 1.96 * found.law.stderr
        assert (found.p < 0.05) == (not inside(found.interval(), 0.0))
        rejected += found.p < 0.05
        columns = dc.noncompliance(tallies[0], report=1, query={0: 1}, share=evading).table()
        covered["first"] += inside((columns["low"], columns["high"]), shares[:1])
    return covered, rejected


def check_coverage(gate, arms, kind, evading, n, count):
    def simulate(gate, count, seed):
        covered, rejected = coverage(arms, law_of(arms[0].context.size, kind), evading, n, count, seed)
        for name, label in (("arms", "two arms"), ("first", "one arm")):
            gate.covers(label, covered[name], count, ALARM)
        if not evading:
            gate.rejects("two arms, size", rejected, count, ALARM)

    gate.settle(simulate, count)


@pytest.mark.parametrize("name", ["hadamard", "blocks", "unary", "many values"])
def test_two_arms_cover_in_some_surveys(name, gate):
    check_coverage(gate, ARMS[name], "rare", 0.2, 200, SHORT)


@pytest.mark.parametrize(
    ("kind", "evading", "n"),
    [("rare", 0.2, 200), ("rare", 0.0, 1000), ("common", 0.05, 200), ("common", 0.2, 10_000)],
)
@pytest.mark.parametrize("name", ARMS)
def test_two_arms_cover(name, kind, evading, n, gate):
    check_coverage(gate, ARMS[name], kind, evading, n, LONG)


def test_errors_under_sets_are_those_of_people_who_comply_and_evade():
    """Against the spread of the scores that reports have; the errors of people who all comply would be off."""
    mechanism, evading, n, sent = uniform(5, "4", "unary"), 0.5, 100_000, 0b11110
    people = np.random.default_rng(1).choice(5, round(n * (1 - evading)), p=law_of(5, "common"))
    reports = mechanism.randomize_indices(people, dc.random.seeded(1))
    reports = np.concatenate([reports, np.full_like(reports, sent)])
    spread = mechanism.score(reports, np.eye(5)[0], shares=np.full(5, 0.2)).std() / math.sqrt(n) / (1 - evading)
    found = dc.noncompliance(mechanism.tally(reports), report=sent, query={0: 1})
    assert found.at(evading)[1] == pytest.approx(spread, rel=0.02)
    assert abs(found.stderr / (1 - evading) / spread - 1) > 0.05
    plain = mechanism.score(reports, np.eye(5)[0]).std() / math.sqrt(n) / (1 - evading)
    assert found.compliant(evading)[1][0] == pytest.approx(plain, rel=0.02)


def of_reports(arm):
    """The covariance of an arm's own reports, by which directions were weighed."""
    return MechanismQueries(arm.mechanism, np.eye(len(arm.values)), calibrated=False).covariance(arm.tally) / arm.n


def test_normal_intervals_and_weights_from_the_reports_would_fail(monkeypatch):
    """The controls: rare values in blocks without a report, and 20 values from 200 people."""
    assert coverage(ARMS["blocks"], law_of(5, "rare"), 0.0, 200, 20)[0]["old"].min() < 0.8 * 20
    monkeypatch.setattr(two_arms, "_weighting", of_reports)
    arms = uniform(20, "2", "randomized_response"), uniform(20, "4", "randomized_response")
    assert coverage(arms, law_of(20, "rare"), 0.2, 200, 60)[0]["arms"][0] < 0.85 * 60


MECHANISMS = {
    "hadamard": uniform(5, "1", "hadamard"),
    "steep hadamard": uniform(12, "8", "hadamard"),
    "hadamard in blocks": dc.mechanism(dc.Context.blocks({"a": range(6), "b": range(6, 12)}, "2"), "hadamard"),
    "high-low with hadamard": dc.mechanism(dc.Context.high_low(range(12), range(5), "2"), "hadamard"),
    "unary": uniform(6, "4", "unary"),
    "randomized response": uniform(5, "5", "randomized_response"),
    "line": dc.mechanism(dc.Context.metric(range(40), "line", "0.3")),
    "steep line": dc.mechanism(dc.Context.metric(range(20), "line", "2")),
    "rare reports": dc.by_hand.table(
        ["a", "b", "c"],
        [
            ["0.9", "0.05", "0.04", "0.008", "0.001", "0.001"],
            ["0.05", "0.9", "0.04", "0.001", "0.008", "0.001"],
            ["0.05", "0.04", "0.9", "0.001", "0.001", "0.008"],
        ],
    ),
}


def rejections(mechanism, kind, n, count):
    """How often each test rejects reports that follow their law, and any of them after correction."""
    rng, shares = np.random.default_rng(9), law_of(mechanism.context.size, kind)
    rejected = {"any": 0}
    for _ in range(count):
        found = dc.goodness_of_fit(draw(mechanism, shares, n, rng))
        for one in found.checks:
            rejected[one.test] = rejected.get(one.test, 0) + (one.p < 0.05)
        rejected["any"] += found.p < 0.05
    return rejected


@pytest.mark.parametrize("name", ["hadamard in blocks", "unary", "line", "rare reports"])
def test_reports_of_the_law_are_seldom_rejected_in_some_surveys(name):
    rejected = rejections(MECHANISMS[name], "rare", 100, SHORT)
    assert max(rejected.values()) <= stats.binom.isf(ALARM, SHORT, SIZE), rejected


@pytest.mark.parametrize(("kind", "n"), [("rare", 100), ("rare", 1000), ("rare", 20_000), ("common", 100)])
@pytest.mark.parametrize("name", MECHANISMS)
def test_reports_of_the_law_are_seldom_rejected(name, kind, n, gate):
    rejected = rejections(MECHANISMS[name], kind, n, LONG)
    gate.rejects("goodness of fit, size", max(rejected.values()), LONG, ALARM)


def test_normal_tests_at_projected_shares_would_fail():
    """The control: the lowest share on a line, over its standard error at the projected shares."""
    mechanism, rng, rejected = MECHANISMS["line"], np.random.default_rng(9), 0
    decoder = decoder_of(mechanism)
    for _ in range(SHORT):
        estimate = dc.estimate(draw(mechanism, law_of(40, "rare"), 1000, rng))
        p = estimate.plug_in
        alpha = decoder.second_moments(p) - decoder.second_moment_derivative(p) * p
        varies = alpha > 1e-10
        lowest = (estimate.shares[varies] / np.sqrt(alpha[varies] / estimate.n)).min()
        rejected += 40 * math.erfc(-lowest / math.sqrt(2)) / 2 < 0.05
    assert rejected > stats.binom.isf(ALARM, SHORT, SIZE)


def test_a_tenth_that_sends_one_rare_report_is_seen():
    """Power: where cells are rare, the test that allows for it still sees what no shares give."""
    mechanism, rng = MECHANISMS["rare reports"], np.random.default_rng(2)
    for _ in range(5):
        tally = draw(mechanism, law_of(3, "common"), 300, rng, evading=0.1, sent=5)
        assert dc.goodness_of_fit(tally).p < 1e-3
