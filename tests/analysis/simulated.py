"""Many simulated surveys at once: tallies drawn from the law, and how often a test may reject by chance."""

import math
from statistics import NormalDist

import numpy as np

import discreet as dc
from discreet.estimation.decoders import decoder_of

ALARM = 1e-6
"""How often a band may miss a true rate."""


def band(rate, times, alarm=ALARM):
    """How far a share among `times` trials may be from its rate, at most `alarm` of the time (normal, both sides)."""
    return -NormalDist().inv_cdf(alarm / 2) * math.sqrt(rate * (1 - rate) / times)


def tallies(mechanism, shares, n, times, seed, *, strange=0.0, sent=None):
    """Tallies of n people each, of whom a part `strange` sends the report `sent`, or any report evenly."""
    rng = np.random.default_rng(seed)
    decoder = decoder_of(mechanism.sampler)
    if decoder.disjoint:
        law = np.asarray(decoder.expected_counts(np.asarray(shares))).reshape(-1)
        used = law > 0
        other = used / used.sum() if sent is None else np.eye(len(law))[sent]
        law = (1 - strange) * law / law.sum() + strange * other
        for counts in rng.multinomial(n, law, size=times):
            yield dc.Tally(mechanism, counts, n)
    else:
        for number in range(times):
            held = rng.choice(len(shares), n, p=shares)
            yield mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(seed * 100_003 + number)))
