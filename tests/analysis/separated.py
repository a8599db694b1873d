"""Surveys in which log-odds are hard to tell: shares near 0, few people, noise, weights and clusters that differ."""

from dataclasses import dataclass, field

import numpy as np

import discreet as dc
from discreet.analysis.reference_distribution import quantiles

LOGNORMAL = np.sqrt(np.log(1 + 1.5**2))
"""The scale of lognormal weights whose coefficient of variation is 1.5."""


def rr(k, epsilon):
    return dc.mechanism(dc.Context.uniform(range(k), epsilon), "randomized_response")


def hadamard(k, epsilon):
    return dc.mechanism(dc.Context.uniform(range(k), epsilon), "hadamard")


def blocks(k, epsilon):
    return dc.mechanism(dc.Context.blocks({"a": range(k // 2), "b": range(k // 2, k)}, epsilon))


def high_low(k, epsilon):
    return dc.mechanism(dc.Context.high_low(range(k), range(k // 2), epsilon))


@dataclass(frozen=True)
class Case:
    """A population: log-odds of the values by a label c, and how n people are drawn from it.

    What is asked is the slope of the value `asked` against `against`; `event` asks by `regress` for its log-odds
    against all other values, where all slopes of these are equal.
    """

    mechanism: object
    n: int
    log_odds: list = field(default_factory=list)
    asked: int = 1
    against: int = 0
    event: bool = False
    two_groups: bool = False
    drawn: str = ""
    apart: float = 0.0

    def survey(self, seed):
        """A survey of n people; in clusters, c and (by `apart`) the log-odds differ between these."""
        rng, columns = np.random.default_rng(seed), {}
        c = (rng.random(self.n) < 0.3).astype(float) if self.two_groups else rng.normal(size=self.n)
        log_odds = np.tile(np.asarray(self.log_odds, dtype=float), (self.n, 1, 1))
        if "weights" in self.drawn:
            columns["weights"] = rng.lognormal(0, LOGNORMAL, self.n)
        if "clusters" in self.drawn:
            unit = rng.integers(0, 20, self.n)
            if "dominant" in self.drawn:
                unit = np.where(rng.random(self.n) < 0.3, 0, rng.integers(1, 20, self.n))
            columns["clusters"] = unit
            c = 0.8 * c + 0.6 * rng.normal(size=20)[unit]
            log_odds[:, :, 0] += self.apart * rng.normal(size=(20, len(self.log_odds)))[unit]
        noise = rng.gumbel(size=(self.n, len(self.log_odds)))
        held = (log_odds[:, :, 0] + log_odds[:, :, 1] * c[:, None] + noise).argmax(axis=1)
        reports = self.mechanism.randomize_indices(held, dc.random.seeded(seed))
        return dc.Survey(self.mechanism, reports, labels={"c": c}, **columns)

    @property
    def truth(self):
        return self.log_odds[self.asked][1] - self.log_odds[self.against][1]

    def fit(self, seed):
        """The fit of one survey, and the row of the coefficient that is asked for."""
        sample = self.survey(seed)
        if self.event:
            return dc.regress(sample, {self.asked: 1}, on=["c"], link="logit"), 1
        found = dc.multinomial(sample, on=["c"], against=self.against)
        return found, 2 * (found.values.index(self.asked) - 1) + 1


def holds(found, row, value, confidence=0.95):
    """Whether the interval of a coefficient holds a value, without working out its ends."""
    tests = found.scored
    where = tests.tests.standing(tests.turn[row][None], np.array([value]))
    return abs(where.t) <= quantiles(confidence, where.df[0])


def coverage(case, times, seed):
    """How often intervals hold the truth, by the score and by Wald, and how often p is below 5 %.

    Wald's rule is counted where it has errors.
    """
    score, wald, small = [], [], []
    for number in range(times):
        found, row = case.fit(seed * 1_000_003 + number)
        score.append(holds(found, row, case.truth))
        small.append(not (score[-1] if case.truth == 0 else holds(found, row, 0.0)))
        if np.isfinite(found.stderr[row]):
            reach = 1.96 * found.stderr[row] / found.reference.factor[row]
            wald.append(abs(found.coefficients[row] - case.truth) <= reach)
    return {
        "score": float(np.mean(score)),
        "wald": float(np.mean(wald)) if wald else 0.0,
        "errors": len(wald) / times,
        "rejected": float(np.mean(small)),
    }


RARE = [[0, 0], [-3.4, 0.0]]
"""A share of about 3 %, which does not go with c."""
GROUPS = [[0, 0], [-4.5, 1.5]]
"""A share of about 1 % in one group, of 5 % in the other."""
STEEP = [[0, 0], [-1.5, 3.0]]
"""Where c is small hardly anybody, where it is large nearly everybody."""
FOUR = [[0, 0], [-0.3, 0.3], [-3.4, 0.0], [0.2, -0.4]]
"""Four values, of which one is rare."""
RARE_FIRST = [[-3, 0], [0, 0.5], [0.3, -0.4]]
EVEN = [[0, 0], [0, 0], [-3.4, 1.0], [0, 0]]
"""A rare value that goes with c, and three that do not."""

PLAIN = {
    "rare, 100 people, epsilon 1": Case(rr(2, "1"), 100, RARE),
    "rare, 500 people, epsilon 1": Case(rr(2, "1"), 500, RARE),
    "rare, 500 people, epsilon 2": Case(rr(2, "2"), 500, RARE, event=True),
    "rare, 100 people, epsilon 4": Case(rr(2, "4"), 100, RARE, event=True),
    "rare, 2,000 people, epsilon 1": Case(rr(2, "1"), 2000, RARE),
    "groups, 100 people, epsilon 4": Case(rr(2, "4"), 100, GROUPS, two_groups=True),
    "groups, 500 people, epsilon 2": Case(rr(2, "2"), 500, GROUPS, two_groups=True, event=True),
    "steep, 100 people, epsilon 1": Case(rr(2, "1"), 100, STEEP),
    "steep, 100 people, epsilon 2": Case(rr(2, "2"), 100, STEEP, event=True),
    "steep, 500 people, epsilon 4": Case(rr(2, "4"), 500, STEEP),
    "hadamard, rare of four": Case(hadamard(4, "2"), 500, FOUR, asked=2),
    "blocks, rare of four": Case(blocks(4, "1"), 1000, FOUR, asked=2),
    "high-low, rare of four": Case(high_low(4, "2"), 500, FOUR, asked=2),
    "hadamard, against the rare": Case(hadamard(3, "2"), 300, RARE_FIRST),
    "hadamard, rare event of four": Case(hadamard(4, "2"), 500, EVEN, asked=2, event=True),
    "blocks, rare event of four": Case(blocks(4, "1"), 1000, EVEN, asked=2, event=True),
    "high-low, rare event of four": Case(high_low(4, "2"), 500, EVEN, asked=2, event=True),
    "subset, rare of ten": Case(
        dc.mechanism(dc.Context.uniform(range(10), "2"), "subset"), 1000, [[0, 0]] * 9 + [[-1.5, 0]], asked=9
    ),
}
YES = [[0, 0], [-2.8, 0.7]]
NOTHING = [[0, 0], [-2.8, 0.0]]
THREE_EVEN = [[-2.5, 0], [0, 0], [0.3, 0]]
DRAWN = {
    f"{how}, {name}": Case(mechanism, n, log_odds, drawn=drawn, apart=apart, event=event)
    for how, drawn in (("weights", "weights"), ("20 clusters", "clusters"), ("a dominant cluster", "dominant clusters"))
    for name, mechanism, n, log_odds, apart, event in (
        ("epsilon 1", rr(2, "1"), 2000, YES, 0.0, True),
        ("epsilon 4, nothing", rr(2, "4"), 300, NOTHING, 0.4 * (drawn != "weights"), False),
        ("against the rare, epsilon 1", hadamard(3, "1"), 2000, RARE_FIRST, 0.0, False),
        ("against the rare, epsilon 4", hadamard(3, "4"), 300, RARE_FIRST, 0.0, False),
        ("against the rare, nothing", hadamard(3, "2"), 500, THREE_EVEN, 0.4 * (drawn != "weights"), False),
    )
} | {"weights and a dominant cluster": Case(rr(2, "2"), 1000, YES, drawn="weights dominant clusters")}
CASES = PLAIN | DRAWN
