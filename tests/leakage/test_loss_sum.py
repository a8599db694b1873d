"""The sum along the contour is above the listed one, and close."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.leakage import expected_excess
from discreet.leakage.divergence import Losses, composed_delta, losses_of
from discreet.leakage.profiles.rows import ReportGroup


@pytest.mark.parametrize(("times", "epsilon"), [(50, 0.5), (50, 8.0), (300, 10.0), (300, 60.0)])
def test_the_contour_is_above_the_listing_and_within_a_thousandth(times, epsilon, monkeypatch):
    part = Losses(np.array([0.5, 0.35, 0.15]), np.array([0.0, math.log(0.35 / 0.15), -math.log(0.35 / 0.15)]), 0.0)
    listed = composed_delta([(part, times)], epsilon)
    monkeypatch.setattr(expected_excess, "list_sums", lambda parts: None)
    found = composed_delta([(part, times)], epsilon)
    assert listed * (1 - 1e-10) <= found <= listed * 1.003


def test_chernoff_serves_where_it_is_enough(monkeypatch):
    part = Losses(np.array([0.5, 0.35, 0.15]), np.array([0.0, math.log(0.35 / 0.15), -math.log(0.35 / 0.15)]), 0.0)
    monkeypatch.setattr(expected_excess, "list_sums", lambda parts: None)
    near, rough = (composed_delta([(part, 100)], 40.0, enough=enough) for enough in (0.0, 1.0))
    assert near < rough < 1


def test_losses_of_one_ratio_are_one():
    rows = [
        ReportGroup(*map(Fraction, (1, 3, 6))),
        ReportGroup(*map(Fraction, (1, 1, 2))),
        ReportGroup(*map(Fraction, (0, 1, 0))),
    ]
    found = losses_of(rows)
    assert found.masses.tolist() == [4.0]
    assert found.losses[0] == pytest.approx(-math.log(2))
    assert found.disclosed >= 1


@pytest.mark.parametrize("epsilon", [math.nan, -1.0])
def test_what_is_not_a_number_certifies_nothing(epsilon):
    part = Losses(np.array([1.0]), np.array([0.0]), 0.0)
    assert not composed_delta([(part, 1)], epsilon) <= 1
    broken = Losses(np.array([math.nan]), np.array([0.0]), 0.0)
    assert not composed_delta([(broken, 1)], 1.0) <= 1
