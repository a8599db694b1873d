"""The same sampler on a word space small enough to run through completely."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from ..core.errors import InvalidInput
from ..mechanisms.sampler import Sampler

WIDTHS = (6, 8, 10)
"""The widths that are run whenever possible."""

OTHERS = (12, 14, 16, 18, 20, 5, 4, 3, 2, 1)
"""Widths tried in turn where none of `WIDTHS` works."""

LARGEST = 20
"""The most bits, over all words of a report together, that are run through completely."""

EPSILONS = (Fraction(1), Fraction(2), Fraction(4))
"""Epsilons tried in turn where so few words cannot realise the sampler's own."""

Factory = Callable[[int], Sampler]
"""A function from a word width to the sampler rebuilt at that width."""


def narrow(sampler: Sampler, word_bits: int, *, epsilon: Fraction | None = None) -> Sampler:
    """The sampler rebuilt with words of `word_bits` bits, see `Sampler.with_word_bits`.

    One made in another way needs its own factory: ``check_mechanism(mechanism, factory=lambda word_bits: ...)``.
    """
    return sampler.with_word_bits(word_bits, epsilon)


def small_forms(sampler: Sampler, factory: Factory | None) -> Iterator[Sampler]:
    """The forms to run completely: all of `WIDTHS` that work, or else the first width that does."""
    found = False
    for width in (*WIDTHS, *OTHERS):
        if width not in WIDTHS and found:
            return
        form = _small(sampler, factory, width)
        if form is not None:
            found = True
            yield form


def _small(sampler: Sampler, factory: Factory | None, width: int) -> Sampler | None:
    for epsilon in (None, *EPSILONS):
        try:
            form = factory(width) if factory else narrow(sampler, width, epsilon=epsilon)
            if form.words * width <= LARGEST and form.is_identifiable:
                return form
        except (InvalidInput, ZeroDivisionError):  # too few words for this epsilon or this many values
            continue
    return None
