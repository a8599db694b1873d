"""Specs: a context and a mechanism in TOML or JSON, read strictly and written exactly.

A published law is the canonical JSON whose hash is the fingerprint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..contexts import Context
from ..contexts.reading import require_domain
from ..core.canonical import loads
from ..core.documents import parse_toml, read_document, replacing
from ..core.domain import Domain
from ..core.errors import DiscreetError, InvalidSpec, MissingExtra, check_type
from ..core.fields import Fields, as_list, kind_of, text, to_plain, value, whole
from ..core.limits import LIFTED, Limits, allowed, metering, under
from ..core.numbers import NumberDomain
from ..mechanisms.by_hand.reading import design_of, is_design
from ..mechanisms.law import WORD_BITS
from ..mechanisms.mechanism import VERSION as LAW_VERSION
from ..mechanisms.mechanism import Mechanism
from .choices import comparison_of, is_auto, mechanism_of, prior_of, query_of
from .contexts import context_of, domain_of

if TYPE_CHECKING:
    from ..planning.explanation import Explanation


@contextmanager
def located(source: str) -> Iterator[None]:
    """Put the name of the file in front of the message of any error about its contents."""
    try:
        yield
    except MissingExtra:
        raise
    except DiscreetError as problem:
        raise type(problem)(f"{source}: {problem}" if source else str(problem)) from None


BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(spec: Mapping[str, Any]) -> str:
    """The TOML text of a spec: plain entries first, then the tables, and lists of tables one after the other."""
    plain, tables = [], []
    for key, entry in spec.items():
        if isinstance(entry, Mapping):
            tables.append(f"\n[{key_of(key)}]\n{_lines(entry)}")
        elif isinstance(entry, list) and entry and all(isinstance(one, Mapping) for one in entry):
            tables += [f"\n[[{key_of(key)}]]\n{_lines(one)}" for one in entry]
        else:
            plain.append(f"{key_of(key)} = {inline(entry)}\n")
    return "".join(plain + tables).lstrip("\n")


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{key_of(key)} = {inline(entry)}\n" for key, entry in table.items())


def key_of(key: str) -> str:
    """A key, in quotes if it has to be."""
    return key if BARE.fullmatch(key) else _text(key)


def _text(entry: str) -> str:
    return json.dumps(entry, ensure_ascii=False).replace("\x7f", "\\u007f")


def inline(entry: Any) -> str:
    """An entry as it stands behind the equals sign."""
    if isinstance(entry, str):
        return _text(entry)
    if isinstance(entry, bool):
        return str(entry).lower()
    if isinstance(entry, Mapping):
        return "{" + ", ".join(f"{key_of(key)} = {inline(inner)}" for key, inner in entry.items()) + "}"
    if isinstance(entry, (list, tuple)):
        if entry and isinstance(entry[0], (list, tuple, Mapping)):
            return "[\n" + "".join(f"    {inline(row)},\n" for row in entry) + "]"
        return "[" + ", ".join(map(inline, entry)) + "]"
    return str(entry)


VERSION = 1
"""The version of spec files; another one is refused."""

SEVERAL = (
    "this is a form of several questions, and the spec of one is needed: give --question NAME to a command that takes "
    "it, or write that spec with `discreet resolve --question NAME`"
)
"""What is said of a form where the spec of one question is needed."""

FINGERPRINT = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, eq=False)
class Spec:
    """What a spec file says: a context, the choice of a mechanism, and perhaps a name.

    `mechanism` is built and certified when first used; where `fingerprint` is given, a mechanism with another one is
    refused. `name`, `note` (both for people), `source` (the file, for messages) and `files` (all that it was read
    from) are not part of the fingerprint; nor are `report_names`, what people write by hand
    and files then hold. A spec without a context is that of a design `by_hand`, whose context is the tightest that
    its table satisfies. `limits` is what its mechanism may cost: those under which the spec was read.

    >>> import discreet as dc
    >>> survey = {"domain": {"values": ["no", "yes"]}, "context": {"form": "uniform", "epsilon": "1"}}
    >>> spec = dc.Spec.of(survey)
    >>> spec.is_auto, spec.mechanism.name
    (True, 'randomized_response')
    >>> spec.resolved().fingerprint == spec.mechanism.fingerprint
    True
    """

    context: Context
    choice: Mapping[str, Any] = field(default_factory=lambda: {"name": "auto"})
    name: str = ""
    source: str = ""
    fingerprint: str = ""
    note: str = ""
    files: tuple[Path, ...] = ()
    limits: Limits = LIFTED
    report_names: tuple[str, ...] = ()
    by_hand: bool = False

    @classmethod
    def read(cls, path: str | Path, *, folder: str | Path | None = None) -> Spec:
        """The spec in a file, TOML or JSON by its name; files that it names are in its folder, or in `folder`.

        It may come from somebody else: what it asks for is held to `discreet.core.limits`.
        """
        path = check_name(path)
        with located(str(path)):
            return cls.in_file(parsed_document(path), path, path.parent if folder is None else Path(folder))

    @classmethod
    def in_file(cls, data: Any, path: Path, folder: Path) -> Spec:
        """The spec that was parsed from a file, which is named in messages; files that it names are in `folder`."""
        spec = cls.of(data, folder=folder, source=str(path))
        return replace(spec, files=(path, *(folder / name for name in named_files(data))))

    @classmethod
    def of(cls, data: object, *, folder: Path | None = None, source: str = "") -> Spec:
        """The spec described by plain data; `InvalidSpec` names an entry that is missing, extra or ill-typed."""
        with metering(allowed()):
            return cls._of(Fields(data, ""), folder, source)

    @classmethod
    def in_form(cls, data: object, folder: Path | None, source: str) -> Spec:
        """The spec of one question of a form, whose reader counts what all of them ask for together."""
        return cls._of(Fields(data, ""), folder, source)

    @classmethod
    def _of(cls, fields: Fields, folder: Path | None, source: str) -> Spec:
        if is_form(fields):
            raise InvalidSpec(SEVERAL)
        about = read_about(fields, LAW_VERSION if "law" in fields else VERSION)
        if (bits := whole(fields.optional("word_bits", default=WORD_BITS), "word_bits")) != WORD_BITS:
            raise InvalidSpec(f"word_bits={bits} must be {WORD_BITS}")
        table = fields.optional("domain")
        domain, blocks = (None, None) if table is None else domain_of(Fields(table, "domain"), folder)
        choice = fields.optional("mechanism", default={"name": "auto"})
        names = tuple(text(name, "reports") for name in as_list(fields.optional("reports", default=[]), "reports"))
        if by_hand := "context" not in fields and is_design(choice):
            context = design_of(choice, require_domain(domain)).context
        else:
            context = context_of(fields.required("context"), domain, blocks)
        if fields.has("law"):
            if "mechanism" in fields:
                raise InvalidSpec("a spec must give one of mechanism and law, not both")
            choice = {"name": "law", "law": fields.required("law")}
        fields.close()
        if not isinstance(choice, Mapping):
            raise InvalidSpec(f"mechanism must be a table, not {kind_of(choice)}")
        return cls(context, choice, source=source, limits=allowed(), report_names=names, by_hand=by_hand, **about)

    @classmethod
    def of_mechanism(cls, mechanism: Mechanism, *, name: str = "") -> Spec:
        """The spec of an existing mechanism, with the choice made by "auto" written out.

        It is read back before it is returned, so it is certain to mean the same mechanism: given by name and
        parameters where they suffice, else by its law.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
        >>> print(dc.Spec.of_mechanism(mechanism, name="smoking").to_toml())
        name = "smoking"
        version = 1
        <BLANKLINE>
        [domain]
        values = ["no", "yes"]
        <BLANKLINE>
        [context]
        form = "uniform"
        epsilon = "1"
        <BLANKLINE>
        [mechanism]
        name = "randomized_response"
        """
        _check_writable(mechanism.context.domain)
        entries = {key: mechanism.description[key] for key in ("domain", "context")}
        described = mechanism.sampler.describe()
        law = {"name": "law", "law": mechanism.description["law"]}
        for choice in (described, law | {key: described[key] for key in ("prior",) if key in described}):
            with under(LIFTED):
                spec = cls.of({**entries, "name": name, "mechanism": choice, "reports": list(mechanism.report_names)})
            with suppress(DiscreetError):
                if spec.mechanism.fingerprint == mechanism.fingerprint:
                    return spec
        raise InvalidSpec(f"{mechanism.name}: a law of kind {mechanism.law().kind!r} cannot be written in a spec")

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism that the spec asks for, certified for its context."""
        with located(self.source), metering(self.limits):
            return self._as_pinned(self._build())

    def _build(self) -> Mechanism:
        if self.by_hand:
            mechanism: Mechanism = design_of(self.choice, self.context.domain)
        else:
            mechanism = mechanism_of(self.context, self.choice)
        return mechanism.with_report_names(self.report_names) if self.report_names else mechanism

    @property
    def is_auto(self) -> bool:
        """True if the mechanism is left to a comparison of all that serve the context."""
        return is_auto(self.choice)

    @property
    def prior(self) -> Any:
        """The shares that the spec assumes, in order or by value; None if it assumes even ones."""
        return prior_of(self.choice["prior"], self.context.domain) if "prior" in self.choice else None

    @property
    def query(self) -> Any:
        """What the spec chooses its mechanism by; None for the error of all shares."""
        return query_of(self.choice["query"], self.context.domain) if "query" in self.choice else None

    def compare(self) -> Explanation:
        """The comparison that a spec with the mechanism "auto" chooses by, best first."""
        with located(self.source), metering(self.limits):
            explanation = comparison_of(self.context, self.choice)
            self._as_pinned(explanation.chosen)
            return explanation

    def with_mechanism(self, mechanism: Mechanism) -> Spec:
        """This spec with a mechanism for its context that is already made, so that it is not made again."""
        if mechanism.context is not self.context:
            raise InvalidSpec(f"{mechanism!r} must be for the context of the spec, {self.context!r}")
        spec = replace(self)
        with located(self.source):
            vars(spec)["mechanism"] = self._as_pinned(mechanism)  # where the cached property would put it
        return spec

    def resolved(self) -> Spec:
        """This spec with the law that its mechanism draws by in place of a name, and the fingerprint of it.

        It no longer depends on what "auto" would choose or on how a named mechanism is built, so a later version
        reads the same law from it, or refuses it where the fingerprint is another one. The assumed shares are kept.
        """
        mechanism = self.mechanism
        _check_writable(mechanism.context.domain)
        law = {"name": "law", "law": mechanism.description["law"]}
        prior = mechanism.sampler.describe().get("prior", self.choice.get("prior"))
        if prior is not None:
            by_value = isinstance(prior, Mapping)  # as text, which TOML and JSON both hold exactly
            law["prior"] = {x: str(share) for x, share in prior.items()} if by_value else list(map(str, prior))
        note = self.note
        if self.choice.get("name") != "law":
            note = f"{mechanism.name}, {mechanism.bits} bits per report, resolved by discreet {__version__}"
        entries = {key: mechanism.description[key] for key in ("domain", "context")}
        about: dict[str, Any] = {"name": self.name, "note": note, "fingerprint": mechanism.fingerprint}
        about["reports"] = list(mechanism.report_names)
        with under(LIFTED):
            spec = Spec.of({**about, **entries, "mechanism": law})
        assert spec.mechanism.fingerprint == mechanism.fingerprint  # it is read back before it is trusted
        return spec

    def _as_pinned(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism, if it has the fingerprint that the spec asks for."""
        if self.fingerprint and mechanism.fingerprint != self.fingerprint:
            raise InvalidSpec(
                f"fingerprint={self.fingerprint[:12]}... must be that of the spec, which is now "
                f"{mechanism.fingerprint[:12]}...: it was changed after it was pinned, or this version of discreet "
                "makes another mechanism of it"
            )
        return mechanism

    def as_dict(self) -> dict[str, Any]:
        """The spec as plain data, with the mechanism named as chosen: `Spec.of` gives the same fingerprint."""
        mechanism = self.mechanism
        chosen = self.by_hand or self.choice.get("name") == "law"
        choice = _plain(self.choice) if chosen else mechanism.sampler.describe()
        about = {"name": self.name, "note": self.note, "version": VERSION, "fingerprint": self.fingerprint}
        about |= {"reports": list(self.report_names)}
        keys = ("domain",) if self.by_hand else ("domain", "context")
        entries = {key: to_plain(mechanism.description[key]) for key in keys}
        return {**{key: entry for key, entry in about.items() if entry}, **entries, "mechanism": dict(choice)}

    def to_json(self) -> str:
        """The spec as a JSON file."""
        return _json_text(self.as_dict())

    def to_toml(self) -> str:
        """The spec as a TOML file."""
        return dumps(self.as_dict())

    def write(self, path: str | Path) -> None:
        """Write the spec to a .toml or .json file, whole or not at all."""
        write_document(self.as_dict(), path)


def read_about(fields: Fields, version: int) -> dict[str, Any]:
    """The name, note and fingerprint that a spec or a form gives, whose version must be this one."""
    about = {key: text(fields.optional(key, default=""), key) for key in ("name", "note", "fingerprint")}
    if "fingerprint" in fields and not FINGERPRINT.fullmatch(about["fingerprint"]):
        raise InvalidSpec("fingerprint must be the 64 hexadecimal digits that `discreet verify` shows")
    if (given := whole(fields.optional("version", default=version), "version")) != version:
        raise InvalidSpec(f"version={given} must be {version}, the only known version")
    return about


def is_form(document: Container[str]) -> bool:
    """True if the keys of a document are those of a form of several questions, and not of the spec of one."""
    return "questions" in document or "form" in document


def check_name(path: str | Path) -> Path:
    """The path of a spec; `InvalidSpec` unless its name says TOML or JSON."""
    check_type("path", path, (str, Path), "the name of a file")
    path = Path(path)
    if path.suffix not in (".toml", ".json"):
        raise InvalidSpec(f"{path}: a spec must be a .toml or a .json file")
    return path


def parsed_document(path: Path) -> Any:
    """The plain data of a TOML or JSON file."""
    try:
        document = read_document(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidSpec("must be UTF-8 text") from None
    return parse_toml(document) if path.suffix == ".toml" else loads(document, InvalidSpec)


def write_document(data: Mapping[str, Any], path: str | Path) -> None:
    """Write the plain data of a spec or a form to a .toml or .json file, whole or not at all."""
    path = check_name(path)
    with replacing(path) as file:
        file.write((dumps(data) if path.suffix == ".toml" else _json_text(data)).encode())


def _json_text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _check_writable(domain: Domain) -> None:
    """Raise `InvalidSpec` unless files keep every value as it is."""
    for number, entry in enumerate(() if domain.is_range or isinstance(domain, NumberDomain) else domain):
        value(entry, f"values[{number}]={entry!r}")


def _plain(entry: Any) -> Any:
    """An entry of a spec as data of which both TOML and JSON can hold all: decimals are text."""
    if isinstance(entry, Mapping):
        return {key: _plain(inner) for key, inner in entry.items()}
    if isinstance(entry, (list, tuple)):
        return [_plain(inner) for inner in entry]
    return str(entry) if isinstance(entry, (Decimal, float)) else entry


def named_files(data: Any) -> Iterator[str]:
    """Every entry called ``file`` in the tables of a spec."""
    if isinstance(data, Mapping):
        for key, entry in data.items():
            if key == "file" and isinstance(entry, str):
                yield entry
            yield from named_files(entry)


def law_text(mechanism: Mechanism) -> str:
    """The published law of a mechanism: its values, its context and its law as canonical JSON.

    The SHA-256 of this text, as UTF-8 with nothing before or after, is the fingerprint.
    """
    return mechanism.published


def parse_law(written: str) -> Mechanism:
    """The mechanism that a published law describes, certified from its integers alone.

    `InvalidSpec` unless the text is exactly what `law_text` gives, `PrivacyViolation` if it breaks its context.
    """
    data = loads(written, InvalidSpec)
    if not isinstance(data, dict) or set(data) != {"version", "domain", "context", "law"}:
        raise InvalidSpec("a published law must hold version, domain, context and law, and nothing else")
    mechanism = Spec.of(data).mechanism
    if law_text(mechanism) != written:
        raise InvalidSpec(
            "a published law must be canonical JSON: keys sorted, no spaces, each number written in one way only"
        )
    return mechanism
