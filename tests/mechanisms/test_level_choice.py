"""Laws of the search for marks: any tree of blocks is put into one of equal branching, and bits are kept."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidEpsilon, NotServed
from discreet.mechanisms.composed.even_cover import places_of
from discreet.mechanisms.tree.level_choice import levels_response, options_of, shape_of

SMALL = Context.nested({"a": {"x": range(3), "y": [3, 4]}, "b": {"z": [5]}}, ["1", "2", "3"])


def test_a_tree_is_put_into_one_of_equal_branching():
    shape = shape_of(SMALL.tree, SMALL.size, None)
    assert shape.branches == (2, 2, 3)
    assert shape.levels == (3, 2, 1)
    assert shape.leaves == (0, 1, 2, 3, 4, 6)
    assert shape.together == pytest.approx((6, (25 + 1) / 6, (9 + 4 + 1) / 6, 1))


def test_shares_weigh_the_nodes_above_them():
    shape = shape_of(SMALL.tree, SMALL.size, [0.5, 0, 0, 0, 0, 0.5])
    assert shape.together == pytest.approx((6, 0.5 * 5 + 0.5, 0.5 * 3 + 0.5, 1))


@pytest.mark.parametrize("bits", [5, 8, 20, 64])
def test_options_fit_the_bits_and_mark_some_of_all_places(bits):
    options = options_of(20, bits, wide=False)
    assert all(option.bits <= bits and 20 <= option.places > option.members > 0 for option in options)
    for option in options:
        made = option.make(20, Fraction(1), **dict(option.parameters))
        assert places_of(made)[:2] == (option.places, option.members)
        assert made.bits == option.bits


def test_all_sizes_of_sets_are_options_where_bits_are_free():
    assert sorted(option.members for option in options_of(9, 1 << 16, wide=True)) == list(range(1, 9))


@pytest.mark.parametrize("bits", [9, 16, 32, 64, None])
def test_reports_fit_the_bits_that_are_asked_for_and_more_bits_never_hurt(bits):
    context = Context.nested({b: range(20 * b, 20 * b + 20) for b in range(10)}, ["1", "3"])
    made = levels_response(context, bits=bits)
    assert bits is None or made.bits <= bits


def test_the_shares_that_are_expected_decide_the_marks():
    """With hardly anyone in most blocks, fewer of them are marked."""
    context = Context.nested({b: range(4 * b, 4 * b + 4) for b in range(12)}, ["0.5", "1.5"])
    even, few = dc.explain(context), dc.explain(context, prior=[0.2] * 4 + [0.2 / 44] * 44)
    assert {even.chosen.name, few.chosen.name} <= {"levels", "types"}


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (Context.uniform(range(4), "1"), "blocks inside each other"),
        (Context.metric(range(5), "line", "1"), "blocks inside each other"),
        (Context.nested({"a": [0, 1], "b": [2, 3]}, ["1", "inf"]), "blocks inside each other"),
        (Context.nested({"a": range(90), **{b: [100 + b] for b in range(90)}}, ["1", "2"]), "places for 180 values"),
    ],
)
def test_what_is_no_tree_of_like_blocks_is_not_served(context, message):
    with pytest.raises(NotServed, match=message):
        levels_response(context)


def test_too_many_levels_are_not_served():
    size = 18
    entries = [[0 if x == z else max(x, z) for z in range(size)] for x in range(size)]
    with pytest.raises(NotServed, match="at most 16 levels"):
        levels_response(Context.matrix(range(size), entries))


def test_too_few_bits_are_not_served():
    context = Context.nested({b: range(20 * b, 20 * b + 20) for b in range(10)}, ["1", "3"])
    with pytest.raises(NotServed, match="fit 6 bits"):
        levels_response(context, bits=6)


def test_levels_that_hardly_differ_are_refused_or_served_but_never_leak():
    for apart in ("1.0000000000000001", "1.0001", "1.1"):
        context = Context.nested({"a": range(3), "b": range(3, 6)}, ["1", apart])
        try:
            assert dc.mechanism(context, "levels").certificate.gap >= 0
        except (InvalidEpsilon, NotServed):
            assert apart == "1.0000000000000001"


def test_an_epsilon_beyond_words_is_refused():
    with pytest.raises(InvalidEpsilon, match="beyond what words"):
        dc.mechanism(Context.nested({"a": [0, 1], "b": [2, 3]}, ["100", "200"]), "levels")
