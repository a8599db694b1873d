"""Small problems whose optimum is known or can be listed."""

import time

import numpy as np

from discreet.planning.optimize.generation import generate
from discreet.planning.optimize.master import ColumnProblem, Cone
from discreet.planning.optimize.symmetry import symmetries, trivial


def line(k, step=0.5):
    places = np.arange(k)
    return step * np.abs(places[:, None] - places)


def ring(k, step=0.5):
    places = np.arange(k)
    apart = np.abs(places[:, None] - places)
    return step * np.minimum(apart, k - apart)


def uniform(k, epsilon):
    return epsilon * (1 - np.eye(k))


def summed(first, second):
    """The E of a pair of attributes."""
    return np.kron(first, np.ones_like(second)) + np.kron(np.ones_like(first), second)


def closed(E):
    E = E.copy()
    np.fill_diagonal(E, 0.0)
    for via in range(len(E)):
        E = np.minimum(E, E[:, [via]] + E[via])
    return E


def random_entries(k, seed, low=0.3, high=2.0):
    return closed(np.random.default_rng(seed).uniform(low, high, (k, k)))


def problem(E, prior=None, *, rows=None, symmetric=True):
    """The problem of all shares, or of the queries in `rows`."""
    k = len(E)
    p = np.full(k, 1 / k) if prior is None else np.asarray(prior)
    queries = np.eye(k) if rows is None else rows
    own = queries - (queries @ p)[:, None]
    W = own.T @ own
    return ColumnProblem(p, W, symmetries([E, W], [p]) if symmetric else trivial(k))


def found(E, of, *, seconds=20.0, seed=0, **more):
    """What a search for the problem ends with."""
    more.setdefault("progress", lambda error, columns: None)
    starts = np.ones((1, len(E)))
    rng, until = np.random.default_rng(seed), time.monotonic() + seconds
    return generate(Cone(E), of, starts=starts, until=until, rng=rng, **more)
