"""Error bars where they are hardest: rare values, small groups, steep contexts, many at once.

Surveys are simulated from their exact law: counts of cells where each report has one, reports elsewhere. A figure fails
where the number of surveys that it covers is one that a true coverage of .935 stays below with a probability of 1e-9,
or the number that it rejects one that a size of .07 exceeds so rarely: with some 1,600 figures the false-alarm rate of
the file is below 2e-6 if every true figure is at its limit, and far lower where they are better. What a thousand
surveys of one setting do not show, all settings of a kind do together, at the end of a run (`tests/gate.py`). The
control is the rule that takes variances at the projected shares and a normal distribution: it fails by far.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import discreet as dc
from discreet.analysis.groups.comparison import holm
from discreet.analysis.groups.group_moments import TalliedGroups
from discreet.analysis.groups.omnibus import omnibus_of_tallies
from discreet.analysis.reference_distribution import ReferenceDistribution
from discreet.checks.execution import is_identifiable
from discreet.checks.vectors.laws import small_laws
from discreet.collector.results import Breakdown, compare_groups, shares_by_cell
from discreet.collector.store.tallies import CellCounts
from discreet.estimation.decoders import decoder_of
from discreet.estimation.results.intervals import quantile
from discreet.estimation.results.score_law import concatenate_laws
from discreet.estimation.results.weights import calibrated_weights, constants
from discreet.estimation.tally import Tally

COVERAGE, SIZE, ALARM = 0.935, 0.07, 1e-9
SHORT, LONG, TOGETHER = 25, 1000, 10
"""Surveys of each setting in short and in full, of many people a quarter of them; bands are drawn in one of ten."""

CONTEXTS = {
    "uniform": dc.Context.uniform(range(6), "2"),
    "blocks": dc.Context.blocks({"a": range(4), "b": range(4, 7), "c": [7]}, "1"),
    "high-low": dc.Context.high_low(range(12), range(4), "1"),
    "binary": dc.Context.binary("no", "yes", ("2", "0.5")),
    "line": dc.Context.metric(range(18, 100), "line", "0.3"),
    "steep line": dc.Context.metric(range(20), "line", "2"),
    "ring": dc.Context.metric(range(24), "ring", "0.4"),
    "grid": dc.Context.metric([(x, y) for x in range(5) for y in range(4)], "l1", "1"),
    "nested": dc.Context.nested({"n": {"a": [0, 1], "b": [2, 3]}, "s": {"c": [4, 5], "d": [6, 7]}}, ["1", "2", "4"]),
    "graded": dc.Context.graded(dict(enumerate(["1", "1", "2", "2", "4", "4"]))),
    "product": dc.Context.uniform(range(3), "2") * dc.Context.metric(range(4), "line", "1"),
    "sum": dc.Context.uniform(range(6), "1") + dc.Context.high_low(range(6), [0, 1], "1"),
    "meet": dc.Context.uniform(range(6), "2") & dc.Context.high_low(range(6), [0, 1], "1"),
    "outside": dc.Context.metric(range(8), "line", "0.7").with_outside(["prefer not to say", "other"], "2"),
    "matrix": dc.Context.matrix(range(3), [[0, 1, 2], [1, 0, 1], [2, 1, 0]]),
}
"""Every form of context, each with the mechanism that is chosen for it."""


def by_name():
    """One mechanism of every name, with 3 to 12 values: those that the kinds of law give as examples."""
    some = {one.name: one for one in small_laws() if 3 <= one.context.size <= 12}
    return {name: one for name, one in some.items() if is_identifiable(one.sampler)}


MECHANISMS = {
    **{f"{form} context": dc.mechanism(context) for form, context in CONTEXTS.items()},
    "map": dc.mechanism(dc.Context.metric([(x, y) for x in range(6) for y in range(5)], "l1", "0.5"), "torus"),
    **by_name(),
}


def law_of(size, kind):
    """A third of the values common and the others rare, or most people holding one value."""
    shares = np.full(size, 0.002)
    shares[: 1 if kind == "one value" else max(1, size // 3)] = 1.0
    return shares / shares.sum()


def draw(mechanism, shares, n, rng):
    """The tally of n people, by the exact law of reports."""
    decoder = decoder_of(mechanism)
    if decoder.disjoint:
        chances = np.maximum(decoder.expected_counts(shares), 0.0)
        return Tally(mechanism, rng.multinomial(n, chances / chances.sum()), n)
    people = rng.choice(len(shares), n, p=shares)
    return mechanism.tally(mechanism.randomize_indices(people, dc.random.seeded(int(rng.integers(1 << 60)))))


def inside(ends, truth):
    low, high = ends
    return (low <= truth + 1e-12) & (truth <= high + 1e-12)


def by_the_old_rule(estimate):
    """The share and 1.96 standard errors at the projected shares."""
    p = estimate.plug_in
    moments = decoder_of(estimate.mechanism).second_moments(p)
    reach = 1.96 * np.sqrt(np.maximum(moments - p**2, 0.0) / estimate.n)
    return estimate.shares - reach, estimate.shares + reach


def laws_of_survey(mechanism, shares, n, rng):
    """The confidence distribution of every figure of a survey, of two halves of its people, and the test of both."""
    halves, size = [draw(mechanism, shares, n // 2, rng) for _ in range(2)], len(shares)
    estimate, numbers = dc.estimate(halves[0] + halves[1]), np.arange(size)
    groups = {("a",): [halves[0]], ("b",): [halves[1]]}
    by_share, by_mean = TalliedGroups(groups, np.eye(size), shares=True), TalliedGroups(groups, numbers[None, :] / 1.0)
    apart = ReferenceDistribution.unclustered(1)
    laws = {
        "share": estimate.law,
        "curve": estimate.cumulative(estimate.values).law,
        "mean": estimate._query_law(estimate.query(numbers)),
        "difference": by_share.moments().laws_of([(1, 0)], apart)[0],
        "difference of means": by_mean.moments().laws_of([(1, 0)], apart)[0],
    }
    return estimate, laws, omnibus_of_tallies(by_share, [[0, 1]])


def surveys(mechanism, shares, n, count, seed=7):
    """How often intervals of each kind hold the truth, and tests of two halves of one sample reject.

    Ends of many surveys are found at once: every door gives these (below), but one survey at a time.
    """
    rng, size = np.random.default_rng(seed), len(shares)
    truths = {"share": shares, "curve": np.cumsum(shares)[:-1], "mean": [np.arange(size) @ shares]}
    covered = dict.fromkeys((*truths, "difference", "difference of means", "old rule"), 0)
    together, rejected, found = {"all": [], "band": []}, dict.fromkeys(("Holm", "omnibus"), 0), {}
    for number in range(count):
        estimate, laws, test = laws_of_survey(mechanism, shares, n, rng)
        for name, law in laws.items():
            found.setdefault(name, []).append(law)
        covered["old rule"] += inside(by_the_old_rule(estimate), shares)
        rejected["omnibus"] += test is not None and test.p < 0.05
        if number % TOGETHER == 0:  # their level is simulated each time
            together["all"].append(inside(estimate.simultaneous_interval(), shares).all())
            band = estimate.cumulative(estimate.values).simultaneous_interval()
            together["band"].append(inside(band, np.cumsum(shares)).all())
    for name, laws in found.items():
        several = concatenate_laws(laws)
        if name in truths:
            low, high = several.ends(quantile(0.95))
            assert ((low <= several.value) & (several.value <= high)).all()
            covered[name] += inside((low, high), np.tile(truths[name], count)).reshape(count, -1).sum(axis=0)
        else:
            p = several.p_values().reshape(count, -1)
            covered[name] += (p >= 0.05).sum(axis=0)
            if name == "difference":
                rejected["Holm"] = sum(holm(row[: 1 if size == 2 else size]).min() < 0.05 for row in p)
    return covered, together, rejected


def check(gate, mechanism, shares, n, count):
    """The figures of one setting."""

    def simulate(gate, count, seed):
        covered, together, rejected = surveys(mechanism, shares, n, count, seed)
        for name, hits in together.items():
            gate.covers(name, sum(hits), len(hits), ALARM)
        for name, hits in covered.items():
            gate.covers(name, hits, count, ALARM)
        for name, times in rejected.items():
            gate.rejects(name, times, count, ALARM)

    gate.settle(simulate, count)


@pytest.mark.parametrize("name", MECHANISMS)
def test_intervals_cover_and_tests_keep_their_size_in_some_surveys(name, gate):
    mechanism = MECHANISMS[name]
    check(gate, mechanism, law_of(mechanism.context.size, "rare"), 400, SHORT)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "n"), [("rare", 100), ("rare", 2000), ("one value", 20_000)])
@pytest.mark.parametrize("name", MECHANISMS)
def test_intervals_cover_and_tests_keep_their_size(name, kind, n, gate):
    mechanism = MECHANISMS[name]
    check(gate, mechanism, law_of(mechanism.context.size, kind), n, LONG if n < 20_000 else LONG // 4)


@pytest.mark.parametrize("name", ["line context", "blocks context"])
def test_variances_at_projected_shares_would_fail(name):
    """The control: of the hard settings, the old rule covers fewer than 9 of 10."""
    mechanism = MECHANISMS[name]
    covered, _, _ = surveys(mechanism, law_of(mechanism.context.size, "rare"), 400, SHORT)
    assert covered["old rule"].min() <= 0.9 * SHORT


def weighted_surveys(n, count):
    """How often intervals of shares cover where a few people count for many others: by the law, and by t alone."""
    mechanism = dc.mechanism(dc.Context.high_low(range(4), range(2), "2"))
    shares, rng = np.array([0.3, 0.02, 0.08, 0.6]), np.random.default_rng(3)
    covered, by_t = np.zeros(4), np.zeros(4)
    for number in range(count):
        weights = np.exp(rng.normal(0, np.sqrt(np.log(1 + 1.5**2)), n))  # a coefficient of variation of 1.5
        reports = mechanism.randomize_indices(rng.choice(4, n, p=shares), dc.random.seeded(number))
        means = dc.Survey(mechanism, reports, weights=weights).shares()
        covered += inside(np.array(means.interval())[:, 0], shares)
        reach = stats.t.isf(0.025, means.reference.df[0]) * means.stderr[0]
        by_t += inside((means.estimate[0] - reach, means.estimate[0] + reach), shares)
    return covered, by_t


def test_some_weighted_surveys_cover_rare_values_where_t_alone_does_not():
    covered, by_t = weighted_surveys(100, 400)
    assert covered.min() >= stats.binom.ppf(ALARM / 4, 400, COVERAGE)
    assert by_t.min() < stats.binom.ppf(1e-4, 400, COVERAGE)


@pytest.mark.long
@pytest.mark.parametrize("n", [100, 400, 2000])
def test_weighted_surveys_cover_rare_values(n, gate):
    covered, _ = weighted_surveys(n, LONG)
    gate.covers("weighted share", covered, LONG, ALARM)


def test_every_door_gives_the_same_figures():
    context = dc.Context.high_low(range(6), [0, 1], "1")
    mechanism = dc.mechanism(context)
    people = np.random.default_rng(3).choice(6, 500, p=law_of(6, "rare"))
    reports = mechanism.randomize_indices(people, dc.random.seeded(3))
    estimate = dc.estimate(mechanism.tally(reports))
    survey = dc.Survey(mechanism, reports, labels={"half": ["odd", "even"] * 250, "all": ["all"] * 500})
    ends = np.array(estimate.interval())
    for means in (survey.shares(), survey.by("all")):
        assert means.estimate[0] == pytest.approx(estimate.shares, abs=1e-12)
        assert means.stderr[0] == pytest.approx(estimate.stderr, abs=1e-12)
        assert np.array(means.interval())[:, 0] == pytest.approx(ends, abs=1e-12)
    query, asked = estimate.query({0: 1, 3: 1}), survey.query({0: 1, 3: 1})
    assert asked.estimate[0, 0] == pytest.approx(query.value, abs=1e-12)
    assert np.array(asked.interval()).reshape(-1) == pytest.approx(np.array(query.interval()), abs=1e-12)
    by_survey, by_tallies = (dc.compare(one, by="half") for one in (survey, survey.tallies("half")))
    assert by_survey.p == pytest.approx(by_tallies.p, abs=1e-12)
    halves = [dc.estimate(survey.tallies("half")[half]).shares for half in ("even", "odd")]
    assert by_survey.difference[0] == pytest.approx(halves[1] - halves[0], abs=1e-12)
    low, high = by_survey.interval()
    assert np.array_equal((low > 0) | (high < 0), by_survey.p < 0.05)
    evaders = dc.noncompliance(mechanism.tally(reports), to=3, query={0: 1, 3: 1})
    assert (evaders.value, evaders.stderr) == pytest.approx((query.value, query.stderr), abs=1e-12)
    weighted = dc.Survey(mechanism, reports, weights=np.ones(500)).shares()
    assert weighted.estimate[0] == pytest.approx(estimate.shares, abs=1e-12)
    assert weighted.stderr[0] == pytest.approx(estimate.stderr, rel=0.2, abs=1e-3)
    assert np.array(weighted.interval())[:, 0] == pytest.approx(ends, abs=0.02)


CROSSED = dc.mechanism(dc.Context.uniform(range(2), "2"))
SAME_LAW = [name for name in MECHANISMS if decoder_of(MECHANISMS[name]).disjoint]
"""Where counts tell the law of every report's score; elsewhere tallies and reports agree about."""


@pytest.mark.parametrize("name", SAME_LAW)
def test_curves_tables_regressions_and_the_collector_give_the_figures_of_queries(name):
    mechanism, shares = MECHANISMS[name], law_of(MECHANISMS[name].context.size, "rare")
    values, people = list(mechanism.context.values), np.random.default_rng(4).choice(len(shares), 400, p=shares)
    reports, week = mechanism.randomize_indices(people, dc.random.seeded(4)), np.arange(400) % 2
    survey = dc.Survey(mechanism, reports, labels={"week": week})
    estimate, close = dc.estimate(survey.tally), {"abs": 1e-8, "rel": 1e-8}
    below = dict.fromkeys(values[: max(min(2, len(values) - 1), len(values) // 2)], 1)
    query = estimate.query(below)
    curve = estimate.cumulative(values)
    assert curve.raw[len(below) - 1] == pytest.approx(query.value, **close)
    assert [end[len(below) - 1] for end in curve.law.ends(quantile(0.95))] == pytest.approx(query.interval(), **close)
    line = dc.regress(survey, below, on=["week"])
    apart = dc.compare(survey, by="week", query=below)
    assert [line.coefficients[1], line.p[1]] == pytest.approx([apart.difference[0, 0], apart.p[0, 0]], **close)
    assert [end[1] for end in line.interval()] == pytest.approx(np.ravel(apart.interval()), **close)
    assert np.ravel(dc.regress(survey, below, on=[]).interval()) == pytest.approx(query.interval(), **close)
    cells = {((("week", str(one)),), "2026-11-17"): mechanism.tally(reports[week == one]).counts for one in (0, 1)}
    counts = CellCounts(mechanism, cells)
    (shown,) = shares_by_cell(counts, Breakdown(), 1)
    assert shown["result"]["low"] == pytest.approx(estimate.interval()[0], **close)
    weeks = {text: dc.Tally(mechanism, own, 200) for text, own in zip("01", cells.values(), strict=True)}
    (pair,) = compare_groups(weeks)["pairs"]
    between = dc.compare(survey, by="week")
    assert np.array(pair["p"]) == pytest.approx(between.p[0], **close)
    assert np.array(pair["difference"]) == pytest.approx(-between.difference[0], **close)
    assert compare_groups(weeks)["omnibus"]["p"] == pytest.approx(between.omnibus.p, **close)
    alone = [estimate.query({value: 1}).interval() for value in values]
    if len(values) <= 12 and has_three_levels(mechanism):
        other = dc.Survey(CROSSED, CROSSED.randomize_indices(people % 2, dc.random.seeded(5)))
        margin = dc.crosstab(survey, other, permutations=0).laws[1]
        assert np.array(margin.ends(quantile(0.95))) == pytest.approx(np.array(alone).T, **close)


def has_three_levels(mechanism):
    """Whether the scores of every value by itself are the largest, 0 and the smallest, as the law of a share has it."""
    decoder, one = decoder_of(mechanism), np.eye(mechanism.context.size)
    scores = calibrated_weights(decoder, one, constants(decoder, one))
    return all({*row.round(9)} <= {0.0, row.min().round(9), row.max().round(9)} for row in scores)


@pytest.mark.parametrize("name", MECHANISMS)
def test_intervals_of_hostile_tallies_hold_the_share_and_grow_with_confidence(name):
    mechanism = MECHANISMS[name]
    first, last = mechanism.randomize_many([mechanism.context.values[0]] * 2, dc.random.seeded(1)).tolist()
    for reports in ([first], [first, last], [first] * 50, [first] * 49 + [last]):
        estimate, before = dc.estimate(mechanism.tally(reports)), None
        for confidence in (0.1, 0.5, 0.9, 0.95, 0.999):
            for anytime in (False, True):
                low, high = estimate.interval(confidence, anytime=anytime)
                assert np.isfinite([low, high]).all()
                assert ((low <= estimate.shares) & (estimate.shares <= high)).all()
            low, high = estimate.interval(confidence)
            assert before is None or ((low <= before[0]) & (before[1] <= high)).all()
            before = low, high


def test_groups_are_compared_with_the_reference_that_is_named():
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "2"))
    reports = mechanism.randomize_many(["yes", "no", "no"] * 200, dc.random.seeded(1))
    survey = dc.Survey(mechanism, reports, labels={"town": ["a", "b", "c"] * 200, "one": ["x"] * 600})
    named = dc.compare(survey, by="town", query={"yes": 1}, reference="b")
    assert [other for _, other in named.pairs] == [("b",), ("b",)]
    assert named.difference[0, 0] == -dc.compare(survey, by="town", query={"yes": 1}).difference[0, 0]
    with pytest.raises(dc.errors.InvalidInput, match="reference='d' must be the label of a group: a, b, c"):
        dc.compare(survey, by="town", reference="d")
    assert "<0.0001" in str(named)
    assert "0.0000 " not in str(named)
    assert survey.by(["town", "one"]).groups == survey.by("town", "one").groups
    assert len(named) == len(named.to_polars()) == 2
