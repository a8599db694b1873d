"""The domain and the context of a spec."""

from __future__ import annotations

from pathlib import Path

from ..context import FORMS, Context
from ..domain import Domain
from ..errors import InvalidSpec
from ..fields import Fields, text, values, whole

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
    from ..files.text_reader import read_values  # rarely needed, and a report must not wait for it

    if folder is None:
        raise InvalidSpec(f"{fields.name('file')} can be given only in a spec that is itself a file")
    path = folder / text(fields.required("file"), fields.name("file"))
    column = fields.optional("column")
    chosen = None if column is None else text(column, fields.name("column"))
    return Domain(entry for chunk in read_values(path, chosen) for entry in chunk)


def context_of(fields: Fields, domain: Domain | None) -> Context:
    """The context of a spec; only blocks that list their values need no domain."""
    form = text(fields.required("form"), fields.name("form"))
    if form not in FORMS:
        raise InvalidSpec(f"{fields.name('form')}={form!r} must be one of {', '.join(FORMS)}")
    context = FORMS[form].read(fields, domain)
    fields.close()
    return context
