"""Accounts are about pairs that E asks for, also where the mechanism treats more values alike than the context."""

from __future__ import annotations

import math
from fractions import Fraction

import discreet as dc
from discreet import Context
from discreet.leakage.pairs import list_pairs
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse


def test_another_pair_stands_in_for_one_that_nothing_is_asked_of():
    mechanism = Mechanism(Context.high_low(range(3), [1, 2], "1"), RandomizedResponse(3, Fraction(1)))
    closure = mechanism.context.closure()
    pairs = list_pairs(mechanism).pairs
    assert pairs
    assert all(closure.at(x, z) < math.inf for x, z in pairs)
    assert dc.shuffled(mechanism, 1000).worst(1e-6).epsilon < 1


def test_nothing_is_said_of_values_that_may_be_shown():
    mechanism = dc.mechanism(Context.high_low(range(4), [0, 1], "1"), "hadamard")
    assert {(x < 2, z < 2) for x, z in list_pairs(mechanism).pairs} == {(True, True), (True, False)}
