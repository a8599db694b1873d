"""Error bars of numbers: means, differences of means, variances, quantiles, and slopes with numbers on either side.

What people hold is drawn from 20,000 numbers of one kind, cut at the bounds, and rounded to nodes at random. A figure
fails where fewer surveys cover than a true coverage of .935 gives with a probability of 1e-9 for each figure, of which
there are some 500; all settings of a kind are also judged together (`tests/gate.py`). Quantiles are bounded by means of
F over some values and to whole steps, and 100 people stand beside two more at the extremes, so that these cover more
often. The controls are intervals of cut incomes for the mean of uncut ones, and slopes on scores as if these were
numbers.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.groups.group_moments import TalliedGroups
from discreet.analysis.reference_distribution import ReferenceDistribution
from discreet.core.errors import Unavailable
from discreet.estimation.results.intervals import quantile
from discreet.estimation.results.score_law import concatenate_laws

from .test_gate import draw, inside

ALARM = 1e-9
SHORT, LONG, LARGE = 25, 1000, 250
"""Surveys of each setting in short, in full, and there of 20,000 people; fewer of quantiles and predictors."""
HIGH = 4000
CONTEXTS = {
    "uniform": dc.Context.numbers(0, HIGH, "1", clip=True),
    "uniform, epsilon 4": dc.Context.numbers(0, HIGH, "4", clip=True),
    "line": dc.Context.numbers(0, HIGH, "0.002", step=50, distance="line", clip=True),
    "graded": dc.Context.numbers(0, HIGH, "4", nodes=17, grades={(2000, HIGH): "1"}, clip=True),
}
KINDS = ("normal", "income", "spiky")
PEOPLE = [(n, LONG if n < 20_000 else LARGE) for n in (100, 400, 2000, 20_000)]
LEVELS = (0.5, 0.9)


@cache
def mechanism_of(name):
    return dc.mechanism(CONTEXTS[name])


@cache
def numbers_of(kind, *, cut=True):
    """The 20,000 numbers that people may hold: bell-shaped, skewed with some beyond the bounds, or only three."""
    rng = np.random.default_rng(1)
    held = {
        "normal": lambda: rng.normal(2000, 480, 20_000),
        "income": lambda: rng.lognormal(np.log(1000), 0.8, 20_000),
        "spiky": lambda: rng.choice([520.0, 2000.0, 3640.0], 20_000, p=[0.6, 0.28, 0.12]),
    }[kind]()
    return np.clip(held, 0, HIGH).round(2) if cut else held


@cache
def shares_of(name, kind):
    """The shares of the nodes to which these numbers are rounded."""
    domain, step = CONTEXTS[name].domain, float(CONTEXTS[name].domain.step)
    node, rest = np.divmod(numbers_of(kind), step)
    node = node.astype(int)
    shares = np.bincount(node, 1 - rest / step, domain.nodes + 1) + np.bincount(node + 1, rest / step, domain.nodes + 1)
    return shares[: domain.nodes] / shares.sum()


def surveys(name, kind, n, count, seed):
    """How often intervals of each figure hold the truth, with how many surveys there were of each."""
    mechanism, shares, held = mechanism_of(name), shares_of(name, kind), numbers_of(kind)
    rng, nodes, apart = np.random.default_rng(seed), np.array(mechanism.context.values), ReferenceDistribution
    truths = {"mean": held.mean(), "variance": held.var(), "difference of means": 0.0}
    laws, quantiles = {figure: [] for figure in truths}, {level: [] for level in LEVELS}
    for number in range(count):
        halves = [draw(mechanism, shares, n // 2, rng) for _ in range(2)]
        estimate = dc.estimate(halves[0] + halves[1])
        groups = TalliedGroups({(str(side),): [half] for side, half in enumerate(halves)}, nodes[None, :] / 1.0)
        laws["mean"].append(estimate._query_law(estimate.mean()))
        laws["variance"].append(estimate._query_law(estimate.variance()))
        laws["difference of means"].append(groups.moments().laws_of([(1, 0)], apart.unclustered(1))[0])
        for level, found in quantiles.items():
            if number % 5 == 0:
                truth = np.quantile(held, level, method="inverted_cdf")
                found.append(inside(estimate.quantile(level).interval(), truth))
    covered = {}
    for figure, found in laws.items():
        ends = concatenate_laws(found).ends(quantile(0.95))
        covered[figure] = int(np.sum(inside(ends, truths[figure]))), count
    return {**covered, **{f"quantile {level}": (sum(found), len(found)) for level, found in quantiles.items()}}


def check(gate, name, kind, n, count):
    def simulate(gate, count, seed):
        for figure, (hits, times) in surveys(name, kind, n, count, seed).items():
            gate.covers(f"{figure} of numbers", hits, times, ALARM)

    gate.settle(simulate, count)


@pytest.mark.parametrize("name", CONTEXTS)
def test_intervals_of_numbers_cover_in_some_surveys(name, gate):
    check(gate, name, "income", 400, SHORT)


@pytest.mark.long
@pytest.mark.parametrize(("n", "count"), PEOPLE)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CONTEXTS)
def test_intervals_of_numbers_cover(name, kind, n, count, gate):
    check(gate, name, kind, n, count)


def test_the_mean_of_uncut_incomes_is_missed_by_intervals_of_cut_ones():
    """The control: with bounds that cut 1 income in 25, the interval of 20,000 people is about another mean."""
    mechanism, rng = mechanism_of("uniform, epsilon 4"), np.random.default_rng(2)
    truth, held = numbers_of("income", cut=False).mean(), 0
    for _ in range(SHORT):
        mean = dc.estimate(draw(mechanism, shares_of("uniform, epsilon 4", "income"), 20_000, rng)).mean()
        held += inside(mean.interval(), truth)
    assert held < SHORT / 2


def slopes(name, kind, n, count, seed):
    """How often intervals hold the slope of a number on a label; that of all 20,000 people is the truth."""
    mechanism, rng = mechanism_of(name), np.random.default_rng(seed)
    held = numbers_of(kind)
    label = (held - held.mean()) / held.std() + np.random.default_rng(3).normal(0, 1, len(held))
    truth, covered = np.polyfit(label, held, 1)[0], 0
    for _ in range(count):
        people = rng.integers(len(held), size=n)
        reports = mechanism.randomize_many(held[people], dc.random.seeded(int(rng.integers(1 << 60))))
        survey = dc.Survey(mechanism, reports, labels={"label": label[people]})
        low, high = dc.regress(survey, "mean", on=["label"]).interval()
        covered += low[1] <= truth <= high[1]
    return covered


@pytest.mark.parametrize("name", ["uniform, epsilon 4", "line"])
def test_slopes_of_numbers_cover_in_some_surveys(name, gate):
    gate.covers("slope of a number", slopes(name, "income", 400, SHORT, 5), SHORT, ALARM)


@pytest.mark.long
@pytest.mark.parametrize(("n", "count"), PEOPLE)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CONTEXTS)
def test_slopes_of_numbers_cover(name, kind, n, count, gate):
    gate.settle(
        lambda gate, count, seed: gate.covers("slope of a number", slopes(name, kind, n, count, seed), count, ALARM),
        count,
    )


BOTH = "uniform, epsilon 4"


@cache
def mechanism_for_predictors():
    """A law for the mean and that of squares, which a number as a predictor needs."""
    context = CONTEXTS[BOTH]
    return dc.mechanism(context, query=["mean", [float(node) ** 2 for node in context.values]])


def slopes_on(mechanism, kind, n, count, seed):
    """How often the slope of an outcome on a number is held, refused as unknown, and held where scores are numbers."""
    rng, held = np.random.default_rng(seed), numbers_of(kind)
    covered, refused, by_scores = 0, 0, 0
    for _ in range(count):
        people = rng.integers(len(held), size=n)
        outcome = held[people] / 1000 + rng.normal(0, 1, n)
        reports = mechanism.randomize_many(held[people], dc.random.seeded(int(rng.integers(1 << 60))))
        survey = dc.Survey(mechanism, reports, labels={"outcome": outcome})
        scores = survey.scores(np.array(mechanism.context.values) / 1000)
        slope, constant = np.polyfit(scores, outcome, 1)
        error = np.std(outcome - slope * scores - constant) / scores.std() / np.sqrt(n)
        by_scores += abs(slope - 1) < 1.96 * error
        try:
            low, high = dc.regress_on(survey, "outcome", "mean").interval()
        except Unavailable:
            refused += 1
            continue
        covered += low[-1] <= 1e-3 <= high[-1]
    return covered, refused, by_scores


def test_slopes_on_numbers_cover_in_some_surveys_and_scores_are_no_numbers(gate):
    covered, refused, by_scores = slopes_on(mechanism_for_predictors(), "income", 400, SHORT // 2, 5)
    gate.covers("slope on a number", covered + refused, SHORT // 2, ALARM)
    assert refused < SHORT / 5
    assert by_scores == 0


@pytest.mark.long
@pytest.mark.parametrize("law", ["mean", "mean and squares"])
@pytest.mark.parametrize(("n", "count"), PEOPLE)
@pytest.mark.parametrize("kind", KINDS)
def test_slopes_on_numbers_cover_or_are_refused(kind, n, count, law, gate):
    mechanism, times = mechanism_for_predictors() if law != "mean" else mechanism_of(BOTH), count // 10
    covered, refused, _ = slopes_on(mechanism, kind, n, times, 6)
    if refused < times:
        gate.covers("slope on a number", covered, times - refused, ALARM)
    assert not refused or n < 2000


def test_a_number_as_predictor_is_freed_from_what_rounding_adds_to_its_spread():
    """With steps as long as its spread, and no noise to speak of; untouched squares would have a slope of 0.85."""
    mechanism = dc.mechanism(dc.Context.numbers(0, HIGH, "30", nodes=9, clip=True), "randomized_response")
    held, rng = numbers_of("normal"), np.random.default_rng(4)
    outcome = held / 1000 + rng.normal(0, 0.2, len(held))
    survey = dc.Survey(mechanism, mechanism.randomize_many(held, dc.random.seeded(5)), labels={"outcome": outcome})
    fit = dc.regress_on(survey, "outcome", "mean")
    most = 500**2 / 8 / held.var()  # by how much its spread may be wrong
    assert abs(1 / (1000 * fit.coefficients[-1]) - 1) < most
    assert fit.correlation.estimate == pytest.approx(np.corrcoef(held, outcome)[0, 1], rel=most / 2)
