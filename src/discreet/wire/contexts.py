"""The domain and the context of a spec, one function a form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

from ..context import Binary, Blocks, Context, HighLow, Matrix, Metric, Uniform
from ..context.blocks import levels_of
from ..domain import Domain
from ..errors import InvalidSpec
from ..exact import epsilon_from_text
from ..files.text_reader import read_values
from .fields import Fields, listed, number, text, value, values, whole

LARGEST = 1 << 31
"""The most values that a spec may number."""


def domain_of(fields: Fields, folder: Path | None) -> Domain:
    """The values of a spec: listed, numbered 0 .. size-1, or one column of a file."""
    given = [key for key in ("values", "size", "file") if fields.has(key)]
    if len(given) != 1:
        raise InvalidSpec(f"{fields.path} must give exactly one of values, size and file")
    if given == ["values"]:
        domain = Domain(values(fields.required("values"), fields.name("values")))
    elif given == ["size"]:
        size = whole(fields.required("size"), fields.name("size"))
        if not 1 <= size <= LARGEST:
            raise InvalidSpec(f"{fields.name('size')}={size} must be from 1 to {LARGEST}")
        domain = Domain(range(size))
    else:
        domain = _in_file(fields, folder)
    fields.close()
    return domain


def _in_file(fields: Fields, folder: Path | None) -> Domain:
    if folder is None:
        raise InvalidSpec(f"{fields.name('file')} can be read only by a spec that is itself a file")
    path = folder / text(fields.required("file"), fields.name("file"))
    column = fields.optional("column")
    chosen = None if column is None else text(column, fields.name("column"))
    return Domain(entry for chunk in read_values(path, chosen) for entry in chunk)


def context_of(fields: Fields, domain: Domain | None) -> Context:
    """The context of a spec; only blocks that list their values may do without a domain."""
    form = text(fields.required("form"), fields.name("form"))
    if form not in FORMS:
        raise InvalidSpec(f"{fields.name('form')}={form!r} must be one of {', '.join(FORMS)}")
    if domain is None and not (form == "blocks" and fields.has("blocks")):
        raise InvalidSpec("domain is missing")
    context = FORMS[form](fields, domain)
    fields.close()
    return context


def _epsilon(fields: Fields, key: str = "epsilon") -> object:
    return level(fields.required(key), fields.name(key))


def level(data: object, name: str) -> object:
    """An epsilon for a constructor, which checks it: an exact decimal, or a fraction such as ``"1/3"``."""
    exact = number(data, name)
    if isinstance(exact, str) and "/" in exact:
        try:
            return epsilon_from_text(exact)
        except (ValueError, ZeroDivisionError):
            raise InvalidSpec(f'{name}={exact!r} must be a non-negative decimal or fraction, or "inf"') from None
    return exact


def _uniform(fields: Fields, domain: Any) -> Context:
    return Uniform(domain, _epsilon(fields))


def _high_low(fields: Fields, domain: Any) -> Context:
    sensitive = values(fields.required("sensitive"), fields.name("sensitive"))
    return HighLow(domain, sensitive, _epsilon(fields))


def _binary(fields: Fields, domain: Any) -> Context:
    pair = listed(fields.required("epsilon"), fields.name("epsilon"))
    return Binary(domain, [level(entry, f"{fields.name('epsilon')}[{i}]") for i, entry in enumerate(pair)])


def _metric(fields: Fields, domain: Any) -> Context:
    name = fields.name("points")
    points = [
        [number(c, f"{name}[{i}][{j}]") for j, c in enumerate(listed(point, f"{name}[{i}]"))]
        for i, point in enumerate(listed(fields.required("points"), name))
    ]
    norm = text(fields.optional("norm", default="l2"), fields.name("norm"))
    return Metric.of_points(domain, points, norm, _epsilon(fields))


def _matrix(fields: Fields, domain: Any) -> Context:
    name = fields.name("E")
    entries = [
        [level(entry, f"{name}[{x}][{z}]") for z, entry in enumerate(listed(row, f"{name}[{x}]"))]
        for x, row in enumerate(listed(fields.required("E"), name))
    ]
    return Matrix(domain, entries)


def _blocks(fields: Fields, domain: Domain | None) -> Context:
    given = [key for key in ("sizes", "block_of", "blocks") if fields.has(key)]
    if len(given) != 1:
        raise InvalidSpec(f"{fields.path} must give exactly one of sizes, block_of and blocks")
    if given == ["blocks"]:
        return _named_blocks(fields, domain)
    assert domain is not None
    if given == ["sizes"]:
        name = fields.name("sizes")
        sizes = [whole(size, f"{name}[{i}]") for i, size in enumerate(listed(fields.required("sizes"), name))]
        return Blocks.sized(domain, sizes, _levels(fields, range(len(sizes))))
    block_of, names = _numbered(fields)
    return Blocks(domain, block_of, names, levels_of(names, _levels(fields, names)))


def _named_blocks(fields: Fields, domain: Domain | None) -> Context:
    table = fields.required("blocks")
    if not isinstance(table, Mapping):
        raise InvalidSpec(f"{fields.name('blocks')} must map each block's name to its values")
    blocks = {block: values(members, f"{fields.name('blocks')}.{block}") for block, members in table.items()}
    context = Blocks.named(blocks, _levels(fields, list(blocks)))
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
    block_of = [context.labels[context.domain.index(entry)] for entry in domain]
    return Blocks(domain, block_of, context.names, context.levels)


def _numbered(fields: Fields) -> tuple[list[int], list[Hashable]]:
    """Blocks given value by value: by number, with names or without, or by name in order of appearance."""
    name = fields.name("block_of")
    labels = [value(label, f"{name}[{i}]") for i, label in enumerate(listed(fields.required("block_of"), name))]
    if fields.has("names") or all(isinstance(label, int) for label in labels):
        block_of = [whole(label, f"{name}[{i}]") for i, label in enumerate(labels)]
        count = max(block_of, default=-1) + 1
        if count > len(block_of):
            raise InvalidSpec(
                f"{name}: blocks are numbered from 0 to {len(block_of) - 1} at most; {count - 1} is beyond"
            )
        given = fields.optional("names", default=list(range(count)))
        return block_of, list(values(given, fields.name("names")))
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels], list(numbers)


def _levels(fields: Fields, names: Any) -> object:
    """One epsilon for all blocks, or `epsilons` as a list in order or a table by name."""
    if not fields.has("epsilons"):
        return _epsilon(fields)
    if fields.has("epsilon"):
        raise InvalidSpec(f"{fields.path} must give one of epsilon and epsilons, not both")
    given, name = fields.required("epsilons"), fields.name("epsilons")
    if isinstance(given, Mapping):
        by_text = {str(block): block for block in names}
        return {by_text.get(str(block), block): level(entry, f"{name}.{block}") for block, entry in given.items()}
    return [level(entry, f"{name}[{i}]") for i, entry in enumerate(listed(given, name))]


FORMS: dict[str, Callable[[Fields, Any], Context]] = {
    "uniform": _uniform,
    "blocks": _blocks,
    "high_low": _high_low,
    "binary": _binary,
    "metric": _metric,
    "matrix": _matrix,
}
