"""Laws of products: two questions asked at once, and their tuples in files."""

import itertools
import math

import numpy as np
import pytest

import discreet as dc
from discreet import Context, Spec
from discreet.core.errors import InvalidInput, NotIdentifiable, UnknownValue

ILLNESS = Context.high_low(["none", "flu", "hiv"], ["hiv"], "1")
AGE = Context.metric([20, 40, 80], "line", "0.05")
BOTH = ILLNESS * AGE


def test_the_entries_of_two_questions_add_up():
    assert len(BOTH.values) == 9
    assert BOTH.values[:4] == (("none", 20), ("none", 40), ("none", 80), ("flu", 20))
    for (a, b), (c, d) in itertools.product(BOTH.values, repeat=2):
        assert BOTH.epsilon((a, b), (c, d)) == ILLNESS.epsilon(a, c) + AGE.epsilon(b, d)
    assert BOTH.epsilon(("hiv", 20), ("flu", 40)) == 2
    assert BOTH.epsilon(("flu", 20), ("hiv", 20)) == math.inf
    assert BOTH.parts is None
    assert BOTH.factors == (ILLNESS, AGE)
    assert repr(BOTH) == f"({ILLNESS!r} * {AGE!r})"


def test_three_questions_are_one_context_over_triples():
    sex = Context.uniform(["f", "m"], "2")
    left, right = (ILLNESS * AGE) * sex, ILLNESS * (AGE * sex)
    assert left.values[0] == ("none", 20, "f")
    assert left.values == right.values
    assert left.matrix() == right.matrix()
    assert left == right


def test_values_that_are_tuples_themselves_stay_whole():
    grid = Context.metric([(0, 0), (0, 1)], "l1", "1")
    assert (grid * Context.uniform(["a", "b"], "1")).values[0] == ((0, 0), "a")


def test_the_closure_of_a_product_is_the_product_of_the_closures():
    ring = Context.matrix(
        range(4), [[0 if x == z else 1 if (x - z) % 4 != 2 else "inf" for z in range(4)] for x in range(4)]
    )
    made = ring * Context.matrix(["a", "b", "c"], [[0, 1, 5], [1, 0, 1], ["inf", 1, 0]])
    written = Context.matrix(range(12), made.matrix())
    assert made.closure().matrix() == written.closure().matrix() != made.matrix()
    assert made.closure_if_cheap().matrix() == made.closure().matrix()
    assert made.factors[0].ring is not None
    assert BOTH.closure() is BOTH


def test_small_products_are_recognised_and_large_ones_taken_as_they_are():
    shown = Context.blocks({b: [b] for b in range(3)}, "1") * Context.uniform(["a", "b"], "1")
    assert shown.canonical_form().form == "blocks"  # the first answer may be told, the second is hidden
    one = Context.uniform([7], "1") * Context.uniform(range(5), "1")
    assert one.canonical_form().form == "uniform"
    large = Context.uniform(range(20), "1") * Context.uniform(range(20), "1")
    assert large.canonical_form() is large
    assert large.coarsest_served().smallest == 1


def test_no_more_than_one_answer_apart_is_looked_at():
    pairs = [pair[:2] for pair in BOTH.generators(range(9))]
    assert all((x // 3 == z // 3) != (x % 3 == z % 3) for x, z in pairs)
    assert len(pairs) == 2 * 3 + 4 * 3  # hiv from two others at each age, neighbours both ways at each illness


def test_an_answer_told_from_no_other_cannot_be_estimated():
    with pytest.raises(NotIdentifiable, match="E=0 makes"):
        (Context.binary("no", "yes", (0, "inf")) * Context.uniform(range(2), "1")).coarsest_served()


def test_people_hold_tuples():
    made = dc.mechanism(BOTH)
    rng = dc.random.seeded(1)
    report = made.randomize(("flu", 40), rng)
    assert made.sampler.is_report(report)
    many = [("flu", 40), ("hiv", 80), ("none", 20)] * 50
    one_by_one = made.randomize_indices([BOTH.domain.index(value) for value in many], dc.random.seeded(2))
    assert np.array_equal(made.randomize_many(many, dc.random.seeded(2)), one_by_one)
    estimate = dc.estimate(made.tally(one_by_one))
    assert estimate["flu", 40] == estimate.shares[4]
    with pytest.raises(UnknownValue):
        made.randomize(("flu", 41), rng)
    with pytest.raises(UnknownValue):
        (Context.uniform(["a", "b"], 1) * Context.uniform([0, 1], 1)).domain.index(("a", True))


def test_specs_laws_and_files_hold_tuples(tmp_path):
    for context in (BOTH, Context.uniform([("a", 1), ("b", 2), "c"], "1"), (BOTH * Context.uniform([0, 1], "1"))):
        made = dc.mechanism(context)
        for spec in (Spec.of_mechanism(made), Spec.of_mechanism(made).resolved()):
            for name in ("spec.toml", "spec.json"):
                spec.write(tmp_path / name)
                again = Spec.read(tmp_path / name)
                assert again.mechanism.fingerprint == made.fingerprint
                assert again.context.values == context.values
        assert dc.wire.parse_law(dc.wire.law_text(made)).fingerprint == made.fingerprint


SIDE = {"domain": {"size": 2}, "context": {"form": "uniform", "epsilon": 1}}


def test_a_product_in_a_spec_needs_no_domain():
    other = {"context": {"form": "graded", "epsilons": {"a": 1, "b": 2}}}
    made = Spec.of({"context": {"form": "product", "first": SIDE, "second": other}})
    assert tuple(made.context.values) == ((0, "a"), (0, "b"), (1, "a"), (1, "b"))
    nested = {"context": {"form": "product", "first": SIDE, "second": SIDE}}
    three = Spec.of({"context": {"form": "product", "first": nested, "second": other}})
    assert three.context.values[-1] == (1, 1, "b")
    assert Spec.of({"context": three.context.describe()}).context == three.context


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"second": {}}, "context.second.context is missing"),
        ({"second": 1}, "context.second must be a table"),
        ({"second": {**SIDE, "x": 1}}, "context.second.x is not a known entry"),
        ({"second": {**SIDE, "domain": {"size": 2, "x": 1}}}, "context.second.domain.x is not a known entry"),
        (
            {"second": {**SIDE, "domain": {"file": "x"}}},
            "context.second.domain must give exactly one of values and size",
        ),
        ({"second": {**SIDE, "domain": {"size": 0}}}, "context.second.domain.size=0 must be at least 1"),
        ({"second": {**SIDE, "context": {"form": "zz"}}}, "context.second.context.form='zz' must be one of uniform"),
        ({"second": {**SIDE, "context": {"form": "uniform"}}}, "context.second.context.epsilon is missing"),
        ({"second": {"context": {"form": "uniform", "epsilon": 1}}}, "domain is missing"),
    ],
)
def test_factors_that_make_no_sense_are_refused(change, message):
    with pytest.raises(InvalidInput) as refused:
        Spec.of({"context": {"form": "product", "first": SIDE, "second": SIDE, **change}})
    assert message in str(refused.value)


def test_a_domain_that_is_given_must_be_that_of_the_product():
    context = {"form": "product", "first": SIDE, "second": SIDE}
    good = [{"tuple": [x, z]} for x in (0, 1) for z in (0, 1)]
    assert Spec.of({"domain": {"values": good}, "context": context}).context.size == 4
    for values in (good[::-1], good[:3], [0, 1, 2, 3]):
        with pytest.raises(InvalidInput, match="domain must be left out, or hold all 4 pairs of values of context"):
            Spec.of({"domain": {"values": values}, "context": context})


def test_products_beyond_the_limit_are_refused_before_they_are_made():
    many = {"domain": {"size": 1 << 20}, "context": {"form": "uniform", "epsilon": 1}}
    with pytest.raises(dc.errors.BeyondLimits):
        Spec.of({"context": {"form": "product", "first": many, "second": many}})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"tuple": []}, "must not be an empty tuple"),
        ({"tuple": [True]}, "values[0].tuple[0] must be text or a whole number, or a tuple of them, not true or false"),
        ({"tuple": ["a", 0.5]}, "must be text or a whole number, or a tuple"),
        ({"tuple": "ab"}, "domain.values[0] must be text or a whole number, or a tuple of them, not a table"),
        ({"tuple": ["a"], "x": 1}, "not a table"),
        (["a", 1], "not a list"),
        ({}, "not a table"),
    ],
)
def test_tables_that_are_no_tuples_are_refused(value, message):
    with pytest.raises(InvalidInput) as refused:
        Spec.of({"domain": {"values": [value, "b"]}, "context": {"form": "uniform", "epsilon": 1}})
    assert message in str(refused.value)


def test_only_contexts_are_multiplied():
    with pytest.raises(TypeError):
        BOTH * 2
