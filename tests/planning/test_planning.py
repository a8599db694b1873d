"""Plans: exact expected error, honest targets."""

import json

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.estimation.decoders import decoder_of
from discreet.planning import expected_error

SURVEYS = 40_000


def contexts() -> list[dc.Context]:
    values = range(12)
    return [
        dc.Context.uniform(values, "1"),
        dc.Context.blocks({"a": range(5), "b": [5], "c": range(6, 12)}, {"a": "1", "b": "1", "c": "0.5"}),
        dc.Context.high_low(values, [0, 3, 4], "1"),
        dc.Context.binary("no", "yes", ("inf", "1")),
        dc.Context.metric(range(6), lambda x, z: abs(x - z), "0.7"),
        dc.Context.matrix(list("abc"), [[0, 1, "inf"], [2, 0, "inf"], [1, 1, 0]]),
    ]


def skewed(k: int) -> np.ndarray:
    return np.arange(1, k + 1) / (k * (k + 1) / 2)


def simulate(mechanism: dc.Mechanism, n: int, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Unbiased shares of SURVEYS simulated surveys, drawn from the exact channel."""
    channel = np.array(mechanism.channel(), dtype=float)
    reports = mechanism.reports()
    decoder = decoder_of(mechanism)
    cells = np.zeros((len(reports), decoder.cells))
    for row, y in enumerate(reports):
        cells[row, list(decoder.cells_of(y))] = 1
    phi = np.array([decoder.decode(one) for one in cells])
    return rng.multinomial(n, shares @ channel, size=SURVEYS) @ phi / n


@pytest.mark.parametrize("context", contexts(), ids=lambda c: c.form)
def test_predicted_squared_error_agrees_with_simulation(context: dc.Context) -> None:
    """Within 5 standard errors of the simulated mean: a false alarm once in 1.7 million."""
    shares, n = skewed(context.size), 500
    plan = dc.plan(context, n=n, prior=shares)
    found = ((simulate(plan.mechanism, n, shares, np.random.default_rng(7)) - shares) ** 2).sum(axis=1)
    stderr = found.std() / np.sqrt(SURVEYS)
    assert abs(found.mean() - plan.expected.total_squared_error) < 5 * stderr
    assert abs(found.mean() - 1.3 * plan.expected.total_squared_error) > 5 * stderr, "the control: 30 % off is seen"


@pytest.mark.parametrize("context", contexts(), ids=lambda c: c.form)
def test_the_n_for_a_target_is_right_within_five_percent(context: dc.Context) -> None:
    """40,000 surveys know both within 1 %, so 5 % is never passed by chance."""
    shares = skewed(context.size)
    rng = np.random.default_rng(8)
    by_tv = dc.plan(context, tv=0.02, prior=shares)
    found = simulate(by_tv.mechanism, by_tv.n, shares, rng)
    tv = 0.5 * np.abs(found - shares).sum(axis=1).mean()
    assert (tv / 0.02) ** 2 == pytest.approx(1, abs=0.05)
    by_stderr = dc.plan(context, stderr=0.02, prior=shares)
    found = simulate(by_stderr.mechanism, by_stderr.n, shares, rng)
    worst = float(np.sqrt(((found - shares) ** 2).mean(axis=0)).max())
    assert (worst / 0.02) ** 2 == pytest.approx(1, abs=0.05)


def test_projected_distance_is_that_of_simulated_surveys() -> None:
    context, n = dc.Context.uniform(range(40), "1"), 3000
    mechanism = dc.mechanism(context, "hadamard")
    shares = skewed(40)
    told = expected_error(mechanism, n, shares).tv_projected
    rng = np.random.default_rng(3)
    law = decoder_of(mechanism.sampler).expected_counts(shares)
    found = []
    for _ in range(400):
        tally = dc.Tally(mechanism, rng.multinomial(n, law), n)
        found.append(0.5 * np.abs(dc.project(dc.estimate(tally)).shares - shares).sum())
    assert told == pytest.approx(np.mean(found), rel=0.05)


def test_large_surveys_of_sets_are_scaled_from_small_ones() -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(8), "1"), "subset")
    few, many = (expected_error(mechanism, n, skewed(8)).tv_projected for n in (10**6, 10**8))
    assert few / many == pytest.approx(10, rel=0.2)


def test_less_privacy_never_costs_more() -> None:
    plan = dc.plan(dc.Context.blocks({j: range(10 * j, 10 * j + 10) for j in range(10)}, "1"), n=10_000)
    errors = {row.label: row.total_squared_error for row in plan.comparison}
    assert errors["no privacy"] < errors["this context"] < errors["classical"]
    assert "classical" in str(plan)
    assert "10,000" in str(plan)
    assert json.loads(json.dumps(plan.as_dict()))["comparison"][0]["label"] == "no privacy"


def test_a_context_without_a_classical_form_is_planned_without_it() -> None:
    plan = dc.plan(dc.Context.binary("no", "yes", ("inf", "inf")), n=100)
    assert [row.label for row in plan.comparison] == ["no privacy", "this context"]


def test_a_named_mechanism_is_planned_for() -> None:
    plan = dc.plan(dc.mechanism(dc.Context.uniform(range(9), "1"), "hadamard"), n=100)
    assert plan.mechanism.name == "hadamard"
    assert "asked for" in plan.explanation.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one"),
        ({"n": 10, "tv": 0.1}, "exactly one"),
        ({"n": 0}, "n=0"),
        ({"n": True}, "n=True"),
        ({"tv": 0}, "tv=0"),
        ({"tv": 1.5}, "tv=1.5"),
        ({"stderr": -1}, "stderr=-1"),
        ({"n": 5, "prior": [1, 2, 3]}, "prior"),
        ({"n": 5, "prior": [0.5, 0.6, -0.1]}, "prior"),
    ],
)
def test_bad_plans_are_refused(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        dc.plan(dc.Context.uniform(range(3), "1"), **arguments)


def test_a_prior_may_be_given_by_value() -> None:
    context = dc.Context.high_low(["a", "b", "c"], ["a"], "1")
    rare = dc.plan(context, n=100, prior={"a": 0.01, "b": 0.5, "c": 0.49})
    assert rare.prior.tolist() == [0.01, 0.5, 0.49]


@pytest.mark.parametrize("target", [{"tv": 0.05}, {"stderr": 0.01}])
def test_one_value_needs_one_user(target: dict) -> None:
    plan = dc.plan(dc.Context.uniform(["only"], "1"), **target)
    assert plan.users_needed == plan.n == 1
    assert plan.expected.total_squared_error == 0
    assert json.loads(json.dumps(plan.as_dict()))["users_needed"] == 1


def test_classical_privacy_is_held_to_the_same_bits_and_prior() -> None:
    blocks = dc.Context.blocks({j: range(100 * j, 100 * j + 100) for j in range(10)}, "5")
    rows = {row.label: row for row in dc.plan(blocks, n=10_000, bits=10).comparison}
    assert rows["classical"].bits == rows["this context"].bits == 10
    uniform = dc.plan(dc.Context.uniform(range(9), "1"), n=100)
    same = uniform.comparison[1]
    assert (same.label, same.tv_projected) == ("classical", uniform.expected.tv_projected)


def test_projected_distance_of_few_values_is_close_to_its_expectation() -> None:
    """128 surveys of two values know a mean distance within 7 %; the words are fixed."""
    mechanism = dc.mechanism(dc.Context.uniform(range(2), "1"), "randomized_response")
    told = expected_error(mechanism, 4000, np.array([0.4, 0.6]))
    assert told.tv_projected == pytest.approx(told.tv, rel=0.25), "nothing is cut off: raw and projected agree"
    assert told.tv_projected != pytest.approx(2 * told.tv, rel=0.25), "the control"


def test_sets_of_many_words_are_simulated_in_bounded_time() -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(300), "1"), "unary")
    told = expected_error(mechanism, 10**7, skewed(300))
    assert 0 < told.tv_projected <= told.tv * 1.1


AGES = dc.Context.metric(range(12), lambda x, z: abs(x - z), "0.5")


def test_the_standard_error_of_a_query_is_that_of_simulated_surveys() -> None:
    """Within 5 % of the deviation of 40,000 surveys, which know it within 1 %."""
    shares, weights = skewed(12), np.arange(12.0)
    plan = dc.plan(AGES, n=500, prior=shares, query="mean")
    ((name, stderr),) = plan.expected.targets
    found = simulate(plan.mechanism, 500, shares, np.random.default_rng(9)) @ weights
    assert (name, stderr) == ("mean", pytest.approx(found.std(), rel=0.05))
    assert plan.expected.stderr != pytest.approx(found.std(), rel=0.05), "the control: a share has another error"
    assert plan.comparison[0].targets[0][1] == pytest.approx(
        np.sqrt((shares @ weights**2 - (shares @ weights) ** 2) / 500)
    )
    told = json.loads(json.dumps(plan.as_dict()))
    assert told["query_stderr"] == stderr
    assert told["wishes"] == [{"name": "mean", "stderr": stderr}]
    assert told["objective"] == "mean"
    assert "mean stderr" in str(plan)
    assert "compared by the expected squared error of the mean" in str(plan)


def test_a_target_is_for_the_query_that_is_asked() -> None:
    plan = dc.plan(AGES, stderr=2.5, query="mean")
    assert plan.target == "stderr=2.5 of the mean"
    assert plan.expected.targets[0][1] <= 2.5
    if plan.n > 1:
        assert dc.plan(plan.mechanism, n=plan.n - 1, query="mean").expected.targets[0][1] > 2.5
    cumulative = dc.plan(AGES, stderr=0.01, query="cumulative")
    each = [dc.plan(cumulative.mechanism, n=cumulative.n, query=row).expected.targets[0][1] for row in np.tri(12)[:-1]]
    assert max(each) == pytest.approx(cumulative.expected.targets[0][1])


def test_several_queries_are_planned_side_by_side_and_have_no_one_target() -> None:
    plan = dc.plan(AGES, n=1000, query=["mean", "shares", {0: 1}])
    assert [name for name, _ in plan.expected.targets] == ["mean", "query"]
    assert plan.as_dict()["query_stderr"] is None
    assert "the mean and all shares and the query, balanced" in str(plan)
    with pytest.raises(InvalidInput, match=r"stderr=0.1 must go with one query; there are 2"):
        dc.plan(AGES, stderr=0.1, query=["mean", "shares"])
    with pytest.raises(InvalidInput, match="stderr=2 must be between 0 and 1 for a share"):
        dc.plan(AGES, stderr=2)
    with pytest.raises(InvalidInput, match="needs more than"):
        dc.plan(AGES, stderr=1e-300, query="mean")


def test_the_worst_case_is_told_beside_the_errors_at_the_assumed_shares() -> None:
    context = dc.Context.high_low(range(20), range(3), "1")
    plan = dc.plan(context, n=1000, worst=True)
    assert plan.worst_squared_error == pytest.approx(6.27317e-3, abs=1e-8)
    assert plan.worst_squared_error > plan.expected.total_squared_error
    assert plan.as_dict()["worst_squared_error"] == plan.worst_squared_error
    assert "At the worst shares the chosen one has a squared error of 0.00627" in str(plan)
    assert dc.plan(context, n=1000).worst_squared_error is None
    again = dc.plan(dc.explain(context), n=1000, worst=True)
    assert again.mechanism.fingerprint == dc.mechanism(context).fingerprint, "what was chosen stays"
    assert again.worst_squared_error > plan.worst_squared_error


def test_a_form_of_several_questions_is_planned_by_its_strategies():
    form = dc.Form({"a": dc.Context.uniform([0, 1], "1"), "b": dc.Context.uniform([0, 1, 2], "1")}, "each")
    assert str(dc.plan(form, n=500)) == str(form.plan(n=500))
    with pytest.raises(dc.errors.InvalidInput, match="a form is planned with n people"):
        dc.plan(form, stderr=0.1)
