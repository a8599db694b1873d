"""Bugs in the law or in the sampler: each is refused by the certificate or by running the sampler over every word.

They are too small, or too well hidden, for any number of samples; the correct forms pass the same checks.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet.bulk.randomizing import randomize_indices
from discreet.bulk.words import replay
from discreet.checks import check_engine, check_equal_words, check_every_word, check_pairs
from discreet.core.arithmetic import INTEGERS, MASK
from discreet.core.errors import CheckFailed, PrivacyViolation
from discreet.core.exact import exp_below
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.sampler import RatioBound
from discreet.mechanisms.tables.table import Table
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset
from discreet.mechanisms.uniform.unary import Unary

ONE = Fraction(1)
WORDS = 1 << 64


def uniform(k, epsilon="1"):
    return dc.Context.uniform(range(k), epsilon)


def response(k, truth):
    """The channel of k-ary randomized response that is true with the chance given."""
    lie = (1 - Fraction(truth)) / (k - 1)
    return [[Fraction(truth) if x == y else lie for y in range(k)] for x in range(k)]


def exact_truth(k, epsilon):
    e = exp_below(Fraction(epsilon))
    return e / (e + k - 1)


# -- certificate -------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 10])
def test_the_exact_response_is_certified(k):
    assert dc.verify(response(k, exact_truth(k, 1)), context=uniform(k)).gap < 1e-60


def test_an_epsilon_rounded_to_two_digits_is_refused():
    with pytest.raises(PrivacyViolation, match="leaks"):
        dc.verify(response(5, exact_truth(5, Fraction("1.00"))), context=uniform(5, "0.996"))


def test_a_threshold_of_eight_bits_is_refused():
    rounded = Fraction(round(256 * exact_truth(2, 3)), 256)
    with pytest.raises(PrivacyViolation, match="leaks"):
        dc.verify(response(2, rounded), context=uniform(2, "3"))
    dc.verify(response(2, Fraction(math.floor(256 * exact_truth(2, 3)), 256)), context=uniform(2, "3"))  # rounded down


def test_a_threshold_in_floating_point_is_refused_where_it_rounds_up():
    refused = 0
    for tenth in range(1, 60):
        e = math.exp(tenth / 10)
        truth = Fraction(e / (e + 1))  # exactly what `random() < p` compares with
        try:
            dc.verify(response(2, truth), context=uniform(2, str(tenth / 10)))
        except PrivacyViolation:
            refused += 1
    assert refused > 10  # about half of them round up


def test_one_unit_of_2_to_the_64_too_many_is_refused():
    honest = RandomizedResponse(2, ONE)
    truth = int(honest.high * WORDS)
    Mechanism(uniform(2), Table([[truth, WORDS - truth], [WORDS - truth, truth]]))
    with pytest.raises(PrivacyViolation, match="leaks"):
        Mechanism(uniform(2), Table([[truth + 1, WORDS - truth - 1], [WORDS - truth - 1, truth + 1]]))


def test_a_miss_that_can_still_draw_the_value_is_refused():
    k = 10
    hit = exact_truth(k, 1)
    rows = [[hit * (x == y) + (1 - hit) / k for y in range(k)] for x in range(k)]
    with pytest.raises(PrivacyViolation, match=r"leaks 1\.39"):
        dc.verify(rows, context=uniform(k))


def test_a_lie_drawn_modulo_is_refused():
    k = 100
    hit = exact_truth(k, 1)
    bytes_of = [sum(byte % (k - 1) == lie for byte in range(256)) for lie in range(k - 1)]  # three or two of 256
    rows = [[(1 - hit) * Fraction(bytes_of[y - (y > x)], 256) if x != y else hit for y in range(k)] for x in range(k)]
    with pytest.raises(PrivacyViolation, match=r"leaks 1\.25"):
        dc.verify(rows, context=uniform(k))


def test_a_report_that_only_one_value_writes_is_refused():
    truth = Fraction(7, 10)
    rows = [[truth, 1 - truth, 0, 0], [0, 0, truth, 1 - truth]]  # truth and lie written as different types
    with pytest.raises(PrivacyViolation, match="for certain"):
        dc.verify(rows, context=uniform(2))


# -- every word --------------------------------------------------------------------------------------


class OffByOneWord(RandomizedResponse):
    """``<=`` where ``<`` is meant: one word in 2**64 changes sides."""

    def draw(self, x, words, ops):
        (u,) = words[:1]
        unit = self.law.low * self.scale
        lie = ops.less(u, (self.size - 1) * unit + self.scale)
        other = ops.divide(u, unit)
        other = ops.select(ops.at_least(other, self.size - 1), self.size - 2, other)
        return ops.select(lie, other + ops.at_least(other, x), x)


class RowZero(Hadamard):
    """Row x for row x+1: the first value gets the row of ones."""

    def draw(self, x, words, ops):
        (u,) = words[:1]
        column = ops.position(u, self.outputs)
        lie = 1 - ops.less(ops.fraction(u, self.outputs), self.bound)
        return column ^ ((ops.parity(x & column) ^ lie) * (x & (MASK - x + 1)))


class WrongHalf(Hadamard):
    """A column on the wrong side is moved by its lowest bit, which need not change sides."""

    def draw(self, x, words, ops):
        (u,) = words[:1]
        column = ops.position(u, self.outputs)
        lie = 1 - ops.less(ops.fraction(u, self.outputs), self.bound)
        return column ^ (ops.parity((x + 1) & column) ^ lie)


class OneWordForTwo(Hadamard):
    """Column and lie both from the top bits of the word, so that they go together."""

    def draw(self, x, words, ops):
        (u,) = words[:1]
        row = x + 1
        column = ops.position(u, self.outputs)
        lie = 1 - ops.less(u, int(self.p * WORDS))
        return column ^ ((ops.parity(row & column) ^ lie) * (row & (MASK - row + 1)))


class StillDrawn(Subset):
    """The rest of the set is drawn from all other values but one that is not x, so a miss can still hold x."""

    def draw(self, x, words, ops):
        truth = ops.less(words[0], self.law.true * self.scale)
        miss = super().draw(self.size - 1 - x, words, ops)
        return ops.select(truth, super().draw(x, words, ops), miss)


class NeverCleared(Unary):
    """The own bit is always on."""

    def draw(self, x, words, ops):
        report = super().draw(x, words, ops)
        return ops.insert(report, x, 1)


@pytest.mark.parametrize("honest", [RandomizedResponse, Hadamard, Subset, Unary])
def test_every_word_of_the_honest_sampler_follows_the_law(honest):
    assert check_every_word(honest(5 if honest is not Unary else 3, ONE)) > 0


@pytest.mark.parametrize("planted", [OffByOneWord, RowZero, WrongHalf, OneWordForTwo, StillDrawn, NeverCleared])
def test_some_word_of_a_wrong_sampler_breaks_the_law(planted):
    with pytest.raises(CheckFailed, match="its law says"):
        check_every_word(planted(5 if planted is not NeverCleared else 3, ONE))


# -- words and engines ----------------------------------------------------------------------------


class Impatient(Mechanism):
    """Takes no more words once the answer is known: the number of words tells a hit from a miss."""

    def randomize_index(self, x, rng):
        (first,) = rng.take(1)
        if first < self.sampler.law.true:
            return 1 << x
        return int(self.sampler.draw(x, [first, *rng.take(self.sampler.words - 1)], INTEGERS))


def test_a_sampler_that_stops_early_is_refused():
    check_equal_words(Mechanism(uniform(8), Subset(8, ONE, d=1)))
    with pytest.raises(CheckFailed, match="words; it must take"):
        check_equal_words(Impatient(uniform(8), Subset(8, ONE, d=1)))


def test_an_engine_that_reuses_noise_across_values_is_refused():
    def reuses(sampler, indices, rng):
        same = rng.take(sampler.words)
        return randomize_indices(sampler, indices, replay(same * len(indices)))

    mechanism = dc.mechanism(uniform(10), "hadamard")
    check_engine(randomize_indices, mechanism, n=200)
    with pytest.raises(CheckFailed, match="by the engine"):
        check_engine(reuses, mechanism, n=200)


def test_a_ratio_that_the_randomizer_understates_is_refused():
    class Understated(Table):
        def ratio_bounds(self):
            return (RatioBound(pair.x, pair.z, Fraction(2)) for pair in super().ratio_bounds())

    rows = [[3 * WORDS // 4, WORDS // 4], [WORDS // 4, 3 * WORDS // 4]]
    with pytest.raises(PrivacyViolation):
        Mechanism(uniform(2), Table(rows))
    believed = Mechanism(uniform(2), Understated(rows))
    with pytest.raises(CheckFailed, match=r"ratio_bounds\(\) says"):
        check_pairs(believed)
