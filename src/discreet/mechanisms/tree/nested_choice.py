"""The sampler of every node of a tree of blocks, those of the innermost blocks by the error of all together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...core.errors import NotServed
from ...core.exact import approx
from ..composed.high_low import levels_of, subset_levels
from ..finite_geometry.difference_sets import candidates
from ..sampler import Sampler
from ..uniform.cyclic import Projective, room
from ..uniform.cyclotomic import Cyclotomic, families
from ..uniform.randomized_response import RandomizedResponse
from ..uniform.subset import Subset
from .nested import Nested

if TYPE_CHECKING:
    from ...contexts import Context
    from ...contexts.structure.recognition import TreeStructure

MAX_BLOCKS = 1 << 16
"""The most innermost blocks."""


def nested_response(context: Context, *, bits: int | None = 64) -> Nested:
    """The nested response of a context whose values are the leaves of a tree, with reports of about `bits` bits."""
    if len(context.members) > MAX_BLOCKS:
        raise NotServed(f"nested serves at most {MAX_BLOCKS} innermost blocks; the context has {len(context.members)}")
    tree = context.tree
    if tree is None or all(isinstance(child, int) for child in tree.children):
        raise NotServed("nested needs blocks inside each other, all entries finite, each level below the one around it")
    sampler, _ = _TreeBuilder(context.size, bits).node(tree, tree.level)
    assert isinstance(sampler, Nested)
    return sampler


class _TreeBuilder:
    """A tree being turned into samplers; like innermost blocks share one."""

    def __init__(self, size: int, bits: int | None) -> None:
        self._size, self._bits, self._left = size, bits, MAX_BLOCKS
        self._known: dict[tuple[int, Fraction, Fraction], Sampler] = {}

    def node(self, tree: TreeStructure | int, around: Fraction) -> tuple[Sampler, list[int]]:
        """The sampler of a node, and the numbers of its values in increasing order."""
        self._left -= isinstance(tree, int) or all(isinstance(child, int) for child in tree.children)
        if self._left < 0:
            raise NotServed(f"nested serves at most {MAX_BLOCKS} innermost blocks")
        if isinstance(tree, int):
            return self._innermost(1, around, around), [tree]
        if all(isinstance(child, int) for child in tree.children):
            values: Any = sorted(tree.children)
            return self._innermost(len(values), tree.level, around), values
        parts = [self.node(child, tree.level) for child in tree.children]
        block = {x: b for b, (_, values) in enumerate(parts) for x in values}
        members = sorted(block)
        return Nested([block[x] for x in members], [part for part, _ in parts], tree.level), members

    def _innermost(self, size: int, level: Fraction, around: Fraction) -> Sampler:
        key = size, level, around
        if key not in self._known:
            bits = None if self._bits is None else ((size << self._bits) // self._size).bit_length() - 1
            self._known[key] = innermost(size, level, around, blocks=self._size / size, bits=bits)
        return self._known[key]


def innermost(size: int, level: Fraction, around: Fraction, *, blocks: float, bits: int | None) -> Sampler:
    """The sampler for a block of `size` values with the least `nested_error` among `blocks` like it."""
    if size == 1:
        return RandomizedResponse(1, level)
    inside, outside = approx(level), approx(around)
    rated = (
        (nested_error(*levels, size=size, blocks=blocks, inside=inside, outside=outside), reports, name, parameters)
        for levels, reports, name, parameters in _options(size, inside, bits)
    )
    best = min(rated, key=lambda option: (option[0] * (1 + 1e-9 * math.log2(option[1])), option[1]), default=None)
    if best is None:
        raise NotServed(f"nested needs more than {bits} bits for a block of {size} values")
    make: Any = {"subset": Subset, "projective": Projective, "cyclotomic": Cyclotomic}[best[2]]
    sampler: Sampler = make(size, level, **best[3])
    return sampler


def _options(size: int, epsilon: float, bits: int | None) -> Iterator[tuple[Any, float, str, Mapping[str, Any]]]:
    """(p, q, r) of every base that fits, its reports as a number, its name and parameters."""
    if bits is None or size <= bits:
        for d in range(1, size):
            yield subset_levels(size, d, epsilon)[:3], 2.0**size, "subset", {"d": d}
    cyclic: list[tuple[Any, str, dict[str, Any]]]
    cyclic = [(p, "projective", {"family": p.family, "key": p.key}) for p in candidates(size, bits=room(size, bits))]
    cyclic += [(of.parameters, "cyclotomic", {"p": of.p, "d": of.d}) for of in families(size, bits=bits)]
    for p, name, named in cyclic:
        yield levels_of(p.r, p.v - p.r, p.r, p.lam, epsilon)[:3], p.v, name, named


def nested_error(p: float, q: float, r: float, *, size: int, blocks: float, inside: float, outside: float) -> float:
    """n times the expected squared error of all shares, plus the sum of squared shares, for even shares.

    For `blocks` blocks of `size` values each, inside them a sampler with support probabilities p, q and r, that of
    cover reports, at the epsilon `inside`, at `outside` between blocks. An own report is at most
    1 / (r + (1 - r) e**-inside) times as likely as a cover report.
    """
    gap = p - q
    odds = math.exp(outside) * (r + (1 - r) * math.exp(-inside))
    if gap <= 0 or odds <= 1:
        return math.inf
    other = 1 / (odds + blocks - 1)
    own, share = odds * other, 1 / blocks
    v0, v1 = q * (1 - q) / gap**2, (p * (1 - p) - q * (1 - q)) / gap**2
    cover, beta = (r * (1 - q) ** 2 + (1 - r) * q * q) / gap**2, (r - q) / gap
    empty = other * (1 - share)
    seen, truth = own * share + empty, own - other
    shown, absent = (-other * beta / own * (1 - first / truth) for first in (1 - other, -other))
    square = own * share * (size * v0 + v1 + 1) + empty * size * cover
    mean = own * share + empty * size * beta
    inner = square / own**2 + 2 * shown / own * mean + size * (shown**2 * seen + absent**2 * (1 - seen))
    return blocks * inner
