"""The file of vectors: one line for the file, one for each law, one for each vector; read as strictly as written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import DiscreetError, InvalidInput
from ...core.strict_json import loads
from ...mechanisms.mechanism import Mechanism
from ...wire import law_text, parse_law, report_from_json, report_to_json

VERSION = 1
"""The version of the file."""

DIGITS = 16
"""Hexadecimal digits of a word."""


@dataclass(frozen=True)
class Vector:
    """The report that a value writes from these words."""

    x: int
    words: tuple[int, ...]
    report: int


@dataclass(frozen=True)
class Section:
    """A law and its vectors; `line` is where the law stands in the file."""

    line: int
    mechanism: Mechanism
    vectors: list[Vector]


def header(laws: int, vectors: int) -> str:
    """The first line, which says how much follows."""
    return _line({"laws": laws, "vectors": vectors, "version": VERSION})


def section(mechanism: Mechanism, vectors: Iterable[Vector]) -> Iterator[str]:
    """The line of a law and those of its vectors."""
    rows = [
        [vector.x, "".join(f"{word:016x}" for word in vector.words), report_to_json(mechanism, vector.report)]
        for vector in vectors
    ]
    yield _line({"fingerprint": mechanism.fingerprint, "law": law_text(mechanism), "vectors": len(rows)})
    yield from map(_line, rows)


def _line(data: Any) -> str:
    """One line of ASCII: some readers take more characters than the line feed for the end of a line."""
    return json.dumps(data, separators=(",", ":")) + "\n"


def read(path: str | Path) -> Iterator[Section]:
    """The laws of a file, each certified, and their vectors; `InvalidInput` names a line that is not as it must be."""
    with open(path, encoding="ascii", errors="replace", newline="\n") as file:
        lines = _Lines(iter(file))
        laws, vectors = lines.table("laws", "vectors", version=VERSION)
        for _ in range(laws):
            one = _section(lines)
            vectors -= len(one.vectors)
            yield one
        if vectors or next(file, None) is not None:
            raise InvalidInput(f"line {lines.number}: there must be as many vectors as line 1 says, and no more")


class _Lines:
    """The lines of a file, counted."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines, self.number = lines, 0

    def data(self) -> Any:
        """What the next line holds, if it is written as `_line` writes it."""
        self.number += 1
        line = next(self._lines, "")
        if not line.endswith("\n"):
            raise InvalidInput(f"line {self.number}: the file ends here, before all that it announced")
        try:
            data = loads(line, InvalidInput)
        except InvalidInput as problem:
            raise self.wrong(str(problem)) from None
        if _line(data) != line:
            raise self.wrong("JSON must be written without spaces, and everything in one way only")
        return data

    def table(self, *counts: str, version: int) -> list[int]:
        data = self.data()
        if not isinstance(data, dict) or list(data) != [*counts, "version"] or data["version"] != version:
            raise self.wrong(f"a file of vectors must begin with laws, vectors and version, which must be {version}")
        return [self.whole(data[name], name) for name in counts]

    def whole(self, data: Any, name: str) -> int:
        if isinstance(data, bool) or not isinstance(data, int) or data < 0:
            raise self.wrong(f"{name} must be a whole number")
        return data

    def wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f"line {self.number}: {what}")


def _section(lines: _Lines) -> Section:
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


def _vector(mechanism: Mechanism, lines: _Lines) -> Vector:
    data, words = lines.data(), mechanism.sampler.words
    if not isinstance(data, list) or len(data) != 3 or type(data[1]) is not str:
        raise lines.wrong("a vector must be a list of a value's number, words and a report")
    x, told, report = data
    if type(x) is not int or not 0 <= x < mechanism.context.size:
        raise lines.wrong(f"the number of a value must be from 0 to {mechanism.context.size - 1}")
    if len(told) != DIGITS * words or not set(told) <= set("0123456789abcdef"):
        raise lines.wrong(f"{words} words must be {DIGITS * words} lowercase hexadecimal digits")
    try:
        written = report_from_json(mechanism, report)
    except DiscreetError as problem:
        raise lines.wrong(str(problem)) from None
    return Vector(x, tuple(int(told[at : at + DIGITS], 16) for at in range(0, len(told), DIGITS)), written)
