"""A population with known truths, surveys drawn from it, and how often intervals hold the truths."""

import numpy as np

import discreet as dc

N = 3000
SLOPE, START, EFFECT = 0.8, -0.4, 0.8
INSIDE = np.array([0.5, 0.3, 0.2])
"""How the three values of the event are held among those who hold one of them."""
LINKED = 0.7, 0.3
"""The share of yes to a second question inside and outside the event."""


def uniform(k):
    return dc.Context.uniform(range(k), "1")


def blocks():
    return dc.Context.blocks({block: range(20 * block, 20 * block + 20) for block in range(50)}, "1")


MECHANISMS = {
    "hadamard 1000": lambda: dc.mechanism(uniform(1000), "hadamard"),
    "projective 1000": lambda: dc.mechanism(uniform(1000), "projective"),
    "subset 64": lambda: dc.mechanism(uniform(64), "subset"),
    "blocks 50x20": lambda: dc.mechanism(blocks()),
    "high-low 20/200": lambda: dc.mechanism(dc.Context.high_low(range(200), range(20), "1")),
    "unary 30": lambda: dc.mechanism(uniform(30), "unary"),
    "randomized response 5": lambda: dc.mechanism(uniform(5), "randomized_response"),
}
SECOND = dc.mechanism(uniform(2), "randomized_response")


def event_of(k):
    """Three values of the event: in different blocks where there are any, and sensitive where some are not."""
    return [0, 20, 40] if k == 1000 else [0, 1, 2]


def rate(c):
    """The probability of the event at the covariate c."""
    return 1 / (1 + np.exp(-START - SLOPE * c))


GRID = (np.arange(20_000) + 0.5) / 10_000 - 1
"""The covariate, even on (-1, 1), as nodes of a midpoint rule."""

TRUTHS = {
    "mean": rate(GRID).mean() * INSIDE @ [10, 5, 0] + (1 - rate(GRID).mean()) * 2,
    "identity slope": np.cov(GRID, rate(GRID))[0, 1] / np.var(GRID),
    "logit slope": SLOPE,
    "difference": rate(GRID[GRID > 0]).mean() - rate(GRID[GRID < 0]).mean(),
    "joint cell": rate(GRID).mean() * INSIDE[0] * LINKED[0],
    "predictor slope": EFFECT,
}


class Drawn:
    """One survey: its answers are randomized, its labels are public, and `held` is what nobody else knows."""

    def __init__(self, mechanism, seed, *, slope=SLOPE, linked=LINKED, n=N):
        rng, k = np.random.default_rng(seed), mechanism.context.size
        self.event = event_of(k)
        c = rng.uniform(-1, 1, n)
        inside = rng.random(n) < 1 / (1 + np.exp(-START - slope * c))
        others = np.setdiff1d(np.arange(k), self.event)
        self.held = np.where(inside, rng.choice(self.event, n, p=INSIDE), rng.choice(others, n))
        outcome = 1 + 0.5 * c + EFFECT * inside + rng.exponential(1.0, n) - 1
        second = (rng.random(n) < np.where(inside, *linked)).astype(int)
        labels = {"c": c, "half": (c > 0).astype(int), "outcome": outcome, "noise": rng.exponential(1.0, n)}
        self.survey = dc.Survey(
            mechanism, mechanism.randomize_indices(self.held, dc.random.seeded(seed)), labels=labels
        )
        self.second = dc.Survey(SECOND, SECOND.randomize_indices(second, dc.random.seeded(seed + 10**9)))
        self.indicator = np.zeros(k)
        self.indicator[self.event] = 1.0
        self.weights = np.full(k, 2.0)
        self.weights[self.event] = [10.0, 5.0, 0.0]


def joint_cell(drawn):
    """The share of people who hold the first value of the event and say yes, as `crosstab` computes it."""
    first = np.zeros(len(drawn.indicator))
    first[drawn.event[0]] = 1.0
    terms = drawn.survey.scores(first) * drawn.second.scores([0.0, 1.0])
    return terms.mean(), terms.std(ddof=1) / np.sqrt(len(terms))


def analyses(drawn):
    """The estimate and the standard error of every figure of `TRUTHS`."""
    sample, event = drawn.survey, drawn.indicator
    mean = dc.estimate(sample.tally).query(drawn.weights)
    identity = dc.regress(sample, event, on=["c"])
    logit = dc.regress(sample, event, on=["c"], link="logit")
    apart = dc.compare(sample, by="half", query=event)
    related = dc.regress_on(sample, "outcome", event, on=["c"])
    return {
        "mean": (mean.value, mean.stderr),
        "identity slope": (identity.coefficients[1], identity.stderr[1]),
        "logit slope": (logit.coefficients[1], logit.stderr[1]),
        "difference": (apart.difference[0, 0], apart.stderr[0, 0]),
        "joint cell": joint_cell(drawn),
        "predictor slope": (related.coefficients[-1], related.stderr[-1]),
    }


def coverage(mechanism, times, seed, n=N):
    """How often each interval at 0.95 holds the truth, over so many surveys of n people."""
    held = dict.fromkeys(TRUTHS, 0)
    for number in range(times):
        for name, (estimate, error) in analyses(Drawn(mechanism, seed * 1_000_003 + number, n=n)).items():
            held[name] += abs(estimate - TRUTHS[name]) < 1.959963985 * error
    return {name: count / times for name, count in held.items()}
