"""Every error the library raises on purpose.

::

    DiscreetError
    ├── InvalidInput (ValueError)       an argument, spec, value or file that cannot be used
    │   ├── InvalidEpsilon              an epsilon that is not an exact non-negative decimal, or cannot be used here
    │   ├── InvalidContext              a domain or privacy matrix that contradicts itself
    │   ├── UnknownValue                a value outside the domain
    │   ├── InvalidReport               a report this mechanism cannot have written
    │   └── InvalidSpec                 a spec file with a missing, extra or ill-typed entry
    ├── BeyondLimits (ValueError)       a document that asks for more than `discreet.core.limits` allows
    ├── PrivacyViolation                a channel that fails the context it claims
    ├── MechanismMismatch               reports or tallies of another mechanism
    ├── NotServed                       no mechanism of that name serves the context
    ├── NotIdentifiable                 the reports carry no information about what was asked
    ├── Unavailable                     what was requested from a result cannot be given honestly
    ├── RandomnessFailure               the source of randomness failed; no report was made
    ├── Overspent                       an answer that would spend more than the cap of the ledger; none was made
    ├── AlreadyAnswered                 another value was answered, and the collection takes no change
    ├── DamagedLedger                   a ledger that is not as it was written; nothing is spent or sent
    ├── Refused                         a collection that cannot be answered safely; the message says why
    ├── Unreachable                     a collector that gave no usable answer; trying later may help
    ├── StoreFailed                     a collector's store cannot be read or written; nothing was acknowledged
    │   └── StoreFull                   there is no room for what was to be stored
    ├── CheckFailed (AssertionError)    a mechanism or engine breaks a law of the conformance suite
    └── MissingExtra (ImportError)      an optional dependency is absent; the message names the install line

>>> import discreet as dc
>>> dc.Context.uniform(["no", "yes"], epsilon="-1")
Traceback (most recent call last):
    ...
discreet.core.errors.InvalidEpsilon: epsilon='-1' must be a non-negative decimal or "inf"
"""

from decimal import Decimal

__all__ = [
    "AlreadyAnswered",
    "BeyondLimits",
    "CheckFailed",
    "DamagedLedger",
    "DiscreetError",
    "InvalidContext",
    "InvalidEpsilon",
    "InvalidInput",
    "InvalidReport",
    "InvalidSpec",
    "MechanismMismatch",
    "MissingExtra",
    "NotIdentifiable",
    "NotServed",
    "Overspent",
    "PrivacyViolation",
    "RandomnessFailure",
    "Refused",
    "StoreFailed",
    "StoreFull",
    "Unavailable",
    "UnknownValue",
    "Unreachable",
    "show_values",
]

show_values = False
"""True shows the values of people in errors, to find a fault in data that may be seen; the command line's
``--show-values``. By default an error names the row and the rule, because logs get around."""


LINE = 1000
"""The most characters of a message; a longer one is cut in its middle."""


def named(value: object) -> str:
    """What an error calls a person's value: its type, or the value itself while `show_values` is set."""
    if value is None:
        return "null"
    return f"value={shown(value)}" if show_values else f"a value of type {type(value).__name__}"


class DiscreetError(Exception):
    """The root of every error raised on purpose; whatever it quotes, its message is one printable line."""

    def __init__(self, message: object = "") -> None:
        line = " ".join(str(message).splitlines())
        if len(line) > LINE:
            line = f"{line[: LINE // 2]} ... {line[-LINE // 4 :]}"
        if not line.isprintable():
            line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
        super().__init__(line)


def shown(value: object) -> str:
    """A value as messages quote it: in one short line, whatever it is."""
    try:
        text = str(value) if isinstance(value, Decimal) else repr(value)
    except (ValueError, RecursionError):  # more digits, or deeper, than Python writes
        return f"2**{value.bit_length() - 1} or more" if isinstance(value, int) else "a value too large to show"
    return text if len(text) <= 60 else f"{text[:56]}...{text[0] if isinstance(value, str) else ''}"


class InvalidInput(DiscreetError, ValueError):
    """An argument, spec, value or file that cannot be used."""


class InvalidEpsilon(InvalidInput):
    """An epsilon that is not an exact non-negative decimal, or cannot be used where it is given."""


class InvalidContext(InvalidInput):
    """A domain or privacy matrix that contradicts itself."""


class UnknownValue(InvalidInput):
    """A value outside the domain; it is refused, never sent in the clear."""


class InvalidReport(InvalidInput):
    """A report that this mechanism cannot have written."""


class InvalidSpec(InvalidInput):
    """A spec with a missing, extra or ill-typed entry."""


class BeyondLimits(DiscreetError, ValueError):
    """A document that asks for more values, memory or work than its reader allows; see `discreet.core.limits`."""


class PrivacyViolation(DiscreetError):
    """A channel that fails the context it claims; the message names the pair."""


class MechanismMismatch(DiscreetError):
    """Reports or tallies that belong to another mechanism."""


class NotServed(DiscreetError):
    """No mechanism of that name serves the context."""


class NotIdentifiable(DiscreetError):
    """The reports carry no information about what was asked."""


class Unavailable(DiscreetError):
    """What was requested from a result cannot be given honestly; the message says why and what to use instead."""


class RandomnessFailure(DiscreetError):
    """The source of randomness failed or ran short; no report was made."""


class Overspent(DiscreetError):
    """An answer that would spend more than the cap of the ledger; no report was made."""


class AlreadyAnswered(DiscreetError):
    """Another value was answered in this collection, which takes no change; no report was made."""


class DamagedLedger(DiscreetError):
    """A ledger that is not as it was written; nothing is spent or sent until an undamaged copy is put back."""


class Refused(DiscreetError):
    """A collection that cannot be answered safely, or an answer that it does not take; the message says why."""


class Unreachable(DiscreetError):
    """A collector that gave no usable answer in time; trying later may help."""


class StoreFailed(DiscreetError):
    """A collector's store that cannot be opened, read or written; nothing that was asked for is acknowledged."""


class StoreFull(StoreFailed):
    """A store without room on its disk; it goes on when there is room again."""


class CheckFailed(DiscreetError, AssertionError):
    """A mechanism or engine that breaks a law of the conformance suite; the message says which and where."""


def check_type(name: str, given: object, kind: type | tuple[type, ...], what: str) -> None:
    """Refuse an argument of another type than `kind`, which the message calls `what`."""
    if not isinstance(given, kind):
        raise InvalidInput(f"{name} of type {type(given).__name__} must be {what}")


class MissingExtra(DiscreetError, ImportError):
    """An optional dependency is absent; the message names the install line."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'discreet[{extra}]'")


def __dir__() -> list[str]:
    return __all__
