"""Pair profiles, Bayes success and posterior ranges compared with the channel written out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, permutations, product

import numpy as np

from ..core.errors import CheckFailed
from ..leakage.profiles import profile_of
from ..leakage.profiles.rows import ReportGroup, enumerate_reports
from ..mechanisms.mechanism import Mechanism
from .law import channel_of

MAX_PAIRS = 40
"""The most pairs that are compared."""

MAX_GROUPS = 40
"""The most groups of reports for which two people are put together."""

LEVELS = Fraction(1), Fraction(6, 5), Fraction(2)
"""The e**epsilon at which profiles are compared."""

SLACK = Fraction(1, 10**6)
"""How far above the truth, relative to it, a profile may be where nobody else hides."""


def check_pair_profiles(mechanism: Mechanism) -> None:
    """No profile claims more hiding than the channel gives, alone it claims no less, and no pair is left out."""
    profile = profile_of(mechanism)
    known = {(x, z): profile.pair_profile(x, z) for x, z in islice(profile.representative_pairs(), MAX_PAIRS)}
    everyone = tuple(profile.other_users(0))
    for (x, z), rows in known.items():
        others = profile.other_users(x)
        for among in (None, (x,), (z,), everyone if set(everyone) == set(others) else None):
            claimed = rows if among is None else profile.pair_profile(x, z, among)
            true = enumerate_reports(profile, x, z, others if among is None else among)
            if claimed is None or true is None:
                raise CheckFailed(f"{mechanism.name}: the profile of {x} against {z} is not listed on a small domain")
            _compare(mechanism, (x, z), claimed, true)
    if mechanism.context.size <= 6 and len(known) < MAX_PAIRS:
        _check_pairs(mechanism, [enumerate_reports(profile, x, z, None) or [] for x, z in known])


def _compare(
    mechanism: Mechanism, pair: tuple[int, int], claimed: Sequence[ReportGroup], true: Sequence[ReportGroup]
) -> None:
    people = (1, 2) if max(len(claimed), len(true)) <= MAX_GROUPS else (1,)
    for g, n in product(LEVELS, people):
        said, is_so = blanket_divergence(claimed, n, g), blanket_divergence(true, n, g)
        if said < is_so:
            raise CheckFailed(
                f"{mechanism.name}: of {n} people, {pair[0]} stands out from {pair[1]} by {float(is_so)} at "
                f"e**epsilon = {g}; its profile says {float(said)}"
            )
        if n == 1 and said > is_so * (1 + SLACK) + SLACK**2:
            raise CheckFailed(
                f"{mechanism.name}: {pair[0]} against {pair[1]} is {float(is_so)} at e**epsilon = {g}; its profile "
                f"says {float(said)}"
            )


def blanket_divergence(rows: Sequence[ReportGroup], n: int, g: Fraction) -> Fraction:
    """The divergence by the blanket, exactly: reports outside it, and (1/n) E[(L_1 + ... + L_n)_+] by listing."""
    alone = sum((max(row.own - g * row.other, Fraction(0)) for row in rows if not row.blanket or n == 1), Fraction(0))
    if n == 1:
        return alone
    steps = [(row.blanket, (row.own - g * row.other) / row.blanket) for row in rows if row.blanket]
    steps.append((max(1 - sum((mass for mass, _ in steps), Fraction(0)), Fraction(0)), Fraction(0)))
    total = Fraction(0)
    for taken in product(steps, repeat=n):
        height = sum((step for _, step in taken), Fraction(0))
        total += max(height, Fraction(0)) * math.prod(mass for mass, _ in taken)
    return alone + total / n


def _check_pairs(mechanism: Mechanism, given: Sequence[Sequence[ReportGroup]]) -> None:
    """Every two values have one of the profiles of `representative_pairs`, up to unevenness."""
    profile = profile_of(mechanism)
    listing = [_sizes_of(rows) for rows in given]
    for x, z in permutations(range(mechanism.context.size), 2):
        own = _sizes_of(enumerate_reports(profile, x, z, None) or [])
        known = any(all(abs(a - b) <= SLACK for a, b in zip(own, other, strict=True)) for other in listing)
        if not known and profile.other_users(x) == profile.other_users(z):
            raise CheckFailed(f"{mechanism.name}: no profile that it lists is that of {x} against {z}")


def _sizes_of(rows: Sequence[ReportGroup]) -> list[Fraction]:
    people = (1, 2) if len(rows) <= MAX_GROUPS else (1,)
    return [blanket_divergence(rows, n, g) for g in LEVELS for n in people]


CLOSE = 1e-7
"""How far, relative to it, a number may be from the channel's."""

TINY = 1e-9
"""And in people: one in a billion."""


def check_posteriors(mechanism: Mechanism) -> None:
    """`bayes_success` and `posterior_range` are those of the channel, at even and at skewed shares (small domains)."""
    rows = np.array([[float(entry) for entry in row] for row in channel_of(mechanism)])
    size = len(rows)
    for shares in (np.full(size, 1 / size), np.arange(1, size + 1) / (size * (size + 1) / 2)):
        joint, profile = shares[:, None] * rows, profile_of(mechanism)
        _compare_posteriors(mechanism, "Bayes success", profile.bayes_success(shares), joint.max(axis=0).sum())
        with np.errstate(invalid="ignore"):
            posterior = joint / joint.sum(axis=0)
        for x in range(size):
            claimed = profile.posterior_range(x, shares)
            least, most = (None, None) if claimed is None else (claimed.least, claimed.most)
            inside = posterior[x][rows[x] > 0]
            _compare_posteriors(mechanism, f"least share of {x}", least, inside.min())
            _compare_posteriors(mechanism, f"greatest share of {x}", most, inside.max())


def _compare_posteriors(mechanism: Mechanism, what: str, said: float | None, true: float) -> None:
    if said is None or not abs(said - true) <= CLOSE * true + TINY:
        raise CheckFailed(f"{mechanism.name}: the {what} after one report is {true}; the mechanism says {said}")
