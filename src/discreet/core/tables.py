"""Tables of text: columns under headings, words aligned left and numbers right.

A column is a heading and the format of its cells, as for `format`; "s" is for words. A cell that is already text is
shown as it is. A missing entry, None or nan, is a dash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, TypeAlias

Column: TypeAlias = tuple[str, str]

MISSING = "-"


def cells(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> list[list[str]]:
    """The headings and the rows as text, not yet aligned."""
    shown = [[_shown(cell, spec) for cell, (_, spec) in zip(row, columns, strict=True)] for row in rows]
    return [[head for head, _ in columns], *shown]


def text(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    """The table for a terminal; the line of headings is left out if all are empty."""
    filled = cells(columns, rows)
    if not any(filled[0]):
        filled = filled[1:]
    widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
    lines = (
        "  ".join(
            cell.ljust(width) if _words(spec) else cell.rjust(width)
            for cell, width, (_, spec) in zip(row, widths, columns, strict=True)
        )
        for row in filled
    )
    return "\n".join(line.rstrip() for line in lines)


def markdown(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    """The table in Markdown."""
    head, *body = ([cell.replace("|", "\\|") for cell in row] for row in cells(columns, rows))
    rule = [":--" if _words(spec) else "--:" for _, spec in columns]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *body))


def html(columns: Sequence[Column], rows: Iterable[Sequence[Any]], *, caption: str) -> str:
    """The table in HTML for a notebook, with every cell escaped; headings and caption are left out if empty."""
    head, *body = cells(columns, rows)
    sides = ["left" if _words(spec) else "right" for _, spec in columns]

    def line(row: Sequence[str], tag: str) -> str:
        inside = (
            f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>' for cell, side in zip(row, sides, strict=True)
        )
        return f"<tr>{''.join(inside)}</tr>"

    below = "\n".join(line(row, "td") for row in body)
    named = f'<caption style="caption-side: bottom; text-align: left">{escape(caption)}</caption>' if caption else ""
    above = f"<thead>{line(head, 'th')}</thead>\n" if any(head) else ""
    return f"<table>{named}\n{above}<tbody>\n{below}\n</tbody></table>"


def sentences(lines: Iterable[str]) -> str:
    """Lines as one text, a full stop behind each."""
    return " ".join(f"{line.rstrip('.')}." for line in lines)


def facts(named: Iterable[tuple[str, Any]]) -> str:
    """Facts in HTML for a notebook, a name and what it is in each row."""
    return html([("", "s"), ("", "s")], [[name, str(fact)] for name, fact in named], caption="")


def digits(spread: float | None) -> int:
    """How many decimals show a share whose error is `spread` to three digits: from four to nine."""
    if spread is None or not 0 < spread < 0.01:
        return 4
    return min(9, 2 - int(f"{spread:e}".partition("e")[2]))


def _words(spec: str) -> bool:
    return spec == "s"


def _shown(cell: Any, spec: str) -> str:
    if cell is None or cell != cell:
        return MISSING
    if _words(spec) or isinstance(cell, str):
        return str(cell)
    shown = format(cell, spec)
    return shown[1:] if shown.startswith("-") and not shown.strip("-0.") else shown  # no zero has a sign


def p_value(p: float) -> str:
    """A p-value to four decimals; one that would be shown as zero is told to be smaller than the smallest."""
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"
