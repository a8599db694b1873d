"""Laws of two levels in one word: low reports, then high ones, then the spare words."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.core.arithmetic import INTEGERS, Arithmetic
from discreet.core.errors import InvalidEpsilon
from discreet.core.exact import exp_below
from discreet.estimation.arrays.arithmetic import ARRAYS
from discreet.mechanisms.composed.cover import NumberedCover
from discreet.mechanisms.uniform.cyclic import Cyclic, Projective
from discreet.mechanisms.uniform.cyclotomic import Cyclotomic

BITS = 12
WORDS = [u << 64 - BITS for u in range(1 << BITS)]
DESIGNS = [
    Projective(5, Fraction(1), word_bits=BITS),
    Projective(9, Fraction(1, 2), family="singer", key=(3, 3), word_bits=BITS),
    Projective(4, Fraction(3), family="trivial", key=(6,), word_bits=BITS),
    Cyclotomic(6, Fraction(1), p=7, d=3, word_bits=BITS),
    Cyclotomic(6, Fraction(2), p=7, d=2, word_bits=BITS),
]

EPSILONS = [Fraction(1), Fraction(1, 2), Fraction(3), Fraction(1), Fraction(2)]


@pytest.fixture(params=DESIGNS, ids=lambda made: f"{made.name}-{made.outputs}")
def made(request: pytest.FixtureRequest) -> Cyclic:
    return request.param  # type: ignore[no-any-return]


def test_every_word_run_gives_exactly_the_stated_law(made: Cyclic) -> None:
    for x in range(made.size):
        drawn = Counter(made.draw(x, [u], INTEGERS) for u in WORDS)
        assert drawn == {y: made.probability(x, y) * (1 << BITS) for y in range(made.outputs)}


def test_many_reports_are_the_same_word_for_word(made: Cyclic) -> None:
    words = np.array(WORDS, dtype=np.uint64)
    for x in range(made.size):
        many = made.draw(np.full(len(WORDS), x, dtype=np.uint64), [words], ARRAYS)
        assert many.tolist() == [made.draw(x, [u], INTEGERS) for u in WORDS]


def test_spare_words_go_to_the_same_reports_whatever_the_value(made: Cyclic) -> None:
    for y in range(made.outputs):
        extra = {
            made.probability(x, y) - (made.high if made.is_supported(x, y) else made.low) for x in range(made.size)
        }
        assert len(extra) == 1


def test_every_value_has_as_many_supporting_reports_and_shares_as_many_with_another(made: Cyclic) -> None:
    sets = [{y for y in range(made.outputs) if made.is_supported(x, y)} for x in range(made.size)]
    assert len({len(one) for one in sets}) == 1
    assert len({len(sets[x] & sets[z]) for x in range(made.size) for z in range(x)}) == 1


def test_ratios_stay_within_the_epsilon(made: Cyclic) -> None:
    epsilon = EPSILONS[DESIGNS.index(made)]
    limit, cover = exp_below(epsilon), NumberedCover(made, NumberedCover.fewest(made, epsilon))
    rows = [[made.probability(x, y) for y in range(made.outputs)] for x in range(made.size)]
    assert max(a / b for one in rows for other in rows for a, b in zip(one, other, strict=True)) <= made.ratio <= limit
    others = [cover.probability(y) for y in range(made.outputs)]
    assert max(a / b for row in rows for a, b in zip(row, others, strict=True)) <= cover.ratio <= limit
    assert sum(others) + cover.disclosing == 1


def test_cover_reports_run_over_every_word_are_the_stated_law(made: Cyclic) -> None:
    cover = NumberedCover(made, NumberedCover.fewest(made, EPSILONS[DESIGNS.index(made)]))
    outcomes = [cover.draw([u], INTEGERS) for u in WORDS]
    hidden = Counter(y for passes, y in outcomes if not passes)
    assert hidden == {y: cover.probability(y) * (1 << BITS) for y in range(made.outputs)}
    assert sum(passes for passes, _ in outcomes) == cover.disclosing * (1 << BITS)


class Twisted(Projective):
    """A sampler that adds one to the value, unlike its stated law: the control."""

    def located(self, x: Any, j: Any, ops: Arithmetic) -> Any:
        moved = super().located(x, j, ops) + 1
        return moved - ops.at_least(moved, self.outputs) * self.outputs


def test_a_sampler_that_is_off_by_one_is_seen() -> None:
    twisted = Twisted(5, Fraction(1), word_bits=BITS)
    drawn = Counter(twisted.draw(0, [u], INTEGERS) for u in WORDS)
    assert drawn != {y: twisted.probability(0, y) * (1 << BITS) for y in range(twisted.outputs)}


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**12), Fraction(60)])
def test_an_epsilon_beyond_the_words_is_refused(epsilon: Fraction) -> None:
    with pytest.raises(InvalidEpsilon, match="beyond what words of 12 bits can certify"):
        Projective(5, epsilon, family="singer", key=(2, 3), word_bits=BITS)


def test_the_table_of_a_design_lists_every_report_once(made: Cyclic) -> None:
    assert sorted(made.table) == list(range(made.outputs))
