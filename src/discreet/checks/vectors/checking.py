"""Check vectors: every form in which reports are drawn here writes what a file says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.randomizing import randomize_indices
from ...bulk.words import replay
from ...core.arithmetic import INTEGERS
from ...core.errors import CheckFailed
from ...estimation.arrays.acceleration import present
from ...mechanisms.sampler import Sampler
from ..words import as_integers
from .file import Section, read


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
                f"line {section.line + 1 + at}: {section.mechanism.name}: value {section.vectors[at].x} "
                f"writes {found} by {engine}, not {report}"
                for at, (found, report) in enumerate(zip(drawn, expected, strict=True))
                if found != report
            ]
    if wrong:
        raise CheckFailed(f"{wrong[0]} ({len(wrong)} of {sum(done.values())} reports differ)")
    return Checked(laws, **done)


def _drawn(section: Section) -> Iterator[tuple[str, list[int]]]:
    """The reports of every engine."""
    sampler, vectors = section.mechanism.sampler, section.vectors
    yield "integers", [int(sampler.draw(vector.x, vector.words, INTEGERS)) for vector in vectors]
    if not vectors:
        return
    x = np.array([vector.x for vector in vectors])
    yield "numpy", _in_bulk(sampler, x, section, "numpy")
    if _is_compiled(sampler):
        yield "numba", _in_bulk(sampler, x, section, "numba")


def _in_bulk(sampler: Sampler, x: NDArray[Any], section: Section, engine: str) -> list[int]:
    words = replay(word for vector in section.vectors for word in vector.words)
    return as_integers(randomize_indices(sampler, x, words, engine=engine))


def _is_compiled(sampler: Sampler) -> bool:
    if not present():
        return False
    from ...bulk.samplers import compiled_sampler

    return compiled_sampler(sampler) is not None
