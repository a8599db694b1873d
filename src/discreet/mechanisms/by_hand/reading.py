"""A design by hand from a spec that has no context: its name and its probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...core.domain import Domain
from ...core.errors import InvalidInput, InvalidSpec
from ...core.fields import Fields, as_list, exact, text, whole
from .classics import crosswise, forced_response, kuk, triangular, unrelated_question, warner
from .exact_table import ByHand, table

DESIGNS: dict[str, Callable[..., ByHand]] = {
    "crosswise": crosswise,
    "forced_response": forced_response,
    "kuk": kuk,
    "table": table,
    "triangular": triangular,
    "unrelated_question": unrelated_question,
    "warner": warner,
}
"""The designs that a spec can name."""

TAKEN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "crosswise": (("prevalence",), ()),
    "forced_response": (("truth",), ("forced",)),
    "kuk": (("yes", "no"), ("draws",)),
    "table": (("rows",), ()),
    "triangular": (("prevalence",), ()),
    "unrelated_question": (("p", "prevalence"), ()),
    "warner": (("p",), ()),
}
"""What each must, and may, be given."""


def is_design(choice: object) -> bool:
    """True if the table `choice` names a design that can be read without a context."""
    return isinstance(choice, Mapping) and isinstance(choice.get("name"), str) and choice["name"] in DESIGNS


def design_of(choice: Mapping[str, Any], domain: Domain) -> ByHand:
    """The design that the table `choice` names, over these values."""
    fields = Fields(choice, "mechanism")
    name = text(fields.required("name"), "mechanism.name")
    required, optional = TAKEN[name]
    given = {key: fields.required(key) for key in required}
    given |= {key: entry for key in optional if (entry := fields.optional(key)) is not None}
    fields.close()
    read = {key: _read(key, entry, domain) for key, entry in given.items()}
    try:
        if name == "table":
            return table(domain, read["rows"])
        return DESIGNS[name](domain, **read)
    except InvalidInput as problem:
        raise (InvalidSpec if type(problem) is InvalidInput else type(problem))(f"mechanism: {problem}") from None


def _read(key: str, entry: Any, domain: Domain) -> Any:
    name = f"mechanism.{key}"
    if key == "draws":
        return whole(entry, name)
    if key == "rows":
        return [
            [exact(cell, f"{name}[{x}][{y}]") for y, cell in enumerate(as_list(row, f"{name}[{x}]"))]
            for x, row in enumerate(as_list(entry, name))
        ]
    if key == "forced" and isinstance(entry, Mapping):
        return {domain[domain.index_of_text(word)]: exact(p, f"{name}.{word}") for word, p in entry.items()}
    if key == "forced":
        return [exact(p, f"{name}[{x}]") for x, p in enumerate(as_list(entry, name))]
    return exact(entry, name)
