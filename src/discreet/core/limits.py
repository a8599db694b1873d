"""What a document may ask for, checked before any work is done.

A spec or a law comes from somebody else, who may lie: a hundred bytes can ask for gigabytes or hours. While one is
read (`metering`), what it asks for is compared with the limits below, the work that it costs is counted, and
`BeyondLimits` is raised before the first step that would exceed them. What a program asks for itself, in Python, is
not limited.

The owner of a large survey raises a limit by name, for the documents read inside the block::

    with dc.limits.raised(values=10**7):
        mechanism = Spec.read("survey.toml").mechanism

On the command line: ``discreet --limits values=10000000 verify survey.toml``.

>>> import discreet as dc
>>> dc.limits.allowed().values
1048576
>>> with dc.limits.raised(values=10**7):
...     dc.limits.allowed().values
10000000
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace

from .errors import BeyondLimits, InvalidInput

__all__ = ["LIFTED", "Limits", "allowed", "raised", "under"]

DIGITS = 600
"""The most digits of a number, or of each half of a fraction: far more than any epsilon or any count of words has."""

DEPTH = 24
"""The most lists and tables inside each other; a law eight deep with its sets and rows needs 20."""


@dataclass(frozen=True)
class Limits:
    """How much one document may ask for; each number is the most that is granted."""

    bytes: int = 1 << 26
    """Of the document, or of a file that it names: a law that lists a million values takes about 20 MB."""
    values: int = 1 << 20
    """Of the domain: a million values in any form take a few seconds and some 100 MB."""
    report_bits: int = 1 << 16
    """Of one report: a set of so many values is drawn in a second, and takes 8 kB on its way."""
    work: int = 1 << 25
    """Steps of building and certifying, of about 0.1 microseconds each: entries compared, elements of a set found."""


LIFTED = Limits(*[1 << 62] * len(fields(Limits)))
"""No limits: for documents that a program wrote itself."""


class _Meter:
    """The limits of the document that is being read, and the work that it has cost so far."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.spent = limits, 0


_allowed: ContextVar[Limits | None] = ContextVar("allowed", default=None)
_meter: ContextVar[_Meter | None] = ContextVar("meter", default=None)


def allowed() -> Limits:
    """The limits under which documents are read here."""
    return _allowed.get() or Limits()


@contextmanager
def raised(**named: int) -> Iterator[None]:
    """Read documents under other limits inside a ``with`` block; the names are those of `Limits`."""
    known = [field.name for field in fields(Limits)]
    for name, most in named.items():
        if name not in known:
            raise InvalidInput(f"limit {name!r} must be one of {', '.join(known)}")
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise InvalidInput(f"limit {name}={most!r} must be a positive whole number")
    with under(replace(allowed(), **named)):
        yield


@contextmanager
def under(limits: Limits) -> Iterator[None]:
    """Read documents under these limits inside a ``with`` block."""
    token = _allowed.set(limits)
    try:
        yield
    finally:
        _allowed.reset(token)


@contextmanager
def metering(limits: Limits) -> Iterator[None]:
    """Count what is asked for inside a ``with`` block, and refuse what is beyond the limits."""
    token = _meter.set(_Meter(limits))
    try:
        yield
    finally:
        _meter.reset(token)


def check(name: str, asked: int, what: str) -> None:
    """Raise `BeyondLimits` if a document asks for more than the limit called `name`."""
    if (meter := _meter.get()) is not None:
        _refuse(name, asked, getattr(meter.limits, name), what)


def check_bytes(count: int, what: str) -> None:
    """Raise `BeyondLimits` for a document, not yet read, of more bytes than are allowed."""
    _refuse("bytes", count, allowed().bytes, what)


def check_work(work: int, what: str) -> None:
    """Raise `BeyondLimits` for a document, not yet read, that would take more work than is allowed."""
    _refuse("work", work, allowed().work, what)


def spend(work: int, what: str) -> None:
    """Count work that is about to be done, and raise `BeyondLimits` if a document has then asked for too much."""
    if (meter := _meter.get()) is not None:
        meter.spent += work
        _refuse("work", meter.spent, meter.limits.work, what)


def _refuse(name: str, asked: int, most: int, what: str) -> None:
    if asked > most:
        shown = asked if asked < 1 << 64 else f"2**{asked.bit_length() - 1}"
        raise BeyondLimits(
            f"{what}: {name}={shown} is beyond the limit of {most} for a document; its owner can raise it with "
            f"limits.raised({name}=...), or with discreet --limits {name}=..."
        )


def __dir__() -> list[str]:
    return __all__
