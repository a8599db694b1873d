"""The few operations on words in which every sampler is written.

A sampler is written once, in terms of an `Arithmetic`, and runs on plain integers for one
report (`INTEGERS`, standard library only) and on NumPy arrays for many
(`discreet.estimation.arrays.arithmetic.Arrays`). Both give the same report for the same words, word for word,
because they run the same code. Flags are 0 or 1; `select` picks without branching. Both sides of a choice are
computed, from numbers of one length, since longer integers take longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

MASK = (1 << 64) - 1

Draw: TypeAlias = Callable[[Any, Sequence[Any]], Any]
"""From value numbers and their words to reports, for one `Arithmetic`."""


class Arithmetic:
    """Operations on unsigned 64-bit words, here as plain Python integers, one report at a time.

    `discreet.estimation.arrays.arithmetic.Arrays` has the same operations on arrays of words.
    """

    def position(self, u: Any, below: int) -> Any:
        """``floor(u * below / 2**64)``: a number below `below`, ``below < 2**32``."""
        return u * below >> 64

    def fraction(self, u: Any, below: int) -> Any:
        """``u * below mod 2**64``: what `position` left over, itself a word."""
        return u * below & MASK

    def less(self, u: Any, bound: int) -> Any:
        """1 where ``u < bound``, for any bound in ``0 .. 2**64``."""
        return u < bound

    def divide(self, u: Any, by: int) -> Any:
        """``floor(u / by)``; any number at all for a difference u that is below zero."""
        return (u + (by << 64)) // by - (MASK + 1)

    def equal(self, a: Any, b: Any) -> Any:
        """1 where ``a == b``."""
        return a == b

    def at_least(self, a: Any, b: Any) -> Any:
        """1 where ``a >= b``."""
        return a >= b

    def select(self, flag: Any, a: Any, b: Any) -> Any:
        """`a` where the flag is 1, `b` where it is 0, without a branch."""
        return (b, a)[flag]

    def look_up(self, table: Sequence[int], i: Any) -> Any:
        """``table[i]``."""
        return table[i]

    def parity(self, u: Any) -> Any:
        """1 where the number of set bits is odd."""
        return u.bit_count() & 1

    def rank(self, rows: Sequence[Sequence[int]], x: Any, u: Any) -> Any:
        """How many of the increasing bounds ``rows[x]`` are at most `u`; the last bound is ``2**64``."""
        return sum(bound <= u for bound in rows[x])

    def empty_set(self, like: Any, size: int) -> Any:
        """An empty set of numbers below `size`, one per element of `like`."""
        return bytearray(b"0") * size

    def contains(self, members: Any, i: Any) -> Any:
        """1 where the set has `i`."""
        return members[i] & 1

    def insert(self, members: Any, i: Any, flag: Any) -> Any:
        """The set with `i` added where the flag is 1."""
        members[i] |= flag
        return members

    def set_report(self, members: Any, size: int) -> Any:
        """The set as a report: the integer whose bit i says whether i is a member."""
        return int(members[::-1], 2)

    def standing(self, report: Any, i: Any, size: int) -> tuple[Any, Any]:
        """1 where a set of numbers below `size`, as a report, has `i`, and how many of its members are below `i`."""
        bits = [report >> j & 1 for j in range(size)]
        return bits[i], sum(bit & (j < i) for j, bit in enumerate(bits))

    def wide_position(self, u: Any, v: Any, below: int) -> Any:
        """``floor((2**64 u + v) * below / 2**128)``: `position` in a word of 128 bits."""
        return (u << 64 | v) * below >> 128

    def choose(self, kind: Any, draws: Sequence[Draw], x: Any, words: Sequence[Any], bits: int) -> Any:
        """``draws[kind](x, words)``, with room for reports of `bits` bits."""
        return int(draws[kind](x, words))

    def place(self, report: Any, offsets: Sequence[int], block: Any) -> Any:
        """``offsets[block] + report``."""
        return offsets[block] + report

    def beside(self, report: Any, other: Any, at: int, bits: int) -> Any:
        """``report + 2**at * other``, with room for `bits` bits; the report is below ``2**at``."""
        return report + (other << at)

    def widen(self, report: Any, bits: int) -> Any:
        """The same report, with room for `bits` bits."""
        return report

    def pass_on(self, report: Any, passes: Any, place: Any, base: int) -> Any:
        """``base + place`` where the flag is 1, else the report."""
        return self.select(passes, base + place, report)


INTEGERS = Arithmetic()
