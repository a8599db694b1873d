"""What can be audited: mechanisms, functions and commands, each giving reports as byte strings.

Check that a source of randomness is fit for people: fresh at every start, no short linear recurrence.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..bulk.report_files import reports_to_bytes
from ..contexts import Context
from ..core.errors import CheckFailed, InvalidInput, check_type
from ..core.random import Source
from ..estimation.decoders import decoder_of
from ..mechanisms.mechanism import Mechanism
from ..wire.reports import byte_width
from .strings import Strings

MAX_REPORTS = 1 << 18
"""The most reports whose claimed chances are bytes_of_report out to find an event."""


class Subject(Protocol):
    """Something that writes reports of a value."""

    name: str
    restarts: bool
    """True if every batch is bytes_of_report by a new start of the program."""

    def reports(self, x: int, count: int) -> Strings:
        """`count` fresh reports of the value numbered x, as they would be sent."""
        ...

    def claimed_law(self, x: int) -> NDArray[np.float64] | None:
        """The chance that the subject claims for every report, by number; None if it makes no claim."""
        ...


class MechanismSubject:
    """A mechanism of this library: reports are reports in bulk and packed as they are sent."""

    restarts = False

    def __init__(self, mechanism: Mechanism, rng: Source) -> None:
        self._mechanism, self._rng = mechanism, rng
        self.name = mechanism.name

    def reports(self, x: int, count: int) -> Strings:
        drawn = self._mechanism.randomize_indices(np.full(count, x), self._rng)
        return Strings.packed(reports_to_bytes(self._mechanism, drawn), byte_width(self._mechanism))

    def claimed_law(self, x: int) -> NDArray[np.float64] | None:
        decoder = decoder_of(self._mechanism)
        if not decoder.disjoint or self._mechanism.sampler.outputs != decoder.cells or decoder.cells > MAX_REPORTS:
            return None
        alone = np.zeros(decoder.size)
        alone[x] = 1.0
        return np.asarray(decoder.expected_counts(alone))


class Bulk:
    """A function ``(value, count) -> count reports``, for subjects that make many at once.

    The reports are a sequence, or a two-dimensional array of bytes with one report per row.
    """

    def __init__(self, function: Callable[[Any, int], Any]) -> None:
        self._function = function
        self.name = getattr(function, "__name__", "function")

    def many(self, value: Any, count: int) -> Strings:
        """The reports as byte strings."""
        reports = self._function(value, count)
        if len(reports) != count:
            raise InvalidInput(f"{self.name} gave {len(reports)} reports instead of {count}")
        if isinstance(reports, np.ndarray) and reports.dtype == np.uint8 and reports.ndim == 2:
            return Strings(reports, np.full(count, reports.shape[1], dtype=np.int64))
        return Strings.of([bytes_of_report(report) for report in reports])


class FunctionSubject:
    """Any function, giving one report or many at a time; see `bytes_of_report` for how a report becomes bytes."""

    restarts = False

    def __init__(self, bulk: Bulk, context: Context) -> None:
        self._bulk, self._values, self.name = bulk, context.values, bulk.name

    @classmethod
    def one_by_one(cls, function: Callable[[Any], object], context: Context) -> FunctionSubject:
        """A function from a value to its report."""
        bulk = Bulk(lambda value, count: [function(value) for _ in range(count)])
        bulk.name = getattr(function, "__name__", type(function).__name__)
        return cls(bulk, context)

    def reports(self, x: int, count: int) -> Strings:
        return self._bulk.many(self._values[x], count)

    def claimed_law(self, x: int) -> None:
        return None


class CommandSubject:
    """A program that reads one value per line and writes one report per line, started afresh for every batch."""

    restarts = True

    def __init__(self, command: str | Sequence[str], context: Context) -> None:
        self._words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
        if not self._words:
            raise InvalidInput("command must name a program")
        self._values, self.name = context.values, shlex.join(self._words)

    def reports(self, x: int, count: int) -> Strings:
        line = text_of_value(self._values[x])
        if b"\n" in line or b"\r" in line:
            raise InvalidInput(
                f"value={self._values[x]!r} must not hold a line break; a command reads one value per line"
            )
        try:
            done = subprocess.run(self._words, input=(line + b"\n") * count, capture_output=True, check=False)
        except OSError as problem:
            raise InvalidInput(f"command {self.name!r} cannot be run: {problem.strerror or problem}") from None
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
            raise InvalidInput(f"command {self.name!r} ended with {done.returncode} and said: {said[0][:200]}")
        lines = done.stdout.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        if len(lines) != count:
            raise InvalidInput(f"command {self.name!r} read {count} values and wrote {len(lines)} lines")
        return Strings.of([line.removesuffix(b"\r") for line in lines])

    def claimed_law(self, x: int) -> None:
        return None


def bytes_of_report(report: object) -> bytes:
    """A report as bytes: bytes as they are, an array as its memory, anything else as its `repr`, so that types show."""
    if isinstance(report, (bytes, bytearray, memoryview)):
        return bytes(report)
    if isinstance(report, np.ndarray) and report.dtype != object:
        return report.tobytes()
    return repr(report).encode()


def text_of_value(value: object) -> bytes:
    """A value as it is bytes_of_report in a line of text."""
    return str(value).encode()


def subject_of(subject: object, context: Context | None, rng: Source) -> tuple[Subject, Context]:
    """The subject and the context it is audited against."""
    if isinstance(subject, Mechanism):
        context = subject.context if context is None else context
    if context is None:
        raise InvalidInput("context must be given to audit anything but a mechanism; it says what is claimed")
    check_type("context", context, Context, "a context")
    if isinstance(subject, Mechanism):
        return MechanismSubject(subject, rng), context
    if isinstance(subject, Bulk):
        return FunctionSubject(subject, context), context
    if callable(subject):
        return FunctionSubject.one_by_one(subject, context), context
    if isinstance(subject, Sequence):
        return CommandSubject(subject, context), context
    raise InvalidInput(f"subject={subject!r} must be a mechanism, a function or a command")


EXAMINED_WORDS = 40_960
"""Words examined: more than twice the 19,937 bits of state of a Mersenne twister."""
MAX_DEVIATION = 24
"""How far from half the linear complexity of random bits may be; exceeded less than once in 2**40."""


def check_source(make: Callable[[], Source]) -> None:
    """Raise `CheckFailed` unless two fresh sources differ and their words follow no linear recurrence.

    A source with a constant seed repeats itself. The outputs of a Mersenne twister, of an xorshift or of any
    other generator whose steps are linear over bits satisfy a recurrence as long as the state; the shortest
    recurrence of n random bits is n/2 long, give or take a few. Whoever finds the recurrence knows all noise to come.
    Passing proves nothing more: a generator that mixes well can still be predictable.

    References: Massey1969, Matsumoto1998.
    """
    words = make().take(EXAMINED_WORDS)
    if words[:8] == make().take(8):
        raise CheckFailed("source: two fresh sources give the same words: the seed is constant")
    for place in (0, 63):
        found = linear_complexity([word >> place & 1 for word in words])
        if abs(2 * found - EXAMINED_WORDS) > 2 * MAX_DEVIATION:
            raise CheckFailed(
                f"source: bit {place} of {EXAMINED_WORDS} words follows a linear recurrence of length {found}; "
                f"that of random words is about {EXAMINED_WORDS // 2}"
            )


def linear_complexity(bits: Sequence[int]) -> int:
    """The length of the shortest linear recurrence over {0, 1} that gives these bits (Berlekamp and Massey)."""
    current = former = 1
    length, since = 0, 1
    past = 0
    for at, bit in enumerate(bits):
        past = past << 1 | bit
        if not ((current & past).bit_count() & 1):
            since += 1
        elif 2 * length > at:
            current ^= former << since
            since += 1
        else:
            current, former = current ^ former << since, current
            length, since = at + 1 - length, 1
    return length
