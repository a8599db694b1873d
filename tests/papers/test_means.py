"""Means and cumulative shares beside the literature: closed forms by enumeration, and what ours must be below."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet.papers import means, printed_means
from discreet.papers.report import Setting


def test_the_variance_of_one_bit_is_that_of_its_law() -> None:
    x, t = np.linspace(-1, 1, 9), math.tanh(0.5)
    up = (1 + t * x) / 2
    assert printed_means.duchi(x, 1.0) == pytest.approx((up + (1 - up)) / t**2 - x**2)
    assert (1 + t) / (1 - t) == pytest.approx(math.e)  # the largest ratio, from the two ends


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_variance_of_the_piecewise_mechanism_is_that_of_its_density(epsilon: float) -> None:
    """Wang2019: a number in [-C, C], denser by e^epsilon in an interval of length C - 1 about (C + 1) x/2."""
    s = math.exp(epsilon / 2)
    end, low = (s + 1) / (s - 1), (s - 1) / (2 * s * (s + 1))
    for x in (-1.0, -0.3, 0.0, 0.8):
        first = (end + 1) / 2 * x - (end - 1) / 2
        inside = (first, first + end - 1)
        moments = [
            low * 2 * end ** (r + 1) / (r + 1) * (r % 2 == 0)
            + low * math.expm1(epsilon) * (inside[1] ** (r + 1) - inside[0] ** (r + 1)) / (r + 1)
            for r in range(3)
        ]
        assert moments[:2] == pytest.approx([1, x])
        assert printed_means.piecewise(np.array([x]), epsilon)[0] == pytest.approx(moments[2] - x**2)


def test_the_variance_of_three_outputs_is_that_of_a_private_law() -> None:
    e, still = math.e, 0.4
    a = (e + 1) / (e - 1) / (1 - still / e)
    for x in (0.0, 0.3, 1.0):
        none = still - x * still * (1 - 1 / e)
        up, down = (1 - none + x / a) / 2, (1 - none - x / a) / 2
        assert printed_means.three(np.array([x]), 1.0, still)[0] == pytest.approx(a**2 * (up + down) - x**2)
        assert min(up, down, none) > 0
        assert (1 - still) / 2 / e - 1e-12 <= down <= up <= e * (1 - still) / 2 + 1e-12
    assert printed_means.three_outputs(np.linspace(-1, 1, 2001), 2.0).max() == pytest.approx(0.99992, abs=1e-5)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_variance_of_the_square_wave_is_that_of_its_density(epsilon: float) -> None:
    e = math.exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    y = np.linspace(-b, 1 + b, 400_001)
    held = np.array([0.0, 0.2, 1.0])
    density = np.where(abs(y - held[:, None]) <= b, e, 1.0)
    density /= density.sum(axis=1, keepdims=True)
    mean = density @ y
    score = (y - mean[0]) / (mean[2] - mean[0])  # unbiased for what is held
    assert density @ score == pytest.approx(held, abs=1e-4)
    given = 4 * (density @ score**2 - held**2)
    assert printed_means.square_wave(2 * held - 1, epsilon) == pytest.approx(given, rel=1e-3)


def test_the_best_hybrid_is_no_worse_than_its_parts() -> None:
    x = np.linspace(-1, 1, 65)
    for epsilon in (0.5, 1.0, 2.0, 6.0):
        worst = {name: of(x, epsilon).max() for name, of in printed_means.LITERATURE.items()}
        for part in ("one bit", "piecewise", "hybrid", "three outputs"):
            assert worst["best hybrid"] <= worst[part] * (1 + 1e-4)


def test_between_nodes_a_number_has_the_noise_of_rounding_too() -> None:
    x = np.linspace(-1, 1, 5)
    assert means.worst_between(x, np.zeros(5)) == pytest.approx(0.25**2)  # a quarter of a step squared
    assert means.worst_between(x, np.array([1.0, 0, 0, 0, 0])) == pytest.approx(1.0)


def test_the_variance_of_ours_is_that_of_its_exact_channel() -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(9), "1"), query="mean")
    x, channel = np.linspace(-1, 1, 9), np.array(mechanism.channel(), dtype=float)
    even = np.full(9, 1 / 9)
    information = (channel / (even @ channel)) @ channel.T
    score = np.linalg.solve(information, x) @ channel / (even @ channel)
    assert channel @ score == pytest.approx(x, abs=1e-12)
    assert means.variances(mechanism, x[None]) == pytest.approx(channel @ score**2 - x**2)


@pytest.mark.long
def test_ours_is_below_the_literature_and_near_the_bound(tmp_path) -> None:
    report = means.run(Setting())
    assert all(check.holds for check in report.checks)
    assert report.beside is not None
    assert report.beside.rows[0][2] < float(means.PRINTED)
    on_average, hardest, prefixes = report.tables
    for *_, ours, best, least in on_average.rows:
        assert least <= best <= ours * (1 + 1e-9)
    for *_, ours, safe, least in hardest.rows:
        assert least <= safe <= ours * (1 + 1e-3)
    for _, bits, average, worst, least in prefixes.rows:
        assert bits <= 11
        assert least <= average <= worst < 1.3 * least
    assert report.save(tmp_path)[0][1].stat().st_size > 1000
