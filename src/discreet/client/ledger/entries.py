"""The entries of a journal, one class for each kind, and how they are written and read.

Invitations are encrypted with the key of the journal, so that neither the journal nor what is exported of it shows
them. An invitation of n bytes is mixed (XOR) with the first n bytes of ``HMAC(key, ["invitation", upload, 0])``,
``HMAC(key, ["invitation", upload, 1])``, ..., and written in hexadecimal: HMAC-SHA256 of canonical JSON with the number
of its upload, which is used once. The chain of the journal holds it together with the rest. Without the key, which
never leaves its place, it says nothing but n.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, TypeAlias

from ...core.canonical import canonical, loads
from ...core.errors import InvalidInput, shown
from ...core.exact import exact_number, text_of
from ...wire.form import MAX_QUESTIONS

MAX_INVITATION_LENGTH = 128
"""The most characters of an invitation."""

FORM = re.compile(rf"[A-Za-z0-9._~-]{{1,{MAX_INVITATION_LENGTH}}}", re.ASCII)
"""An invitation: characters that need no escaping in a link or a header."""

ENCRYPTED = re.compile(rf"(?:[0-9a-f]{{2}}){{1,{MAX_INVITATION_LENGTH}}}")


def check_invitation(invitation: object) -> str:
    """The invitation itself; `InvalidInput`, which does not repeat it, unless it is well formed."""
    if not isinstance(invitation, str) or not FORM.fullmatch(invitation):
        raise InvalidInput(f"invitation must be 1 to {MAX_INVITATION_LENGTH} letters, digits, ., _, ~ or -")
    return invitation


def is_encrypted(entry: object) -> bool:
    """True if this is how a journal holds an invitation."""
    return isinstance(entry, str) and bool(ENCRYPTED.fullmatch(entry))


def encrypt(key: bytes, upload: str, invitation: str) -> str:
    """An invitation as the line of its upload holds it."""
    return _mix(key, upload, invitation.encode()).hex()


def decrypt(key: bytes, upload: str, encrypted: str) -> str | None:
    """The invitation of an upload; None if the key is another one than it was encrypted with."""
    invitation = _mix(key, upload, bytes.fromhex(encrypted)).decode("latin-1")
    return invitation if FORM.fullmatch(invitation) else None


def _mix(key: bytes, upload: str, content: bytes) -> bytes:
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
    """The context of the law with this fingerprint, written before the first debit under it.

    One of more than 65,536 bytes is written only where a budget counts the answer.
    """

    kind: ClassVar[str] = "terms"
    fingerprint: str
    context: Mapping[str, Any]
    domain: Mapping[str, Any]


@dataclass(frozen=True)
class Parts:
    """The laws that the questions of a form are answered under, written before the first debit under the form.

    A law that is there twice is that of two questions. What each of them promises is in `Terms` of its own, if at all.
    """

    kind: ClassVar[str] = "parts"
    fingerprint: str
    parts: Sequence[str]


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
    """A report, written before anybody else sees it; the tag stands for the value, which is never written."""

    kind: ClassVar[str] = "report"
    collection: str
    tag: str
    report: int | str
    labels: Mapping[str, str]
    source: str | None = None
    """The collection whose report of this value it is, under the same law and wording; None if it was drawn here."""
    wording: str | None = None
    """The hash of the wording that was answered; None if it is not known, and the report is for this one alone."""


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
        body = loads(self.body, InvalidInput)
        if not isinstance(body, dict) or not isinstance(body.get("reports"), list):
            raise InvalidInput("body must hold reports")
        return {"labels": {}, **body}


@dataclass(frozen=True)
class Outcome:
    """How an upload ended."""

    kind: ClassVar[str] = "outcome"
    upload: str
    state: str
    status: int


Entry: TypeAlias = Cap | Budget | Terms | Parts | Debit | Report | Upload | Outcome
KINDS: dict[str, type[Entry]] = {
    kind.kind: kind for kind in (Cap, Budget, Terms, Parts, Debit, Report, Upload, Outcome)
}


def _is_hexadecimal(digits: int) -> Callable[[object], bool]:
    form = re.compile(rf"[0-9a-f]{{{digits}}}")
    return lambda entry: isinstance(entry, str) and bool(form.fullmatch(entry))


def _is_text(entry: object) -> bool:
    return isinstance(entry, str)


def _is_whole(entry: object) -> bool:
    return isinstance(entry, int) and not isinstance(entry, bool)


def _is_table(entry: object) -> bool:
    return isinstance(entry, dict)


def _is_list_of_fingerprints(entry: object) -> bool:
    return isinstance(entry, list) and 0 < len(entry) <= MAX_QUESTIONS and all(map(_is_hexadecimal(64), entry))


def _is_exact(entry: object) -> bool:
    number = exact_number(entry) if isinstance(entry, str) else None
    return number is not None and number >= 0 and text_of(number) == entry


FORMS: dict[str, Callable[[Any], bool]] = {
    "epsilon": _is_exact,
    "version": lambda entry: _is_whole(entry) and entry == VERSION,
    "context": _is_table,
    "domain": _is_table,
    "fingerprint": _is_hexadecimal(64),
    "parts": _is_list_of_fingerprints,
    "collection": _is_text,
    "shows": lambda entry: isinstance(entry, bool),
    "tag": _is_hexadecimal(64),
    "report": lambda entry: _is_whole(entry) or _is_text(entry),
    "source": _is_text,
    "wording": _is_hexadecimal(64),
    "labels": lambda entry: _is_table(entry) and all(map(_is_text, entry.values())),
    "upload": _is_hexadecimal(32),
    "url": _is_text,
    "body": _is_text,
    "invitation": is_encrypted,
    "state": lambda entry: entry in (ACCEPTED, REFUSED),
    "status": _is_whole,
}
"""What every key of a line must hold."""


def data_of(entry: Entry) -> dict[str, Any]:
    """An entry as the object of a line, without its chain."""
    return {"kind": entry.kind, **{key: part for key, part in asdict(entry).items() if part is not None}}


def entry_of(data: Mapping[str, Any]) -> Entry:
    """The entry in the object of a line; `InvalidInput` unless it is what `data_of` writes."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(f"kind={shown(kind)} must be one of {', '.join(KINDS)}")
    keys = [field.name for field in fields(KINDS[kind])]
    needed = [field.name for field in fields(KINDS[kind]) if field.default is not None]
    if not {"kind", *needed} <= set(data) <= {"kind", *keys}:
        raise InvalidInput(f"a {kind} must hold {', '.join(needed)}, and nothing else")
    for key in keys:
        if key in data and not FORMS[key](data[key]):
            raise InvalidInput(f"{key} of a {kind} is not as it must be")
    entry = KINDS[kind](**{key: data[key] for key in keys if key in data})
    if isinstance(entry, Upload):
        entry.contents()
    return entry
