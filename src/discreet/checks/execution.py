"""Proof by execution: the sampler, run over every word, gives exactly the stated law."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.arithmetic import INTEGERS
from ..core.errors import CheckFailed
from ..estimation.arrays.arithmetic import ARRAYS
from ..mechanisms.law import WORD_BITS
from ..mechanisms.sampler import Sampler
from .small_words import Factory, small_forms

DRAWS = 1 << 20
"""Draws made for one form: all words for each value, for as many values as fit (at least three per class)."""

SAMPLES = 64
"""Words of each value that are repeated with plain integers."""


def check_every_word(sampler: Sampler, *, factory: Factory | None = None) -> int:
    """Run the sampler over every word of small word spaces and compare with `probability`, exactly.

    Returns how many forms were run: widths 6, 8 and 10 where they fit 20 bits of words per report, else the
    first width that does; 0 if none does. `factory` rebuilds the sampler at a width, see `narrow`.
    """
    forms = 0
    for form in small_forms(sampler, factory):
        forms += 1
        space = 1 << form.word_bits * form.words
        words = _every_word(form)
        for x in _values(form, max(2, DRAWS // space)):
            drawn = np.asarray(form.draw(np.full(space, x, dtype=np.uint64), words, ARRAYS))
            _compare(form, x, drawn, space)
            _repeat(form, x, drawn, words)
    return forms


def _every_word(form: Sampler) -> list[NDArray[np.uint64]]:
    index = np.arange(1 << form.word_bits * form.words, dtype=np.uint64)
    mask = np.uint64((1 << form.word_bits) - 1)
    lift = np.uint64(WORD_BITS - form.word_bits)
    return [(index >> np.uint64(form.word_bits * w) & mask) << lift for w in range(form.words)]


def _values(form: Sampler, most: int) -> Iterator[int]:
    """The first two values and the last of every class, then others in a fixed random order, at most `most`."""
    ends: dict[int, list[int]] = {}
    for x, label in enumerate(form.labels):
        of = ends.setdefault(label, [])
        of[2:] = [x]
    first = [x for of in ends.values() for x in of]
    known = set(first)
    rest = [x for x in range(form.size) if x not in known] if form.size <= 4096 else [form.size - 1]
    random.Random(form.size).shuffle(rest)
    yield from first[: max(most, 64)]
    yield from rest[: max(0, most - len(first))]


def _compare(form: Sampler, x: int, drawn: NDArray[np.uint64], space: int) -> None:
    found = dict(zip(*(part.tolist() for part in np.unique(drawn, return_counts=True)), strict=True))
    stated = {int(y): form.probability(x, int(y)) * space for y in {*form.reports(), *found}}
    for y, units in stated.items():
        if units != found.get(y, 0):
            raise CheckFailed(
                f"{form.name} with {form.word_bits}-bit words: report {y} of value {x} is drawn by {found.get(y, 0)} "
                f"of {space} words; its law says {units}"
            )


def _repeat(form: Sampler, x: int, drawn: NDArray[np.uint64], words: list[NDArray[np.uint64]]) -> None:
    chosen = random.Random(x)
    for _ in range(SAMPLES):
        i = chosen.randrange(len(drawn))
        alone = form.draw(x, [int(word[i]) for word in words], INTEGERS)
        if alone != int(drawn[i]):
            raise CheckFailed(
                f"{form.name} with {form.word_bits}-bit words: value {x} writes {alone} alone and {drawn[i]} in bulk"
            )
