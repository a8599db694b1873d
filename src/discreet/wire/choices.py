"""The mechanism of a spec: a name with its parameters, one design a block, or a mixture of parts."""

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
    if name == "mixture":
        return _mixture(context, fields)
    parameters = fields.rest()
    for key in parameters:
        if key in RESERVED:
            raise InvalidSpec(f"mechanism.{key} is not known here")
    if "prior" in parameters:
        parameters["prior"] = _prior(parameters["prior"])
    if "bits" in parameters:
        if name != "auto":
            raise InvalidSpec(f'mechanism.bits goes with name = "auto", not with {name!r}')
        if whole(parameters["bits"], "mechanism.bits") < 1:
            raise InvalidSpec(f"mechanism.bits={parameters['bits']} must be at least 1")
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
    from ..build import base, structured
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


def _mixture(context: Context, fields: Fields) -> Mechanism:
    """The mechanism that uses part i with ``units[i]`` of the words."""
    from ..build import structured
    from ..choose import mechanism
    from ..mechanisms.mixture import Mixture

    served = structured(context)
    parts = []
    for number, told in enumerate(listed(fields.required("parts"), "mechanism.parts")):
        part = Fields(told, f"mechanism.parts[{number}]")
        name = text(part.required("name"), part.name("name"))
        parameters = part.rest()
        for key in RESERVED:
            if key in parameters:
                raise InvalidSpec(f"{part.name(key)} is not known here")
        parts.append(mechanism(served, name, **parameters).randomizer)
    units = [
        exact(unit, f"mechanism.units[{i}]")
        for i, unit in enumerate(listed(fields.required("units"), "mechanism.units"))
    ]
    prior = _prior(listed(fields.required("prior"), "mechanism.prior"))
    fields.close()
    if not parts or any(unit.denominator != 1 for unit in units) or len(prior) != context.size:
        raise InvalidSpec(
            f"mechanism: a mixture needs parts, whole units one a part, and a prior of {context.size} shares"
        )
    return Mechanism(context, Mixture(parts, [int(unit) for unit in units], prior), served=served)
