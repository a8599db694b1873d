"""Laws of components and of the contexts with parts that cover others."""

import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import NotIdentifiable


@pytest.mark.parametrize("rows", [[[0, 0, 1], [1, 0, 1], [1, 1, 0]], [[0, "inf", 0], ["inf", 0, 1], ["inf", 1, 0]]])
def test_nothing_between_two_values_one_way_makes_them_indistinguishable(rows):
    """Rows that add up to one, of which one is nowhere larger, are equal: E = 0 one way is E = 0 both ways."""
    context = Context.matrix(range(3), rows)
    with pytest.raises(NotIdentifiable, match="E=0 makes"):
        context.coarsest_served()
    with pytest.raises(NotIdentifiable, match="E=0 makes"):
        dc.explain(context)
    rows = [["1e-9" if entry == 0 and x != z else entry for z, entry in enumerate(row)] for x, row in enumerate(rows)]
    assert Context.matrix(range(3), rows).coarsest_served().parts is not None  # the control: next to nothing is enough


@pytest.mark.parametrize(
    "context",
    [
        Context.nested({0: {1: [0, 1], 2: [2]}, 3: {4: [3]}}, ["1/2", "1", "2"]),
        Context.nested({0: {1: [0, 1], 2: [2]}, 3: {4: [3]}}, ["1/2", "1", "inf"]),
        Context.graded({0: "inf", 1: "2", 2: "1", 3: "2"}),
        Context.metric(range(5), "ring", "1"),
        Context.blocks({0: [0], 1: [1]}, "1") * Context.uniform(range(3), "2"),
        Context.binary("a", "b", ("inf", 1)) * Context.metric(range(3), "line", "2"),
    ],
)
def test_a_cover_has_parts_and_implies_what_it_covers(context):
    cover = context.coarsest_served()
    assert cover.parts is not None
    assert cover.implies(context)
    assert cover.smallest == context.smallest
    assert cover.matrix() == Context.matrix(context.values, context.matrix()).coarsest_served().matrix()
