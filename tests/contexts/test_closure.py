"""Laws of the shortest-path closure."""

import math
from fractions import Fraction
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Context

levels = st.one_of(st.just(math.inf), st.fractions(min_value=0, max_value=5, max_denominator=7))
matrices = st.lists(st.lists(levels, min_size=4, max_size=4), min_size=4, max_size=4).map(
    lambda rows: [[0 if i == j else e for j, e in enumerate(row)] for i, row in enumerate(rows)]
)


def shortest(entries, x, z):
    """By enumeration of all simple paths."""
    others = [y for y in range(len(entries)) if y not in (x, z)]
    best = entries[x][z]
    for length in range(1, len(others) + 1):
        for way in permutations(others, length):
            stops = [x, *way, z]
            best = min(best, sum(entries[a][b] for a, b in pairwise(stops)))
    return best


@settings(max_examples=60, deadline=None)
@given(matrices)
def test_every_entry_of_the_closure_is_the_shortest_path(entries):
    context = Context.matrix(range(4), entries)
    closed = context.closure()
    for x in range(4):
        for z in range(4):
            expected = 0 if x == z else shortest(entries, x, z)
            assert closed.at(x, z) == expected
    assert closed.closure() == closed
    assert closed.implies(context)


def test_a_context_without_shorter_detours_is_its_own_closure():
    for context in (
        Context.uniform(range(3), 1),
        Context.high_low(range(3), [0], 1),
        Context.blocks({0: [0, 1], 1: [2]}, 1),
        Context.binary(0, 1, (0, 3)),
        Context.matrix(range(2), [[0, 1], [2, 0]]),
        Context.metric(range(3), lambda x, z: abs(x - z), 1),
    ):
        assert context.closure() is context


def test_denominators_beyond_any_float_are_no_obstacle():
    entries = [
        [0 if i == j else math.inf if (i + j) % 5 == 0 else Fraction(1, 10**40 + 7 * i + j) for j in range(9)]
        for i in range(9)
    ]
    closed = Context.matrix(range(9), entries).closure()
    assert closed.at(1, 4) == min(shortest_by_floyd(entries)[1][4], math.inf)


def shortest_by_floyd(entries):
    paths = [list(row) for row in entries]
    for via in range(len(paths)):
        for x in range(len(paths)):
            for z in range(len(paths)):
                if math.inf not in (paths[x][via], paths[via][z]):
                    paths[x][z] = min(paths[x][z], paths[x][via] + paths[via][z])
    return paths


@pytest.mark.parametrize("zero", [0, Fraction(0)])
def test_a_zero_entry_makes_two_values_share_what_they_ask(zero):
    closed = Context.matrix(range(3), [[0, zero, "inf"], [zero, 0, 1], ["inf", 1, 0]]).closure()
    assert closed.at(0, 2) == 1
    assert closed.at(2, 0) == 1
