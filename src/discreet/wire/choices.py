"""The mechanism of a spec: a name with its parameters, or one design a block."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..context import Blocks, Context
from ..errors import InvalidSpec
from ..mechanisms.mechanism import Mechanism
from .fields import Fields, exact, listed, text, whole

RESERVED = ("context", "word_bits")


def mechanism_of(context: Context, choice: object) -> Mechanism:
    """The mechanism that the table `choice` names for the context, certified."""
    from ..choose import mechanism

    fields = Fields(choice, "mechanism")
    name = text(fields.optional("name", default="auto"), "mechanism.name")
    if fields.has("inner"):
        designs = listed(fields.required("inner"), "mechanism.inner")
        fields.close()
        return _per_block(context, designs)
    parameters = fields.rest()
    for key in parameters:
        if key in RESERVED:
            raise InvalidSpec(f"mechanism.{key} is not known here")
    if name == "auto":
        if "prior" in parameters:
            parameters["prior"] = _prior(parameters["prior"])
        if "bits" in parameters and whole(parameters["bits"], "mechanism.bits") < 1:
            raise InvalidSpec(f"mechanism.bits={parameters['bits']} must be at least 1")
    elif extra := {"bits", "prior"} & set(parameters):
        raise InvalidSpec(f'mechanism.{min(extra)} goes with name = "auto", not with {name!r}')
    if "rows" in parameters:
        parameters["rows"] = _rows(parameters["rows"])
    return mechanism(context, name, **parameters)


def _prior(data: object) -> Any:
    """The assumed shares: a list in order, or a table by value."""
    if isinstance(data, Mapping):
        return {key: float(exact(share, f"mechanism.prior.{key}")) for key, share in data.items()}
    return [float(exact(share, f"mechanism.prior[{x}]")) for x, share in enumerate(listed(data, "mechanism.prior"))]


def _rows(data: object) -> list[list[Any]]:
    rows = []
    for x, row in enumerate(listed(data, "mechanism.rows")):
        name = f"mechanism.rows[{x}]"
        if not listed(row, name):
            raise InvalidSpec(f"{name} must not be empty")
        rows.append([exact(entry, f"{name}[{y}]") for y, entry in enumerate(row)])
    return rows


def _per_block(context: Context, designs: list[Any]) -> Mechanism:
    """The mechanism whose block j uses the design described by ``inner[j]``."""
    from ..choose import base, structured
    from ..mechanisms import blocks

    served = structured(context)
    if not isinstance(served, Blocks):
        raise InvalidSpec(f"mechanism.inner needs blocks; the context has the form {served.form}")
    if len(designs) != len(served.names):
        raise InvalidSpec(f"mechanism.inner has {len(designs)} entries; it must have one a block, {len(served.names)}")
    known: dict[tuple[int, Any, str], Any] = {}
    inner = []
    for number, (told, members, level) in enumerate(zip(designs, served.members, served.levels, strict=True)):
        fields = Fields(told, f"mechanism.inner[{number}]")
        name = text(fields.required("name"), fields.name("name"))
        key = len(members), level, json.dumps(told, sort_keys=True, default=str)
        if key not in known:
            parameters = fields.rest()
            if "word_bits" in parameters:
                raise InvalidSpec(f"{fields.name('word_bits')} is not known here")
            known[key] = base(name, len(members), level, parameters)
        inner.append(known[key])
    return Mechanism(context, blocks.Blocks(served.labels, inner), served=served)
