"""What a journal says, one kind of entry each: cap, budget, terms, debit, report, upload, outcome.

Invitations in a journal: encrypted with its key, so that neither the journal nor what is exported of it shows them.

An invitation of n bytes is mixed (XOR) with the first n bytes of ``HMAC(key, ["invitation", upload, 0])``, ``HMAC(key,
["invitation", upload, 1])``, ..., and written in hexadecimal: HMAC-SHA256 of canonical JSON with the number of its
upload, which is used once. The chain of the journal holds it together with the rest. Without the key, which never
leaves its place, it says nothing but n.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from ...core.canonical import canonical, loads
from ...core.errors import InvalidInput, shown
from ...core.exact import exact_number, text_of

MAX_INVITATION_LENGTH = 128
"""The most characters of an invitation."""

FORM = re.compile(rf"[A-Za-z0-9._~-]{{1,{MAX_INVITATION_LENGTH}}}", re.ASCII)
"""An invitation: characters that need no escaping in a link or a header."""

ENCRYPTED = re.compile(rf"(?:[0-9a-f]{{2}}){{1,{MAX_INVITATION_LENGTH}}}")


def check_invitation(invitation: object) -> str:
    """An invitation as it is; `InvalidInput`, which does not repeat it, for anything that is none."""
    if not isinstance(invitation, str) or not FORM.fullmatch(invitation):
        raise InvalidInput(f"invitation must be 1 to {MAX_INVITATION_LENGTH} letters, digits, ., _, ~ or -")
    return invitation


def is_encrypted(entry: object) -> bool:
    """True if this is how a journal holds an invitation."""
    return isinstance(entry, str) and bool(ENCRYPTED.fullmatch(entry))


def encrypt(key: bytes, upload: str, invitation: str) -> str:
    """An invitation as the line of its upload holds it."""
    return _mixed(key, upload, invitation.encode()).hex()


def decrypt(key: bytes, upload: str, encrypted: str) -> str | None:
    """The invitation of an upload; None if the key is another one than it was encrypted with."""
    found = _mixed(key, upload, bytes.fromhex(encrypted)).decode("latin-1")
    return found if FORM.fullmatch(found) else None


def _mixed(key: bytes, upload: str, content: bytes) -> bytes:
    stream = b"".join(
        hmac.digest(key, canonical(["invitation", upload, block]).encode(), "sha256")
        for block in range(-(-len(content) // 32))
    )
    return bytes(byte ^ other for byte, other in zip(content, stream, strict=False))


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
