"""A spec with comments, for a person who goes on with it in an editor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...wire.spec import inline, key_of

FORMS = {
    "uniform": "every value is hidden from every other one",
    "blocks": "values are hidden inside their block; which block it is may show",
    "high_low": "sensitive values are hidden among all values; the others need no protection",
    "binary": "two values, each hidden from the other at an epsilon of its own",
    "nested": "values are hidden in blocks inside blocks, the better the closer together they are",
    "graded": "each value is hidden among all others at an epsilon of its own",
    "metric": "near values are hard to tell apart, far ones less so",
    "numbers": "numbers between two bounds, each hidden from every other one, or by their distance",
}
"""The forms that can be drafted, and what each one asks for."""

ABOUT = {
    "values": "What a person may answer, written in files exactly like this.",
    "file": "What a person may answer: a column of this file, which stands beside the spec.",
    "block_column": "The column that says which block a value is in; of several, the innermost blocks come first.",
    "sensitive": "The values whose holders must be hidden.",
    "points": "Where each value lies, in the order of the values: its coordinates, or a number on a line.",
    "norm": "How distances are measured: l1, l2 or linf.",
    "distance": "The values, or their points, are numbers on a line, or around a ring.",
    "around": "The length of the ring.",
    "low": "The lowest and the highest number.",
    "step": "Numbers are rounded at random to steps of this length, so that their mean stays right.",
    "clip": "Whether numbers beyond the bounds count as the nearest bound; if not, they are refused.",
    "blocks": "The values of each block, written in files exactly like this.",
}
EPSILONS = {
    "blocks": "How much a report may give away inside each block: smaller hides more.",
    "nested": "How much a report may give away inside the innermost blocks, then across them, and so on outwards.",
    "graded": 'How hard each value is to tell from any other: smaller hides more, "inf" asks for nothing.',
}
"""What a list or a table of epsilons is, in each form that has one."""


def draft(entries: Mapping[str, Any], *, file: str) -> str:
    """The TOML text of a spec, with a comment above every entry that needs one."""
    lines = [
        "# A spec of discreet: who must be hard to tell from whom, and how hard.",
        f"# Check it with: discreet verify {file}",
        f"name = {inline(entries['name'])}",
    ]
    for table in ("domain", "context"):
        if table in entries:
            lines += ["", f"[{table}]"]
            inner = {key: entry for key, entry in entries[table].items() if key != "blocks"}
            for key, entry in inner.items():
                lines += [*_comment(key, entry, entries), f"{key} = {inline(entry)}"]
    if "blocks" in entries["context"]:
        lines += ["", f"# {ABOUT['blocks']}", "[context.blocks]"]
        lines += [f"{key_of(block)} = {inline(members)}" for block, members in entries["context"]["blocks"].items()]
    lines += [
        "",
        "# No mechanism is named, so the most accurate one that is known is chosen. Before you collect, pin it:",
        f"# discreet resolve {file} -o resolved.toml",
    ]
    return "\n".join(lines) + "\n"


def _comment(key: str, entry: Any, entries: Mapping[str, Any]) -> list[str]:
    if key == "form":
        return [f"# {FORMS[entry][0].upper()}{FORMS[entry][1:]}."]
    if key == "epsilons":
        return [f"# {EPSILONS[entries['context']['form']]}"]
    if key == "epsilon":
        return [f"# {line}" for line in _about_epsilon(entry, entries)]
    return [f"# {ABOUT[key]}"] if key in ABOUT else []


def _about_epsilon(entry: Any, entries: Mapping[str, Any]) -> list[str]:
    form = entries["context"]["form"]
    if form == "binary":
        return [
            "How hard the first value is to tell from the second, then the second from the first:",
            'smaller hides more, "inf" asks for nothing.',
        ]
    times = math.exp(min(float(Fraction(entry)), 700.0))
    by_distance = form == "metric" or "distance" in entries["context"]
    apart = " at distance 1" if by_distance else ""
    return [
        f"A report is at most e^{entry} = {times:.3g} times as likely for one hidden value as for another{apart}.",
        "Smaller hides more and takes more people; 0.5 to 2 is common.",
    ]
