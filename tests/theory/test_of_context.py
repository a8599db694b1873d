"""Lower bound <= measured error <= upper bound, for every form of context and every mechanism."""

from __future__ import annotations

import math

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.words import seeded
from discreet.core.errors import InvalidInput
from discreet.theory.of_context import QUANTITIES, bounds_for, compare, users_for
from discreet.theory.of_mechanism import worst_shares
from discreet.theory.unbiased import unbiased_by_classes, unbiased_matrix

C = dc.Context
BASES = ("randomized_response", "unary", "optimised_unary", "subset", "hadamard", "projective")


def uniform(k, epsilon):
    return C.uniform(range(k), epsilon)


def blocks(k, epsilon):
    half = max(1, k // 2)
    return C.blocks({"a": range(half), "b": range(half, k), "c": [k]}, epsilon)


def high_low(k, epsilon):
    return C.high_low(range(k), range(max(1, k // 3)), epsilon)


GRID = [
    (form, k, epsilon, n, name)
    for form in (uniform, blocks, high_low)
    for k, epsilon, n in ((2, "1", 100), (4, "0.5", 400), (12, "1", 300), (12, "4", 500), (40, "2", 800))
    for name in BASES
    if (form, k) != (high_low, 2)
]


def measured(mechanism, n, p, surveys=100):
    """The mean squared error and total variation of simulated surveys, raw and projected, with standard errors."""
    held = np.random.default_rng(1).choice(len(p), size=n * surveys, p=p)
    reports = mechanism.randomize_indices(held, seeded(2))
    found = []
    for batch in np.split(reports, surveys):
        estimate = dc.estimate(mechanism.tally(batch))
        off = estimate.shares - p
        projected = dc.project(estimate).shares - p
        found.append((off @ off, np.abs(off).sum() / 2, np.abs(projected).sum() / 2))
    table = np.array(found)
    return table.mean(axis=0), table.std(axis=0) / math.sqrt(surveys)


@pytest.mark.parametrize(("form", "k", "epsilon", "n", "name"), GRID)
def test_lower_bound_measured_error_upper_bound(form, k, epsilon, n, name):
    """Within seven standard errors of 100 surveys: a false alarm less than once in 10**6."""
    context = form(k, epsilon)
    mechanism = dc.mechanism(context, name)
    table = compare(mechanism, n)
    even = np.full(context.size, 1 / context.size)
    (squared, distance, _), error = measured(mechanism, n, even)
    assert table.lower["squared_error"].value <= squared + 7 * error[0]
    assert squared <= table.attained["squared_error_worst"].value + 7 * error[0]
    assert distance <= table.attained["total_variation"].value + 7 * error[1]
    at_worst, error = measured(mechanism, n, worst_shares(mechanism))
    assert table.lower["squared_error_worst"].value <= at_worst[0] + 7 * error[0]
    assert at_worst[0] <= table.attained["squared_error_worst"].value + 7 * error[0]
    assert table.lower["total_variation_worst"].value <= at_worst[1] + 7 * error[1]
    assert at_worst[1] <= table.attained["total_variation_worst"].value + 7 * error[1]


@pytest.mark.parametrize(("form", "k", "epsilon", "n", "name"), GRID)
def test_no_mechanism_attains_less_than_the_lower_bounds(form, k, epsilon, n, name):
    mechanism = dc.mechanism(form(k, epsilon), name)
    table = compare(mechanism, n)
    for quantity in QUANTITIES:
        assert table.lower[quantity].value <= table.attained[quantity].value
        assert table.lower[quantity].value <= table.upper[quantity].value


@pytest.mark.parametrize("form", [uniform, blocks, high_low])
@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "5", "10"])
@pytest.mark.parametrize("k", [2, 3, 10, 64, 500])
def test_the_best_known_mechanism_lies_between_the_bounds(form, k, epsilon):
    context = form(k, epsilon)
    for n in (10, 1000, 10**6):
        table = compare(dc.mechanism(context), n)
        for quantity in QUANTITIES:
            low, attained, high = (s[quantity].value for s in (table.lower, table.attained, table.upper))
            assert low <= attained
            assert attained <= high * 1.07  # reports of 64 bits cost little over the scheme behind the bound


@pytest.mark.parametrize("k", [2, 5, 16])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_the_default_is_the_unbiased_optimum_at_even_shares(k, epsilon):
    table = compare(dc.mechanism(uniform(k, epsilon)), 1000)
    assert table.attained["squared_error"].value == pytest.approx(table.lower["squared_error"].value, rel=1e-6)


def test_even_a_projected_estimate_is_above_the_minimax_bound_on_average_over_its_prior():
    """The note names a Dirichlet prior: mean total variation over draws from it, six standard errors."""
    k, n = 10, 2000
    mechanism = dc.mechanism(uniform(k, "1"))
    bound = bounds_for(mechanism.context, n).lower["total_variation_worst"]
    assert bound.note.startswith("Dirichlet(")
    assert bound.note.endswith(f"on {k} values")
    rng = np.random.default_rng(3)
    concentration = float(bound.note[len("Dirichlet(") : bound.note.index(")")])
    found = [measured(mechanism, n, rng.dirichlet(np.full(k, concentration)), surveys=2)[0][2] for _ in range(60)]
    assert np.mean(found) + 6 * np.std(found) / math.sqrt(60) >= bound.value
    assert np.mean(found) < 4 * bound.value  # and it is not far above


OTHERS = [
    C.binary("no", "yes", ("0.5", "2")),
    C.binary("no", "yes", ("inf", "1")),
    C.binary("no", "yes", ("0", "1")),
    C.metric(range(7), lambda a, b: abs(a - b), "0.5"),
    C.matrix(range(4), [[0, 1, 2, "inf"], ["0.5", 0, 1, 1], [3, 3, 0, "inf"], ["inf", "inf", "inf", 0]]),
    C.uniform(range(5), "1") + C.high_low(range(5), [0, 1], "1"),
    C.uniform(["only"], "1"),
]


@pytest.mark.parametrize("context", OTHERS, ids=repr)
def test_every_other_form_has_bounds_too(context):
    found = bounds_for(context, 500)
    for quantity in QUANTITIES:
        assert 0 <= found.lower[quantity].value <= found.upper[quantity].value or quantity == "squared_error"
        assert found.lower[quantity].kind == "lower"
        assert found.upper[quantity].kind == "upper"
    if context.smallest > 0:
        table = compare(dc.mechanism(context), 500)
        for quantity in QUANTITIES:
            assert table.lower[quantity].value <= table.attained[quantity].value


@pytest.mark.parametrize("context", [uniform(6, "1"), blocks(7, "0.5"), high_low(9, "2"), *OTHERS], ids=repr)
def test_the_bound_by_classes_is_the_bound_of_the_matrix(context):
    rng = np.random.default_rng(4)
    k = context.size
    for p in (np.full(k, 1 / k), rng.dirichlet(np.ones(k)), np.eye(k)[-1], np.eye(k)[0]):
        by_matrix = unbiased_matrix(context.matrix(), p).value
        assert unbiased_by_classes(context.closure(), p).value == pytest.approx(by_matrix, rel=1e-9)


def test_the_bounds_of_a_large_block_context_take_no_matrix():
    many = C.blocks({b: range(25 * b, 25 * b + 25) for b in range(400)}, "1")
    found = bounds_for(many, 10**6)
    assert found.lower["total_variation_worst"].value < found.upper["total_variation_worst"].value


def test_users_needed_and_users_enough():
    for context in (uniform(10, "1"), blocks(10, "1"), high_low(10, "1")):
        users = users_for(context, 0.05)
        assert users.necessary.value < users.sufficient.value < users.printed.value
    assert users_for(OTHERS[0], 0.05) is None


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "10"])
def test_n_must_be_a_positive_whole_number(n):
    with pytest.raises(InvalidInput, match="n="):
        bounds_for(uniform(3, "1"), n)


def test_too_large_a_matrix_is_refused():
    with pytest.raises(InvalidInput, match="must have at most 1024"):
        bounds_for(C.metric(range(1100), lambda a, b: abs(a - b) % 7 + 1, "0.5"), 10)


def test_a_comparison_as_data_and_as_text():
    table = compare(dc.mechanism(high_low(12, "1")), 1000, prior=[0.5] + [0.5 / 11] * 11)
    told = table.as_dict()
    assert set(told) == {"mechanism", "n", "attained", "upper", "lower", "unbiased"}
    for side in ("attained", "upper", "lower"):
        assert set(QUANTITIES) <= set(told[side])
        assert all({"value", "source", "note", "vacuous"} == set(row) for row in told[side].values())
        assert all(row["source"] for row in told[side].values())
    text = str(table)
    assert "n = 1,000" in text
    assert "squared error at the worst shares" in text
    assert compare(dc.mechanism(uniform(3, "0.01")), 10).as_dict()["upper"]["total_variation_worst"]["vacuous"]


def assert_no_more_can_be_proved(strict, loose, prior):
    """A larger E allows every channel of a smaller one: its optimum, and what is proved of it, cannot be above."""
    assert strict.implies(loose)
    attained = dc.explain(strict, prior=prior).candidates[0].error
    for bound in bounds_for(loose, 1, prior=prior).unbiased.values():
        assert bound.value <= attained * (1 + 1e-9)
    each = [bounds_for(context, 1, prior=prior).unbiased["each value"].value for context in (loose, strict)]
    assert each[0] <= each[1] * (1 + 1e-9)


def line(k, epsilon):
    return C.metric(range(k), lambda x, z: abs(x - z), epsilon)


@pytest.mark.parametrize(
    ("strict", "loose"),
    [
        (uniform(7, "1"), uniform(7, "1.5")),
        (uniform(7, "1"), line(7, "1")),
        (line(7, "1"), uniform(7, "6")),
        (line(7, "0.5"), line(7, "0.7")),
        (uniform(13, "1"), blocks(12, "1")),
        (uniform(12, "1"), high_low(12, "1")),
        (high_low(12, "1"), high_low(12, "2")),
        (uniform(6, "2") & line(6, "1"), line(6, "1")),
    ],
    ids=repr,
)
def test_a_larger_context_has_no_larger_optimum(strict, loose):
    rng = np.random.default_rng(6)
    for prior in (None, rng.dirichlet(np.ones(strict.size))):
        assert_no_more_can_be_proved(strict, loose, prior)
    with pytest.raises(AssertionError):
        assert_no_more_can_be_proved(loose, strict, None)


def test_proved_bounds_are_named_and_the_largest_is_told():
    table = compare(dc.mechanism(line(6, "1")), 1000)
    assert set(table.unbiased) == {"each value", "a larger context"}
    assert table.lower["squared_error"] in table.unbiased.values()
    assert table.lower["squared_error"].value == max(bound.value for bound in table.unbiased.values())
    assert set(table.as_dict()["unbiased"]) == set(table.unbiased)
    assert "proved of unbiased estimates at these shares: each value" in str(table)
    assert set(compare(dc.mechanism(uniform(6, "1")), 1000).unbiased) == {"each value", "all values"}
    uneven = compare(dc.mechanism(uniform(6, "1")), 1000, prior=[0.5, *[0.1] * 5])
    assert set(uneven.unbiased) == {"each value"}
    part = C.matrix(range(3), [[0, 1, "inf"], [1, 0, "inf"], [1, 1, 0]])
    assert set(bounds_for(part, 10).unbiased) == {"each value"} or part.canonical_form().parts is not None


def test_a_context_that_is_nearly_flat_is_bounded_by_the_flat_one_above_it():
    entries = np.random.default_rng(0).uniform(1, 1.2, (8, 8)).round(3)
    context = C.matrix(range(8), [[0 if x == z else str(entries[x, z]) for z in range(8)] for x in range(8)])
    found = bounds_for(context, 1)
    attained = dc.explain(context).candidates[0].error
    assert found.lower["squared_error"] == found.unbiased["a larger context"]
    assert 0.6 * attained < found.lower["squared_error"].value <= attained
    assert found.unbiased["each value"].value < 0.5 * found.lower["squared_error"].value
