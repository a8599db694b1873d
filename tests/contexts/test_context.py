"""Laws that every context keeps: E, its order, its classes, and what it refuses."""

import math
import tracemalloc
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Context
from discreet.contexts import Blocks, Matrix
from discreet.core.domain import Domain
from discreet.core.errors import InvalidContext, InvalidEpsilon, UnknownValue

FORMS = {
    "uniform": Context.uniform(list("abcde"), "1"),
    "blocks": Context.blocks({"u": ["a", "b"], "v": ["c", "d"], "w": ["e"]}, {"u": "1", "v": "0.5", "w": "2"}),
    "high_low": Context.high_low(list("abcde"), ["b", "d"], "1"),
    "metric": Context.metric(list("abcde"), lambda x, z: abs(ord(x) - ord(z)), "0.5"),
    "matrix": Context.matrix(
        list("abcde"),
        [[0 if i == j else "inf" if (i + 2 * j) % 4 == 0 else i + 2 * j for j in range(5)] for i in range(5)],
    ),
    "binary": Context.binary("a", "b", ("inf", "1")),
    "nested": Context.nested({0: {1: ["a", "b"], 2: ["c"]}, 3: {4: ["d"], 5: ["e"]}}, ["1/2", "1", "2"]),
    "nested blocks": Context.nested({0: {1: ["a", "b"], 2: ["c"]}, 3: {4: ["d", "e"]}}, ["1/2", "1", "inf"]),
    "graded": Context.graded({"a": "1", "b": "2", "c": "1", "d": "inf", "e": "3"}),
    "line": Context.metric([5, 1, 2, "2.5", 9], "line", "0.5"),
    "ring": Context.metric([5, 1, 2, "2.5", 9], "ring", "0.5", around="9.25"),
    "product": Context.high_low(list("abc"), ["b"], "1") * Context.uniform([0, 1], "1/2"),
}


def written(context: Context) -> Context:
    """The same context as a plain matrix."""
    return Context.matrix(list(context.values), context.matrix())


@pytest.mark.parametrize("context", FORMS.values(), ids=FORMS)
def test_the_matrix_written_out_is_the_context(context):
    entries = context.matrix()
    for i, x in enumerate(context.values):
        for j, z in enumerate(context.values):
            assert entries[i][j] == context.epsilon(x, z) == context.at(i, j)
            assert entries[i][j] == 0 or i != j
    assert written(context) == context
    assert hash(written(context)) == hash(context)


@pytest.mark.parametrize("context", FORMS.values(), ids=FORMS)
def test_values_of_one_class_have_equal_rows_and_columns(context):
    entries, labels = context.matrix(), context.class_of
    for x in range(context.size):
        for z in range(context.size):
            if x != z:
                assert entries[x][z] == context.between(labels[x], labels[z])
                finite = isinstance(entries[x][z], Fraction)
                assert finite == ((labels[x], labels[z]) in set(context.finite()))
    assert sorted(x for members in context.members for x in members) == list(range(context.size))


@pytest.mark.parametrize("context", FORMS.values(), ids=FORMS)
def test_the_tightest_pair_has_the_smallest_entry(context):
    entries = context.matrix()
    least = min(entries[x][z] for x in range(context.size) for z in range(context.size) if x != z)
    assert context.smallest == least == context.at(*context.tightest)


def test_a_context_that_protects_nothing_has_no_tightest_pair():
    context = Context.matrix(["x", "y"], [[0, "inf"], ["inf", 0]])
    assert context.tightest is None
    assert context.smallest == math.inf


@pytest.mark.parametrize("context", FORMS.values(), ids=FORMS)
def test_pairs_among_labels_reach_every_finite_entry_once_for_each_two_labels(context):
    entries = context.matrix()
    for labels in ([0] * context.size, list(range(context.size)), [x % 2 for x in range(context.size)]):
        found = list(context.pairs_among(labels))
        assert all(x != z and entries[x][z] == asked for x, z, asked in found)
        reached = {(context.class_of[x], context.class_of[z], labels[x], labels[z]) for x, z, _ in found}
        assert len(reached) == len(found)
        needed = {
            (context.class_of[x], context.class_of[z], labels[x], labels[z])
            for x in range(context.size)
            for z in range(context.size)
            if x != z and isinstance(entries[x][z], Fraction)
        }
        assert reached == needed


levels = st.one_of(st.just(math.inf), st.fractions(min_value=0, max_value=5, max_denominator=4))


@st.composite
def matrices(draw, size=4):
    return [[0 if i == j else draw(levels) for j in range(size)] for i in range(size)]


@settings(max_examples=60, deadline=None)
@given(matrices(), matrices())
def test_a_context_implies_another_exactly_when_its_closure_is_below(first, second):
    one, two = Context.matrix(range(4), first), Context.matrix(range(4), second)
    closed = one.closure().matrix()
    below = all(closed[i][j] <= two.matrix()[i][j] for i in range(4) for j in range(4))
    assert one.implies(two) == below
    assert one.implies(one)
    assert (one == two) == (one.implies(two) and two.implies(one))


def test_the_stricter_epsilon_implies_the_laxer_and_forms_are_ordered():
    values = list("abcd")
    half, one = Context.uniform(values, "0.5"), Context.uniform(values, "1")
    assert half.implies(one)
    assert not one.implies(half)
    assert one.implies(Context.high_low(values, ["a"], "1"))
    assert not Context.high_low(values, ["a"], "1").implies(one)
    assert one.implies(Context.blocks({0: ["a", "b"], 1: ["c", "d"]}, "1"))
    assert Context.high_low(values, values, "1") == one
    assert Context.blocks({0: values}, "1") == one
    assert one != Context.uniform(list("abcx"), "1")
    assert one != "a context"


def test_comparing_contexts_over_other_values_is_refused():
    with pytest.raises(InvalidContext, match="same values in the same order"):
        Context.uniform(["a", "b"], "1").implies(Context.uniform(["b", "a"], "1"))


def test_asking_about_a_stranger_is_refused():
    with pytest.raises(UnknownValue, match="value='z'"):
        FORMS["uniform"].epsilon("a", "z")


def ask_structured_forms(k):
    """Make, compare and combine every structured form of `k` values; the uniform one."""
    uniform = Context.uniform(range(k), "1")
    high_low = Context.high_low(range(k), range(100), "1")
    blocks = Blocks.from_sizes(Domain(range(k)), [k // 4] * 4, "1")
    assert uniform.epsilon(0, k - 1) == 1
    assert high_low.epsilon(0, k - 1) == 1
    assert high_low.epsilon(k - 1, 0) == math.inf
    assert blocks.epsilon(0, k - 1) == math.inf
    assert uniform.implies(high_low)
    assert uniform.implies(blocks)
    assert (uniform & blocks).form == "uniform"
    assert uniform.closure() is uniform
    return uniform


def test_a_million_values_never_make_a_matrix():
    """It would have 10**12 entries; asking for it is refused."""
    uniform = ask_structured_forms(10**6)
    with pytest.raises(InvalidContext, match="size=1000000 must be at most 4096"):
        uniform.matrix()


def test_structured_forms_take_room_for_their_values_only():
    """Less than 200 bytes a value, which a row of a matrix would pass at once."""
    k = 10**5
    tracemalloc.start()
    try:
        ask_structured_forms(k)
        assert tracemalloc.get_traced_memory()[1] < 200 * k
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("wrong", [0, "0", -1, math.nan, "nan", "inf", math.inf, "much", None])
@pytest.mark.parametrize(
    "make",
    [
        lambda e: Context.uniform(["a", "b"], e),
        lambda e: Context.high_low(["a", "b"], ["a"], e),
        lambda e: Context.blocks({"u": ["a", "b"]}, e),
        lambda e: Context.blocks({"u": ["a", "b"]}, {"u": e}),
        lambda e: Context.metric(["a", "b"], lambda x, z: 1, e),
    ],
)
def test_an_epsilon_without_use_in_the_form_is_refused(make, wrong):
    with pytest.raises(InvalidEpsilon, match="epsilon"):
        make(wrong)


def test_reprs_say_the_form_and_the_epsilon():
    assert repr(FORMS["uniform"]) == "Context.uniform(5 values, epsilon=1)"
    assert repr(FORMS["blocks"]) == "Context.blocks(5 values in 3 blocks, epsilon=0.5..2)"
    assert repr(FORMS["high_low"]) == "Context.high_low(5 values, 2 sensitive, epsilon=1)"
    assert repr(FORMS["metric"]) == "Context.metric(5 values, epsilon=0.5)"
    assert repr(FORMS["matrix"]) == "Context.matrix(5 values)"
    assert repr(FORMS["binary"]) == "Context.binary('a', 'b', epsilon=(inf, 1))"
    assert isinstance(FORMS["matrix"], Matrix)
