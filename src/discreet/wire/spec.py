"""Spec files: a context and a mechanism in TOML or JSON, read strictly and written exactly."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from ..context import Context
from ..errors import DiscreetError, InvalidSpec
from ..fields import Fields, kind_of, text, value, whole
from ..mechanisms.law import WORD_BITS
from ..mechanisms.mechanism import VERSION as LAW_VERSION
from ..mechanisms.mechanism import Mechanism
from .choices import mechanism_of
from .contexts import context_of, domain_of
from .located import located
from .strict_json import loads
from .toml import dumps

VERSION = 1
"""The version of spec files; another one is refused."""


@dataclass(frozen=True, eq=False)
class Spec:
    """What a spec file says: a context, the choice of a mechanism, and perhaps a name.

    `mechanism` is built and certified when first used. `name` and `source` (the file, for messages) are
    not part of the fingerprint.
    """

    context: Context
    choice: Mapping[str, Any] = field(default_factory=lambda: {"name": "auto"})
    name: str = ""
    source: str = ""

    @classmethod
    def read(cls, path: str | Path) -> Spec:
        """The spec in a file, TOML or JSON by its name; paths in it are relative to the file."""
        path = Path(path)
        if path.suffix not in (".toml", ".json"):
            raise InvalidSpec(f"{path}: a spec must be a .toml or a .json file")
        data = path.read_bytes()
        try:
            written = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidSpec(f"{path}: must be UTF-8 text") from None
        with located(str(path)):
            parsed = parse_toml(written) if path.suffix == ".toml" else loads(written, InvalidSpec)
            return cls.of(parsed, folder=path.parent, source=str(path))

    @classmethod
    def of(cls, data: object, *, folder: Path | None = None, source: str = "") -> Spec:
        """The spec described by plain data; `InvalidSpec` names an entry that is missing, extra or ill-typed."""
        fields = Fields(data, "")
        name = text(fields.optional("name", default=""), "name")
        expected = LAW_VERSION if "law" in fields else VERSION
        if (version := whole(fields.optional("version", default=expected), "version")) != expected:
            raise InvalidSpec(f"version={version} must be {expected}, the only known version")
        if (bits := whole(fields.optional("word_bits", default=WORD_BITS), "word_bits")) != WORD_BITS:
            raise InvalidSpec(f"word_bits={bits} must be {WORD_BITS}")
        table = fields.optional("domain")
        domain = None if table is None else domain_of(Fields(table, "domain"), folder)
        context = context_of(Fields(fields.required("context"), "context"), domain)
        choice = fields.optional("mechanism", default={"name": "auto"})
        if fields.has("law"):
            if "mechanism" in fields:
                raise InvalidSpec("a spec must give one of mechanism and law, not both")
            choice = {"name": "law", "law": fields.required("law")}
        fields.close()
        if not isinstance(choice, Mapping):
            raise InvalidSpec(f"mechanism must be a table, not {kind_of(choice)}")
        return cls(context, choice, name, source)

    @classmethod
    def of_mechanism(cls, mechanism: Mechanism, *, name: str = "") -> Spec:
        """The spec of an existing mechanism, with the choice made by "auto" written out.

        It is read back before it is returned, so it is certain to mean the same mechanism: given by name and
        parameters where they suffice, else by its law.
        """
        for number, entry in enumerate(mechanism.context.domain):
            value(entry, f"values[{number}]={entry!r}")
        entries = {key: mechanism.description[key] for key in ("domain", "context")}
        for choice in (mechanism.randomizer.describe(), {"name": "law", "law": mechanism.description["law"]}):
            spec = cls.of({**entries, "name": name, "mechanism": choice})
            with suppress(DiscreetError):
                if spec.mechanism.fingerprint == mechanism.fingerprint:
                    return spec
        raise InvalidSpec(f"{mechanism.name}: a law of kind {mechanism.law().kind!r} cannot be written in a spec")

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism that the spec asks for, certified for its context."""
        with located(self.source):
            return mechanism_of(self.context, self.choice)

    def as_dict(self) -> dict[str, Any]:
        """The spec as plain data, with the mechanism resolved: `Spec.of` gives the same fingerprint."""
        mechanism = self.mechanism
        choice = self.choice if self.choice.get("name") == "law" else mechanism.randomizer.describe()
        named = {"name": self.name} if self.name else {}
        entries = {key: mechanism.description[key] for key in ("domain", "context")}
        return {**named, "version": VERSION, **entries, "mechanism": dict(choice)}

    def to_json(self) -> str:
        """The spec as a JSON file."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=2) + "\n"

    def to_toml(self) -> str:
        """The spec as a TOML file."""
        return dumps(self.as_dict())

    def write(self, path: str | Path) -> None:
        """Write the spec to a .toml or .json file, whole or not at all."""
        from ..files.atomic import replacing

        path = Path(path)
        if path.suffix not in (".toml", ".json"):
            raise InvalidSpec(f"{path}: a spec must be a .toml or a .json file")
        written = self.to_toml() if path.suffix == ".toml" else self.to_json()
        with replacing(path) as file:
            file.write(written.encode())


def parse_toml(written: str) -> dict[str, Any]:
    """TOML as plain data, numbers as the decimals they print; `InvalidSpec` says where it is malformed."""
    try:
        return tomllib.loads(written, parse_float=Decimal)
    except (ValueError, RecursionError) as problem:
        raise InvalidSpec(f"this is not TOML: {problem}") from None
