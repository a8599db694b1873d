"""What a report may show of a class of exchangeable values: options that types combine.

A column of a channel on classes is two-valued in each class: `share` of its places stand ``e**inside`` times above the
others, which stand at `base`. In a context with one entry from each class to all others (`across`) and one inside it
(`inside`, at most as large), every choice of one option per class is a column that E allows, as no level is below 1 and
none of class c above ``e**across``; and no other column is extreme, as a level between could be tight with nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import NotServed
from ...mechanisms.finite_geometry.difference_sets import candidates
from ...mechanisms.uniform.cyclic import room
from ...mechanisms.uniform.cyclotomic import families

Array = NDArray[np.float64]

MAX_CLASSES = 64
"""The most classes of values that are composed into types."""
MAX_EPSILON = Fraction(16)
"""A larger entry is taken for this one: what more of it would gain is invisible in any share."""
MIN_MASS = 1e-3
"""The smallest mass that a class is given in a comparison, so that each is told from the others."""
MAX_SHARE_DIFFERENCE = 0.03
"""Cyclic sets whose shares differ by less than this, relative to them, stand for each other."""


@dataclass(frozen=True)
class Classes:
    """Classes of exchangeable values, with the epsilon inside each, the epsilon to all other values, and its mass."""

    class_of: tuple[int, ...]
    inside: tuple[Fraction, ...]
    across: tuple[Fraction, ...]
    masses: Array = field(repr=False)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of values of each class."""
        return np.bincount(self.class_of, minlength=len(self.inside))

    @property
    def even(self) -> Array:
        """The share of every value where the values of each class are equally likely."""
        return np.asarray((self.masses / self.sizes)[list(self.class_of)])


def cap_epsilons(epsilons: Sequence[Fraction]) -> list[Fraction]:
    """The epsilons, each at most `MAX_EPSILON`."""
    return [min(epsilon, MAX_EPSILON) for epsilon in epsilons]


class ClassOption(NamedTuple):
    """One way to treat a class: `inner` is the name of a base with its parameters, or None where nothing is shown."""

    base: float
    share: float
    inner: tuple[str, tuple[tuple[str, Any], ...]] | None
    bits: int
    places: int

    def mean(self, epsilon: float) -> float:
        """The mean level over the places."""
        return self.base * (1 + math.expm1(epsilon) * self.share)

    def information(self, epsilon: float, size: int, mass: float) -> float:
        """The information of a report about the values inside: size / information is n times the error of their shares.

        Where some places are nobody's, people of the class support their values more often than others do; how much
        that costs is worked out as if all types were as likely for them as for everyone.
        """
        if self.inner is None:
            return 0.0
        v, rise, noise = self.places, math.expm1(epsilon), self.share * (1 - self.share)
        own = rise * noise * v / (v - 1) / (1 + rise * self.share) * mass * (1 / size - 1 / v)
        return (self.base * rise * noise * v / (v - 1)) ** 2 / (noise + (1 - 2 * self.share) * own)


def options_of(size: int, inside: Fraction, across: Fraction, *, bits: int | None) -> list[ClassOption]:
    """The options of a class from the lowest on: subsets of every size, or those that fit so many bits."""
    shown = list(_sets(size, bits)) if size > 1 else []
    bases = [1.0] + ([math.exp(across - inside)] if across > inside else [])
    options = [ClassOption(base, share, None, 0, size) for base in bases for share in (0.0, 1.0)]
    options += [option._replace(base=base) for base in bases for option in shown]
    epsilon = float(inside)
    return sorted(options, key=lambda option: (option.mean(epsilon), option.bits))


def _sets(size: int, bits: int | None) -> Iterator[ClassOption]:
    """Subsets of every size that fit, and where bits are limited cyclic sets of about every share."""
    if bits is None or size <= bits:
        yield from (ClassOption(1.0, d / size, ("subset", (("d", d),)), size, size) for d in range(1, size))
    if bits is None:
        return
    cyclic = []
    most = room(size, bits)
    for c in candidates(size, bits=most) if size <= 1 << most else ():
        inner: tuple[str, Any] = "projective", (("family", c.family), ("key", c.key))
        cyclic.append(ClassOption(1.0, c.r / c.v, inner, c.bits, c.v))
    for f in families(size, bits=most):
        inner = "cyclotomic", (("p", f.p), ("d", f.d))
        cyclic.append(ClassOption(1.0, f.d / f.p, inner, f.parameters.bits, f.p))
    chosen: list[ClassOption] = []
    for option in sorted(cyclic, key=lambda option: (option.bits, option.places)):
        if all(abs(option.share - known.share) > MAX_SHARE_DIFFERENCE * known.share for known in chosen):
            chosen.append(option)
    yield from chosen


class TypeProblem:
    """The options of all classes as arrays, and n times the error of weighted types.

    Type y has mean level m_yc and information i_yc in class c, both scaled so that ``sum_c P_c m_yc = 1``. With
    ``N = sum_y w_y m_y m_y^T`` and ``I_c = sum_y w_y i_yc`` the error is ``tr(N**-1 / n) + sum_c n_c / I_c``, less the
    sum of squared shares; ``sum_y w_y m_yc = 1`` for each class, so that the rows of the channel add up to one.
    It is `complete` if the options make all extreme columns, at the epsilons and masses that are asked for.
    """

    def __init__(self, classes: Classes, *, bits: int | None) -> None:
        self.classes, self.bits = classes, bits
        sizes = classes.sizes.tolist()
        self.limited = bits is not None and sum(sizes) > bits
        few = bits if self.limited else None
        inner, outer = cap_epsilons(classes.inside), cap_epsilons(classes.across)
        self.options = [options_of(*each, bits=few) for each in zip(sizes, inner, outer, strict=True)]
        levels = list(zip(self.options, map(float, inner), sizes, classes.masses.tolist(), strict=True))
        self.means = [np.array([option.mean(epsilon) for option in of]) for of, epsilon, _, _ in levels]
        self.known = [np.array([one.information(epsilon, *rest) for one in of]) for of, epsilon, *rest in levels]
        self.costs = [np.array([option.bits for option in of]) for of in self.options]
        self.sizes, self.masses = np.array(sizes, dtype=float), np.maximum(classes.masses, MIN_MASS)
        self.masses /= self.masses.sum()
        changed = max(classes.across) > MAX_EPSILON or min(classes.masses) < MIN_MASS
        self.complete = not self.limited and not changed
        self.several = self.sizes > 1
        if any(size > 1 and not known.any() for size, known in zip(sizes, self.known, strict=True)):
            raise NotServed(f"nothing that shows a value of each class fits {bits} bits")

    def columns(self, types: NDArray[np.int64]) -> tuple[Array, Array]:
        """The scaled means and informations of types, each given by the number of its option for every class."""
        chosen = range(len(self.options))
        means = np.stack([self.means[c][types[:, c]] for c in chosen], axis=1)
        known = np.stack([self.known[c][types[:, c]] for c in chosen], axis=1)
        scale = (means @ self.masses)[:, None]
        return means / scale, known / scale**2

    def start(self) -> tuple[NDArray[np.int64], Array]:
        """Types with one class above the lowest option, weighted so that every row adds up to one."""
        rows, weights = [], []
        for c, means in enumerate(self.means):
            last = len(means) - 1
            marked = np.flatnonzero(self.known[c] * (self.costs[c] <= (self.bits or math.inf)))
            spread = {int(marked[len(marked) * part // 4]) for part in range(4)} if len(marked) else set()
            for number in sorted({last, *spread}):
                row = np.zeros(len(self.means), dtype=np.int64)
                row[c] = number
                rise = means[number] - 1
                rows.append(row)
                weights.append((1 + rise * self.masses[c]) / rise / (1 + len(spread)))
        types, unscaled = np.array(rows), np.array(weights)
        return types, unscaled / (unscaled @ self.columns(types)[0][:, 0])

    def error(self, weights: Array, columns: tuple[Array, Array]) -> float:
        """n times the error and the sum of squared shares."""
        means, known = columns
        inverse = np.linalg.inv((means * weights[:, None]).T @ means)
        inside = (self.sizes[self.several] / (weights @ known)[self.several]).sum()
        return float(np.sum(np.diag(inverse) / self.sizes) + inside)

    def slopes(self, weights: Array, columns: tuple[Array, Array]) -> tuple[Array, Array, Array]:
        """What the error loses with the weight of a type is m^T K m + i . k: K, k and N**-1."""
        means, known = columns
        inverse: Any = np.linalg.inv((means * weights[:, None]).T @ means)
        inside = np.where(self.several, weights @ known, 1.0)
        return (inverse / self.sizes) @ inverse, self.several * self.sizes / inside**2, inverse
