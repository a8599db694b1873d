import math

import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import ball_mean, bounded_moment_mean, subset_trace


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("n", [1, 100, 10**5])
def test_a_mean_of_signs_by_randomized_response_is_above_the_bound_for_bounded_values(epsilon, n):
    """A large moment allows hardly more than [-1, 1]; a value there is rounded to a sign and answered."""
    c = 1 / math.tanh(epsilon / 2)
    attained = min(c * c / n, 1.0)
    assert 0 < bounded_moment_mean(200.0, n, epsilon=epsilon).value <= attained


@pytest.mark.parametrize("n", [100, 10**4, 10**6])
def test_the_public_mean_of_variance_one_is_above_the_bound_and_near(n):
    bound = bounded_moment_mean(2.0, n, epsilon=math.inf).value
    assert 0.1 / n <= bound <= 1 / n


@pytest.mark.parametrize("moment", [1.5, 2.0, 4.0])
def test_private_error_falls_at_the_rate_of_corollary_1_for_small_epsilon(moment):
    values = [bounded_moment_mean(moment, n, epsilon=0.1).value for n in (10**6, 10**8)]
    rate = (moment - 1) / moment
    assert values[0] / values[1] == pytest.approx(100**rate, rel=0.2)
    tighter = bounded_moment_mean(moment, 10**8, epsilon=0.01).value
    assert tighter / values[1] == pytest.approx(100**rate, rel=0.2)


@pytest.mark.parametrize("n", [10, 10**3, 10**5])
def test_showing_a_value_with_probability_delta_is_above_the_bound_and_below_the_printed_order(n):
    """(0, delta)-LDP. With N values shown the error of their mean is at most 1/N, and 1 when none is."""
    delta = 0.2
    log_chance = [
        math.lgamma(n + 1)
        - math.lgamma(s + 1)
        - math.lgamma(n - s + 1)
        + s * math.log(delta)
        + (n - s) * math.log1p(-delta)
        for s in range(n + 1)
    ]
    attained = sum(math.exp(v) / max(s, 1) for s, v in enumerate(log_chance))
    assert 0 < bounded_moment_mean(2.0, n, epsilon=0, delta=delta).value <= attained
    printed = 1 / math.sqrt(n * delta**2)
    if n == 10**5:
        assert attained < printed / 100


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("dimension", [1, 4, 32])
@pytest.mark.parametrize("n", [10, 10**3, 10**6])
def test_the_ball_bound_is_below_the_error_of_signed_axes_by_the_subset_mechanism(epsilon, dimension, n):
    """For values on the 2d signed axes: a coordinate is a difference of two shares, so its variance at most doubles."""
    k = 2 * dimension
    attained = min(2 * (k - 1) ** 2 / subset_trace(k, epsilon) / n, 1.0)
    assert 0 < ball_mean(dimension, 1.0, n, epsilon=epsilon).value <= attained


def test_the_ball_bound_has_both_orders_of_duchi():
    few = [ball_mean(2**14, 1.0, n, epsilon=0.5).value for n in (10**3, 10**5)]
    assert few[0] / few[1] == pytest.approx(10, rel=0.3)
    many = [ball_mean(8, 1.0, n, epsilon=0.5).value for n in (10**5, 10**7)]
    assert many[0] / many[1] == pytest.approx(100, rel=0.3)


def test_the_error_grows_with_the_square_of_the_radius_and_falls_with_delta():
    assert ball_mean(8, 3.0, 100, epsilon=1).value == pytest.approx(9 * ball_mean(8, 1.0, 100, epsilon=1).value)
    values = [ball_mean(8, 1.0, 100, epsilon=0.01, delta=d).value for d in (0.001, 0.1, 0.5)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounded_moment_mean(1.0, 10, epsilon=1),
        lambda: bounded_moment_mean(2.0, -1, epsilon=1),
        lambda: bounded_moment_mean(2.0, 10, epsilon=1, delta=2),
        lambda: ball_mean(0, 1.0, 10, epsilon=1),
        lambda: ball_mean(2, -1.0, 10, epsilon=1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must"):
        call()
