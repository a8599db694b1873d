"""All settings of a kind together: what one of them may be by chance, and many of them may not."""

from contextlib import nullcontext

import numpy as np
import pytest

from .gate import COVERAGE, SIZE, Gate, figure, judged


def settings(kind, rates, surveys=1000, limit=COVERAGE):
    """Figures of as many settings with these true rates."""
    rng = np.random.default_rng(1)
    return [
        (f"{kind}[{number}]", figure(kind, rng.binomial(surveys, rate, 5), surveys, limit=limit))
        for number, rate in enumerate(rates)
    ]


def verdict(figures):
    return [fault for _, wrong in judged(figures) for fault in wrong]


@pytest.mark.parametrize(("limit", "few", "many"), [(COVERAGE, 0.89, 0.925), (SIZE, 0.115, 0.08)])
def test_figures_at_the_limit_pass_and_some_or_all_beyond_it_fail(limit, few, many):
    assert not verdict(settings("share", [limit] * 160, limit=limit))
    some = verdict(settings("share", [few] * 24 + [0.955 if limit == COVERAGE else 0.05] * 136, limit=limit))
    assert len(some) == 1
    assert "of 160 settings are beyond" in some[0]
    assert "the mean" in verdict(settings("share", [many] * 160, limit=limit))[0]


def test_the_control_must_fail_and_short_runs_are_not_judged():
    assert verdict(settings("old rule", [0.96] * 160)) == ["old rule: the control passes"]
    assert not verdict(settings("old rule", [0.8] * 160))
    assert not verdict(settings("share", [0.8] * 160, surveys=25))
    assert not list(judged(settings("share", [0.8] * 160, surveys=25)))


def test_a_line_names_the_worst_setting():
    figures = [*settings("share", [0.95] * 20), ("bad", figure("share", [930, 950], 1000))]
    line, wrong = next(judged([*figures, ("worst", figure("share", [901], [1000]))]))
    assert line.startswith("share: 22 settings, mean 0.9")
    assert "worst 0.901 (worst), 2 below 0.935, 1 beyond" in line
    assert not wrong


@pytest.mark.parametrize(("rate", "surveys", "fails"), [(0.95, [1000], False), (0.90, [1000, 5000], True)])
def test_a_doubtful_setting_is_simulated_again_and_fails_if_it_is_wrong(rate, surveys, fails):
    counts, noted = [], []

    def simulate(gate, count, seed):
        counts.append(count)
        gate.covers("share", np.random.default_rng(seed).binomial(count, rate, 5), count, 1e-9)

    gate = Gate(noted.append)
    with pytest.raises(AssertionError) if fails else nullcontext():
        gate.settle(simulate, 1000)
    assert counts == surveys
    assert len(noted) == 1
