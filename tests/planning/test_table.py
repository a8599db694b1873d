"""Laws of the step from columns to a table."""

import math

import numpy as np
import pytest

from discreet.planning.design import table
from discreet.planning.design.search import worst_shares
from discreet.planning.design.table import write_table
from discreet.planning.optimize.symmetry import symmetries

from .conftest import found, line, problem, random_entries, ring


def value(of, Q):
    M = (Q / (of.prior @ Q)) @ Q.T
    return float(np.trace(np.linalg.solve(M, of.W)))


@pytest.mark.parametrize("E", [line(12), ring(12), random_entries(7, 1)])
def test_columns_are_dropped_at_no_cost_and_rows_add_up(E):
    of = problem(E)
    reached = found(E, of)
    smaller = symmetries([E, of.W], [of.prior], largest=len(E))
    Q = write_table(of, reached, smaller, most=40 * len(E))
    assert value(of, Q) == pytest.approx(reached.state.value, rel=1e-6)
    np.testing.assert_allclose(Q.sum(axis=1), 1.0, atol=1e-6)
    assert (np.log(Q[:, None] / Q).max(axis=2) <= E + 1e-9).all()
    everything = sum(len(of.group.images(column)) for column in reached.columns)
    assert Q.shape[1] < everything


def test_few_reports_cost_little():
    E = ring(12)
    of = problem(E)
    reached = found(E, of)
    smaller = symmetries([E, of.W], [of.prior], largest=12)
    Q = write_table(of, reached, smaller, most=48)
    assert Q.shape[1] <= 48
    assert reached.state.value * (1 - 1e-6) <= value(of, Q) < reached.state.value * 1.05


def test_what_would_take_too_long_is_left_out(monkeypatch):
    """No time is left: nothing is recombined, and no Newton step is taken; rows add up all the same."""
    E = ring(12)
    of = problem(E)
    reached = found(E, of, seconds=0.0)
    monkeypatch.setattr(table, "_recombine", lambda *args: pytest.fail("columns were recombined"))
    monkeypatch.setattr(table, "newton_weights", lambda *args, **more: pytest.fail("a Newton step was taken"))
    Q = write_table(of, reached, symmetries([E, of.W], [of.prior], largest=12), most=100, until=-math.inf)
    assert Q.shape[1] <= 100
    np.testing.assert_allclose(Q.sum(axis=1), 1.0, atol=1e-6)


def test_finding_columns_to_drop_takes_room_for_them_only(monkeypatch):
    """With many more pairs of values than columns no square matrix of all pairs is made."""
    shapes, svd = [], np.linalg.svd
    monkeypatch.setattr(np.linalg, "svd", lambda matrix, **more: shapes.append(matrix.shape) or svd(matrix, **more))
    rng = np.random.default_rng(1)
    features = np.repeat(rng.random((5000, 6)), 2, axis=1)
    weights = table._eliminate(features, np.ones(12), np.ones(12))
    assert shapes == [(12, 12)]
    assert (weights > 0).sum() == 6
    np.testing.assert_allclose(features @ weights, features.sum(axis=1))
    assert table.elimination_work(1500, 320 * 321 // 2) > table.MAX_ELIMINATION_WORK


def test_the_worst_shares_are_worse_than_any_others():
    rng = np.random.default_rng(1)
    moments = rng.uniform(1, 5, 6)
    for rows in (np.eye(6), np.tri(6)[:-1]):
        p, most = worst_shares(moments, rows)
        assert p.sum() == pytest.approx(1.0)
        assert moments @ p - np.sum((rows @ p) ** 2) == pytest.approx(most, rel=1e-6)
        for other in rng.dirichlet(np.full(6, 0.5), 500):
            assert moments @ other - np.sum((rows @ other) ** 2) <= most + 1e-9
