"""Proof by execution: run over every word, the sampler gives exactly its law, always by the same number of words."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.words import ReplayStream, Stream, replay, seeded
from ..core.arithmetic import INTEGERS
from ..core.errors import CheckFailed, InvalidInput, NotIdentifiable, RandomnessFailure
from ..estimation.arrays.arithmetic import ARRAYS
from ..estimation.decoders import decoder_of
from ..mechanisms.law import WORD_BITS
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.sampler import Sampler

WIDTHS = (6, 8, 10)
"""The widths that are run whenever possible."""

OTHER_WIDTHS = (12, 14, 16, 18, 20, 5, 4, 3, 2, 1)
"""Widths tried in turn where none of `WIDTHS` works."""

MAX_BITS = 20
"""The most bits, over all words of a report together, that are run through completely."""

EPSILONS = (Fraction(1), Fraction(2), Fraction(4))
"""Epsilons tried in turn where so few words cannot realise the sampler's own."""

Factory = Callable[[int], Sampler]
"""A function from a word width to the sampler rebuilt at that width."""


def must_refuse(ask: Callable[[], object], error: type[Exception], message: str) -> None:
    """Raise `CheckFailed` unless `ask` ends in this error; ``{}`` in the message is what it gave instead."""
    try:
        answer = ask()
    except error:
        return
    raise CheckFailed(message.format(answer))


def narrow(sampler: Sampler, word_bits: int, *, epsilon: Fraction | None = None) -> Sampler:
    """The sampler rebuilt with words of `word_bits` bits, see `Sampler.with_word_bits`.

    One made in another way needs its own factory: ``check_mechanism(mechanism, factory=lambda word_bits: ...)``.
    """
    return sampler.with_word_bits(word_bits, epsilon)


def small_forms(sampler: Sampler, factory: Factory | None) -> Iterator[Sampler]:
    """The forms to run completely: all of `WIDTHS` that work, or else the first width that does."""
    forms = [form for width in WIDTHS if (form := _small(sampler, factory, width)) is not None]
    yield from forms
    if not forms:
        others = (_small(sampler, factory, width) for width in OTHER_WIDTHS)
        yield from islice((form for form in others if form is not None), 1)


def _small(sampler: Sampler, factory: Factory | None, width: int) -> Sampler | None:
    """The sampler at a width, at the first epsilon at which its reports tell all values apart if there is any."""
    first = None
    for epsilon in (None, *EPSILONS):
        try:
            form = factory(width) if factory else narrow(sampler, width, epsilon=epsilon)
            if form.words * width <= MAX_BITS:
                if is_identifiable(form):
                    return form
                first = first or form
        except (InvalidInput, ZeroDivisionError):  # too few words for this epsilon or this many values
            continue
    return first


def is_identifiable(sampler: Sampler) -> bool:
    """False where the reports do not tell all values apart, as under epsilon 0: then there is no estimate."""
    try:
        decoder_of(sampler).influence()
    except NotIdentifiable:
        return False
    return True


MAX_DRAWS = 1 << 20
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
        for x in _values(form, max(2, MAX_DRAWS // space)):
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
    for x, label in enumerate(form.class_of):
        of = ends.setdefault(label, [])
        of[2:] = [x]
    first = [x for of in ends.values() for x in of]
    known = set(first)
    rest = [x for x in range(form.size) if x not in known] if form.size <= 4096 else [form.size - 1]
    random.Random(form.size).shuffle(rest)
    yield from first[: max(most, 64)]
    yield from rest[: max(0, most - len(first))]


def _compare(form: Sampler, x: int, drawn: NDArray[np.uint64], space: int) -> None:
    counts = Counter(drawn.tolist())
    for y in {*form.reports(), *counts}:
        units = form.probability(x, y) * space
        if units != counts[y]:
            raise CheckFailed(
                f"{form.name} with {form.word_bits}-bit words: report {y} of value {x} is drawn by {counts[y]} "
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


REPORTS = 300
"""Reports made to check each law."""


class CountingSource:
    """A source that passes on another's words and counts how many were taken."""

    def __init__(self, source: Stream | ReplayStream) -> None:
        self.source = source
        self.taken = 0

    def take(self, count: int) -> list[int]:
        """The next words, counted."""
        self.taken += count
        return self.source.take(count)

    def fill(self, count: int) -> NDArray[np.uint64]:
        """The next words, counted."""
        self.taken += count
        return self.source.fill(count)


def some_values(size: int, count: int, seed: int) -> NDArray[np.int64]:
    """`count` value numbers that include the first, the last and random others."""
    values = np.random.default_rng(seed).integers(0, size, size=count)
    values[:2] = 0, size - 1
    return values


def as_integers(reports: NDArray[Any]) -> list[int]:
    """The reports of a bulk engine as whole numbers."""
    if reports.ndim == 1:
        return [int(y) for y in reports]
    return [sum(int(word) << 64 * i for i, word in enumerate(row)) for row in reports]


def check_equal_words(mechanism: Mechanism, *, seed: int = 1) -> None:
    """Every value and outcome takes exactly `words` words; with one fewer there is no report."""
    words = mechanism.sampler.words
    values = some_values(mechanism.context.size, 30, seed)
    for number, x in enumerate(values):
        source = CountingSource(seeded(seed + number))
        mechanism.randomize_index(int(x), source)
        if source.taken != words:
            raise CheckFailed(f"{mechanism.name}: value {x} took {source.taken} words; it must take {words}")
    source = CountingSource(seeded(seed))
    mechanism.randomize_indices(values, source)
    if source.taken != words * len(values):
        raise CheckFailed(
            f"{mechanism.name}: {len(values)} reports in bulk took {source.taken} words, not {words} each"
        )
    must_refuse(
        lambda: mechanism.randomize_index(0, replay([0] * (words - 1))),
        RandomnessFailure,
        f"{mechanism.name}: with one word too few it wrote {{}} instead of failing",
    )


def check_scalar_is_vector(mechanism: Mechanism, *, seed: int = 1) -> None:
    """`randomize` one by one and `randomize_indices` write the same reports from the same words, and only reports."""
    values = some_values(mechanism.context.size, min(REPORTS, max(8, 200_000 // mechanism.sampler.words)), seed)
    alone = seeded(seed)
    one_by_one = [mechanism.randomize_index(int(x), alone) for x in values]
    in_bulk = as_integers(mechanism.randomize_indices(values, seeded(seed)))
    for at, (one, many) in enumerate(zip(one_by_one, in_bulk, strict=True)):
        if one != many:
            raise CheckFailed(f"{mechanism.name}: report {at} of value {values[at]} is {one} alone and {many} in bulk")
        if not mechanism.sampler.is_report(one):
            raise CheckFailed(f"{mechanism.name}: value {values[at]} wrote {one}, which is_report denies")
    stream = seeded(seed)
    cut = len(values) // 3
    parts = [*as_integers(mechanism.randomize_indices(values[:cut], stream))]
    parts += as_integers(mechanism.randomize_indices(values[cut:], stream))
    if parts != in_bulk:
        raise CheckFailed(f"{mechanism.name}: reports made in two batches differ from those made in one")
