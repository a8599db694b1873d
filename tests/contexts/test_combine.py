"""Laws of sums and conjunctions of contexts."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Context
from discreet.contexts import FORMS
from discreet.contexts.structure.simplify import canonical_form
from discreet.core.errors import InvalidContext

VALUES = list(range(6))


@st.composite
def contexts(draw):
    form = draw(st.sampled_from(["uniform", "blocks", "high_low", "metric", "matrix"]))
    epsilon = draw(st.sampled_from(["0.5", "1", "2"]))
    if form == "uniform":
        return Context.uniform(VALUES, epsilon)
    if form == "high_low":
        return Context.high_low(VALUES, draw(st.lists(st.sampled_from(VALUES), min_size=1, unique=True)), epsilon)
    if form == "blocks":
        labels = draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
        blocks = {b: [x for x in VALUES if labels[x] == b] for b in sorted(set(labels))}
        made = Context.blocks(blocks, {b: draw(st.sampled_from(["1", "3"])) for b in blocks})
        return (
            Context.matrix(VALUES, [[made.epsilon(x, z) for z in VALUES] for x in VALUES])
            if draw(st.booleans())
            else (made if list(made.values) == VALUES else Context.uniform(VALUES, epsilon))
        )
    if form == "metric":
        return Context.metric(VALUES, lambda x, z: abs(x - z) if abs(x - z) < 4 else "inf", epsilon)
    levels = st.sampled_from([0, 1, 2, "inf"])
    return Context.matrix(VALUES, [[0 if x == z else draw(levels) for z in VALUES] for x in VALUES])


@settings(max_examples=120, deadline=None)
@given(contexts(), contexts())
def test_the_sum_adds_and_the_conjunction_takes_the_smaller_entry(first, second):
    one, two = first.closure().matrix(), second.closure().matrix()
    added, both = first + second, first & second
    smaller = [[min(a, b) for a, b in zip(p, q, strict=True)] for p, q in zip(one, two, strict=True)]
    wanted = Context.matrix(VALUES, smaller).closure()
    for x in VALUES:
        for z in VALUES:
            if x != z:
                assert added.at(x, z) == one[x][z] + two[x][z]
                assert both.at(x, z) == wanted.at(x, z)
    either = first | second
    larger = [[max(a, b) for a, b in zip(p, q, strict=True)] for p, q in zip(one, two, strict=True)]
    assert [list(row) for row in either.matrix()] == larger
    assert either.closure().matrix() == either.matrix()
    assert first.implies(either)
    assert second.implies(either)
    assert both.implies(first)
    assert both.implies(second)
    assert set(both.finite()) >= {(both.class_of[x], both.class_of[z]) for x, z, _ in both.pairs()}
    assert Context.matrix(VALUES, added.matrix()) == added
    assert both.describe()["form"] in FORMS


@settings(max_examples=60, deadline=None)
@given(contexts())
def test_the_simplest_form_is_the_same_context(context):
    assert canonical_form(context).matrix() == context.closure().matrix()


def test_combinations_come_back_to_a_named_form_where_they_have_one():
    uniform = Context.uniform(VALUES, "1")
    assert (uniform + uniform).describe() == {"form": "uniform", "epsilon": "2"}
    high_low = Context.high_low(VALUES, [0, 1], "1")
    assert (high_low + high_low).describe() == {"form": "high_low", "sensitive": [0, 1], "epsilon": "2"}
    assert (high_low & uniform).form == "uniform"
    assert (high_low + uniform).form == "high_low"
    blocks = Context.blocks({0: [0, 1, 2], 1: [3, 4], 2: [5]}, {0: "1", 1: "2", 2: "1"})
    assert (blocks + blocks).describe()["form"] == "blocks"
    assert (blocks + blocks).describe()["epsilons"][:2] == ["2", "4"]
    assert (blocks & blocks) == blocks
    assert (Context.binary(0, 1, (0, 1)) + Context.binary(0, 1, (1, "inf"))).describe() == {
        "form": "binary",
        "epsilon": ["1", "inf"],
    }


def test_blocks_across_blocks_meet_in_their_common_parts():
    rows = Context.blocks({0: [0, 1, 2], 1: [3, 4, 5]}, "1")
    columns = Context.matrix(
        VALUES, [[0 if x == z else 1 if x % 2 == z % 2 else "inf" for z in VALUES] for x in VALUES]
    )
    met = rows + columns
    assert met.form == "blocks"
    assert met.epsilon(0, 2) == 2
    assert met.epsilon(0, 1) == math.inf


def test_different_sensitive_sets_are_graded_and_what_has_no_form_stays_combined():
    graded = Context.high_low(VALUES, [0], "1") & Context.high_low(VALUES, [1], "2")
    assert graded.form == "graded"
    assert graded.epsilon(0, 5) == 1
    assert graded.epsilon(1, 5) == 2
    assert graded.epsilon(5, 0) == math.inf
    both = Context.high_low(VALUES, [0], "1") & Context.blocks({0: [0], 1: [1, 2], 2: [3, 4, 5]}, "2")
    assert both.form == "combined"
    assert repr(both).startswith("(Context.high_low(")
    assert both.describe()["form"] == "matrix"
    assert " + " in repr(Context.high_low(VALUES, [0], "1") + Context.metric(VALUES, lambda x, z: abs(x - z), "1"))


def test_contexts_over_other_values_cannot_be_combined():
    with pytest.raises(InvalidContext, match="only over the same values"):
        Context.uniform([0, 1], "1") + Context.uniform([1, 0], "1")


def test_a_matrix_is_recognised_as_the_form_it_is():
    assert canonical_form(Context.matrix(range(3), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])).form == "uniform"
    assert (
        canonical_form(Context.matrix(range(3), [[0, 1, 1], ["inf", 0, "inf"], ["inf", "inf", 0]])).form == "high_low"
    )
    assert canonical_form(Context.matrix(range(3), [[0, 1, "inf"], [1, 0, "inf"], ["inf", "inf", 0]])).form == "blocks"
    for form, rows in {
        "graded": [[0, 1, 1], ["inf", 0, "inf"], [2, 2, 0]],
        "nested": [[0, 1, 2], [1, 0, 2], [2, 2, 0]],
        "metric": [[0, 1, 2], [1, 0, 1], [2, 1, 0]],
    }.items():
        found = canonical_form(Context.matrix(range(3), rows))
        assert (found.form, found.parts) == (form, None)
        assert [list(row) for row in found.matrix()] == [[math.inf if e == "inf" else e for e in row] for row in rows]
    for plain in (
        [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 1, "inf"], ["inf", 0, 1], [1, "inf", 0]],
    ):
        assert canonical_form(Context.matrix(range(3), plain)).parts is None
    nothing = [[0, "inf", "inf"], ["inf", 0, "inf"], ["inf", "inf", 0]]
    assert canonical_form(Context.matrix(range(3), nothing)).form == "matrix"
