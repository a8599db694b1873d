"""Two subset sizes mixed: the best of all mixtures, at given shares and at the worst ones."""

import numpy as np
import pytest

import discreet as dc
from discreet.mechanisms.composed.mixture import Mixture
from discreet.mechanisms.composed.two_sizes import (
    SizeTerms,
    best_two_sizes,
    least_favourable,
    least_favourable_mass,
    mixed_error,
    terms_of,
)
from discreet.planning.objective import objective_of


def prior(s: int, k: int, mass: float) -> np.ndarray:
    return np.r_[np.full(s, mass / s), np.full(k - s, (1 - mass) / (k - s))]


def proved(s: int, epsilon: float, mass: float, spread: float) -> tuple[float, float]:
    """The error of the best two sizes and a bound on that of every mixture of all sizes.

    The error f is convex and of degree -1 in the odds: f(pi) >= f**2 / max_d -(slope of f in direction d).
    """
    found = best_two_sizes(s, epsilon, mass, spread)
    one, two = (np.array(terms_of(s, d, epsilon, mass)) for d in found[:2])
    known = found.share * one + (1 - found.share) * two
    parts = np.array([s - 1, (1 / s + spread) * (1 - mass), (1 - spread) * (1 - mass)])
    steepest = max(float(parts @ (np.array(terms_of(s, d, epsilon, mass)) / known**2)) for d in range(1, s))
    assert mixed_error(SizeTerms(*known), s, mass, spread) == pytest.approx(found.error)
    return found.error, found.error**2 / steepest


@pytest.mark.parametrize("s", [2, 3, 5, 10, 25, 50, 200])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0, 5.0])
def test_no_mixture_of_any_sizes_is_better(s: int, epsilon: float) -> None:
    for mass in (0.01, 0.05, 0.3, 0.9):
        for spread in (0.01, 1.0):
            error, bound = proved(s, epsilon, mass, spread)
            assert error == pytest.approx(bound, rel=1e-9)


MINIMAX = [(3, 20, "1", 6.27317), (4, 16, "1.5", 4.04264), (5, 20, "2", 2.90837), (10, 100, "3", 2.24980)]


@pytest.mark.parametrize(("s", "k", "epsilon", "error"), MINIMAX)
def test_the_mechanism_for_the_worst_case_has_the_least_possible_worst_error(s, k, epsilon, error) -> None:
    context = dc.Context.high_low(range(k), range(s), epsilon)
    explanation = dc.explain(context, worst=True)
    assert isinstance(explanation.chosen.sampler, Mixture)
    assert explanation.candidates[0].error == pytest.approx(error, abs=1e-5)
    single = next(one for one in explanation.candidates if one.name == "high_low(subset)")
    assert single.error > 1.01 * error, "the control: one size is worse"
    even = dc.mechanism(context)
    assert objective_of(context, worst=True).error(even, np.full(k, 1 / k)) > error * (1 + 1e-4)


@pytest.mark.parametrize(
    ("k", "s", "epsilon"), [(20, 10, "1"), (100, 50, "3"), (60, 20, "3.5"), (50, 10, "2.5"), (30, 5, "2")]
)
def test_the_worst_case_is_the_minimax_optimum_of_all_mixtures(k: int, s: int, epsilon: str) -> None:
    """The largest, over the mass of the sensitive values, of a bound on all mixtures at that mass."""
    context = dc.Context.high_low(range(k), range(s), epsilon)
    optimum = max(proved(s, float(epsilon), mass, 1 / (k - s))[1] for mass in np.linspace(0.001, 1, 1000))
    found = dc.explain(context, worst=True, bits=None).candidates[0].error
    assert round(found / optimum, 4) == 1.0
    mass = least_favourable_mass(s, k - s, float(epsilon))
    assert best_two_sizes(s, float(epsilon), mass, 1 / (k - s)).error == pytest.approx(optimum, rel=1e-5)


def test_the_least_favourable_shares_are_shares() -> None:
    shares = least_favourable(10, [1, 4, 5], 1.0)
    assert sum(shares) == pytest.approx(1)
    assert shares[1] == shares[4] == shares[5] != shares[0] == shares[9]
    assert sum(least_favourable(4, [2], 1.0)) == pytest.approx(1)


def test_two_sizes_are_mixed_only_where_that_helps() -> None:
    alone = best_two_sizes(10, 1.0, 0.1, 0.1)
    assert alone.error > (1 - 1e-3) * alone.single
    both = best_two_sizes(3, 1.0, 0.02, 1 / 17)
    assert both[:2] == (1, 2)
    assert 0 < both.share < 1
    context, shares = dc.Context.high_low(range(20), range(3), "1"), prior(3, 20, 0.02)
    explanation = dc.explain(context, prior=shares)
    assert isinstance(explanation.chosen.sampler, Mixture)
    assert explanation.candidates[0].error == pytest.approx(both.error, rel=1e-9)
    single = min(c.error for c in explanation.candidates if c.name == "high_low(subset)")
    assert explanation.candidates[0].error < 0.99 * single


def test_many_sensitive_values_are_mixed_where_reports_may_be_long() -> None:
    context, shares = dc.Context.high_low(range(300), range(100), "5.5"), prior(100, 300, 0.24)
    free, word = dc.explain(context, prior=shares, bits=None), dc.explain(context, prior=shares)
    assert free.chosen.sampler.name == "mixture"
    assert free.chosen.bits > 64 >= word.chosen.bits
    single = next(one for one in free.candidates if one.name == "high_low(subset)")
    assert free.candidates[0].error < 0.996 * single.error
    assert free.candidates[0].error == pytest.approx(best_two_sizes(100, 5.5, 0.24, 1 / 200).error, rel=1e-9)
