"""From a law to the sampler that draws by it."""

from __future__ import annotations

import base64
import re
from array import array
from dataclasses import fields
from typing import Any, get_args

from ..core.errors import InvalidInput, shown
from ..core.limits import DIGITS
from ..core.registry import Registry
from .law import Bits, Law, Row, plain_law
from .sampler import Sampler

FOLLOWERS: Registry[type[Sampler]] = Registry(
    {
        "adaptive": "mechanisms.composed.adaptive:Adaptive",
        "blocks": "mechanisms.composed.blocks:BlockResponse",
        "cyclic": "mechanisms.uniform.cyclic:Cyclic",
        "general_hadamard": "mechanisms.uniform.general_hadamard:GeneralHadamard",
        "geometric": "mechanisms.lines_and_grids.geometric:Geometric",
        "graded_unary": "mechanisms.uniform.graded_unary:GradedUnary",
        "hadamard": "mechanisms.uniform.hadamard:Hadamard",
        "high_low": "mechanisms.composed.high_low:HighLowResponse",
        "levels": "mechanisms.tree.tree_subsets:TreeSubsets",
        "mixture": "mechanisms.composed.mixture:Mixture",
        "nested": "mechanisms.tree.nested:Nested",
        "paired": "mechanisms.composed.paired:Paired",
        "post_processed": "mechanisms.composed.post_process:PostProcessed",
        "product": "mechanisms.composed.compose:Product",
        "response": "mechanisms.uniform.randomized_response:RandomizedResponse",
        "ring": "mechanisms.lines_and_grids.ring:RingResponse",
        "subset": "mechanisms.uniform.subset:Subset",
        "table": "mechanisms.tables.table:Table",
        "types": "mechanisms.tables.classwise_mixture:ClasswiseMixture",
        "torus": "mechanisms.lines_and_grids.torus:Torus",
        "unary": "mechanisms.uniform.unary:Unary",
        "utility_rappor": "mechanisms.uniform.graded_unary:UtilityRappor",
    }
)
"""The samplers that draw by each kind of law that can be read; a new kind is registered here."""

MAX_DEPTH = 8
"""The most laws that may be inside each other."""

MAX_VALUES = 1 << 20
"""The most values of a law that is read on its own, without the context that it is to serve."""


def sampler_of(law: Law) -> Sampler:
    """The sampler that draws by this law."""
    if law.kind not in FOLLOWERS or type(law) is not FOLLOWERS[law.kind].follows:
        raise InvalidInput(f"law of kind {law.kind!r} is not known")
    return FOLLOWERS[law.kind].from_law(law)


def law_of(data: object, *, values: int = MAX_VALUES) -> Law:
    """The law that JSON data says, as `plain_law` writes it; `InvalidInput` if it is written in any other way.

    No law in it may have more than `values` values, which is checked before anything is written out.
    """
    return _Reading(values).law(data, MAX_DEPTH)


class _Reading:
    """A law being read: each part of it has at most `values` values, and so have all rows of one depth together."""

    def __init__(self, values: int) -> None:
        self._values, self._left = values, MAX_DEPTH * values

    def law(self, data: object, depth: int) -> Law:
        if depth == 0:
            raise InvalidInput(f"law: laws must be at most {MAX_DEPTH} deep in each other")
        if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
            raise InvalidInput("law must be an object with a kind")
        kind = data["kind"]
        if kind not in FOLLOWERS:
            raise InvalidInput(f"law: kind={shown(kind)} must be one of {', '.join(FOLLOWERS)}")
        law_class = FOLLOWERS[kind].follows
        names = [field.name for field in fields(law_class)]
        if set(data) != {"kind", *names}:
            raise InvalidInput(f"law of kind {kind!r} must have {', '.join(names)} and nothing else")
        entries = {name: self._entry(data[name], name, depth) for name in names}
        for field in fields(law_class):
            shape = _shape_of(field.type)
            if not _has_shape(entries[field.name], shape):
                raise InvalidInput(f"law of kind {kind!r}: {field.name} must have the type {shape}")
        if entries.get("size", 0) > self._values:
            raise InvalidInput(f"law of kind {kind!r}: size={entries['size']} must be at most {self._values}")
        law = law_class(**entries)
        if plain_law(law) != data:
            raise InvalidInput(f"law of kind {kind!r} must be written in the canonical way")
        return law

    def _entry(self, data: object, name: str, depth: int, *, rows: int = 2) -> Any:
        if isinstance(data, list):
            if rows == 0:
                raise InvalidInput(f"law: {name} must be at most a list of lists")
            return tuple(self._entry(entry, name, depth, rows=rows - 1) for entry in data)
        if isinstance(data, dict) and set(data) == {"size", "bits"}:
            return _bits(data, name)
        if isinstance(data, dict) and set(data) == {"runs"}:
            return self._row(data["runs"], name)
        if isinstance(data, dict):
            return self.law(data, depth - 1)
        return _whole(data, name)

    def _row(self, runs: object, name: str) -> Row:
        row = array("I")
        for run in runs if isinstance(runs, list) else [()]:
            if not isinstance(run, list) or len(run) != 2:
                raise InvalidInput(f"law: {name} must be runs of [number, how often]")
            number, count = (_whole(entry, name) for entry in run)
            if not (0 <= number < 1 << 32 and 0 < count <= self._left):
                raise InvalidInput(f"law: {name} must be at most {self._values} numbers of 32 bits")
            self._left -= count
            row.extend(array("I", [number]) * count)
        return Row.of(row)


def _shape_of(annotation: Any) -> str:
    """The text of an annotation, whether or not the file with the law postpones their evaluation."""
    text = annotation.__name__ if isinstance(annotation, type) and not get_args(annotation) else str(annotation)
    return re.sub(r"(\w+\.)+", "", text)


def _has_shape(entry: object, shape: str) -> bool:
    """True if an entry has the type that the field of a law is annotated with."""
    if isinstance(entry, tuple):
        rows = {"tuple[tuple[int, ...], ...]": "tuple[int, ...]", "Steps": "tuple[int, ...]", "tuple[Law, ...]": "Law"}
        inner = "int" if shape == "tuple[int, ...]" else rows.get(shape, "")
        return bool(inner) and all(_has_shape(part, inner) for part in entry)
    if isinstance(entry, Law):
        return shape in ("Law", type(entry).__name__)
    return shape == type(entry).__name__


def _whole(data: object, name: str) -> int:
    if isinstance(data, str) and 15 < len(data) <= DIGITS and data.isascii() and data.isdigit():
        return int(data)
    if isinstance(data, bool) or not isinstance(data, int):
        raise InvalidInput(f"law: {name} must be a whole number of at most {DIGITS} digits")
    return data


def _bits(data: dict[str, Any], name: str) -> Bits:
    size = _whole(data["size"], name)
    try:
        packed = base64.b64decode(data["bits"], validate=True)
    except (TypeError, ValueError):
        packed = b""
    if size < 0 or len(packed) != -(-size // 8) or (bits := int.from_bytes(packed, "little")) >> size:
        raise InvalidInput(f"law: {name} must be the base64 of {size} bits")
    return Bits(size, bits)
