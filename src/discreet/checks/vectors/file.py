"""Files of test vectors: written, read as strictly as written, and checked with every engine that draws reports.

The first line is for the file; then there is one for each law, followed by one for each of its vectors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.randomizing import randomize_positions
from ...bulk.words import replay
from ...core.arithmetic import INTEGERS
from ...core.canonical import loads
from ...core.domain import Value
from ...core.errors import CheckFailed, DiscreetError, InvalidInput
from ...core.numbers import NumberDomain
from ...estimation.arrays.acceleration import present
from ...mechanisms.mechanism import Mechanism
from ...mechanisms.sampler import Sampler
from ...wire import law_text, parse_law, report_from_json, report_to_json
from ..execution import as_integers

VERSION = 1
"""The version of the file."""

DIGITS = 16
"""Hexadecimal digits of a word."""


@dataclass(frozen=True)
class Vector:
    """The report that a value writes from these words; `held` is what a person holds, where that is a number."""

    x: int
    words: tuple[int, ...]
    report: int
    held: Value = None

    @property
    def shown(self) -> Any:
        """What stands for the value: its number, or what a person holds."""
        return self.x if self.held is None else self.held


@dataclass(frozen=True)
class Section:
    """A law and its vectors; `line` is where the law stands in the file."""

    line: int
    mechanism: Mechanism
    vectors: list[Vector]


def header(laws: int, vectors: int) -> str:
    """The first line, which says how much follows."""
    return line_of({"laws": laws, "vectors": vectors, "version": VERSION})


def section(mechanism: Mechanism, vectors: Iterable[Vector]) -> Iterator[str]:
    """The line of a law and those of its vectors."""
    rows = [
        [vector.shown, "".join(f"{word:016x}" for word in vector.words), report_to_json(mechanism, vector.report)]
        for vector in vectors
    ]
    yield line_of({"fingerprint": mechanism.fingerprint, "law": law_text(mechanism), "vectors": len(rows)})
    yield from map(line_of, rows)


def line_of(data: Any) -> str:
    """One line of ASCII: some readers take more characters than the line feed for the end of a line."""
    return json.dumps(data, separators=(",", ":")) + "\n"


def read(path: str | Path) -> Iterator[Section]:
    """The laws of a file, each certified, and their vectors; `InvalidInput` names a line that is not as it must be."""
    with open(path, encoding="ascii", errors="replace", newline="\n") as file:
        lines = VectorLines(iter(file))
        laws, vectors = lines.table("laws", "vectors", version=VERSION)
        for _ in range(laws):
            one = _section(lines)
            vectors -= len(one.vectors)
            yield one
        if vectors or next(file, None) is not None:
            raise InvalidInput(f"line {lines.number}: there must be as many vectors as line 1 says, and no more")


def is_of_forms(path: str | Path) -> bool:
    """True if a file says in its first line that its vectors are of questionnaires."""
    with open(path, encoding="ascii", errors="replace", newline="\n") as file:
        return file.readline().startswith('{"forms":')


class VectorLines:
    """The lines of a file, counted."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines, self.number = lines, 0

    def data(self) -> Any:
        """What the next line holds, if it is written as `line_of` writes it."""
        self.number += 1
        line = next(self._lines, "")
        if not line.endswith("\n"):
            raise InvalidInput(f"line {self.number}: the file ends here, before all that it announced")
        try:
            data = loads(line, InvalidInput)
        except InvalidInput as problem:
            raise self.wrong(str(problem)) from None
        if line_of(data) != line:
            raise self.wrong("JSON must be written without spaces, and everything in one way only")
        return data

    def table(self, *counts: str, version: int) -> list[int]:
        data = self.data()
        if not isinstance(data, dict) or list(data) != [*counts, "version"] or data["version"] != version:
            names = ", ".join(counts)
            raise self.wrong(f"a file of vectors must begin with {names} and version, which must be {version}")
        return [self.whole(data[name], name) for name in counts]

    def whole(self, data: Any, name: str) -> int:
        if isinstance(data, bool) or not isinstance(data, int) or data < 0:
            raise self.wrong(f"{name} must be a whole number")
        return data

    def wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f"line {self.number}: {what}")


def _section(lines: VectorLines) -> Section:
    data = lines.data()
    if not isinstance(data, dict) or list(data) != ["fingerprint", "law", "vectors"] or type(data["law"]) is not str:
        raise lines.wrong("a law must come with fingerprint, law and vectors")
    at, count = lines.number, lines.whole(data["vectors"], "vectors")
    try:
        mechanism = parse_law(data["law"])
    except DiscreetError as problem:
        raise lines.wrong(str(problem)) from None
    if data["fingerprint"] != mechanism.fingerprint:
        raise lines.wrong("fingerprint must be the SHA-256 of the law")
    return Section(at, mechanism, [_vector(mechanism, lines) for _ in range(count)])


def _vector(mechanism: Mechanism, lines: VectorLines) -> Vector:
    data, words, domain = lines.data(), mechanism.words, mechanism.context.domain
    if not isinstance(data, list) or len(data) != 3 or type(data[1]) is not str:
        raise lines.wrong("a vector must be a list of a value's number, words and a report")
    x, digits, report = data
    held = None
    if isinstance(domain, NumberDomain):
        if type(x) is not str:
            raise lines.wrong("what a person holds must be text")
        try:
            x, held = domain.position(x), x
        except DiscreetError as problem:
            raise lines.wrong(str(problem)) from None
    elif type(x) is not int or not 0 <= x < mechanism.context.size:
        raise lines.wrong(f"the number of a value must be from 0 to {mechanism.context.size - 1}")
    if len(digits) != DIGITS * words or not set(digits) <= set("0123456789abcdef"):
        raise lines.wrong(f"{words} words must be {DIGITS * words} lowercase hexadecimal digits")
    try:
        written = report_from_json(mechanism, report)
    except DiscreetError as problem:
        raise lines.wrong(str(problem)) from None
    return Vector(x, tuple(int(digits[at : at + DIGITS], 16) for at in range(0, len(digits), DIGITS)), written, held)


@dataclass(frozen=True)
class Checked:
    """How many laws a file has, and how many of its vectors each engine has reproduced."""

    laws: int = 0
    integers: int = 0
    numpy: int = 0
    numba: int = 0


def check_vectors(path: str | Path) -> Checked:
    """Plain integers, NumPy and, where there is one, the compiled sampler write the reports of every vector of a file.

    `CheckFailed` names the first line that one of them contradicts and says how many there are.
    """
    laws, done, wrong = 0, dict.fromkeys(("integers", "numpy", "numba"), 0), []
    for section in read(path):
        laws += 1
        expected = [vector.report for vector in section.vectors]
        for engine, drawn in _drawn(section):
            done[engine] += len(expected)
            wrong += [
                f"line {section.line + 1 + at}: {section.mechanism.name}: value {section.vectors[at].shown} "
                f"writes {written} by {engine}, not {report}"
                for at, (written, report) in enumerate(zip(drawn, expected, strict=True))
                if written != report
            ]
    if wrong:
        raise CheckFailed(f"{wrong[0]} ({len(wrong)} of {sum(done.values())} reports differ)")
    return Checked(laws, **done)


def _drawn(section: Section) -> Iterator[tuple[str, list[int]]]:
    """The reports of every engine."""
    mechanism, vectors = section.mechanism, section.vectors
    yield "integers", [drawn(mechanism, vector.x, vector.words) for vector in vectors]
    if not vectors:
        return
    x = np.array([vector.x for vector in vectors])
    yield "numpy", _in_bulk(x, section, "numpy")
    if _is_compiled(mechanism.sampler):
        yield "numba", _in_bulk(x, section, "numba")


def drawn(mechanism: Mechanism, x: int, words: Sequence[int]) -> int:
    """The report of what has the position x by plain integers: the words that place it come first."""
    domain = mechanism.context.domain
    return int(mechanism.sampler.draw(domain.place(x, words), words[domain.draws :], INTEGERS))


def _in_bulk(x: NDArray[Any], section: Section, engine: str) -> list[int]:
    words = replay(word for vector in section.vectors for word in vector.words)
    return as_integers(randomize_positions(section.mechanism, x, words, engine=engine))


def _is_compiled(sampler: Sampler) -> bool:
    if not present():
        return False
    from ...bulk.samplers import compiled_sampler

    return compiled_sampler(sampler) is not None
