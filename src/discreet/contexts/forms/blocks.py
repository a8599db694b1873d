"""Block-structured privacy: where in the city someone is stays hidden, which city does not."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...core.domain import Domain, Value, listed_values
from ...core.errors import InvalidContext, InvalidSpec
from ...core.exact import Epsilon, positive_finite, text_of
from ...core.fields import Fields, as_list, value, values, values_in, whole
from ...core.limits import check
from ..context import Context
from ..reading import epsilon_in, level, require_domain
from ..structure.recognition import Part

MAX_LISTED_NAMES = 8
"""The most names of blocks that a message lists."""


class Blocks(Context):
    """E[x, z] = epsilon_j when x and z share block j, infinite across blocks (Acharya2020, Definition 4)."""

    form = "blocks"
    is_canonical = is_closed = True

    def __init__(self, domain: Domain, block_of: Sequence[int], names: Sequence[Hashable], levels: Sequence[Fraction]):
        self.domain = domain
        self.names = tuple(names)
        self.levels = tuple(levels)
        _check_names(self.names)
        try:
            self.class_of = array("l", block_of)
        except (TypeError, OverflowError):
            raise InvalidContext(f"block_of: blocks must be whole numbers from 0 to {len(self.names) - 1}") from None
        if len(self.class_of) != len(domain):
            raise InvalidContext(
                f"block_of has {len(self.class_of)} entries; it must have one per value, {len(domain)}"
            )
        filled = [False] * len(self.names)
        for label in self.class_of:
            if not 0 <= label < len(filled):
                raise InvalidContext(f"block_of: block {label} must be from 0 to {len(filled) - 1}")
            filled[label] = True
        if not all(filled):
            raise InvalidContext(f"block {self.names[filled.index(False)]!r} must hold at least one value")
        if len(self.levels) != len(self.names):
            raise InvalidContext(f"epsilons={len(self.levels)} entries must be one per block, {len(self.names)}")

    @classmethod
    def from_mapping(cls, blocks: Mapping[Hashable, Iterable[Value]], epsilon: object) -> Blocks:
        """Blocks given as ``{name: values}``; `epsilon` is one for all or ``{name: epsilon}``."""
        if not isinstance(blocks, Mapping) or not blocks:
            raise InvalidContext("blocks must map each block's name to its values")
        values: list[Value] = []
        block_of: list[int] = []
        names = list(blocks)
        for number, members in enumerate(blocks.values()):
            inside = listed_values(members, f"blocks[{names[number]!r}]")
            values += inside
            block_of += [number] * len(inside)
        return cls(Domain(values), block_of, names, levels_of(names, epsilon))

    @classmethod
    def from_sizes(cls, domain: Domain, sizes: Sequence[int], epsilon: object) -> Blocks:
        """Consecutive blocks of the given sizes, which must add up to the size of the domain."""
        if any(isinstance(s, bool) or not isinstance(s, int) or s < 1 for s in sizes):
            raise InvalidContext(f"sizes={list(sizes)[:6]!r} must be positive whole numbers: no block is empty")
        if sum(sizes) != len(domain):
            raise InvalidContext(f"sizes add up to {sum(sizes)}; they must add up to the {len(domain)} values")
        block_of = array("l")
        for number, size in enumerate(sizes):
            block_of.extend(array("l", [number]) * size)
        names = range(len(sizes))
        return cls(domain, block_of, names, levels_of(names, epsilon))

    def between(self, c: int, d: int) -> Epsilon:
        return self.levels[c] if c == d else math.inf

    def finite(self) -> Iterator[tuple[int, int]]:
        return ((c, c) for c in range(len(self.names)))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        rows = zip(self.names, self.members, self.levels, strict=True)
        return tuple(Part(name, members, members, epsilon) for name, members, epsilon in rows)

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Blocks:
        layout = [key for key in ("sizes", "block_of", "blocks") if fields.has(key)]
        if len(layout) != 1:
            raise InvalidSpec(f"{fields.path} must give exactly one of sizes, block_of and blocks")
        if layout == ["blocks"]:
            return _read_named(fields, domain)
        if layout == ["sizes"]:
            name = fields.name("sizes")
            sizes = [whole(size, f"{name}[{i}]") for i, size in enumerate(as_list(fields.required("sizes"), name))]
            return cls.from_sizes(require_domain(domain), sizes, _read_levels(fields, range(len(sizes))))
        block_of, names = _read_labels(fields)
        return cls(require_domain(domain), block_of, names, levels_of(names, _read_levels(fields, names)))

    def describe(self) -> dict[str, Any]:
        entries: dict[str, Any] = {"form": self.form, "block_of": list(self.class_of)}
        if self.names != tuple(range(len(self.names))):
            entries["names"] = list(self.names)
        if len(set(self.levels)) == 1:
            return entries | {"epsilon": text_of(self.levels[0])}
        return entries | {"epsilons": [text_of(level) for level in self.levels]}

    def __repr__(self) -> str:
        levels = sorted(set(self.levels))
        shown = text_of(levels[0]) if len(levels) == 1 else f"{text_of(levels[0])}..{text_of(levels[-1])}"
        return f"Context.blocks({self.size} values in {len(self.names)} blocks, epsilon={shown})"


def _check_names(names: Sequence[Hashable]) -> None:
    """Refuse names that are equal, or alike as text, in which files and tables could not tell the blocks apart."""
    seen: set[Hashable] = set()
    for name in names:
        if not isinstance(name, Hashable):
            raise InvalidContext(f"names: {name!r} must be hashable, such as text or a number")
        if name in seen or str(name) in seen:
            raise InvalidContext(f"names: every block must have a name of its own, but {name!r} is there twice")
        seen |= {name, str(name)}


def levels_of(names: Sequence[Hashable], epsilon: object) -> list[Fraction]:
    """One exact epsilon per block, from one for all, a mapping by name or a list in order."""
    if isinstance(epsilon, Mapping):
        known = set(names)
        if absent := [name for name in names if name not in epsilon]:
            raise InvalidContext(f"epsilon: every block must have one; missing: {_some(absent)}")
        if extra := [name for name in epsilon if name not in known]:
            raise InvalidContext(f"epsilon: {_some(extra)} must be among the blocks, which are {_some(names)}")
        return [positive_finite(epsilon[name], name=f"epsilon[{name!r}]") for name in names]
    if isinstance(epsilon, (list, tuple)):
        if len(epsilon) != len(names):
            raise InvalidContext(f"epsilons={len(epsilon)} entries must be one per block, {len(names)}")
        return [positive_finite(entry, name=f"epsilons[{number}]") for number, entry in enumerate(epsilon)]
    return [positive_finite(epsilon)] * len(names)


def _some(names: Sequence[Hashable]) -> str:
    """The first few names, for a message."""
    return ", ".join(map(repr, names[:MAX_LISTED_NAMES])) + (", ..." if len(names) > MAX_LISTED_NAMES else "")


def _read_named(fields: Fields, domain: Domain | None) -> Blocks:
    table = fields.required("blocks")
    if not isinstance(table, Mapping):
        raise InvalidSpec(f"{fields.name('blocks')} must map each block's name to its values")
    blocks = {block: values_in(members, f"{fields.name('blocks')}.{block}") for block, members in table.items()}
    check("values", sum(map(len, blocks.values())), fields.name("blocks"))
    context = Blocks.from_mapping(blocks, _read_levels(fields, list(blocks)))
    if domain is None or domain == context.domain:
        values(list(context.domain), fields.name("blocks"))
        return context
    for entry in context.domain:
        if entry not in domain:
            raise InvalidSpec(
                f"{fields.name('blocks')}: {entry!r} must be one of the {len(domain)} values of the domain"
            )
    for entry in domain:
        if entry not in context.domain:
            raise InvalidSpec(f"{fields.name('blocks')}: the value {entry!r} must be in a block")
    block_of = [context.class_of[context.domain.index(entry)] for entry in domain]
    return Blocks(domain, block_of, context.names, context.levels)


def _read_labels(fields: Fields) -> tuple[list[int], list[Hashable]]:
    """Blocks given value by value: by number, with or without names, or by name in order of appearance."""
    name = fields.name("block_of")
    labels = [value(label, f"{name}[{i}]") for i, label in enumerate(as_list(fields.required("block_of"), name))]
    if fields.has("names") or all(isinstance(label, int) for label in labels):
        block_of = [whole(label, f"{name}[{i}]") for i, label in enumerate(labels)]
        count = max(block_of, default=-1) + 1
        if count > len(block_of):
            raise InvalidSpec(f"{name}: block {count - 1} must be from 0 to {len(block_of) - 1}")
        names = fields.optional("names", default=list(range(count)))
        return block_of, list(values(names, fields.name("names")))
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels], list(numbers)


def _read_levels(fields: Fields, names: Any) -> object:
    """One epsilon for all blocks, or `epsilons` as a list in order or a table by name."""
    if not fields.has("epsilons"):
        if isinstance(fields.required("epsilon"), (Mapping, list)):
            raise InvalidSpec(f"{fields.name('epsilon')} must be one number for all blocks; epsilons has one for each")
        return epsilon_in(fields)
    if fields.has("epsilon"):
        raise InvalidSpec(f"{fields.path} must give one of epsilon and epsilons, not both")
    entries, name = fields.required("epsilons"), fields.name("epsilons")
    if isinstance(entries, Mapping):
        by_text = {str(block): block for block in names}
        return {by_text.get(str(block), block): level(entry, f"{name}.{block}") for block, entry in entries.items()}
    return [level(entry, f"{name}[{i}]") for i, entry in enumerate(as_list(entries, name))]
