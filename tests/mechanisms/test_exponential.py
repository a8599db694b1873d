"""Laws of the exponential table for metrics."""

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import NotServed
from discreet.mechanisms.tables.metric import exponential_table


@pytest.mark.parametrize("epsilon", ["0.01", "1", "5"])
def test_reports_fade_with_half_the_distance(epsilon):
    context = Context.metric(range(6), lambda x, z: abs(x - z), epsilon)
    rows = np.array(dc.mechanism(context, "exponential").channel(), dtype=float)
    weights = np.exp(-float(epsilon) / 2 * np.abs(np.subtract.outer(np.arange(6), np.arange(6))))
    assert np.allclose(rows, weights / weights.sum(axis=1, keepdims=True), rtol=1e-9)


def test_a_far_value_keeps_a_word_so_that_nothing_is_told_for_certain():
    """At distance 300 the exact weight is far below one word of 2**64; rounded to none it would leak for certain."""
    context = Context.metric([0, 1, 300], lambda x, z: abs(x - z), "1")
    mechanism = dc.mechanism(context, "exponential")
    assert min(entry for row in mechanism.channel() for entry in row) > 0
    assert dc.verify(mechanism.channel(), context=context)


def test_values_infinitely_far_apart_are_not_mixed_without_need():
    context = Context.metric([0, 1, 9, 10], lambda x, z: abs(x - z) if abs(x - z) < 2 else "inf", "1")
    rows = dc.mechanism(context, "exponential").channel()
    assert dc.verify(rows, context=context)
    assert float(rows[0][2]) < 1e-9


def test_the_closure_of_a_matrix_is_served_and_asymmetry_is_not():
    shortcut = Context.matrix(range(3), [[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    table = exponential_table(shortcut)
    assert float(table.probability(0, 2) / table.probability(0, 0)) == pytest.approx(np.exp(-1))
    with pytest.raises(NotServed, match="symmetric"):
        exponential_table(Context.matrix(range(2), [[0, 1], [2, 0]]))


def test_a_table_is_not_tried_for_too_many_values():
    with pytest.raises(NotServed, match="needs at most 512 values"):
        exponential_table(Context.metric(range(600), lambda x, z: 1, "1"))
