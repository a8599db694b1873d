"""What can be audited: mechanisms, functions and commands, each giving reports as byte strings.

`check_source` audits a source of randomness: it must be fresh at every start and follow no short linear recurrence.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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
"""The most reports whose claimed chances are worked out to find an event."""


@dataclass(frozen=True)
class Subject:
    """Something that writes reports of a value, under this name.

    ``reports(x, count)`` are fresh reports of the value numbered x, as they would be sent. ``claimed_law(x)`` is the
    chance that the subject claims for every report, by number; None if it makes no claim. A subject that `restarts`
    is a program started anew for every batch.
    """

    name: str
    reports: Callable[[int, int], Strings]
    claimed_law: Callable[[int], NDArray[np.float64] | None] = lambda x: None
    restarts: bool = False


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


def bytes_of_report(report: object) -> bytes:
    """A report as bytes: bytes as they are, an array as its memory, anything else as its `repr`, so that types show."""
    if isinstance(report, (bytes, bytearray, memoryview)):
        return bytes(report)
    if isinstance(report, np.ndarray) and report.dtype != object:
        return report.tobytes()
    return repr(report).encode()


def text_of_value(value: object) -> bytes:
    """A value as it is written in a line of text."""
    return str(value).encode()


def subject_of(subject: object, context: Context | None, rng: Source) -> tuple[Subject, Context]:
    """The subject and the context it is audited against."""
    if context is None:
        if not isinstance(subject, Mechanism):
            raise InvalidInput("context must be given to audit anything but a mechanism; it says what is claimed")
        context = subject.context
    check_type("context", context, Context, "a context")
    if isinstance(subject, Mechanism):
        return _mechanism(subject, rng), context
    if isinstance(subject, Bulk):
        return _function(subject, subject.name, context), context
    if callable(subject):
        bulk = Bulk(lambda value, count: [subject(value) for _ in range(count)])
        return _function(bulk, getattr(subject, "__name__", type(subject).__name__), context), context
    if isinstance(subject, Sequence):
        return _command(subject, context), context
    raise InvalidInput(f"subject={subject!r} must be a mechanism, a function or a command")


def _mechanism(mechanism: Mechanism, rng: Source) -> Subject:
    """A mechanism of this library: reports are made in bulk and packed as they are sent."""

    def reports(x: int, count: int) -> Strings:
        drawn = mechanism.randomize_indices(np.full(count, x), rng)
        return Strings.packed(reports_to_bytes(mechanism, drawn), byte_width(mechanism))

    def claimed_law(x: int) -> NDArray[np.float64] | None:
        decoder = decoder_of(mechanism)
        if not decoder.disjoint or mechanism.sampler.outputs != decoder.cells or decoder.cells > MAX_REPORTS:
            return None
        return np.asarray(decoder.expected_counts(np.eye(1, decoder.size, x)[0]))

    return Subject(mechanism.name, reports, claimed_law)


def _function(bulk: Bulk, name: str, context: Context) -> Subject:
    """Any function; see `bytes_of_report` for how a report becomes bytes."""
    return Subject(name, lambda x, count: bulk.many(context.values[x], count))


def _command(command: str | Sequence[str], context: Context) -> Subject:
    """A program that reads one value per line and writes one report per line, started afresh for every batch."""
    words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
    if not words:
        raise InvalidInput("command must name a program")
    name = shlex.join(words)

    def reports(x: int, count: int) -> Strings:
        value = context.values[x]
        line = text_of_value(value)
        if b"\n" in line or b"\r" in line:
            raise InvalidInput(f"value={value!r} must not hold a line break; a command reads one value per line")
        try:
            done = subprocess.run(words, input=(line + b"\n") * count, capture_output=True, check=False)
        except OSError as problem:
            raise InvalidInput(f"command {name!r} cannot be run: {problem.strerror or problem}") from None
        if done.returncode:
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
            raise InvalidInput(f"command {name!r} ended with {done.returncode} and said: {last[0][:200]}")
        lines = done.stdout.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        if len(lines) != count:
            raise InvalidInput(f"command {name!r} read {count} values and wrote {len(lines)} lines")
        return Strings.of([line.removesuffix(b"\r") for line in lines])

    return Subject(name, reports, restarts=True)


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
        length = linear_complexity([word >> place & 1 for word in words])
        if abs(2 * length - EXAMINED_WORDS) > 2 * MAX_DEVIATION:
            raise CheckFailed(
                f"source: bit {place} of {EXAMINED_WORDS} words follows a linear recurrence of length {length}; "
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
