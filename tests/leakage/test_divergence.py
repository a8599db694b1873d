"""The floor bound is above the true shuffle, whatever the others hold, in both directions."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.exact import exp_below
from discreet.leakage.divergence import Divergence
from discreet.leakage.profiles import profile_of
from discreet.leakage.profiles.rows import ReportGroup, extremal
from discreet.mechanisms.tables.table import Table


def served(form, name, **parameters):
    mechanism = dc.mechanism(form, name, **parameters)
    return mechanism, mechanism.channel()


def uniform(k, epsilon):
    return Context.uniform(range(k), epsilon)


@pytest.mark.parametrize(
    ("context", "name", "parameters", "pair", "n", "epsilon", "floor", "worst"),
    [
        (uniform(3, "1"), "randomized_response", {}, (0, 1), 4, 0.6, 0.051947704, 0.048912992),
        (uniform(3, "1"), "hadamard", {}, (0, 1), 4, 0.6, 0.016036504, 0.013752589),
        (uniform(4, "0.5"), "subset", {"d": 2}, (0, 1), 4, 0.2, 0.027937722, 0.023101445),
        (Context.high_low(range(4), [0, 1], "1"), "randomized_response", {}, (0, 1), 6, 0.2, 0.136395325, 0.136395325),
        (Context.binary(0, 1, ("2", "1")), "binary", {}, (0, 1), 6, 0.6, 0.159908551, 0.120172100),
    ],
    ids=["response", "hadamard", "subset", "high-low", "binary"],
)
def test_small_batches_are_as_worked_out_by_hand(exactly, context, name, parameters, pair, n, epsilon, floor, worst):
    mechanism, rows = served(context, name, **parameters)
    g, hiders = exp_below(Fraction(str(epsilon))), range(context.size)
    exact = exactly.floor_delta(rows, *pair, g, n, hiders)
    assert float(exact) == pytest.approx(floor, abs=1e-9)
    assert float(exactly.worst_delta(rows, *pair, g, n, hiders)) == pytest.approx(worst, abs=1e-9)
    found = Divergence(profile_of(mechanism).pair_profile(*pair)).delta(n, float(Fraction(str(epsilon))))
    assert exact <= Fraction(found) * (1 + Fraction(1, 10**15)) <= exact * (1 + Fraction(1, 10**6))


def random_table(rng):
    k, outputs = rng.choice([2, 3]), rng.choice([2, 3, 4])
    rows = [[rng.choice([0, 1, 1, 2, 3, 8]) for _ in range(outputs)] for _ in range(k)]
    for row in rows:
        row[rng.randrange(outputs)] += 1
    exact = [[Fraction(entry, sum(row)) for entry in row] for row in rows]
    return Table.of_fractions(exact)


def test_three_hundred_random_tables_certified_is_above_the_floor_and_that_above_every_population(exactly):
    rng = random.Random(20261117)
    for _ in range(300):
        table = random_table(rng)
        rows = [[table.probability(x, y) for y in range(table.outputs)] for x in range(table.size)]
        n, epsilon = rng.choice([2, 3, 4]), rng.choice([0.0, 0.1, 0.5, 1.0])
        g = exp_below(Fraction(epsilon))
        for x, z in ((0, 1), (1, 0)):
            hiders = range(table.size)
            certified = Fraction(Divergence(profile_of(table).pair_profile(x, z)).delta(n, epsilon))
            floor = exactly.floor_delta(rows, x, z, g, n, hiders)
            assert certified >= min(floor, exactly.floor_delta(rows, x, z, g, 1, hiders))
            assert floor >= exactly.worst_delta(rows, x, z, g, n, hiders)


def test_with_one_value_to_hold_the_bound_is_the_truth(exactly):
    mechanism, rows = served(uniform(3, "1"), "hadamard")
    for v in range(3):
        truth = exactly.population_delta(rows, 0, 1, exp_below(Fraction(1, 5)), [v] * 4)
        found = Divergence(profile_of(mechanism).pair_profile(0, 1, (v,))).delta(5, 0.2)
        assert found == pytest.approx(float(truth), rel=1e-9)


def test_all_alike_is_not_always_the_worst_population(exactly):
    """k = 2, four people, epsilon 0: .1993 where all others are alike, .2294 where not, and the floor above both."""
    mechanism, rows = served(uniform(2, "1"), "randomized_response")
    one = Fraction(1)
    alike = max(exactly.population_delta(rows, 0, 1, one, [v] * 3) for v in (0, 1))
    assert float(alike) == pytest.approx(0.1993, abs=1e-4)
    assert float(exactly.worst_delta(rows, 0, 1, one, 4, range(2))) == pytest.approx(0.2294, abs=1e-4)
    assert Divergence(profile_of(mechanism).pair_profile(0, 1)).delta(4, 0.0) == pytest.approx(0.2449, abs=1e-4)


def test_more_reports_never_tell_more():
    for name in ("hadamard", "randomized_response", "subset"):
        divergence = Divergence(profile_of(dc.mechanism(uniform(7, "2"), name)).pair_profile(0, 1))
        found = [divergence.delta(n, 0.3) for n in (1, 2, 5, 20, 100, 1000, 10**4)]
        assert all(after <= before * (1 + 1e-4) for before, after in pairwise(found))


def test_larger_epsilons_have_smaller_deltas_and_at_e_nothing_is_left():
    divergence = Divergence(profile_of(dc.mechanism(uniform(15, "1"), "hadamard")).pair_profile(0, 1))
    found = [divergence.delta(500, epsilon) for epsilon in np.linspace(0, 1, 12)]
    assert all(after <= before for before, after in pairwise(found))
    assert found[-1] == 0


def test_the_first_guess_by_a_normal_law_is_below_the_truth():
    """k-RR of 15 at epsilon 4, 10**4 reports: Gaussian privacy says .361 at 1e-6; a population has more."""
    from scipy.stats import norm

    mechanism = dc.mechanism(uniform(15, "4"), "randomized_response")
    width = math.sqrt(Divergence(profile_of(mechanism).pair_profile(0, 1)).spread / 10**4)
    epsilon = 0.3615
    guessed = norm.cdf(width / 2 - epsilon / width) - math.exp(epsilon) * norm.cdf(-width / 2 - epsilon / width)
    assert guessed < 1e-6
    assert dc.shuffled(mechanism, 10**4).attained(0, 1, 1e-6) > epsilon


def variation_ratio(p, beta, q, n, epsilon):
    """The bound of the variation-ratio code: two special reports beside all others, whatever x and z share."""
    alpha = beta / (p - 1)
    r, g, total = alpha * p / q, math.exp(epsilon), 0.0
    first, second, neither = p * alpha, alpha, 1 - alpha - p * alpha

    def law(a, b):
        c = a + b
        if a < 0 or b < 0 or c > n - 1:
            return 0.0
        return math.comb(n - 1, c) * (2 * r) ** c * (1 - 2 * r) ** (n - 1 - c) * math.comb(c, a) / 2**c

    for a in range(n + 1):
        for b in range(n + 1 - a):
            own = first * law(a - 1, b) + second * law(a, b - 1) + neither * law(a, b)
            other = second * law(a - 1, b) + first * law(a, b - 1) + neither * law(a, b)
            total += max(own - g * other, 0.0)
    return total


@pytest.mark.parametrize(
    ("name", "level", "epsilon", "said", "truth"),
    [("hadamard", "2", 1.0, 0.06290, 0.07426), ("randomized_response", "1", 0.5, 0.04989, 0.05222)],
)
def test_variation_ratio_is_no_upper_bound_where_x_and_z_share_reports(exactly, name, level, epsilon, said, truth):
    mechanism, rows = served(uniform(3, level), name)
    p = math.exp(float(level))
    beta = float(sum(max(a - b, 0) for a, b in zip(rows[0], rows[1], strict=True)))
    claimed = variation_ratio(p, beta, p, 5, epsilon)
    exact = float(exactly.worst_delta(rows, 0, 1, exp_below(Fraction(epsilon)), 5, range(3)))
    assert claimed == pytest.approx(said, abs=1e-5)
    assert exact == pytest.approx(truth, abs=1e-5)
    assert claimed < exact <= Divergence(profile_of(mechanism).pair_profile(0, 1)).delta(5, epsilon)


def test_reports_that_nobody_else_writes_are_told():
    rows = [
        ReportGroup(Fraction(0), Fraction(1, 4), Fraction(0)),
        ReportGroup(Fraction(1, 2), Fraction(3, 4), Fraction(1)),
    ]
    assert Divergence(rows).delta(10**9, 0.0) >= 0.25
    assert Divergence(rows).delta(10**9, math.inf) == 0.25


def test_what_is_not_a_number_stays_none():
    divergence = Divergence(profile_of(dc.mechanism(uniform(3, "1"), "hadamard")).pair_profile(0, 1))
    assert math.isnan(divergence.delta(10, math.nan))
    divergence.masses = divergence.masses * math.nan
    assert not divergence.delta(10**6, 0.1) <= 1


def test_the_extremal_pair_has_the_ratios_and_is_the_binary_mechanism():
    (a, b), (c, d) = ((row.own, row.other) for row in extremal(Fraction(3), Fraction(2)))
    assert (a / b, d / c, a + c, b + d) == (3, 2, 1, 1)
    assert [tuple(row) for row in extremal(Fraction(1), Fraction(1))] == [(0, 1, 1, 0)]
    assert extremal(None, Fraction(2))[0].other == 0
    assert extremal(Fraction(2), None)[0] == ReportGroup(Fraction(0), Fraction(1), Fraction(1, 2))
