"""What the simulations of error bars show, setting by setting and all together.

A setting by itself fails only where its figure is one that the promised coverage, or size, gives hardly ever: of 1,000
surveys that is below .89, so that passing does not show .935. Two things show more. A setting beyond the bound that one
at .935 stays below once in 50 is simulated once more, with other words and five times as many surveys, of which 5,000
fail below .914. And of all settings of a kind in one run, the mean must not be below .935 by more than chance, nor more
settings beyond that bound than chance gives. If every true figure is at its limit, each of the two fails with a
probability of at most 1e-8; there are some 20 kinds. The rule of before is a kind of its own, and must fail.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from scipy import stats

COVERAGE, SIZE = 0.935, 0.07
LOW, ALARM = 0.02, 1e-8
"""How often a setting at its limit lies beyond its bound, and how often all settings of a kind fail together."""
MIN_SETTINGS, MIN_SURVEYS = 10, 100
"""Fewer settings, or of fewer surveys, are not judged together."""
AGAIN = 5
"""How many times as many surveys a doubtful setting has when it is simulated once more."""
CONTROL = "old rule"
"""The kind that must fail."""


def figure(kind, hits, count, *, limit=COVERAGE):
    """A figure of a setting as plain data: the part of `count` surveys that hit, in the mean and of the worst value."""
    hits, count = np.broadcast_arrays(np.asarray(hits, dtype=float).reshape(-1), np.asarray(count).reshape(-1))
    hits, count = hits[count > 0], count[count > 0]
    rates = hits / count
    worst = int(rates.argmin() if limit == COVERAGE else rates.argmax())
    bound = stats.binom.ppf(LOW / len(hits), count[worst], limit)
    if limit == SIZE:
        bound = stats.binom.isf(LOW / len(hits), count[worst], limit)
    beyond = hits[worst] < bound if limit == COVERAGE else hits[worst] > bound
    return {
        "kind": kind,
        "limit": limit,
        "surveys": int(count[worst]),
        "mean": float(rates.mean()),
        "worst": float(rates[worst]),
        "beyond": bool(beyond),
    }


def faults(figures):
    """What is wrong with the figures of one kind together, in words; nothing where chance explains it."""
    surveys, limit = sum(one["surveys"] for one in figures), figures[0]["limit"]
    mean = sum(one["mean"] * one["surveys"] for one in figures) / surveys
    reach = -NormalDist().inv_cdf(ALARM) * math.sqrt(limit * (1 - limit) / surveys)
    beyond, most = sum(one["beyond"] for one in figures), stats.binom.isf(ALARM, len(figures), LOW)
    found = []
    if (mean < limit - reach) if limit == COVERAGE else (mean > limit + reach):
        found.append(f"the mean, {mean:.4f}, is not what {limit} gives by chance")
    if beyond > most:
        found.append(f"{beyond} of {len(figures)} settings are beyond what {limit} gives once in 50")
    return found


def judged(figures):
    """For each kind of (setting, figure) in many surveys: a line that sums it up, and what is wrong with it."""
    kinds = {}
    for setting, one in figures:
        if one["surveys"] >= MIN_SURVEYS:
            kinds.setdefault(one["kind"], []).append((setting, one))
    for kind, several in kinds.items():
        own = [one for _, one in several]
        limit = own[0]["limit"]
        setting, worst = (min if limit == COVERAGE else max)(several, key=lambda entry: entry[1]["worst"])
        past = sum(one["worst"] < limit if limit == COVERAGE else one["worst"] > limit for one in own)
        side = "below" if limit == COVERAGE else "above"
        mean, beyond = np.mean([one["mean"] for one in own]), sum(one["beyond"] for one in own)
        line = (
            f"{kind}: {len(own)} settings, mean {mean:.3f}, worst {worst['worst']:.3f} ({setting}), "
            f"{past} {side} {limit}, {beyond} beyond what it gives once in 50"
        )
        wrong = faults(own) if len(own) >= MIN_SETTINGS else []
        if kind == CONTROL:
            wrong = [] if wrong or len(own) < MIN_SETTINGS else ["the control passes"]
        yield line, [f"{kind}: {fault}" for fault in wrong]


class Gate:
    """Checks the figures of one setting, and notes them for the end of the run."""

    def __init__(self, note):
        self._note, self.doubtful = note, False

    def note(self, one):
        """Keep a figure; the setting is doubtful if it is beyond what chance gives once in 50."""
        self.doubtful |= one["beyond"] and one["surveys"] >= MIN_SURVEYS and one["kind"] != CONTROL
        self._note(one)

    def settle(self, simulate, count):
        """Check the figures of `simulate(gate, count, seed)`, and if any is doubtful those of `AGAIN` times as many.

        By chance one in 50 is doubtful; what is truly beyond its limit is so again with other words.
        """
        simulate(self, count, 7)
        if self.doubtful:
            simulate(Gate(lambda one: None), AGAIN * count, 8)

    def covers(self, kind, hits, count, alarm):
        """Fail where a value is covered in fewer surveys than .935 gives with a probability of `alarm` over all."""
        self.note(figure(kind, hits, count))
        if kind != CONTROL:
            hits = np.asarray(hits, dtype=float).reshape(-1)
            least = stats.binom.ppf(alarm / len(hits), np.asarray(count).reshape(-1), COVERAGE)
            assert (hits >= least).all(), (kind, (hits / np.maximum(count, 1)).min())

    def rejects(self, kind, times, count, alarm):
        """Fail where a test rejects what is true in more surveys than .07 gives with a probability of `alarm`."""
        self.note(figure(kind, times, count, limit=SIZE))
        assert times <= stats.binom.isf(alarm, count, SIZE), (kind, times / count)
