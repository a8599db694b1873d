"""Which function or command computes each definition, theorem, table and figure of the three papers.

The one table, statements.tsv, behind ``discreet bounds --list`` and the page of documentation. Names are those under
`discreet`; a name that begins with ``discreet`` is a command.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import NamedTuple


class Statement(NamedTuple):
    """A numbered item of a paper, what it says, the names that compute it, and what to know when comparing."""

    item: str
    says: str
    names: tuple[str, ...]
    note: str = ""


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of a table that comes with the package; ``#`` lines are comments."""
    text = (files(__package__) / f"{name}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


PAPERS: dict[str, list[Statement]] = {}
"""Every item of each paper, in its order."""
for _row in read_table("statements"):
    _names = tuple(_row["names"].split(", "))
    PAPERS.setdefault(_row["paper"], []).append(Statement(_row["item"], _row["says"], _names, _row["note"]))


def listing() -> str:
    """The table as text, one line per item."""
    lines = []
    for paper, statements in PAPERS.items():
        wide = max(len(statement.item) for statement in statements)
        lines += [f"{paper}: {statement.item:{wide}}  {', '.join(statement.names)}" for statement in statements]
    return "\n".join(lines)


def markdown() -> str:
    """The table as the documentation has it."""
    parts = []
    for paper, statements in PAPERS.items():
        rows = [f"## {paper}", "", "| item | says | computed by | note |", "|---|---|---|---|"]
        for item, says, names, note in statements:
            rows.append(f"| {item} | {says} | {', '.join(f'`{name}`' for name in names)} | {note} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"
