"""Docstrings on the pages: names of classes and keys of papers, such as Fan2015, are links; signatures are short."""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import TypeAliasForwardRef

import discreet

KEY = re.compile(r"(?<![`\w])(?:[A-Z][a-z]+)+(?:19|20)\d\d[a-z]?(?![`\w])")

NAME = re.compile(r"(?<![`:\w])`(discreet\.[\w.]+|[A-Z]\w+(?:\.\w+)*)`(?![`\w])")
"""A public name or a class; any other word in such quotes may be that of an argument, and is no link."""

SHORT = [
    (re.compile(r"~numpy\._typing\._array_like\._Buffer \| .*?\[complex \| bytes \| str\]"), "ArrayLike"),
    (re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[[^]]*\]\]"), "Array"),
    (re.compile(r"<(?:[^<>]|<[^<>]*>)*>|\bLimits\(bytes=[^()]*\)"), "..."),
]
"""What annotations and defaults of a signature are written as, where they would fill lines and say nothing."""


def _link(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    for at, line in enumerate(lines):
        if not line.startswith(">>>"):
            lines[at] = NAME.sub(_linked, KEY.sub(r":term:`\g<0>`", line))


def _linked(found: re.Match[str]) -> str:
    name = found[1]
    head = name.partition(".")[0]
    home = (
        "discreet.core.errors."
        if head in discreet.core.errors.__all__
        else "discreet."
        if head in discreet.__all__
        else ""
    )
    return f":py:obj:`{name} <{home}{name}>`"


def _shorten(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    return _short(signature), _short(returned)


def _short(text: str | None) -> str | None:
    for pattern, written in SHORT if text else []:
        text = pattern.sub(written, text)
    return text


def _name(alias: TypeAliasForwardRef) -> str:
    return alias.name


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to every docstring and signature."""
    TypeAliasForwardRef.__repr__ = _name  # Sphinx shows it for an alias inside another type
    app.connect("autodoc-process-docstring", _link)
    app.connect("autodoc-process-signature", _shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
