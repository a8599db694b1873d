"""The largest finite entry of a context, and whether any is infinite: each form's own way against the matrix."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc

C = dc.Context
TREE = {"fr": {"paris": ["p1", "p2"], "lyon": ["l1"]}, "de": {"berlin": ["b1"]}}
CONTEXTS = {
    "uniform": C.uniform(range(5), "1"),
    "one value": C.uniform(["a"], "1"),
    "blocks": C.blocks({"a": ["p", "q"], "b": ["r"]}, {"a": "1", "b": "3"}),
    "one block": C.blocks({"a": ["p", "q"]}, "1"),
    "high_low": C.high_low(range(5), [1, 2], "2"),
    "one sensitive": C.high_low(range(5), [1], "2"),
    "all sensitive": C.high_low(range(3), range(3), "2"),
    "binary": C.binary("no", "yes", ("inf", "1")),
    "binary, both": C.binary("no", "yes", ("0", "1/3")),
    "nested": C.nested(TREE, ("1", "2", "3")),
    "nested, open": C.nested(TREE, ("1", "2", "inf")),
    "nested, one country": C.nested({"fr": TREE["fr"]}, ("1", "2", "inf")),
    "nested, no shared city": C.nested({"fr": {"a": ["p"], "b": ["q"]}}, ("1", "2", "3")),
    "graded": C.graded({"a": "1", "b": "2", "c": "2"}),
    "graded, open": C.graded({"a": "1", "b": "inf"}),
    "line": C.metric([3, 1, 7], "line", "0.5"),
    "l2": C.metric(["a", "b", "c"], "l2", "1", points=[(0, 0), (1, 0), (3, 4)]),
    "product": C.uniform(range(2), "1") * C.high_low(range(3), [1], "2"),
    "product of lines": C.metric(range(3), "line", "1") * C.metric(range(4), "ring", "1"),
    "matrix": C.matrix(["a", "b", "c"], [[0, 1, 2], [1, 0, "inf"], [3, 1, 0]]),
    "a sum": C.uniform(range(4), "1") + C.high_low(range(4), [1, 2], "2"),
    "both": C.uniform(range(4), "1") & C.blocks({"a": range(2), "b": [2, 3]}, "0.5"),
}


def entries(context):
    return [entry for x, row in enumerate(context.matrix()) for z, entry in enumerate(row) if x != z]


@pytest.mark.parametrize("name", CONTEXTS)
def test_every_form_knows_its_largest_entry_and_whether_something_shows(name):
    context = CONTEXTS[name]
    found = entries(context)
    assert context.largest == max((entry for entry in found if isinstance(entry, Fraction)), default=0)
    assert context.shows is (math.inf in found)


@given(st.sets(st.integers(0, 59), min_size=1, max_size=9), st.integers(60, 80))
def test_a_ring_knows_the_two_places_that_are_farthest_apart(places, around):
    context = C.metric(sorted(places), "ring", "0.5", around=around)
    assert context.largest == max(entries(context), default=0)


def test_large_domains_are_not_gone_through_pair_by_pair():
    count = 100_000
    assert C.metric(range(count), "line", "1").largest == count - 1
    assert C.metric(range(count), "ring", "1").largest == count // 2
    assert C.graded({x: x + 1 for x in range(count)}).largest == count
    assert C.nested({str(x): [x] for x in range(count)}, ("1", "inf")).shows
