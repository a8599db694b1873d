"""What a journal says, one kind of entry each: cap, budget, terms, debit, report, upload, outcome."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from ...core.errors import InvalidInput, shown
from ...core.exact import exact_number, text_of
from ...core.strict_json import loads
from .invitations import is_encrypted

VERSION = 1
"""The version of the journal, in its first line."""

ACCEPTED, REFUSED = "accepted", "refused"


@dataclass(frozen=True)
class Cap:
    """The most that all answers together may spend; later ones only lower it."""

    kind: ClassVar[str] = "cap"
    epsilon: str
    version: int = VERSION


@dataclass(frozen=True)
class Budget:
    """The most that answers to questions with all of these values may spend, pair by pair; later ones only lower it."""

    kind: ClassVar[str] = "budget"
    context: Mapping[str, Any]
    domain: Mapping[str, Any]


@dataclass(frozen=True)
class Terms:
    """The context of the law with this fingerprint, written before the first debit under it that a budget counts."""

    kind: ClassVar[str] = "terms"
    fingerprint: str
    context: Mapping[str, Any]
    domain: Mapping[str, Any]


@dataclass(frozen=True)
class Debit:
    """What one report of a collection spends, written before the report is drawn."""

    kind: ClassVar[str] = "debit"
    collection: str
    fingerprint: str
    epsilon: str
    shows: bool


@dataclass(frozen=True)
class Report:
    """A report, written before anybody else sees it; the tag stands for the value, which is nowhere."""

    kind: ClassVar[str] = "report"
    collection: str
    tag: str
    report: int | str
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Upload:
    """What is sent, byte for byte, and where to, written before it is sent."""

    kind: ClassVar[str] = "upload"
    upload: str
    collection: str
    url: str
    body: str
    invitation: str | None = None
    """The invitation that goes along with it, encrypted; None where it needs none."""

    def contents(self) -> dict[str, Any]:
        """The body as data."""
        found = loads(self.body, InvalidInput)
        if not isinstance(found, dict) or not isinstance(found.get("reports"), list):
            raise InvalidInput("body must hold reports")
        return {"labels": {}, **found}


@dataclass(frozen=True)
class Outcome:
    """How an upload ended."""

    kind: ClassVar[str] = "outcome"
    upload: str
    state: str
    status: int


Entry: TypeAlias = Cap | Budget | Terms | Debit | Report | Upload | Outcome
KINDS: dict[str, type[Entry]] = {kind.kind: kind for kind in (Cap, Budget, Terms, Debit, Report, Upload, Outcome)}


def _hexadecimal(digits: int) -> Callable[[object], bool]:
    form = re.compile(rf"[0-9a-f]{{{digits}}}")
    return lambda entry: isinstance(entry, str) and bool(form.fullmatch(entry))


def _text(entry: object) -> bool:
    return isinstance(entry, str)


def _whole(entry: object) -> bool:
    return isinstance(entry, int) and not isinstance(entry, bool)


def _exact(entry: object) -> bool:
    number = exact_number(entry) if isinstance(entry, str) else None
    return number is not None and number >= 0 and text_of(number) == entry


def _table(entry: object) -> bool:
    return isinstance(entry, dict)


def _labels(entry: object) -> bool:
    return isinstance(entry, dict) and all(map(_text, entry.values()))


FORMS: dict[str, dict[str, Callable[[object], bool]]] = {
    "cap": {"epsilon": _exact, "version": lambda entry: _whole(entry) and entry == VERSION},
    "budget": {"context": _table, "domain": _table},
    "terms": {"fingerprint": _hexadecimal(64), "context": _table, "domain": _table},
    "debit": {
        "collection": _text,
        "fingerprint": _hexadecimal(64),
        "epsilon": _exact,
        "shows": lambda entry: isinstance(entry, bool),
    },
    "report": {
        "collection": _text,
        "tag": _hexadecimal(64),
        "report": lambda entry: _whole(entry) or _text(entry),
        "labels": _labels,
    },
    "upload": {"upload": _hexadecimal(32), "collection": _text, "url": _text, "body": _text},
    "outcome": {"upload": _hexadecimal(32), "state": lambda entry: entry in (ACCEPTED, REFUSED), "status": _whole},
}
"""What every key of every kind must hold."""

OPTIONAL: dict[str, dict[str, Callable[[object], bool]]] = {"upload": {"invitation": is_encrypted}}
"""What keys must hold that may be left out."""


def data_of(entry: Entry) -> dict[str, Any]:
    """An entry as the object of a line, without its chain."""
    return {"kind": entry.kind, **{key: part for key, part in asdict(entry).items() if part is not None}}


def entry_of(data: Mapping[str, Any]) -> Entry:
    """The entry in the object of a line; `InvalidInput` unless it is what `data_of` writes."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(f"kind={shown(kind)} must be one of {', '.join(KINDS)}")
    forms, optional = FORMS[kind], OPTIONAL.get(kind, {})
    if not {"kind", *forms} <= set(data) <= {"kind", *forms, *optional}:
        raise InvalidInput(f"a {kind} must hold {', '.join(forms)}, and nothing else")
    for key, fits in (forms | optional).items():
        if key in data and not fits(data[key]):
            raise InvalidInput(f"{key} of a {kind} is not as it must be")
    made = KINDS[kind](**{field.name: data[field.name] for field in fields(KINDS[kind]) if field.name in data})
    if isinstance(made, Upload):
        made.contents()
    return made


def amount(entry: Cap | Debit) -> Fraction:
    """The epsilon of a cap or debit, exactly."""
    return Fraction(entry.epsilon)
