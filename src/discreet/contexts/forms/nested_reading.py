"""Blocks inside blocks as a spec gives them: by name, by size, or value by value."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from ...core.domain import Domain, Value
from ...core.errors import InvalidSpec
from ...core.fields import Fields, kind_of, listed, value, values, whole
from ...core.limits import check, spend
from ...core.ranges import values_in
from ..reading import given, level
from .nested import MAX_DEPTH, Nested

LAYOUTS = ("sizes", "block_of", "blocks")

VALUE = 24
"""Steps that it takes to place one value in its blocks."""

BLOCK = 48
"""Steps that it takes to certify mechanisms for one of the innermost blocks."""


def read(fields: Fields, domain: Domain | None) -> Nested:
    """The nested context of a spec; blocks that list their values need no domain."""
    layout = [key for key in LAYOUTS if fields.has(key)]
    if len(layout) != 1:
        raise InvalidSpec(f"{fields.path} must give exactly one of {', '.join(LAYOUTS)}")
    data, name = fields.required(layout[0]), fields.name(layout[0])
    epsilons = fields.name("epsilons")
    epsilon = [
        level(entry, f"{epsilons}[{i}]") for i, entry in enumerate(listed(fields.required("epsilons"), epsilons))
    ]
    if domain is not None:
        spend(VALUE * len(domain), name)
    if layout == ["blocks"]:
        domain, paths = _by_name(data, name, domain)
    else:
        paths = _by_size(data, name, len(given(domain))) if layout == ["sizes"] else _by_value(data, name)
    spend(BLOCK * len(set(paths)), name)
    return Nested(given(domain), paths, epsilon)


def _by_value(data: object, name: str) -> list[tuple[Hashable, ...]]:
    """A list per level, from the innermost outwards, with the block of every value by name or number."""
    columns = [
        [value(block, f"{name}[{i}][{x}]") for x, block in enumerate(listed(column, f"{name}[{i}]"))]
        for i, column in enumerate(listed(data, name))
    ]
    if not columns or len({len(column) for column in columns}) != 1:
        raise InvalidSpec(f"{name} must hold a list per level of blocks, each with one block per value")
    return list(zip(*reversed(columns), strict=True))


def _by_size(data: object, name: str, size: int) -> list[tuple[Hashable, ...]]:
    """The sizes of consecutive blocks, in lists inside each other."""
    paths: list[tuple[Hashable, ...]] = []
    for path, entry in _inside(listed(data, name), name, ()):
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
