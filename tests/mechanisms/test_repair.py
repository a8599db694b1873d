"""Laws of the repair: what comes back satisfies E in whole numbers and is next to what went in."""

import math
import random
from fractions import Fraction

import pytest

from discreet import Context
from discreet.core.errors import NotServed, PrivacyViolation
from discreet.mechanisms.certificate import verify
from discreet.mechanisms.tables.repair import repaired, repaired_units

SPACE = 1 << 64


def line(size, epsilon):
    return Context.metric(range(size), lambda x, z: abs(x - z), epsilon)


def floats(size, step):
    """Rows of doubles, so neither their sums nor their ratios are exact."""
    rows = [[math.exp(-step / 2 * abs(x - y)) for y in range(size)] for x in range(size)]
    return [[Fraction(entry / sum(row)) for entry in row] for row in rows]


@pytest.mark.parametrize("epsilon", ["0.01", "1", "5"])
def test_rows_of_doubles_are_made_private_by_one_more_report(epsilon):
    context, rows = line(12, epsilon), floats(12, float(epsilon))
    table = repaired(rows, context.closure().matrix())
    assert table.outputs == 13
    exact = [[Fraction(unit, SPACE) for unit in row] for row in table.rows]
    assert verify(exact, context=context)
    for own, asked in zip(exact, rows, strict=True):
        assert all(abs(a - b) < 1e-9 for a, b in zip(own, asked, strict=False))
        assert own[-1] < 1e-7


def test_the_rows_themselves_would_have_leaked():
    """The control: rounded to words without repair, a ratio at its limit is broken."""
    context = line(5, "1")
    e = Fraction(math.exp(-1)) * (1 - Fraction(1, 10**15))
    rows = [[e ** abs(x - y) for y in range(5)] for x in range(5)]
    exact = [[entry / sum(row) for entry in row] for row in rows]
    cut = [[Fraction(int(entry * SPACE), SPACE) for entry in row] for row in exact]
    with pytest.raises(PrivacyViolation):
        verify([[*row[:-1], row[-1] + 1 - sum(row)] for row in cut], context=context)


def test_rows_that_add_up_need_no_other_report():
    rows = [[3, 1, 1], [1, 3, 1], [1, 1, 3]]
    E = Context.uniform(range(3), Fraction(11, 10)).matrix()
    units = repaired_units(rows, E)
    assert {len(row) for row in units} == {3}
    assert {sum(row) for row in units} == {SPACE}
    assert abs(units[0][0] - 3 * SPACE // 5) < 2**20


def test_an_entry_that_is_not_asked_for_is_not_compared():
    rows = [[1, 0], [0, 1]]
    free = [[Fraction(0), math.inf], [math.inf, Fraction(0)]]
    assert repaired_units(rows, free)[0][0] > SPACE - 2**22
    one_way = [[Fraction(0), math.inf], [Fraction(30), Fraction(0)]]
    assert repaired_units(rows, one_way)[1][1] > SPACE - 2**22


def test_rows_that_no_mixture_repairs_are_refused():
    with pytest.raises(NotServed, match="no table near these rows"):
        repaired([[1, 0], [0, 1]], Context.uniform(range(2), "1e-30").matrix())


def test_random_rows_and_matrices_end_in_a_proof():
    rng = random.Random(5)
    for _ in range(10):
        E = [[0 if x == z else Fraction(rng.randrange(5, 300), 100) for z in range(5)] for x in range(5)]
        context = Context.matrix(range(5), E)
        rows = [[Fraction(rng.randrange(1000, 1050)) for _ in range(9)] for _ in range(5)]
        table = repaired(rows, context.closure().matrix())
        assert verify([[Fraction(unit, SPACE) for unit in row] for row in table.rows], context=context)
