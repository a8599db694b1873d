"""The domain and the context of a spec."""

from __future__ import annotations

from pathlib import Path

from ..contexts import Context
from ..contexts.reading import context_in, domain_in
from ..core.domain import Domain
from ..core.errors import InvalidSpec, shown
from ..core.fields import Fields, text
from ..core.limits import check


def domain_of(fields: Fields, folder: Path | None) -> tuple[Domain, list[list[str]] | None]:
    """The values of a spec: listed, numbered 0 .. size-1, or one column of a file; there, perhaps with their blocks.

    Blocks are a list per level, from the innermost outwards, of the name of every value's block.
    """
    given = [key for key in ("values", "size", "file", "low") if fields.has(key)]
    if len(given) != 1:
        raise InvalidSpec(f"{fields.path} must give exactly one of values, size and file, or low and high of numbers")
    domain, blocks = _in_file(fields, folder) if given == ["file"] else (domain_in(fields), None)
    fields.close()
    check("values", len(domain), fields.path)
    return domain, blocks


def _in_file(fields: Fields, folder: Path | None) -> tuple[Domain, list[list[str]] | None]:
    """The values in a column of a file, and the names of their blocks where those are other columns."""
    from ..files.text_reader import read_values

    if folder is None:
        raise InvalidSpec(f"{fields.name('file')} can be given only in a spec that is itself a file")
    path = file_inside(folder, text(fields.required("file"), fields.name("file")), fields.name("file"))
    column = fields.optional("column")
    chosen = None if column is None else text(column, fields.name("column"))

    def column_in(name: str | None) -> list[str]:
        entries: list[str] = []
        for chunk in read_values(path, name):
            texts = [entry for entry in chunk if isinstance(entry, str)]
            if len(texts) != len(chunk):
                place = next(place for place, entry in enumerate(chunk, 1) if not isinstance(entry, str))
                raise InvalidSpec(f"{path}, entry {len(entries) + place}: there must be text or a whole number")
            entries += texts
            check("values", len(entries), fields.name("file"))
        return entries

    if fields.has("block_column") and chosen is None:
        raise InvalidSpec(f"{fields.name('column')} is missing: it must name the column of the values")
    values = column_in(chosen)
    if "" in values:
        raise InvalidSpec(f"{path}, entry {values.index('') + 1}: is blank; an empty value can be given in values only")
    if not fields.has("block_column"):
        return Domain(values), None
    others = fields.required("block_column")
    names = [text(other, fields.name("block_column")) for other in (others if isinstance(others, list) else [others])]
    blocks = [column_in(name) for name in names]
    for name, column in zip(names, blocks, strict=True):
        if "" in column:
            raise InvalidSpec(f"{path}, entry {column.index('') + 1}: {name!r} must name the block of the value")
    return Domain(values), blocks


def file_inside(folder: Path, named: str, entry: str) -> Path:
    """A regular file inside the folder of a spec, by its relative name; `InvalidSpec` for anything else.

    A spec may come from somebody else, so no name, and no link, leads out of the folder, to a device or to a pipe; the
    content, unpacked, is held to the limit on bytes.
    """
    from ..files.compressed import reading

    try:
        path, home = (folder / named).resolve(), folder.resolve()
        is_file = path.is_file()
    except (OSError, RuntimeError, ValueError) as problem:
        raise InvalidSpec(f"{entry}={shown(named)} must name a file beside the spec: {problem}") from None
    if Path(named).is_absolute() or not path.is_relative_to(home):
        raise InvalidSpec(f"{entry}={shown(named)} must be relative to the spec and inside its folder")
    if not is_file:
        raise InvalidSpec(f"{entry}={shown(named)} must name a file beside the spec; there is none")
    with reading(path) as content:
        size = 0
        while piece := content.read(1 << 20):
            size += len(piece)
            check("bytes", size, entry)
    return path


def context_of(data: object, domain: Domain | None, blocks: list[list[str]] | None = None) -> Context:
    """The context of a spec; only forms that list their values need no domain.

    `blocks` are the names of the blocks that the file of the domain gives, one per value and level.
    """
    fields = Fields(data, "context")
    return context_in(fields if blocks is None else _with_blocks(fields, blocks), domain)


def _with_blocks(fields: Fields, blocks: list[list[str]]) -> Fields:
    """The entries of a context in blocks, with the blocks that the file of the domain gives."""
    form = fields.rest().get("form")
    if form not in ("blocks", "nested"):
        raise InvalidSpec(
            f'domain.block_column must go with {fields.name("form")} = "blocks" or "nested", not with {form!r}'
        )
    if form == "blocks" and len(blocks) != 1:
        raise InvalidSpec('domain.block_column must name one column for "blocks"; several are for "nested"')
    for key in ("sizes", "block_of", "blocks", "names"):
        if key in fields:
            raise InvalidSpec(f"{fields.name(key)} must be left out: domain.block_column gives the blocks")
    return Fields({**fields.rest(), "block_of": blocks[0] if form == "blocks" else blocks}, fields.path)
