"""Sizes for high-low: found by the closed form, which the mechanisms confirm."""

import numpy as np
import pytest

import discreet as dc
from discreet.mechanisms.composed.high_low import best_subset_size
from discreet.planning.choose import candidate_of


def prior(s: int, k: int, mass: float) -> np.ndarray:
    return np.r_[np.full(s, mass / s), np.full(k - s, (1 - mass) / (k - s))]


@pytest.mark.parametrize(
    ("s", "k", "mass", "epsilon"), [(10, 100, 0.1, "1"), (30, 60, 0.5, "0.5"), (50, 100, 0.02, "3")]
)
def test_the_chosen_subset_size_has_the_least_error_of_all(s: int, k: int, mass: float, epsilon: str) -> None:
    context, shares = dc.Context.high_low(range(k), range(s), epsilon), prior(s, k, mass)
    errors = {d: candidate_of(dc.mechanism(context, "subset", d=d), shares).error for d in range(1, s)}
    chosen = best_subset_size(s, float(epsilon), mass)
    assert errors[chosen] == min(errors.values())
    assert max(errors.values()) > 1.01 * errors[chosen], "the control: the size matters"


def test_published_figures_of_the_high_low_family_are_reached() -> None:
    """n times the total squared error of the best single size, from the closed form's own reference values."""
    cases = [
        (10, 100, 0.1, "1", 22.95),
        (50, 1000, 0.05, "3", 5.85),
        (50, 1000, 0.5, "5", 1.78),
        (200, 1000, 0.2, "5", 3.99),
    ]
    for s, k, mass, epsilon, error in cases:
        context = dc.Context.high_low(range(k), range(s), epsilon)
        best = dc.explain(context, prior=prior(s, k, mass), bits=None).candidates[0]
        assert best.error == pytest.approx(error, rel=2e-3)


def test_large_sets_are_searched_near_the_formula() -> None:
    small = best_subset_size(4096, 1.0, 0.1) / 4096
    assert best_subset_size(40_960, 1.0, 0.1) / 40_960 == pytest.approx(small, rel=0.01)
