"""Laws of objectives: exact variances of linear queries, at given shares and at the worst ones."""

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks.statistics import enumerate_channel
from discreet.core.errors import BeyondLimits, InvalidInput, UnknownValue
from discreet.core.limits import Limits, metering
from discreet.estimation.decoders import decoder_of
from discreet.planning.objective import objective_of

CONTEXTS = {
    "uniform": dc.Context.uniform(range(6), "1"),
    "blocks": dc.Context.blocks({0: [0, 1, 2], 1: [3, 4, 5], 2: [6]}, "1"),
    "high_low": dc.Context.high_low(range(6), [1, 2, 5], "1"),
    "metric": dc.Context.metric(range(6), lambda x, z: abs(x - z), "0.7"),
}
QUERIES = [None, "shares", "mean", "cumulative", {0: 1, 2: -2.5}, ["mean", "shares"]]


def written_out(mechanism, objective, shares):
    """The summed variances from the channel and the estimate, or the calibrated score, of every report."""
    channel, phi, _ = enumerate_channel(mechanism)
    even, reports, total = np.full(len(shares), 1 / len(shares)), mechanism.reports(), 0.0
    for _, rows in objective.targets:
        scores = phi.T if rows is None else [mechanism.score(reports, row, shares=even) for row in rows]
        for row, score in zip(np.eye(len(shares)) if rows is None else rows, scores, strict=True):
            assert channel @ score == pytest.approx(row, abs=1e-9), "scores are unbiased"
            total += (shares @ channel) @ score**2 - (row @ shares) ** 2
    return total


@pytest.mark.parametrize("query", QUERIES, ids=repr)
@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_an_error_is_the_variance_written_out_and_no_shares_are_worse_than_the_worst(context, query):
    rng = np.random.default_rng(5)
    plain, worst = objective_of(context, query), objective_of(context, query, worst=True)
    corners = np.vstack([np.eye(context.size), rng.dirichlet(np.full(context.size, 0.4), size=60)])
    for candidate in dc.explain(context).candidates:
        shares, mechanism = rng.dirichlet(np.ones(context.size)), candidate.mechanism
        error = plain.error(mechanism, shares)
        assert error == pytest.approx(written_out(mechanism, plain, shares), rel=1e-9)
        others = shares**2 / np.sum(shares**2)
        assert error != pytest.approx(written_out(mechanism, plain, others), rel=1e-9), "the control"
        bound = worst.error(mechanism, shares)
        tried = [plain.error(mechanism, p) for p in corners]
        assert max(tried) <= bound * (1 + 1e-9)
        if len(worst.weights) == 1:
            assert max(tried) > 0.8 * bound


def test_the_worst_shares_of_a_mechanism_attain_its_worst_error():
    context = dc.Context.high_low(range(9), range(4), "1")
    mechanism = dc.mechanism(context)
    bound = objective_of(context, worst=True).error(mechanism, np.full(9, 1 / 9))
    masses = [np.r_[np.full(4, m / 4), np.full(5, (1 - m) / 5)] for m in np.linspace(0, 1, 4001)]
    found = max(objective_of(context).error(mechanism, p) for p in masses)
    assert found == pytest.approx(bound, rel=1e-6)
    assert found <= bound


def test_alike_values_have_their_worst_at_even_shares_however_many_they_are():
    for k in (7, 100_000):
        context = dc.Context.uniform(range(k), "1")
        mechanism, even = dc.mechanism(context, "hadamard"), np.full(k, 1 / k)
        at, worst = (objective_of(context, worst=w).error(mechanism, even) for w in (False, True))
        assert worst == pytest.approx(at, rel=1e-12)


def test_targets_are_named_rows_of_weights():
    context = dc.Context.uniform([10, 20.5, Fraction(61, 2)], "1")
    (name, rows), *none = objective_of(context, "mean").weights
    assert (name, rows.tolist(), none) == ("mean", [[10, 20.5, 30.5]], [])
    assert objective_of(context, "cumulative").weights[0][1].tolist() == [[1, 0, 0], [1, 1, 0]]
    assert objective_of(context).weights[0][1].tolist() == np.eye(3).tolist()
    assert objective_of(context, {20.5: 2}).weights[0][1].tolist() == [[0, 2, 0]]
    assert objective_of(context, [0, 2, 0]).weights[0][1].tolist() == [[0, 2, 0]]
    assert objective_of(context, np.array([0, 2, 0])).weights[0][1].tolist() == [[0, 2, 0]]
    both = objective_of(context, ["mean", [0, 2, 0]], worst=True)
    assert [name for name, _ in both.weights] == ["mean", "query"]
    assert both.name == "mean and query in the worst case"


def test_several_targets_are_weighed_by_the_best_of_each_alone():
    context = dc.Context.metric(range(12), lambda x, z: abs(x - z), "0.5")
    shares = np.full(12, 1 / 12)
    objective = objective_of(context, ["shares", "mean"])
    found = [objective.errors(decoder_of(c.mechanism), shares) for c in dc.explain(context).candidates]
    best = [min(column) for column in zip(*found, strict=True)]
    balanced = objective.balance(best)
    for errors in found:
        ratios = [error / least for error, least in zip(errors, best, strict=True)]
        assert balanced.combine(errors) == pytest.approx(sum(ratios) / 2)
        assert balanced.combine(errors) >= 1 - 1e-12
    single = objective_of(context, "mean")
    assert single.balance([3.0]) is single


def test_a_mechanism_without_an_estimate_has_no_finite_error():
    context = dc.Context.binary("no", "yes", ("0", "0"))
    mechanism = dc.mechanism(context)
    for query, worst in ((None, False), ({"yes": 1}, False), (None, True)):
        assert objective_of(context, query, worst=worst).error(mechanism, np.array([0.5, 0.5])) == math.inf


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("median", 'query=\'median\' must be "shares", "mean", "cumulative"'),
        (3, "query=3 must be"),
        ([], "query=\\[\\] must name at least one target"),
        ([1, 2], "query of shape \\(2,\\) must be 3 finite numbers"),
        ([1, math.nan, 2], "query of shape"),
        ([1, 1, 1], "query weighs all values alike"),
        (["shares", "median"], "query\\[1\\]='median' must be"),
        (["shares", {"a": 1, "b": 1, "c": 1}], "query\\[1\\] weighs all values alike"),
        ("mean", "query=\"mean\" needs values that are numbers; 'a' is not one"),
        ([None, 3], "query\\[1\\]"),
        ({"a": "x"}, "query="),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(query, message):
    with pytest.raises(InvalidInput, match=message):
        objective_of(dc.Context.uniform(["a", "b", "c"], "1"), query)


def test_values_without_a_mean_or_an_order_are_refused():
    pairs = dc.Context.uniform([(0, 1), (1, 0)], "1")
    with pytest.raises(InvalidInput, match="needs values that are numbers"):
        objective_of(pairs, "mean")
    assert objective_of(pairs, "cumulative").weights[0][1].tolist() == [[1, 0]]
    with pytest.raises(InvalidInput, match="at least two values"):
        objective_of(dc.Context.uniform([3], "1"), "mean")
    for k in (1, 5000):
        with pytest.raises(InvalidInput, match=f"needs from 2 to 4096 values; there are {k}"):
            objective_of(dc.Context.uniform(range(k), "1"), "cumulative")
    with pytest.raises(UnknownValue):
        objective_of(pairs, {"stranger": 1})
    with pytest.raises(InvalidInput, match="worst=1 must be True or False"):
        objective_of(pairs, worst=1)
    with pytest.raises(InvalidInput, match="worst=True is too much work for cumulative of 4000 values"):
        objective_of(dc.Context.uniform(range(4000), "1"), "cumulative", worst=True)


def test_what_a_document_asks_is_counted_first():
    with metering(Limits(work=10_000)), pytest.raises(BeyondLimits, match="cumulative shares"):
        objective_of(dc.Context.uniform(range(1000), "1"), "cumulative")
    with metering(Limits(work=10_000)), pytest.raises(BeyondLimits, match="queries"):
        objective_of(dc.Context.uniform(range(1000), "1"), ["mean"] * 11)


def test_what_nobody_hides_has_the_variance_of_a_sample():
    context = dc.Context.uniform(range(4), "1")
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    assert objective_of(context).unhidden(shares) == pytest.approx(1 - (shares**2).sum())
    values = np.arange(4)
    assert objective_of(context, "mean").unhidden(shares) == pytest.approx(
        (values**2 * shares).sum() - (values * shares).sum() ** 2
    )
    for query in (None, "mean", "cumulative"):
        asked = objective_of(context, query)
        assert asked.unhidden(shares) < asked.error(dc.mechanism(context), shares)
