import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.core.errors import InvalidInput
from discreet.theory import cube_chi_square, cube_kl


def corners(pairs, radius):
    for z in itertools.product([1, -1], repeat=pairs):
        signs = np.array(z)
        yield signs, np.ravel(np.column_stack([1 + radius * signs, 1 - radius * signs])) / (2 * pairs)


def best_channel(pairs, epsilon, gain):
    """The largest total gain over the columns of any epsilon-LDP channel, by linear programming."""
    levels = np.array(list(itertools.product([math.exp(-epsilon), 1.0], repeat=2 * pairs)))
    gains = np.array([gain(r) for r in levels])
    found = linprog(-gains / gains.max(), A_eq=levels.T, b_eq=np.ones(2 * pairs))
    return -found.fun * gains.max()


@pytest.mark.parametrize("pairs", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("radius", [0.1, 0.6, 1.0])
def test_the_chi_square_of_the_cube_is_the_best_over_all_channels(pairs, epsilon, radius):
    laws = [p for _, p in corners(pairs, radius)]
    centre = np.full(2 * pairs, 1 / (2 * pairs))

    def gain(r):
        return np.mean([(r @ p - r @ centre) ** 2 for p in laws]) / (r @ centre)

    exact = best_channel(pairs, epsilon, gain)
    assert cube_chi_square(pairs, radius=radius, epsilon=epsilon) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("pairs", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("radius", [0.05, 0.4, 0.9])
def test_the_kl_of_neighbours_is_at_least_the_best_over_all_channels(pairs, epsilon, radius):
    laws = {tuple(z): p for z, p in corners(pairs, radius)}

    def gain(r):
        total = 0.0
        for z, p in laws.items():
            for i in range(pairs):
                q = laws[(*z[:i], -z[i], *z[i + 1 :])]
                total += (r @ p) * math.log((r @ p) / (r @ q))
        return total / len(laws) / pairs

    exact = best_channel(pairs, epsilon, gain)
    bound = cube_kl(pairs, radius=radius, epsilon=epsilon)
    assert exact <= bound * (1 + 1e-9)
    assert bound <= exact * (1.1 if radius < 0.1 else 8)


def test_with_mass_elsewhere_no_high_low_channel_has_more():
    """Two sensitive values and one outside: columns high on some sensitive values, or the outside value alone."""
    epsilon, mass, radius = 1.0, 0.4, 0.5
    b = math.exp(-epsilon)
    levels = np.array([[x, z, b] for x in (b, 1) for z in (b, 1)] + [[0, 0, 1]])
    plus, minus = (np.array([mass * (1 + s) / 2, mass * (1 - s) / 2, 1 - mass]) for s in (radius, -radius))
    centre = (plus + minus) / 2
    chi = np.array([((r @ plus - r @ centre) ** 2 + (r @ minus - r @ centre) ** 2) / 2 / (r @ centre) for r in levels])
    found = linprog(-chi, A_eq=levels.T, b_eq=np.ones(3))
    assert cube_chi_square(1, radius=radius, epsilon=epsilon, mass=mass) == pytest.approx(-found.fun)
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = np.array([(r @ plus - r @ minus) * math.log((r @ plus) / (r @ minus)) / 2 for r in levels])
    found = linprog(-divergence, A_eq=levels.T, b_eq=np.ones(3))
    assert -found.fun <= cube_kl(1, radius=radius, epsilon=epsilon, mass=mass) + 1e-12


def test_without_privacy_they_are_those_of_the_values():
    assert cube_chi_square(5, radius=0.3, epsilon=math.inf) == pytest.approx(0.09)
    assert cube_kl(5, radius=0.3, epsilon=math.inf) == pytest.approx(0.3 / 5 * math.log(1.3 / 0.7))
    assert cube_kl(5, radius=1.0, epsilon=math.inf) == math.inf
    assert cube_kl(5, radius=0.3, epsilon=0) == 0
    assert cube_chi_square(5, radius=0.3, epsilon=0) == 0


def test_a_delta_costs_what_total_variation_lets_through():
    values = 0.3 / 5 * math.log(1.3 / 0.7)
    assert cube_kl(5, radius=0.3, epsilon=0, delta=0.1) == pytest.approx(0.1 * values)
    assert cube_kl(5, radius=1.0, epsilon=0, delta=0.1) == math.inf


@pytest.mark.parametrize("options", [{"radius": 2.0}, {"radius": 0.5, "mass": 0.0}, {"radius": 0.5, "epsilon": -1}])
def test_bad_input_is_refused(options):
    with pytest.raises(InvalidInput, match="must"):
        cube_chi_square(3, **{"epsilon": 1, **options})
