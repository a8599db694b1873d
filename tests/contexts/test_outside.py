"""Laws of answers outside a scale."""

import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidContext, InvalidEpsilon, InvalidInput, InvalidSpec
from discreet.wire import Spec, law_text, parse_law

SILENT = ["prefer not to say", "other"]
LINE = Context.metric(range(5), "line", "1")
SCALES = {
    "line": LINE,
    "ring": Context.metric(range(6), "ring", "1", around=6),
    "uniform": Context.uniform(range(5), "3"),
    "blocks": Context.blocks({"a": [0, 1], "b": [2, 3, 4]}, "1"),
    "high-low": Context.high_low(range(5), [1, 2], "1"),
    "nested": Context.nested({"a": {"x": ["1", "2"], "y": ["3"]}, "b": {"z": ["4"]}}, ("1", "2", "5")),
    "graded": Context.graded(dict(enumerate(["1", "2", "5"]))),
    "matrix": Context.matrix(["a", "b", "c"], [[0, 1, 9], [2, 0, 1], ["inf", 1, 0]]),
    "product": Context.uniform(["p", "q"], "1") * Context.metric(range(3), "line", "2"),
    "one value": Context.uniform(["only"], "1"),
    "outside itself": LINE.with_outside(["none of these"], "3"),
}
EPSILONS = ["1/2", "2", "inf"]


def written_out(scale, epsilon, count):
    """E entry by entry, with nothing of the form."""
    level = math.inf if epsilon == "inf" else Fraction(epsilon)
    size = scale.size + count
    return [
        [0 if x == z else scale.at(x, z) if max(x, z) < scale.size else level for z in range(size)] for x in range(size)
    ]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", SCALES)
def test_everything_said_of_it_is_what_its_matrix_says(name, epsilon):
    scale = SCALES[name]
    context = scale.with_outside(SILENT, epsilon)
    plain = Context.matrix(context.values, written_out(scale, epsilon, 2))
    assert list(context.values) == [*scale.values, *SILENT]
    assert context.matrix() == plain.matrix()
    assert context.closure().matrix() == plain.closure().matrix()
    assert context.closure().is_closed or context.closure() == context.closure().closure()
    for said in ("largest", "smallest", "shows", "protected_pairs"):
        assert getattr(context, said) == getattr(plain, said), said
    assert sorted(map(sorted, context.components())) == sorted(map(sorted, plain.components()))
    assert {x for c in context.hidden for x in context.members[c]} == plain.hidden
    assert context == plain
    assert plain.implies(context)


def test_the_closure_takes_the_way_over_a_value_outside():
    context = LINE.with_outside(["none"], "1.5")
    assert context.epsilon(0, 4) == 4
    assert context.closure().epsilon(0, 4) == 3  # 1.5 there, and 1.5 back
    assert context.closure().epsilon(0, "none") == Fraction(3, 2)
    mild = LINE.with_outside(["none"], "2")
    assert mild.closure() is mild  # half of the largest entry leaves the scale as it is
    assert Context.blocks({"a": [0], "b": [1]}, "1").with_outside(["none"], "1").closure().epsilon(0, 1) == 2


def test_more_is_asked_with_a_value_outside_than_without():
    labels = [0, 1, 0, 1, 0, 2, 2]
    context = LINE.with_outside(SILENT, "2")
    pairs = {(x, z) for x, z, _ in context.generators(labels)}
    assert {(labels[x], labels[z]) for x, z in pairs} >= {(0, 2), (2, 0), (1, 2), (2, 1), (2, 2)}
    lenient = Context.matrix(context.values, written_out(LINE, "2.1", 2))
    assert context.implies(lenient)
    assert not lenient.implies(context)


@pytest.mark.parametrize(
    ("name", "epsilon"),
    [("line", "2"), ("line", "1"), ("uniform", "2"), ("blocks", "2"), ("high-low", "2"), ("nested", "3")],
)
def test_the_mechanism_that_is_chosen_passes_all_checks(name, epsilon):
    for outside in (SILENT[:1], SILENT):
        chosen = dc.mechanism(SCALES[name].with_outside(outside, epsilon))
        dc.verify(chosen)
        check_mechanism(chosen)


def test_a_uniform_scale_of_any_size_is_not_served_at_the_smaller_epsilon():
    for size, outside in ((30, SILENT[:1]), (1000, SILENT)):
        context = Context.uniform(range(size), "2").with_outside(outside, "1.5")
        ranked = {one.name: one.error for one in dc.explain(context).candidates}
        assert dc.mechanism(context).name == "types"
        at_smallest = min(error for name, error in ranked.items() if name != "types")
        assert ranked["types"] < 0.7 * at_smallest
        dc.verify(dc.mechanism(context))


def test_large_blocks_are_served_as_a_tree():
    blocks = Context.blocks({i: range(20 * i, 20 * i + 20) for i in range(10)}, "1")
    explained = dc.explain(blocks.with_outside(["none"], "4"))
    ranked = {one.name: one.error for one in explained.candidates}
    assert explained.chosen.name in ("nested", "levels", "types")
    assert explained.candidates[0].error < 0.3 * ranked["projective"]  # which hides all values at the smallest entry


def test_a_large_high_low_scale_is_served_by_the_epsilon_of_each_value():
    explained = dc.explain(Context.high_low(range(300), range(20), "1").with_outside(["none"], "3"))
    ranked = {one.name: one.error for one in explained.candidates}
    assert explained.chosen.name == "types"
    assert ranked["types"] < 0.3 * ranked["projective"]
    dc.verify(explained.chosen)


@pytest.mark.parametrize("name", ["line", "uniform", "high-low"])
def test_it_is_near_the_best_that_a_search_finds(name):
    context = SCALES[name].with_outside(SILENT[:1], "2")
    found = dc.design(context, seconds=2)
    assert dc.explain(context).candidates[0].error <= 1.5 * found.error


def test_a_published_law_is_read_by_anyone():
    mechanism = dc.mechanism(LINE.with_outside(SILENT, "2"))
    read = parse_law(law_text(mechanism))
    assert read.context == mechanism.context
    assert read.fingerprint == mechanism.fingerprint


SCALE = {"form": "metric", "distance": "line", "epsilon": "1"}


@pytest.mark.parametrize("values", [[1, 2, 3], [1, 2, 3, *SILENT]])
def test_a_spec_gives_the_values_of_the_scale_or_all(values):
    context = {"form": "outside", "outside": SILENT, "epsilon": "2", "scale": SCALE}
    spec = Spec.of({"domain": {"values": values}, "context": context})
    assert spec.context == Context.metric([1, 2, 3], "line", "1").with_outside(SILENT, "2")


def test_a_scale_that_lists_its_values_needs_no_domain():
    scale = {"form": "blocks", "blocks": {"a": ["x", "y"], "b": ["z"]}, "epsilon": "1"}
    spec = Spec.of({"context": {"form": "outside", "outside": ["other"], "epsilon": "2", "scale": scale}})
    assert list(spec.context.values) == ["x", "y", "z", "other"]


@pytest.mark.parametrize(
    ("values", "epsilon", "error", "message"),
    [
        ([], "1", InvalidContext, "values=() must hold at least one value outside the scale"),
        ([3], "1", InvalidContext, "values: 3 must not be one of the 5 values of the scale"),
        (["a", "a"], "1", InvalidContext, "values: 'a' appears twice"),
        ("a", "1", InvalidInput, "values='a' must be a collection of values"),
        (["a"], "0", InvalidContext, "epsilon=0 must be positive"),
        (["a"], "-1", InvalidEpsilon, "epsilon='-1' must be a non-negative"),
    ],
)
def test_values_outside_that_make_no_sense_are_refused(values, epsilon, error, message):
    with pytest.raises(error) as refused:
        LINE.with_outside(values, epsilon)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("domain", "changed", "message"),
    [
        ([1, "other", 2], {"outside": ["other"]}, "context.outside must be the last values of the domain"),
        ([1, 2, "other"], {}, "context.outside must be the last values of the domain"),
        (SILENT, {}, "after at least one other"),
        ([1, 2], {"outside": ["1"]}, "written alike"),
        ([1, 2], {"scale": {**SCALE, "form": "flat"}}, "context.scale.form='flat' must be one of"),
        ([1, 2], {"scale": 1}, "context.scale must be a table"),
        ([1, 2], {"outside": "other"}, "context.outside must be a list"),
        ([1, 2], {"more": 1}, "context.more is not a known entry"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(domain, changed, message):
    context = {"form": "outside", "outside": SILENT, "epsilon": "2", "scale": SCALE} | changed
    with pytest.raises((InvalidSpec, InvalidContext)) as refused:
        Spec.of({"domain": {"values": domain}, "context": context})
    assert message in str(refused.value)
