"""Laws of the largest ratios between rows: they are exact, whatever the units are."""

import random
from fractions import Fraction
from itertools import permutations

import pytest

from discreet.mechanisms.tables.table import pairs_of


def by_definition(rows):
    """Every pair with a finite ratio, by comparing all entries as fractions."""
    found = {}
    for x, z in permutations(range(len(rows)), 2):
        entries = [(a, b) for a, b in zip(rows[x], rows[z], strict=True) if a]
        if all(b for _, b in entries):
            found[x, z] = max(Fraction(a, b) for a, b in entries)
    return found


def listed(rows, space):
    return {(pair.x, pair.z): pair.ratio for pair in pairs_of(rows, space)}


def some_rows(rng, size, outputs, space, zeros):
    rows = []
    for _ in range(size):
        cuts = sorted(rng.randrange(space + 1) for _ in range(outputs - 1))
        row = [b - a for a, b in zip([0, *cuts], [*cuts, space], strict=True)]
        if not zeros and min(row) == 0:
            return some_rows(rng, size, outputs, space, zeros)
        rows.append(row)
    return rows


@pytest.mark.parametrize("bits", [6, 64, 640, 2000])
@pytest.mark.parametrize("zeros", [False, True])
def test_the_largest_ratios_are_those_of_the_definition(bits, zeros):
    rng = random.Random(bits)
    for _ in range(20):
        rows = some_rows(rng, 4, 5, 1 << bits, zeros)
        assert listed(rows, 1 << bits) == by_definition(rows)


def test_ratios_that_doubles_cannot_tell_apart_are_told_apart():
    """Two reports whose ratios differ by a part in 2**60: the larger is found wherever it stands."""
    a, b = 2**62, 2**61
    for larger in (0, 1):
        own, other = [a, a], [b, b]
        other[larger] -= 1
        rows = [[*own, 2**64 - sum(own)], [*other, 2**64 - sum(other)]]
        assert float(Fraction(own[0], other[0])) == float(Fraction(own[1], other[1]))
        assert listed(rows, 2**64)[0, 1] == Fraction(a, b - 1)


def test_a_report_of_one_value_alone_leaves_no_bound():
    rows = [[1, 0, 3], [0, 0, 4], [2, 0, 2]]
    assert listed(rows, 4) == {(0, 2): Fraction(3, 2), (1, 0): Fraction(4, 3), (1, 2): 2, (2, 0): 2}
