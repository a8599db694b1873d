"""Uniform subsets by Floyd's algorithm, with draws that share words.

Draw j of d, j = 0 .. d-1, takes t uniform below ``first + j`` and adds t, or ``first + j - 1`` if t is already in.
Neighbouring draws share a word, cut into as many parts as the product of their ranges, as long as the parts stay
even; a draw from a very long range takes two words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

from ...core.arithmetic import Arithmetic
from ...core.errors import InvalidInput
from ...core.exact import ceil_div
from ..law import WORD_BITS

WIDE = 1 << 17
"""From this range on, a draw takes two words, so that the unevenness of many draws stays invisible."""

MAX_OUTCOMES = 1 << 20
"""The most outcomes of all draws together whose law is written out."""

Steps: TypeAlias = tuple[tuple[int, int], ...]
"""For each step: how many draws share its words, and how many words they take."""


def steps_of(first: int, d: int, word_bits: int) -> Steps:
    """Share words between draws as long as the parts of a word stay even to 2**-40 (of 64 bits)."""
    limit = 1 << word_bits * 3 // 8
    steps: list[tuple[int, int]] = []
    room = 0
    for size in range(first, first + d):
        if size <= room:
            count, words = steps[-1]
            steps[-1] = count + 1, words
        else:
            steps.append((1, 2 if word_bits == WORD_BITS and size > WIDE else 1))
            room = limit
        room //= size
    return tuple(steps)


def is_plan(steps: Steps, d: int) -> bool:
    """True if the steps make d draws: up to 64 of them from one word, or a single one from two."""
    if any(len(step) != 2 for step in steps):
        return False
    shared = all(1 <= count <= 64 and (words == 1 or (words, count) == (2, 1)) for count, words in steps)
    return shared and sum(count for count, _ in steps) == d


def words_of(steps: Steps) -> int:
    """The number of words that all steps take."""
    return sum(words for _, words in steps)


def ranges(first: int, steps: Steps) -> Iterator[tuple[range, int]]:
    """For each step, the ranges of its draws and the number of words it takes."""
    for count, words in steps:
        yield range(first, first + count), words
        first += count


def evenness(first: int, steps: Steps, word_bits: int) -> Fraction:
    """A lower bound on the product of smallest over largest part of each word: 1 - sum(parts / words)."""
    units = 0
    for sizes, words in ranges(first, steps):
        total = math.prod(sizes)
        if total & (total - 1) or total > 1 << word_bits * words:
            units += total << word_bits * (2 - words)
    uneven = Fraction(units, 1 << 2 * word_bits)
    if uneven >= 1:
        raise InvalidInput(f"word_bits={word_bits} is too few for this many draws")
    return 1 - uneven


def draws(first: int, steps: Steps, words: Sequence[Any], ops: Arithmetic) -> Iterator[tuple[int, Any]]:
    """Each draw's range and its outcome, taken from the words in turn."""
    used = 0
    for sizes, taken in ranges(first, steps):
        if taken == 2:
            yield sizes[0], ops.wide_position(words[used], words[used + 1], sizes[0])
        else:
            u = words[used]
            for size in sizes:
                yield size, ops.position(u, size)
                u = ops.fraction(u, size)
        used += taken


@lru_cache(maxsize=32)
def set_law(first: int, steps: Steps, word_bits: int, *, skip: int) -> dict[int, Fraction]:
    """The exact law of the drawn set when the first `skip` draws are left out (small cases only)."""
    plan = list(ranges(first, steps))
    if math.prod(size for sizes, _ in plan for size in sizes) > MAX_OUTCOMES:
        raise InvalidInput(f"sets of {sum(len(sizes) for sizes, _ in plan)} draws are too many to write out")
    weights = []
    for sizes, words in plan:
        total, space = math.prod(sizes), 1 << word_bits * words
        weights.append([ceil_div((i + 1) * space, total) - ceil_div(i * space, total) for i in range(total)])
    law: dict[int, int] = {}
    for joint in product(*(range(len(part)) for part in weights)):
        chosen: list[tuple[int, int]] = []
        for (sizes, _), index in zip(plan, joint, strict=True):
            digits = []
            for size in reversed(sizes):
                index, digit = divmod(index, size)
                digits.append((size, digit))
            chosen += reversed(digits)
        members = 0
        for size, t in chosen[skip:]:
            members |= 1 << (size - 1 if members >> t & 1 else t)
        weight = math.prod(part[i] for part, i in zip(weights, joint, strict=True))
        law[members] = law.get(members, 0) + weight
    space = 1 << word_bits * words_of(steps)
    return {members: Fraction(weight, space) for members, weight in law.items()}
