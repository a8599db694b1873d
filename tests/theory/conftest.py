"""Channels built by hand from their definitions, and the error of their best linear estimate, for the tests here."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest


def subset_channel(k, m, epsilon):
    """Every m-subset of k values, e^epsilon times likelier when it holds the value."""
    sets = list(itertools.combinations(range(k), m))
    Q = np.ones((k, len(sets)))
    for y, chosen in enumerate(sets):
        Q[list(chosen), y] = math.exp(epsilon)
    return Q / Q.sum(axis=1, keepdims=True)


def block_channel(parts):
    """One channel inside each block, the block shown."""
    rows, columns = sum(len(p) for p in parts), sum(p.shape[1] for p in parts)
    Q = np.zeros((rows, columns))
    x = y = 0
    for part in parts:
        Q[x : x + len(part), y : y + part.shape[1]] = part
        x, y = x + len(part), y + part.shape[1]
    return Q


def high_low_channel(s, t, d, epsilon):
    """Size-d subsets of the s sensitive values; each of the t others shows itself as often as it may."""
    e = math.exp(epsilon)
    inside = subset_channel(s, d, epsilon)
    shown = d * (e - 1) / (d * e + s - d)
    sets = inside.shape[1]
    outside = np.hstack([np.full((t, sets), (1 - shown) / sets), shown * np.eye(t)])
    return np.vstack([np.hstack([inside, np.zeros((s, t))]), outside])


def hadamard(size):
    H = np.ones((1, 1))
    while len(H) < size:
        H = np.block([[H, H], [H, -H]])
    return H


def hadamard_channel(k, epsilon):
    """Hadamard response on k values: row x+1 of the matrix, the first left out."""
    K = 1 << k.bit_length()
    e = math.exp(epsilon)
    return np.where(hadamard(K)[1 : k + 1] > 0, e, 1.0) * 2 / (K * (e + 1))


def hadamard_high_low_channel(s, t, epsilon):
    e = math.exp(epsilon)
    inside = hadamard_channel(s, epsilon)
    S = inside.shape[1]
    outside = np.hstack([np.full((t, S), 2 / (S * (e + 1))), (e - 1) / (e + 1) * np.eye(t)])
    return np.vstack([np.hstack([inside, np.zeros((s, t))]), outside])


def unbiased_error(Q, p):
    """n times the squared error of the best unbiased linear estimate at p: trace of M^-1 less |p|^2."""
    reports = p @ Q
    seen = reports > 0
    M = (Q[:, seen] / reports[seen]) @ Q[:, seen].T
    return float(np.trace(np.linalg.inv(M)) - p @ p)


def project(points):
    """Each row's nearest point of the simplex."""
    u = -np.sort(-points, axis=1)
    c = (u.cumsum(axis=1) - 1) / np.arange(1, points.shape[1] + 1)
    last = (u > c).sum(axis=1) - 1
    return np.maximum(points - c[np.arange(len(points)), last][:, None], 0)


def simulate(Q, shares, n, rng):
    """The total variation and squared error of projected estimates, one for each row of shares."""
    decode = Q.T @ np.linalg.inv(Q @ Q.T) if Q.shape[1] > Q.shape[0] else np.linalg.inv(Q)
    counts = np.array([rng.multinomial(n, p @ Q) for p in shares])
    error = project(counts / n @ decode) - shares
    return np.abs(error).sum(axis=1) / 2, (error**2).sum(axis=1)


@pytest.fixture(scope="session")
def channels():
    """The functions above, by name."""
    return SimpleNamespace(
        subset=subset_channel,
        blocks=block_channel,
        high_low=high_low_channel,
        hadamard=hadamard_channel,
        hadamard_high_low=hadamard_high_low_channel,
        unbiased_error=unbiased_error,
        project=project,
        simulate=simulate,
    )
