"""How often the intervals of slopes hold the truth, in simulated surveys on fixed words."""

import numpy as np
import pytest
from scipy import stats

import discreet as dc

SURVEYS, N = 150, 1500
FALSE_ALARM = 1e-6
C = np.linspace(-1, 1, N)
CASES = {"randomized_response": (5, "2"), "hadamard": (50, "2"), "subset": (16, "1")}
SLOPE = 0.8


def as_answers(scores, outcome):
    """The control: the interval of least squares that takes scores for answers."""
    x = np.stack([np.ones(N), C, scores], axis=1)
    inverse = np.linalg.inv(x.T @ x)
    b = inverse @ x.T @ outcome
    error = np.sqrt((outcome - x @ b).var() * inverse[2, 2])
    return b[2] - 1.96 * error <= SLOPE <= b[2] + 1.96 * error


def held_by_intervals(name):
    """How many of the surveys' intervals hold a share's slope, its log-odds' slope, and that of a predictor."""
    k, epsilon = CASES[name]
    mechanism = dc.mechanism(dc.Context.uniform(range(k), epsilon), name)
    draws = np.random.default_rng(7)
    chance = 1 / (1 + np.exp(0.2 - SLOPE * C))
    event = draws.random((SURVEYS, N)) < chance  # of holding one of the first half of the values
    held = np.where(event, draws.integers(0, k // 2, event.shape), draws.integers(k // 2, k, event.shape))
    reports = mechanism.randomize_indices(held.reshape(-1), dc.random.seeded(8)).reshape(SURVEYS, N)
    outcomes = 1 + 0.5 * C + SLOPE * event + draws.normal(size=event.shape)
    query = (np.arange(k) < k // 2).astype(float)
    truths = {"identity": np.polyfit(C, chance, 1)[0], "logit": SLOPE, "predictor": SLOPE}
    found = dict.fromkeys([*truths, "scores as answers"], 0)
    for y, outcome in zip(reports, outcomes, strict=True):
        sample = dc.Survey(mechanism, y, labels={"c": C, "o": outcome})
        results = {link: dc.regress(sample, query, on=["c"], link=link) for link in ("identity", "logit")}
        results["predictor"] = dc.regress_on(sample, "o", query, on=["c"])
        for what, result in results.items():
            low, high = (ends[-1] for ends in result.interval())
            found[what] += bool(low <= truths[what] <= high)
        found["scores as answers"] += bool(as_answers(sample.scores(query), outcome))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_intervals_hold_the_slopes_as_often_as_they_say(name):
    least, most = stats.binom.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], SURVEYS, 0.95)
    found = held_by_intervals(name)
    control = found.pop("scores as answers")
    assert all(least <= count <= most for count in found.values()), found
    assert control < least / 2
