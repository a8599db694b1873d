"""Surveys of people who were drawn in few clusters, and how often the tests of the analysis reject what is true."""

import numpy as np

import discreet as dc
from discreet.analysis.reference_distribution import two_sided

from .populations import uniform

N = 2000
START, APART = -0.4, 0.3
"""The log-odds of the event, and how far they differ between clusters (standard deviation)."""

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
TRUTH = (WEIGHTS / WEIGHTS.sum()) @ (1 / (1 + np.exp(-START - APART * NODES)))
"""The share of the event among all clusters."""

CASES = {
    "8 clusters": np.ones(8),
    "8 clusters, one to four times as large": np.linspace(1, 4, 8),
    "20 clusters": np.ones(20),
    "20 clusters, one to four times as large": np.linspace(1, 4, 20),
    "20 clusters, one with 30 % of the people": np.array([0.3, *[0.7 / 19] * 19]),
}
"""The sizes of the clusters, as parts."""


def drawn(sizes, seed):
    """A survey in clusters that differ in the answer, with labels that do not go with it.

    `half` and `c` differ between people, c between clusters as well; `treated` is the same for all people of a cluster.
    """
    mechanism = dc.mechanism(uniform(5), "randomized_response")
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), np.round(N * sizes / sizes.sum()).astype(int))
    n, own = len(clusters), rng.normal(size=(len(sizes), 3))
    inside = rng.random(n) < 1 / (1 + np.exp(-START - APART * own[clusters, 0]))
    held = np.where(inside, 0, rng.integers(1, 5, n))
    treated = rng.permutation(len(sizes)) % 2
    labels = {
        "half": rng.integers(0, 2, n),
        "c": rng.normal(size=n) + own[clusters, 1] / 2,
        "treated": treated[clusters],
        "noise": rng.exponential(1.0, n) + own[clusters, 2] / 5,
    }
    reports = mechanism.randomize_indices(held, dc.random.seeded(seed))
    return dc.Survey(mechanism, reports, labels=labels, clusters=clusters)


def p_values(sizes, seed):
    """The p-value of each test on a survey of which its hypothesis is true; and what the normal reference would say."""
    sample, event = drawn(sizes, seed), {0: 1}
    mean, apart = sample.query(event), dc.compare(sample, by="half", query=event)
    away = (mean.estimate - TRUTH) / mean.stderr
    found = {"mean": two_sided(away, mean.reference.df)[0, 0], "compare people": apart.p[0, 0]}
    found["compare clusters"] = dc.compare(sample, by="treated", query=event).p[0, 0]
    found["compare, all values"] = dc.compare(sample, by="half").omnibus.p
    for link in ("identity", "logit"):
        found[f"regress {link}"] = dc.regress(sample, event, on=["c"], link=link).p[1]
    both = dc.regress(sample, event, on=["c", "half", "treated"])
    found["regress on three"], found["regress clusters"] = both.test("c", "half").p, both.p[3]
    related = dc.regress_on(sample, "noise", event, on=["c"])
    found["regress_on"], found["regress_on label"] = related.p[-1], related.p[1]
    found["normal reference"] = two_sided(both.z[3] * both.reference.factor[3])
    return found


def rejected(sizes, times, seed):
    """How often each test rejects at 5 %, over so many surveys."""
    found = [p_values(sizes, seed * 1_000_003 + number) for number in range(times)]
    return {name: float(np.mean([one[name] < 0.05 for one in found])) for name in found[0]}
