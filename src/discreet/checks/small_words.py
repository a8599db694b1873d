"""The same randomizer on a word space small enough to run in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from ..errors import InvalidInput
from ..mechanisms.blocks import Blocks
from ..mechanisms.high_low import HighLow
from ..mechanisms.mixture import Mixture
from ..mechanisms.randomizer import Randomizer
from ..mechanisms.table import Table
from ..mechanisms.utility_rappor import UtilityRappor

WIDTHS = (6, 8, 10)
"""The widths that are run whenever they can be."""

OTHERS = (12, 14, 16, 18, 20, 5, 4, 3, 2, 1)
"""Tried in turn where none of `WIDTHS` will do."""

LARGEST = 20
"""Bits of word space, all words of a report together, that are run in full."""

EPSILONS = (Fraction(1), Fraction(2), Fraction(4))
"""Tried in turn where so few words cannot hold the randomizer's own epsilon."""

Factory = Callable[[int], Randomizer]
"""From a word width to the randomizer rebuilt at it."""


def narrow(randomizer: Randomizer, word_bits: int, *, epsilon: Fraction | None = None) -> Randomizer:
    """The randomizer rebuilt with words of `word_bits` bits, through its constructor.

    A randomizer is rebuilt as ``type(r)(r.size, epsilon, word_bits=..., **parameters)`` with the
    parameters that `describe` tells besides the name; one made otherwise brings its own factory
    (``check_mechanism(mechanism, factory=lambda word_bits: ...)``). A table keeps the shape of its rows.
    """
    if isinstance(randomizer, Blocks):
        parts = {id(part): narrow(part, word_bits, epsilon=epsilon) for part in randomizer.kinds}
        return Blocks(randomizer.block_of, [parts[id(part)] for part in randomizer.inner])
    if isinstance(randomizer, HighLow):
        inner: Any = narrow(randomizer.inner, word_bits, epsilon=epsilon)
        return HighLow(randomizer.size, randomizer.sensitive, inner)
    if isinstance(randomizer, Mixture):
        parts_of = [narrow(part, word_bits, epsilon=epsilon) for part in randomizer.parts]
        units = [max(1, unit >> randomizer.word_bits - word_bits) for unit in randomizer.units]
        units[units.index(max(units))] += (1 << word_bits) - sum(units)
        return Mixture(parts_of, units, randomizer.prior)
    if isinstance(randomizer, UtilityRappor):
        level = randomizer.inner.epsilon if epsilon is None else epsilon
        return UtilityRappor(randomizer.size, randomizer.sensitive, level, word_bits=word_bits)
    if isinstance(randomizer, Table):
        return _narrow_table(randomizer, word_bits)
    kind: Any = type(randomizer)
    parameters = {key: told for key, told in randomizer.describe().items() if key != "name"}
    made: Randomizer = kind(
        randomizer.size,
        getattr(randomizer, "epsilon") if epsilon is None else epsilon,  # noqa: B009 - not every randomizer has one
        word_bits=word_bits,
        **parameters,
    )
    return made


def _narrow_table(table: Table, word_bits: int) -> Table:
    rows = [[unit >> table.word_bits - word_bits for unit in row] for row in table.rows]
    for row in rows:
        row[row.index(max(row))] += (1 << word_bits) - sum(row)
    return Table(rows, word_bits=word_bits)


def small_forms(randomizer: Randomizer, factory: Factory | None) -> Iterator[Randomizer]:
    """The forms to be run in full: all of `WIDTHS` that can be, or else the first that can."""
    found = False
    for width in (*WIDTHS, *OTHERS):
        if width not in WIDTHS and found:
            return
        form = _small(randomizer, factory, width)
        if form is not None:
            found = True
            yield form


def _small(randomizer: Randomizer, factory: Factory | None, width: int) -> Randomizer | None:
    for epsilon in (None, *EPSILONS):
        try:
            form = factory(width) if factory else narrow(randomizer, width, epsilon=epsilon)
            if form.words * width <= LARGEST and (not isinstance(form, HighLow) or form.inner.shown > 0):
                return form
        except (InvalidInput, ZeroDivisionError):  # too few words for this epsilon or this many values
            continue
    return None
