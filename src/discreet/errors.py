"""Every error the library raises on purpose.

::

    DiscreetError
    ├── InvalidInput (ValueError)       an argument, spec, value or file that cannot be used
    │   ├── InvalidEpsilon              an epsilon that is not an exact non-negative decimal, or cannot be used here
    │   ├── InvalidContext              a domain or privacy matrix that contradicts itself
    │   ├── UnknownValue                a value outside the domain
    │   ├── InvalidReport               a report this mechanism cannot have written
    │   └── InvalidSpec                 a spec file with a missing, extra or ill-typed entry
    ├── PrivacyViolation                a channel that fails the context it claims
    ├── MechanismMismatch               reports or tallies of another mechanism
    ├── NotServed                       no mechanism of that name serves the context
    ├── NotIdentifiable                 the reports carry no information about what was asked
    ├── Unavailable                     what was requested from a result cannot be given honestly
    ├── RandomnessFailure               the source of randomness failed; no report was made
    ├── CheckFailed (AssertionError)    a mechanism or engine breaks a law of the conformance suite
    └── MissingExtra (ImportError)      an optional dependency is absent; the message names the install line
"""


class DiscreetError(Exception):
    """The root of every error raised on purpose."""


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


class CheckFailed(DiscreetError, AssertionError):
    """A mechanism or engine that breaks a law of the conformance suite; the message says which and where."""


class MissingExtra(DiscreetError, ImportError):
    """An optional dependency is absent; the message names the install line."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'discreet[{extra}]'")
