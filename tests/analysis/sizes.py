"""How often every test of the analysis rejects what is true."""

import numpy as np

import discreet as dc

from .populations import Drawn, N, uniform

NULL = {"slope": 0.0, "linked": (0.5, 0.5)}
"""A population in which no label, and no second answer, has to do with the first."""

MECHANISMS = {
    "randomized response 5": lambda: dc.mechanism(uniform(5), "randomized_response"),
    "hadamard 50": lambda: dc.mechanism(uniform(50), "hadamard"),
    "unary 30": lambda: dc.mechanism(uniform(30), "unary"),
}


def p_values(mechanism, seed, n=N):
    """The p-value of each test on a survey of which its hypothesis is true; n are the people for log-odds."""
    drawn = Drawn(mechanism, seed, **NULL)
    sample, event = drawn.survey, drawn.indicator
    found = {
        f"goodness_of_fit {check.test}": check.p
        for check in dc.goodness_of_fit(sample).checks
        if check.test != "negative"
    }
    apart = dc.compare(sample, by="half")
    found["compare, all values"] = apart.omnibus.p
    found["compare, one query"] = dc.compare(sample, by="half", query=event).p[0, 0]
    found["regress identity"] = dc.regress(sample, event, on=["c"]).p[1]
    more = sample if n == N else Drawn(mechanism, seed, n=n, **NULL).survey
    found["regress logit"] = dc.regress(more, event, on=["c"], link="logit").p[1]
    found["regress_on"] = dc.regress_on(sample, "noise", event, on=["c"]).p[-1]
    found["crosstab"] = dc.crosstab(sample, drawn.second).independence.p
    if mechanism.context.size <= 5:
        found["multinomial"] = dc.multinomial(sample, on=["c"]).test("c").p
    found["two arms"] = _two_arms(seed)
    return found


def _two_arms(seed):
    """Nobody evades, in two arms of two values."""
    rng, arms = np.random.default_rng(seed), []
    for epsilon, number in (("1", 0), ("3", 1)):
        arm = dc.mechanism(dc.Context.uniform(range(2), epsilon), "randomized_response")
        held = (rng.random(N) < 0.3).astype(int)
        arms.append(arm.tally(arm.randomize_indices(held, dc.random.seeded(2 * seed + number))))
    return dc.noncompliance(*arms, report=0).p


def rejected(mechanism, times, seed, n=N):
    """How often each test rejects at 5 %, over so many surveys; n are the people for log-odds."""
    found = [p_values(mechanism, seed * 1_000_003 + number, n) for number in range(times)]
    return {name: float(np.mean([one[name] < 0.05 for one in found])) for name in found[0]}
