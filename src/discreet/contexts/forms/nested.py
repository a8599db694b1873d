"""Nested privacy: where in the city someone is stays hidden well, in which city less, in which country least."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, groupby
from typing import Any, TypeAlias

from ...core.domain import Alike, Domain, Leaves, Value, listed_values
from ...core.errors import InvalidContext, InvalidSpec, shown
from ...core.exact import Epsilon, epsilon_of, positive_finite, text_of
from ...core.fields import Fields, as_list, kind_of, value, values, values_in, whole
from ...core.limits import check, spend
from ..context import Context
from ..reading import level, require_domain
from ..structure.recognition import Node, TreeStructure, numbered, parting_pairs
from .blocks import Blocks
from .uniform import Uniform

MAX_DEPTH = 16
"""The most levels of blocks inside each other."""

LAYOUTS = ("sizes", "block_of", "blocks")
"""The ways in which a spec gives blocks: by size, value by value, or by name."""

VALUE_STEPS, BLOCK_STEPS = 24, 48
"""Steps that it takes to place one value in its blocks, and to certify mechanisms for an innermost block."""

Path: TypeAlias = Sequence[Hashable]
"""The names of the blocks around a value, from the outermost inwards."""

Parts: TypeAlias = Iterable[Iterable[tuple[int, int]]]
"""The parts of a block: the labels in each, with a value there."""


class NestedBlocks(Context):
    """E[x, z] = epsilon[l] if the smallest block that holds both x and z is of level l, 0 the innermost.

    The last epsilon is for values that share no block, and may be infinite. Epsilons increase outwards, so that E is
    an ultrametric, which is its own closure. A block is known by its whole path: two cities of one name in different
    countries are two blocks.
    """

    form = "nested"
    is_closed = True

    def __init__(self, domain: Domain, paths: Sequence[Path], epsilon: object) -> None:
        self.domain = domain
        if len(paths) != len(domain):
            raise InvalidContext(f"blocks of {len(paths)} values must be those of all {len(domain)}")
        depth = len(paths[0])
        for x, path in enumerate(paths):
            if len(path) != depth:
                raise InvalidContext(
                    f"blocks: every value must be equally deep, but {domain[0]!r} is in {depth} blocks "
                    f"and {domain[x]!r} in {len(path)}"
                )
        if not 1 <= depth <= MAX_DEPTH:
            raise InvalidContext(f"blocks: {depth} levels must be from 1 to {MAX_DEPTH}")
        self.levels = _increasing(epsilon, depth)
        block_of, around = _numbered(paths)
        self.class_of = array("l", block_of)
        self._above: list[array[int]] = []
        """For every level, the block of the next one around each of its blocks; the last holds everything."""
        for length in range(depth - 1, -1, -1):
            above, around = _numbered([path[:length] for path in around])
            self._above.append(array("l", above))

    @classmethod
    def from_mapping(cls, blocks: Mapping[Hashable, Any], epsilon: object) -> NestedBlocks:
        """Blocks inside blocks by name, down to values: ``{"fr": {"paris": values, ...}, ...}``."""
        if not isinstance(blocks, Mapping):
            raise InvalidContext("blocks must map names of blocks to blocks inside them, down to values")
        members: list[Value] = []
        paths: list[Path] = []
        for path, inside in _leaves(blocks, ()):
            held = listed_values(inside, _name(path))
            if not held:
                raise InvalidContext(f"{_name(path)} must hold at least one value")
            members += held
            paths += [path] * len(held)
        return cls(Domain(members), paths, epsilon)

    # -- the matrix ------------------------------------------------------------------------------
    def between(self, c: int, d: int) -> Epsilon:
        for epsilon, above in zip(self.levels, self._above, strict=False):
            if c == d:
                return epsilon
            c, d = above[c], above[d]
        return self.levels[-1]

    def finite(self) -> Iterator[tuple[int, int]]:
        groups: dict[int, list[int]] = {}
        for c, top in enumerate(self._outermost):
            groups.setdefault(top if self.levels[-1] == math.inf else 0, []).append(c)
        for group in groups.values():
            yield from ((c, d) for c in group for d in group if c != d or len(self.members[c]) > 1)

    @cached_property
    def largest(self) -> Fraction:
        return max((level for level in self._met if isinstance(level, Fraction)), default=Fraction(0))

    @cached_property
    def shows(self) -> bool:
        return math.inf in self._met

    @cached_property
    def _met(self) -> list[Epsilon]:
        """The epsilons that some pair of values has, from the innermost outwards."""
        inside = [self.class_of, *self._above]
        return [level for level, above in zip(self.levels, inside, strict=True) if len(set(above)) < len(above)]

    @cached_property
    def _outermost(self) -> Sequence[int]:
        """The outermost block of each innermost one."""
        at: Sequence[int] = range(len(self.members))
        for above in self._above[:-1]:
            at = [above[block] for block in at]
        return at

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        """For every two labels, a pair of values that shares the smallest block."""
        if isinstance(labels, Leaves):
            tops = [self.tree] if self.tree is not None else self._tops
            return chain.from_iterable(parting_pairs(node, labels) for node in tops)
        return iter(self._closest) if isinstance(labels, Alike) else self._nearest(labels)

    @cached_property
    def _closest(self) -> list[tuple[int, int, Epsilon]]:
        """Two protected values that share the smallest block of all, both ways; nothing if no two are protected."""
        first = [members[0] for members in self.members]
        pair = next(((members[0], members[1]) for members in self.members if len(members) > 1), None)
        for epsilon, above in zip(self.levels, [*self._above, ()], strict=True):
            if pair is not None and isinstance(epsilon, Fraction):
                return [(*pair, epsilon), (*pair[::-1], epsilon)]
            outer = [-1] * (max(above, default=-1) + 1)
            for x, block in zip(first, above, strict=False):
                pair = (outer[block], x) if pair is None and outer[block] >= 0 else pair
                outer[block] = x
            first = outer
        return []

    def _nearest(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        done: set[tuple[int, int]] = set()
        parts: Iterable[Parts] = ((((labels[x], x),) for x in members) for members in self.members)
        for epsilon, above in zip(self.levels, [*self._above, None], strict=True):
            if not isinstance(epsilon, Fraction):
                return
            starts, present, first = array("q", [0]), array("q"), array("q")  # arrays take little memory
            for inside in parts:
                sides = _sides(inside)
                yield from ((x, z, epsilon) for x, z in _across(sides, done))
                present.extend(sides)
                first.extend(at[0][1] for at in sides.values())
                starts.append(len(present))
            if above is not None:
                parts = _grouped(starts, present, first, above)

    # -- structure -------------------------------------------------------------------------------
    @cached_property
    def _tops(self) -> list[Node]:
        """The tree, or the only value, in every outermost block."""
        nodes = [members[0] if len(members) == 1 else self._tree(0, members) for members in self.members]
        for number, above in enumerate(self._above[:-1], 1):
            nodes = self._next_level(number, nodes, above)
        return nodes

    def _tree(self, number: int, children: Sequence[Node]) -> Node:
        epsilon = self.levels[number]
        assert isinstance(epsilon, Fraction)
        return TreeStructure(epsilon, tuple(children))

    def _next_level(self, number: int, nodes: Sequence[Node], above: Sequence[int]) -> list[Node]:
        """The nodes of the next level; one with a single child is that child."""
        inside: list[list[Node]] = [[] for _ in range(max(above) + 1)]
        for node, outer in zip(nodes, above, strict=True):
            inside[outer].append(node)
        return [children[0] if len(children) == 1 else self._tree(number, children) for children in inside]

    @cached_property
    def tree(self) -> TreeStructure | None:
        nodes = self._tops
        if len(nodes) > 1 and isinstance(self.levels[-1], Fraction):
            nodes = self._next_level(len(self._above), nodes, self._above[-1])
        return nodes[0] if len(nodes) == 1 and isinstance(nodes[0], TreeStructure) else None

    @cached_property
    def exchangeable(self) -> tuple[int, ...]:
        numbers = [0] * self.size
        left: list[tuple[Node, int]] = [(node, 0) for node in ([self.tree] if self.tree else self._tops)]
        count = 0
        while left:
            node, number = left.pop()
            if isinstance(node, int):
                numbers[node] = number
            else:
                count += 1
                left += [(child, count) for child in node.children]
        return numbered(numbers)

    @cached_property
    def hidden(self) -> frozenset[int]:
        if self.levels[-1] != math.inf:
            return frozenset(range(len(self.members)) if self.size > 1 else ())
        tops = self._tops
        return frozenset(c for c, top in enumerate(self._outermost) if isinstance(tops[top], TreeStructure))

    @cached_property
    def protected_pairs(self) -> int:
        return sum(len(group) * (len(group) - 1) for group in self.components())

    def components(self) -> list[list[int]]:
        if self.levels[-1] != math.inf:
            return [list(range(self.size))]
        groups: dict[int, list[int]] = {}
        for x, c in enumerate(self.class_of):
            groups.setdefault(self._outermost[c], []).append(x)
        return list(groups.values())

    def canonical_form(self) -> Context:
        if self.size <= 3:
            return super().canonical_form()
        several = [any(len(members) > 1 for members in self.members)]
        several += [len(above) > max(above) + 1 for above in self._above]
        used = [number for number, some in enumerate(several) if some]
        if len(used) == len(self.levels) and len(used) + (self.levels[-1] != math.inf) > 2:
            return self
        levels = [self.levels[number] for number in used]
        finite = [epsilon for epsilon in levels if isinstance(epsilon, Fraction)]
        if not finite:
            return self
        columns = self._columns()
        if len(levels) == 1:
            return Uniform(self.domain, finite[0])
        if len(finite) == 1:
            block_of = columns[used[0]]
            count = max(block_of) + 1
            return Blocks(self.domain, block_of, range(count), finite * count)
        return NestedBlocks(self.domain, list(zip(*(columns[number] for number in used[-2::-1]), strict=True)), levels)

    # -- in a spec -------------------------------------------------------------------------------
    def _columns(self) -> list[list[int]]:
        """The block of every value, by number, at every level from the innermost outwards."""
        columns = [list(self.class_of)]
        for above in self._above[:-1]:
            columns.append([above[block] for block in columns[-1]])
        return columns

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> NestedBlocks:
        layout = [key for key in LAYOUTS if fields.has(key)]
        if len(layout) != 1:
            raise InvalidSpec(f"{fields.path} must give exactly one of {', '.join(LAYOUTS)}")
        data, name = fields.required(layout[0]), fields.name(layout[0])
        epsilons = fields.name("epsilons")
        epsilon = [
            level(entry, f"{epsilons}[{i}]") for i, entry in enumerate(as_list(fields.required("epsilons"), epsilons))
        ]
        if domain is not None:
            spend(VALUE_STEPS * len(domain), name)
        if layout == ["blocks"]:
            domain, paths = _by_name(data, name, domain)
        else:
            paths = _by_size(data, name, len(require_domain(domain))) if layout == ["sizes"] else _by_value(data, name)
        spend(BLOCK_STEPS * len(set(paths)), name)
        return cls(require_domain(domain), paths, epsilon)

    def describe(self) -> dict[str, Any]:
        return {"form": self.form, "block_of": self._columns(), "epsilons": [text_of(level) for level in self.levels]}

    def __repr__(self) -> str:
        counts = [str(len(self.members)), *(str(max(above) + 1) for above in self._above[:-1])]
        shown = ", ".join(map(text_of, self.levels))
        return f"Context.nested({self.size} values in {' in '.join(counts)} blocks, epsilon=({shown}))"


def _increasing(epsilon: object, depth: int) -> tuple[Epsilon, ...]:
    """The epsilons from the inside outwards, each above the one before; the last may be infinite."""
    if isinstance(epsilon, (str, bytes)) or not isinstance(epsilon, Sequence) or len(epsilon) != depth + 1:
        raise InvalidContext(
            f"epsilon={shown(epsilon)} must be {depth + 1} of them: inside the innermost blocks, then across the "
            f"blocks of each of the {depth} levels"
        )
    names = [f"epsilon[{number}]" for number in range(depth + 1)]
    inner = [positive_finite(entry, name=name) for entry, name in zip(epsilon[:-1], names[:-1], strict=True)]
    levels = (*inner, epsilon_of(epsilon[-1], name=names[-1]))
    for number in range(depth):
        if levels[number + 1] <= levels[number]:
            raise InvalidContext(
                f"epsilon[{number + 1}]={text_of(levels[number + 1])} must be more than "
                f"epsilon[{number}]={text_of(levels[number])}: it is for values further apart"
            )
    return levels


def _name(path: Path) -> str:
    return "blocks" + "".join(f"[{name!r}]" for name in path)


def _leaves(blocks: Mapping[Hashable, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    """The innermost blocks with their paths."""
    if len(path) >= MAX_DEPTH:
        raise InvalidContext(f"blocks: there must be at most {MAX_DEPTH} levels")
    if not blocks:
        raise InvalidContext(f"{_name(path)} must hold at least one block")
    for name, inside in blocks.items():
        if isinstance(inside, Mapping):
            yield from _leaves(inside, (*path, name))
        else:
            yield (*path, name), inside


def _numbered(paths: Sequence[Path]) -> tuple[list[int], list[Path]]:
    """The number of every path in order of first appearance, and the different paths."""
    numbers: dict[tuple[Hashable, ...], int] = {}
    try:
        return [numbers.setdefault(tuple(path), len(numbers)) for path in paths], list(numbers)
    except TypeError as unhashable:
        raise InvalidContext(f"blocks: names must be hashable, such as text or numbers ({unhashable})") from None


def _grouped(
    starts: Sequence[int], labels: Sequence[int], values: Sequence[int], above: Sequence[int]
) -> Iterator[Parts]:
    """For every block of the next level, the labels and values of the blocks inside it, which begin at `starts`."""
    order = sorted(range(len(above)), key=above.__getitem__)
    for _, inside in groupby(order, key=above.__getitem__):
        slices = (slice(starts[block], starts[block + 1]) for block in inside)
        yield (zip(labels[part], values[part], strict=True) for part in slices)


def _sides(parts: Parts) -> dict[int, list[tuple[int, int]]]:
    """For every label the first two parts that hold it, each with a value of that label."""
    sides: dict[int, list[tuple[int, int]]] = {}
    for part, held in enumerate(parts):
        for label, x in held:
            if len(at := sides.setdefault(label, [])) < 2:
                at.append((part, x))
    return sides


def _across(sides: Mapping[int, Sequence[tuple[int, int]]], done: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A pair of values in different parts for every two labels that are not among `done`, to which they are added."""
    for a, left in sides.items():
        for b, right in sides.items():
            if (a, b) not in done:
                for x, z in ((x, z) for p, x in left for q, z in right if p != q):
                    done.add((a, b))
                    yield x, z
                    break


def _by_value(data: object, name: str) -> list[tuple[Hashable, ...]]:
    """A list per level, from the innermost outwards, with the block of every value by name or number."""
    columns = [
        [value(block, f"{name}[{i}][{x}]") for x, block in enumerate(as_list(column, f"{name}[{i}]"))]
        for i, column in enumerate(as_list(data, name))
    ]
    if not columns or len({len(column) for column in columns}) != 1:
        raise InvalidSpec(f"{name} must hold a list per level of blocks, each with one block per value")
    return list(zip(*reversed(columns), strict=True))


def _by_size(data: object, name: str, size: int) -> list[tuple[Hashable, ...]]:
    """The sizes of consecutive blocks, in lists inside each other."""
    paths: list[tuple[Hashable, ...]] = []
    for path, entry in _inside(as_list(data, name), name, ()):
        count = whole(entry, name)
        if not 1 <= count <= size - len(paths):
            raise InvalidSpec(f"{name}: sizes must be positive and add up to the {size} values")
        paths += [path] * count
    if len(paths) != size:
        raise InvalidSpec(f"{name} add up to {len(paths)}; they must add up to the {size} values")
    return paths


def _inside(sizes: list[Any], name: str, path: tuple[Hashable, ...]) -> Iterator[tuple[tuple[Hashable, ...], object]]:
    if len(path) >= MAX_DEPTH:
        raise InvalidSpec(f"{name}: there must be at most {MAX_DEPTH} levels")
    if not sizes:
        raise InvalidSpec(f"{name} must hold no empty list")
    for number, entry in enumerate(sizes):
        if isinstance(entry, (list, tuple)):
            yield from _inside(list(entry), name, (*path, number))
        else:
            yield (*path, number), entry


def _by_name(data: object, name: str, domain: Domain | None) -> tuple[Domain, list[tuple[Hashable, ...]]]:
    """Tables inside each other, down to lists or ranges of values, which are in the order of the domain if given."""
    paths: dict[Value, tuple[Hashable, ...]] = {}
    for path, members in _tables(data, name, ()):
        where = ".".join((name, *path))
        for entry in values_in(members, where):
            if entry in paths:
                raise InvalidSpec(f"{where}: {entry!r} must be in one block only")
            paths[entry] = path
        check("values", len(paths), name)
    if domain is None:
        domain = Domain(values(list(paths), name))
    for entry in paths:
        if entry not in domain:
            raise InvalidSpec(f"{name}: {entry!r} must be one of the {len(domain)} values of the domain")
    for entry in domain:
        if entry not in paths:
            raise InvalidSpec(f"{name}: the value {entry!r} must be in a block")
    return domain, [paths[entry] for entry in domain]


def _tables(data: object, name: str, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    """The lists of values, and ranges of them, with the names of the tables around each."""
    if not isinstance(data, Mapping) or len(path) >= MAX_DEPTH:
        raise InvalidSpec(
            f"{'.'.join((name, *path))} must be a table of at most {MAX_DEPTH} levels, not {kind_of(data)}"
        )
    if not data:
        raise InvalidSpec(f"{'.'.join((name, *path))} must hold at least one block")
    for block, inside in data.items():
        if isinstance(inside, Mapping) and not isinstance(inside.get("from"), int):
            yield from _tables(inside, name, (*path, block))
        else:
            yield (*path, block), inside
