"""Sizes for high-low: found by the closed form, which the mechanisms confirm."""

import numpy as np
import pytest

import discreet as dc
from discreet.choose import candidate_of
from discreet.errors import InvalidInput
from discreet.mechanisms.high_low_choice import best_subset_size, best_two_sizes
from discreet.mechanisms.mixture import Mixture


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


def test_two_sizes_are_mixed_only_where_that_helps() -> None:
    assert best_two_sizes(10, 1.0, 0.1) is None
    first, second, share = best_two_sizes(3, 1.0, 0.02) or (0, 0, 0.0)
    assert (first, second) == (1, 2)
    assert 0 < share < 1
    context, shares = dc.Context.high_low(range(20), range(3), "1"), prior(3, 20, 0.02)
    explanation = dc.explain(context, prior=shares)
    assert isinstance(explanation.chosen.randomizer, Mixture)
    single = min(c.error for c in explanation.candidates if c.name == "high_low(subset)")
    assert explanation.candidates[0].error < 0.99 * single


def test_a_mixture_is_rebuilt_from_its_description() -> None:
    context, shares = dc.Context.high_low(range(20), range(3), "1"), prior(3, 20, 0.02)
    made = dc.mechanism(context, prior=shares)
    told = made.randomizer.describe()
    again = dc.mechanism(context, "mixture", parts=told["parts"], units=told["units"], prior=told["prior"])
    assert again.fingerprint == made.fingerprint
    for wrong in ({"parts": told["parts"]}, {"parts": told["parts"], "units": [1, 2]}):
        with pytest.raises(InvalidInput):
            dc.mechanism(context, "mixture", **wrong)


def test_the_parts_of_a_mixture_must_fit_together() -> None:
    from fractions import Fraction

    from discreet.mechanisms.high_low import HighLowResponse
    from discreet.mechanisms.subset import Subset

    three, four = Subset(3, Fraction(1), d=1), Subset(4, Fraction(1), d=1)
    halves = [1 << 63, 1 << 63]
    with pytest.raises(InvalidInput, match="one size"):
        Mixture([three, four], halves, [1 / 3] * 3)
    with pytest.raises(InvalidInput, match="alike"):
        Mixture(
            [HighLowResponse(5, (0, 1, 2), three, Fraction(1)), HighLowResponse(5, (1, 2, 3), three, Fraction(1))],
            halves,
            [0.2] * 5,
        )
    wide = [HighLowResponse(80, tuple(range(70)), Subset(70, Fraction(1), d=d), Fraction(1)) for d in (1, 2)]
    with pytest.raises(InvalidInput, match="64 bits"):
        Mixture(wide, halves, [1 / 80] * 80)
