import math

import pytest

from discreet.theory import kl, le_cam_metric, le_cam_printed, le_cam_squared, phi


def two_point_risk(a, b, epsilon, n, power):
    """The least mean of |estimate - truth|^power when the share is a or b alike, by randomized response.

    For each count the best estimate is explicit: at the likelier point for power 1, the posterior mean for 2.
    """
    flip = 1 / (1 + math.exp(epsilon))
    first, second = a + flip - 2 * a * flip, b + flip - 2 * b * flip
    risk = 0.0
    for s in range(n + 1):
        x, y = (math.comb(n, s) * r**s * (1 - r) ** (n - s) / 2 for r in (first, second))
        if power == 1:
            risk += abs(a - b) * min(x, y)
        elif x + y > 0:
            risk += (a - b) ** 2 * x * y / (x + y)
    return risk


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("n", [1, 10, 50])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.6), (0.2, 0.8), (0.45, 0.55)])
def test_the_bounds_are_below_the_exact_two_point_risk(epsilon, n, a, b):
    p, q = [1 - a, a], [1 - b, b]
    options = {"separation": abs(a - b), "n": n, "epsilon": epsilon}
    absolute, squared = two_point_risk(a, b, epsilon, n, 1), two_point_risk(a, b, epsilon, n, 2)
    printed, metric = le_cam_printed(p, q, **options), le_cam_metric(p, q, **options)
    assert printed.value <= metric.value + 1e-12
    assert metric.value <= absolute + 1e-12
    assert le_cam_squared(p, q, **options).value <= squared + 1e-12
    if n == 1:
        assert metric.value == pytest.approx(absolute)


def test_the_printed_bound_is_lemma_3():
    p, q = [0.5, 0.5], [0.45, 0.55]
    value = 0.1 / 4 * (1 - math.sqrt(10 * phi(0.5, delta=0.01) * kl(p, q) / 2))
    assert le_cam_printed(p, q, separation=0.1, n=10, epsilon=0.5, delta=0.01).value == pytest.approx(value)


def test_too_many_users_make_the_printed_bound_vacuous_and_it_says_so():
    bound = le_cam_printed([0.2, 0.8], [0.8, 0.2], separation=0.6, n=1000, epsilon=1)
    assert bound.vacuous
    assert bound.value == 0
    assert not le_cam_metric([0.2, 0.8], [0.8, 0.2], separation=0.6, n=100, epsilon=0.1).vacuous


def test_no_users_know_nothing():
    assert le_cam_metric([1, 0], [0, 1], separation=1, n=0, epsilon=1).value == 0.5
    assert le_cam_squared([1, 0], [0, 1], separation=1, n=0, epsilon=1).value == 0.25
    assert le_cam_printed([1, 0], [0, 1], separation=1, n=0, epsilon=1).value == 0.25
