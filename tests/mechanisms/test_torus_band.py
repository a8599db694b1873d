"""Laws of the proof for large tori: it accepts what is private, and nothing that leaks."""

from dataclasses import replace
from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import PrivacyViolation
from discreet.core.exact import within
from discreet.mechanisms.law import Row
from discreet.mechanisms.lines_and_grids import torus
from discreet.mechanisms.lines_and_grids.torus import Torus, faded_by, fades_closely, shorter, torus_response
from discreet.wire import law_text, parse_law


def grid(rows, columns, norm, epsilon):
    return Context.metric([(i, j) for i in range(rows) for j in range(columns)], norm, epsilon)


def units_of(law):
    return {cell: law.units[cell[0] * law.shape[1] + cell[1]] for cell in shorter(law.shape)}


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
@pytest.mark.parametrize("shape", [(6, 6), (5, 8), (2, 9)])
def test_it_holds_for_what_comparing_all_displacements_accepts(shape, epsilon, norm):
    context = grid(*shape, norm, epsilon)
    law = torus_response(context).law
    assert fades_closely(units_of(law), faded_by(context.grid, law.shape), context.grid)


@pytest.mark.parametrize("cell", [(0, 0), (0, 1), (2, 3), (3, 3)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_whatever_it_accepts_is_private(cell, sign):
    """Units moved by more and more: as soon as some ratio is beyond E the proof fails, and it never holds later."""
    context = grid(6, 6, "l2", "0.5")
    law, weights = torus_response(context).law, faded_by(context.grid, (6, 6))
    leaked = 0
    for power in range(0, 58, 3):
        units = units_of(law)
        units[cell] += sign << power
        full = [units[min(i, 6 - i), min(j, 6 - j)] for i in range(6) for j in range(6)]
        if min(full) <= 0:
            break
        largest = [torus._largest(full, t, (6, 6)) for t in range(36)]
        private = all(within(largest[6 * i + j], context.grid.epsilon((i, j))) for i, j in shorter((6, 6)) if i or j)
        leaked += not private
        assert private or not fades_closely(units, weights, context.grid)
    towards_even = (cell, sign) in (((0, 0), -1), ((3, 3), 1))
    assert leaked or towards_even


def test_a_large_torus_is_certified_and_read_back():
    context = grid(40, 30, "l2", "1")
    mechanism = dc.mechanism(context)
    assert mechanism.name == "torus"
    assert mechanism.certificate.claimed == 1
    assert 0 <= mechanism.certificate.gap < 1e-12
    assert parse_law(law_text(mechanism)).fingerprint == mechanism.fingerprint


def test_a_displacement_that_is_too_likely_leaks_on_a_large_torus(monkeypatch):
    """The control, by the proof alone and by comparing all displacements where it fails."""
    context = grid(26, 26, "l1", "1")
    law = torus_response(context).law
    near = [t for t, unit in enumerate(law.units) if unit == law.units[1]]
    moved = [unit - 2**30 if t in near else unit for t, unit in enumerate(law.units)]
    moved[0] += 2**30 * len(near)
    forged = Torus.from_law(replace(law, units=tuple(moved)))
    with pytest.raises(PrivacyViolation, match=r"leaks 1\.0"):
        dc.Mechanism(context, forged)
    monkeypatch.setattr(torus, "MAX_COMPARED_CELLS", 1)
    with pytest.raises(PrivacyViolation, match="cannot be proved"):
        dc.Mechanism(context, forged)


def test_values_must_lie_as_the_context_says():
    """The control: the same displacements, with two values that changed places."""
    context = grid(26, 26, "l1", "1")
    law = torus_response(context).law
    cells = list(law.cells)
    cells[0], cells[-1] = cells[-1], cells[0]
    with pytest.raises(PrivacyViolation, match="leaks"):
        dc.Mechanism(context, Torus.from_law(replace(law, cells=Row.of(cells))))


def test_values_may_all_be_moved_alike():
    context = grid(30, 20, "l1", "1")
    law = torus_response(context).law
    moved = Row.of((cell + 20 * 3) % 600 for cell in law.cells)
    assert dc.Mechanism(context, Torus.from_law(replace(law, cells=moved))).certificate.gap >= 0


def test_units_that_are_all_alike_follow_nothing():
    context = grid(4, 4, "l1", "1")
    weights = faded_by(context.grid, (4, 4))
    assert not fades_closely(dict.fromkeys(weights, 2**60), dict.fromkeys(weights, 1), context.grid)
    assert not fades_closely(dict.fromkeys(weights, 2**60), weights, context.grid)


def test_an_epsilon_of_another_context_is_not_proved():
    law = torus_response(grid(30, 20, "l2", "1")).law
    weaker = grid(30, 20, "l2", "2")
    smaller = grid(30, 20, "l2", Fraction(1) - Fraction(1, 10**6))
    assert not fades_closely(units_of(law), faded_by(smaller.grid, law.shape), smaller.grid)
    assert not fades_closely(units_of(law), faded_by(weaker.grid, law.shape), weaker.grid)
