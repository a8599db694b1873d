"""Laws of subsets drawn by Floyd's algorithm: which draws share a word, and how uneven that makes them."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from discreet.core.arithmetic import INTEGERS
from discreet.core.errors import InvalidInput
from discreet.mechanisms.uniform.floyd import draws, evenness, is_plan, ranges, set_law, steps_of, words_of


@pytest.mark.parametrize("width", [3, 6, 10, 64])
def test_the_evenness_of_words_is_a_lower_bound_on_smallest_over_largest_parts(width):
    for first, d in ((3, 1), (5, 3), (4, 1), (1, 1)):
        steps, space, exact = steps_of(first, d, width), 1 << width, Fraction(1)
        for sizes, _ in ranges(first, steps):
            total = math.prod(sizes)
            counts = {(i + 1) * space // total - i * space // total for i in {0, total // 2, total - 1}}
            counts |= {space // total, -(-space // total)}
            exact *= Fraction(min(counts), max(counts))
        try:
            assert evenness(first, steps, width) <= exact
        except InvalidInput:
            assert exact < 1


@pytest.mark.parametrize(("first", "d"), [(16, 1), (13, 3)])
def test_words_too_few_for_the_draws_are_refused(first, d):
    with pytest.raises(InvalidInput, match="too few for this many draws"):
        evenness(first, steps_of(first, d, 3), 3)


@pytest.mark.parametrize(("first", "d"), [(2, 3), (4, 2), (1, 4)])
def test_every_word_run_gives_exactly_the_law_of_the_sets(first, d):
    width = 6
    steps = steps_of(first, d, width)
    drawn = Counter()
    for words in product(range(1 << width), repeat=words_of(steps)):
        members = 0
        for size, t in draws(first, steps, [word << 64 - width for word in words], INTEGERS):
            members |= 1 << (size - 1 if members >> t & 1 else t)
        drawn[members] += 1
    space = 1 << width * words_of(steps)
    assert {members: units * space for members, units in set_law(first, steps, width, skip=0).items()} == drawn


def test_a_plan_makes_as_many_draws_as_asked_and_shares_only_single_words():
    assert is_plan(steps_of(5, 7, 64), 7)
    assert not is_plan(steps_of(5, 7, 64), 8)
    assert is_plan(((1, 2), (3, 1)), 4)
    assert not is_plan(((2, 2),), 2)
    assert not is_plan(((1, 0), (1, 1)), 2)
    assert not is_plan(((0, 1), (2, 1)), 2)
