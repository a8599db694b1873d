"""Docstrings on the pages: a key such as Wilson1927 links to the paper that it stands for; signatures are short."""

import re
from typing import Any

from sphinx.application import Sphinx

KEY = re.compile(r"(?<![`\w])(?:[A-Z][a-z]+)+(?:19|20)\d\d[a-z]?(?![`\w])")

SHORT = [
    (re.compile(r"~numpy\._typing\._array_like\._Buffer \| .*?\[complex \| bytes \| str\]"), "ArrayLike"),
    (re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[[^]]*\]\]"), "Array"),
    (re.compile(r"<(?:[^<>]|<[^<>]*>)*>|\bLimits\(bytes=[^()]*\)"), "..."),
]
"""What annotations and defaults of a signature are written as, where they would fill lines and say nothing."""


def _link(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [line if line.startswith(">>>") else KEY.sub(r":term:`\g<0>`", line) for line in lines]


def _shorten(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    return _short(signature), _short(returned)


def _short(text: str | None) -> str | None:
    for pattern, written in SHORT if text else []:
        text = pattern.sub(written, text)
    return text


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to every docstring and signature."""
    app.connect("autodoc-process-docstring", _link)
    app.connect("autodoc-process-signature", _shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
