"""Docstrings on the pages: a key such as Wilson1927 links to the paper that it stands for."""

import re
from typing import Any

from sphinx.application import Sphinx

KEY = re.compile(r"(?<![`\w])(?:[A-Z][a-z]+)+(?:19|20)\d\d[a-z]?(?![`\w])")


def _link(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [line if line.startswith(">>>") else KEY.sub(r":term:`\g<0>`", line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to every docstring."""
    app.connect("autodoc-process-docstring", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
