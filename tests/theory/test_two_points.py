import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.core.errors import InvalidInput
from discreet.theory import chi_square, chi_square_from_tv, kl, kl_after, pairwise_epsilon, total_variation, tv_after


def best_channel(e, t):
    """The largest chi-square over all epsilon-LDP channels on the three parts of two laws, by linear programming."""
    levels = np.array(list(itertools.product([1, e], repeat=3)), float)
    c, p, r = levels.T
    first, second = (1 - t) * c + t * p, (1 - t) * c + t * r
    gain = (first - second) ** 2 / second
    scale = (t * (e - 1)) ** 2
    found = linprog(-gain / scale, A_eq=levels.T, b_eq=np.ones(3))
    return -found.fun * scale


@pytest.mark.parametrize("e", [1.05, 1.5, 2.0, 3.0, 10.0, 100.0])
@pytest.mark.parametrize("t", [0.01, 0.1, 0.26, 0.4, 0.5, 0.9, 1.0])
def test_chi_square_after_privacy_is_at_most_the_closed_form(e, t):
    best, bound = best_channel(e, t), chi_square_from_tv(math.log(e), t)
    assert best <= bound * (1 + 1e-6)
    if 2 * t * (e - 1) >= e - 2:
        assert best == pytest.approx(bound, rel=1e-6)


def test_three_values_beat_randomized_response_on_rare_values_above_log_two():
    e, t = 5.0, 1e-3
    Q = (np.ones((3, 3)) + (e - 1) * np.eye(3)) / (e + 2)
    found = float(chi_square(np.array([1 - t, t, 0]) @ Q, np.array([1 - t, 0, t]) @ Q))
    assert found > (e - 1) ** 2 / e * t**2
    assert found <= chi_square_from_tv(math.log(e), t)
    assert found == pytest.approx(chi_square_from_tv(math.log(e), t), rel=0.01)


def test_no_private_channel_has_more_divergence_than_the_bounds():
    rng = np.random.default_rng(10)
    for _ in range(300):
        epsilon = float(rng.uniform(0.05, 4))
        levels = np.where(rng.random((4, 9)) < 0.4, math.exp(epsilon), 1.0) * rng.dirichlet(np.ones(9))
        # Pad the rows to one with a last report, and take the epsilon that the result has.
        Q = levels / levels.sum(axis=1).max() / rng.uniform(1.1, 3)
        Q = np.hstack([Q, 1 - Q.sum(axis=1, keepdims=True)])
        worst = float(pairwise_epsilon(Q).max())
        p, q = rng.dirichlet(np.full(4, 0.5), 2)
        assert kl(p @ Q, q @ Q) <= kl_after(p, q, epsilon=worst) + 1e-12
        assert total_variation(p @ Q, q @ Q) <= tv_after(p, q, 1, epsilon=worst) + 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 1.5, 4.0])
@pytest.mark.parametrize("n", [1, 3, 10, 60])
def test_n_reports_by_randomized_response_are_no_further_apart(epsilon, n):
    flip = 1 / (1 + math.exp(epsilon))
    for a, b in [(0.5, 0.6), (0.1, 0.9), (0.0, 0.3), (0.45, 0.55)]:
        first, second = a + flip - 2 * a * flip, b + flip - 2 * b * flip
        counts = range(n + 1)
        exact = (
            sum(
                math.comb(n, s) * abs(first**s * (1 - first) ** (n - s) - second**s * (1 - second) ** (n - s))
                for s in counts
            )
            / 2
        )
        assert exact <= tv_after([1 - a, a], [1 - b, b], n, epsilon=epsilon) + 1e-12
        assert tv_after([1 - a, a], [1 - b, b], n, epsilon=epsilon) <= 1


def test_a_delta_shown_in_full_is_covered():
    delta = 0.1
    for n in (1, 5, 30):
        exact = 1 - (1 - delta) ** n  # disjoint values, each shown with probability delta
        assert tv_after([1, 0], [0, 1], n, epsilon=0, delta=delta) == pytest.approx(exact)


def test_no_privacy_at_all_gives_back_the_divergences():
    p, q = [0.3, 0.7], [0.6, 0.4]
    assert kl_after(p, q, epsilon=math.inf) == pytest.approx(kl(p, q))
    assert kl_after(p, q, epsilon=0) == 0
    assert tv_after(p, q, 1, epsilon=math.inf) == pytest.approx(0.3)
    assert tv_after(p, q, 0, epsilon=1) == 0
    assert kl_after([1, 0], [0, 1], epsilon=1) < math.inf
    assert chi_square_from_tv(math.inf, 0.5) == math.inf
    assert chi_square_from_tv(math.inf, 0.0) == 0


def test_a_distance_above_one_is_refused():
    with pytest.raises(InvalidInput, match="must lie between"):
        chi_square_from_tv(1, 1.5)
