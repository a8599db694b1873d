"""The semidefinite bound: below every mechanism, at any shares, and near the optimum where the others are far."""

import json
import math

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.theory import bounds_for, unbiased_semidefinite

pytest.importorskip("clarabel")

C = dc.Context


def line(k, epsilon):
    return C.metric(range(k), lambda x, z: abs(x - z), epsilon)


CONTEXTS = {
    "line": line(8, "0.5"),
    "uniform": C.uniform(range(5), "1"),
    "blocks": C.blocks({0: range(4), 1: range(4, 6), 2: [6]}, {0: "1", 1: "0.5", 2: "1"}),
    "high-low": C.high_low(range(6), range(3), "1"),
    "one way": C.matrix(range(3), [[0, 1, 2], [2, 0, 1], [1, "inf", 0]]),
}


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_no_mechanism_is_below_it_at_any_shares(context):
    k = context.size
    for prior in (None, np.arange(1, k + 1) / (k * (k + 1) / 2), np.r_[0.0, np.full(k - 1, 1 / (k - 1))]):
        found = bounds_for(context, 1, prior=prior, seconds=5)
        bound = found.unbiased["semidefinite"].value
        attained = min(c.error for c in dc.explain(context, prior=prior).candidates)
        assert 0.3 * attained < bound <= attained * (1 + 1e-9)


def test_it_proves_what_is_known_of_a_line_and_the_others_do_not():
    found = bounds_for(line(10, "0.5"), 1, seconds=10)
    assert 51.74 < found.unbiased["semidefinite"].value < 51.76
    assert found.lower["squared_error"] == found.unbiased["semidefinite"]
    assert found.unbiased["each value"].value < 0.2 * found.lower["squared_error"].value, "the control"
    assert "semidefinite" not in bounds_for(line(10, "0.5"), 1).unbiased, "only where it is asked for"


def test_values_that_must_be_alike_and_too_many_values_are_said_to_be_so():
    alike = C.matrix(range(2), [[0, 0], [0, 0]])
    assert unbiased_semidefinite(alike, np.array([0.5, 0.5]), seconds=1).value == math.inf
    many = C.uniform(range(400), "1")
    assert unbiased_semidefinite(many, np.full(400, 1 / 400), seconds=1) is None
    assert "semidefinite" not in bounds_for(many, 10, seconds=1).unbiased


@pytest.mark.parametrize("seconds", [0, -1, True, "5", math.nan, math.inf])
def test_seconds_are_a_positive_number(seconds):
    with pytest.raises(InvalidInput, match=r"seconds=.* must be a positive number"):
        bounds_for(line(4, "1"), 10, seconds=seconds)


def test_it_is_told_beside_the_others(tmp_path):
    table = dc.bounds.compare(dc.mechanism(line(5, "1")), 1000, seconds=5)
    assert "semidefinite" in str(table)
    told = json.loads(json.dumps(table.as_dict()))
    assert told["unbiased"]["semidefinite"]["value"] == pytest.approx(told["lower"]["squared_error"]["value"])
