"""Mechanisms for classes of exchangeable values: the best mixture of types, rounded to a certified sampler.

Which types and weights are best is found in floats by `optimize.types`; what they promise is decided here, in whole
units of word space, and every pair of classes is certified before a sampler is given away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..contexts import Context
from ..core.errors import NotServed
from ..core.exact import approx, within
from ..mechanisms.build import BASES
from ..mechanisms.composed.even_cover import EvenCover
from ..mechanisms.composed.high_low import best_difference_set, best_subset_size
from ..mechanisms.law import WORD_BITS, Row
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.tables.classwise_mixture import ClasswiseMixture, ClasswiseMixtureLaw
from ..mechanisms.uniform.pure import PureSampler
from ..mechanisms.uniform.randomized_response import RandomizedResponse
from .optimize.type_options import MAX_CLASSES, Classes, ClassOption, cap_epsilons
from .optimize.types import TypeDesign, best_types

MAX_ROWS = 256
"""The most different rows of E of a context whose exchangeable values are looked for."""
SLACKS = range(28, 11, -4)
"""What a row leaves over goes to a type that says nothing: 2**-j of the words, with j the first that certifies."""
FINER = 12
"""Levels are lowered by 2**-FINER of what rows leave over, so that what is left hardly depends on the class."""
MIN_APART = 1e-9
"""Two types whose odds for values outside a scale differ by less cannot tell them from the scale."""
SIZING = tuple(Fraction(part, 8) for part in range(8, 1, -1))
"""Sets on a scale are sized for these parts of its epsilon: larger ones are easier for values outside to cover."""


def classwise_mixture(context: Context, shares: Any, bits: int | None, *, max_classes: int = MAX_CLASSES) -> Mechanism:
    """The best mixture of types for a context whose entries depend only on the class of the row."""
    classes = classes_of(context, shares)
    if len(classes.inside) > max_classes:
        raise NotServed(f"types of more than {max_classes} classes are left to a design")
    return Mechanism(context, certified_types(best_types(classes, bits=bits)))


def classes_of(context: Context, shares: Any) -> Classes:
    """The classes of exchangeable values of a context; `NotServed` where entries depend on more."""
    closed = context.closure_if_cheap()
    if len(closed.members) > MAX_ROWS:
        raise NotServed(f"types need at most {MAX_ROWS} different rows of E; the context has {len(closed.members)}")
    class_of = context.exchangeable
    count = max(class_of) + 1
    if not 2 <= count <= MAX_CLASSES:
        raise NotServed(f"types need 2 to {MAX_CLASSES} classes of exchangeable values; the context has {count}")
    members = [np.flatnonzero(np.equal(class_of, c)).tolist() for c in range(count)]
    inside, across = [], []
    for own_class in members:
        entries = {closed.at(own_class[0], other[0]) for other in members if other is not own_class}
        entry = entries.pop()
        own = closed.at(own_class[0], own_class[1]) if len(own_class) > 1 else entry
        if entries or not isinstance(entry, Fraction) or not isinstance(own, Fraction) or not 0 < own <= entry:
            raise NotServed("types need a finite entry for each class of values to all others, and at most it inside")
        inside.append(own)
        across.append(entry)
    masses = np.bincount(class_of, weights=np.asarray(shares, dtype=float), minlength=count).astype(float)
    return Classes(class_of, tuple(inside), tuple(across), masses)


def certified_types(design: TypeDesign) -> ClasswiseMixture:
    """The certified sampler of a design, rounded towards privacy; `NotServed` if no rounding is certified."""
    for slack in SLACKS:
        sampler = _round(design, slack)
        if _is_certified(sampler, design.classes):
            return sampler
    raise NotServed("types: words of 64 bits are too short to certify these types")


def _round(design: TypeDesign, slack: int) -> ClasswiseMixture:
    """The sampler in whole units, at slightly lower epsilons; the rest of a row goes to a type that shows nothing."""
    classes, space = design.classes, 1 << WORD_BITS
    inside = [epsilon * (1 - Fraction(1, 1 << slack + FINER)) for epsilon in cap_epsilons(classes.inside)]
    sizes = classes.sizes.tolist()
    inners: dict[tuple[object, int, Fraction], PureSampler] = {}
    marks = []
    for row in design.types:
        keys = [(option.inner, sizes[c], inside[c]) for c, option in enumerate(row)]
        for option, key in zip(row, keys, strict=True):
            if option.inner is not None and key not in inners:
                inners[key] = inner_sampler(option, *key[1:])
        numbers = {key: number for number, key in enumerate(inners, 1)}
        marks.append([numbers.get(key, 0) for key in keys])
    levels = np.array([[option.mean(float(inside[c])) for c, option in enumerate(row)] for row in design.types])
    rows = levels * np.array(design.weights)[:, None]
    rows *= (1 - 2.0**-slack) / rows.sum(axis=0).max()
    units = [[int(Fraction(share) * space) for share in column] for column in rows.T.tolist()]
    filled = tuple((*row, space - sum(row)) for row in units)
    inner_numbers = (*map(tuple, marks), (0,) * len(sizes))
    laws = tuple(inner.law for inner in inners.values())
    law = ClasswiseMixtureLaw(Row.of(classes.class_of), filled, inner_numbers, laws, WORD_BITS)
    return ClasswiseMixture(law, list(inners.values()), classes.masses.tolist())


def inner_sampler(option: ClassOption, size: int, epsilon: Fraction) -> PureSampler:
    """The sampler that an option uses inside its class."""
    assert option.inner is not None
    name, parameters = option.inner
    make: Any = BASES[name]
    inner: PureSampler = make(size, epsilon, **dict(parameters))
    return inner


def _is_certified(sampler: ClasswiseMixture, classes: Classes) -> bool:
    """True if every pair of classes has a certified ratio within its epsilon."""
    bounds, count = list(sampler.ratio_bounds()), len(classes.inside)
    for bound in bounds:
        c, d = sampler.class_of[bound.x], sampler.class_of[bound.z]
        if not within(bound.ratio, classes.inside[c] if c == d else classes.across[c]):
            return False
    return len(bounds) == count * (count - 1) + int(np.sum(classes.sizes > 1))


def outside_mixtures(context: Context, shares: Any, bits: int | None) -> Iterator[Callable[[], Mechanism]]:
    """Mixtures for a uniform scale that is less hidden inside than values outside it are: one for each size of sets."""
    closed = context.closure_if_cheap()
    if closed.outside is None:
        return
    scale, beside = closed.outside
    parts = scale.canonical_form().parts or ()
    if len(parts) != 1 or not parts[0].is_uniform or not 1 < scale.size < context.size or parts[0].level <= beside:
        return
    level, size = parts[0].level, scale.size
    room = None if bits is None else bits - 2
    named: dict[tuple[str, tuple[tuple[str, Any], ...]], None] = {("randomized_response", ()): None}
    for part in SIZING:
        if room is None or size <= room:
            named["subset", (("d", best_subset_size(size, approx(level * part), 1.0)),)] = None
        else:
            chosen = best_difference_set(size, approx(level * part), 1.0, bits=room)
            named["projective", (("family", chosen.family), ("key", chosen.key))] = None
    for name, parameters in named:
        yield partial(_outside_mixture, context, level, beside, shares, name, dict(parameters))


def _outside_mixture(
    context: Context, level: Fraction, beside: Fraction, shares: Any, name: str, parameters: dict[str, Any]
) -> Mechanism:
    """Two types: sets on the scale, and which value outside it; `NotServed` if no rounding is certified.

    Values outside write the first ``A / b`` times as often as those of the scale, A the largest ratio of a report to a
    cover report and b = e**beside; that, and that the rows add up to 1, decides how often. Where A / b is above 1, the
    second type is b times likelier for the scale.
    """
    assert context.outside is not None
    size, count = context.outside[0].size, context.size - context.outside[0].size
    for slack in SLACKS:
        less = 1 - Fraction(1, 1 << slack)
        make: Any = BASES[name]
        inner: PureSampler = make(size, level * less, **parameters)
        inners = [inner, *([RandomizedResponse(count, beside * less)] if count > 1 else [])]
        b = float(np.exp(float(beside * less)))
        sets = float(EvenCover(inner).largest_ratios[0]) / b
        other = b / float(EvenCover(inners[1]).largest_ratios[0]) if count > 1 else b
        other = other if sets < 1 else 1 / b
        if abs(other - sets) < MIN_APART:
            raise NotServed("these sets say nothing of values outside the scale")
        often = (other - 1) / (other - sets)
        rows = np.array([[often, 1 - often], [often * sets, (1 - often) * other]]) * (1 - 2.0**-slack)
        units = [[int(Fraction(share) * (1 << WORD_BITS)) for share in row] for row in rows.tolist()]
        if min(map(min, units)) < 1:
            raise NotServed("these sets leave no word to values outside the scale")
        filled = tuple((*row, (1 << WORD_BITS) - sum(row)) for row in units)
        marks = ((1, 0), (0, len(inners) - 1 and 2), (0, 0))
        laws = tuple(one.law for one in inners)
        law = ClasswiseMixtureLaw(Row.of([0] * size + [1] * count), filled, marks, laws, WORD_BITS)
        masses = [float(np.sum(shares[:size])), float(np.sum(shares[size:]))]
        sampler = ClasswiseMixture(law, inners, masses)
        ratios = {(sampler.class_of[r.x], sampler.class_of[r.z]): r.ratio for r in sampler.ratio_bounds()}
        if all(within(ratio, level if pair == (0, 0) else beside) for pair, ratio in ratios.items()):
            return Mechanism(context, sampler)
    raise NotServed("types: words of 64 bits are too short to certify these types")
