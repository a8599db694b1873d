"""Each law of the suite catches the fault it is there for."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context, checks
from discreet.bulk.randomizing import randomize_indices
from discreet.checks import CheckFailed, check_mechanism
from discreet.core.errors import PrivacyViolation
from discreet.estimation.decoders import DECODERS, Decoder
from discreet.estimation.decoders.two_level import RandomizedResponseDecoder
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.sampler import RatioBound
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse, ResponseLaw
from discreet.mechanisms.uniform.subset import Subset

CONTEXT = Context.uniform(range(5), "1")
ONE = Fraction(1)


def made(kind, **parameters):
    return Mechanism(CONTEXT, kind(5, ONE, **parameters))


class SkewedSampler(RandomizedResponse):
    """A threshold off by one unit."""

    def draw(self, x, words, ops):
        (u,) = words[:1]
        unit = self.law.low * self.scale
        lie = ops.less(u, (self.size - 1) * unit + self.scale)
        other = ops.divide(u, unit)
        return ops.select(lie, other + ops.at_least(other, x), x) % self.size


class LeakyMiss(Subset):
    """A miss that can still draw the own value."""

    def draw(self, x, words, ops):
        return super().draw(ops.select(ops.equal(x, 4), 3, x), words, ops)


class WrongSum(RandomizedResponse):
    def probability(self, x, y):
        return super().probability(x, y) + (Fraction(1, 2**70) if x == y == 2 else 0)


class ShyReports(RandomizedResponse):
    def is_report(self, y):
        return super().is_report(y) and y != 3


class Unsorted(RandomizedResponse):
    def reports(self):
        return [1, 0, 2, 3, 4]


class TrustingReports(RandomizedResponse):
    def check_report(self, y):
        return y


class UnderstatedRatio(RandomizedResponse):
    def ratio_bounds(self):
        yield RatioBound(0, 1, self.ratio * Fraction(99, 100))


class OverstatedRatio(RandomizedResponse):
    def ratio_bounds(self):
        yield RatioBound(0, 1, self.ratio * Fraction(1000001, 1000000))


class Biased(RandomizedResponseDecoder):
    def decode(self, counts):
        return super().decode(counts) * (1 + 1e-9)


class DoubleTotals(RandomizedResponseDecoder):
    def total(self, counts):
        return 2 * super().total(counts)

    def decode(self, counts):
        return (counts - self.q * super().total(counts)) / self.gap


class WrongMoment(RandomizedResponseDecoder):
    def second_moments(self, shares):
        return super().second_moments(shares) * 1.000001


class WrongCross(RandomizedResponseDecoder):
    def cross_moment(self, shares, first, second):
        return super().cross_moment(shares, first, first)


class WrongExpectedCounts(RandomizedResponseDecoder):
    def expected_counts(self, shares):
        return shares


class WrongExpectedAdjoint(RandomizedResponseDecoder):
    def expected_counts_adjoint(self, weights):
        return weights


class WrongDerivative(RandomizedResponseDecoder):
    def second_moment_derivative(self, shares):
        return super().second_moment_derivative(shares) + 1


class WrongReach(RandomizedResponseDecoder):
    def reach(self):
        least, most = super().reach()
        return least, most * (1 + 1e-6)


class WrongSquares(RandomizedResponseDecoder):
    def square_sums(self, counts):
        return super().square_sums(counts) * (1 + 1e-6)


class WrongAdjoint(RandomizedResponseDecoder):
    def decode_adjoint(self, weights):
        return super().decode_adjoint(weights) * (1 + 1e-9)


class WrongUnitWeights(RandomizedResponseDecoder):
    def unit_weights(self):
        return 2 * super().unit_weights()


class WrongGather(RandomizedResponseDecoder):
    def gather(self, entries, reports, start):
        return super().gather(entries, reports, start)[::-1]


class TrustingGather(RandomizedResponseDecoder):
    def gather(self, entries, reports, start):
        return super().gather(entries, reports % 5, start)


class WrongColumns(RandomizedResponseDecoder):
    def likelihoods(self, reports):
        return super().likelihoods(reports) + 1e-6


class NegativeColumns(RandomizedResponseDecoder):
    def likelihoods(self, reports):
        return -super().likelihoods(reports)


class LostCell(RandomizedResponseDecoder):
    def count(self, counts, reports, start):
        super().count(counts, reports % 4, start)


class OutOfRange(RandomizedResponse):
    def draw(self, x, words, ops):
        return super().draw(x, words, ops) + 5


class SplitPersonality(RandomizedResponse):
    """Another report in bulk than alone."""

    def draw(self, x, words, ops):
        drawn = super().draw(x, words, ops)
        return drawn if isinstance(drawn, int) else (drawn + 1) % 5


class StatefulSampler(RandomizedResponse):
    """Reports that depend on how the batch is cut."""

    def draw(self, x, words, ops):
        drawn = super().draw(x, words, ops)
        return drawn if isinstance(drawn, int) or len(drawn) == 300 else drawn[::-1]


FAULTS = [
    (SkewedSampler, checks.check_every_word, "its law says"),
    (WrongSum, checks.check_channel, "row 2 of the channel adds up to"),
    (ShyReports, checks.check_reports, "report 3 is listed, is_report says False"),
    (Unsorted, checks.check_reports, "once, in order"),
    (TrustingReports, checks.check_reports, "accepts the forged report -2"),
    (UnderstatedRatio, checks.check_pairs, "has the largest ratio"),
    (OverstatedRatio, checks.check_pairs, "ratio_bounds() says 1.00000"),
    (Biased, checks.check_unbiased, "is off by"),
    (DoubleTotals, checks.check_unbiased, "the cells of one report count as 2.0 reports"),
    (WrongMoment, checks.check_moments, "second_moments differs"),
    (WrongCross, checks.check_moments, "cross_moment differs"),
    (WrongExpectedCounts, checks.check_moments, "expected_counts differs"),
    (WrongExpectedAdjoint, checks.check_moments, "expected_counts_adjoint differs"),
    (WrongDerivative, checks.check_moments, "the derivative at 0 is"),
    (WrongReach, checks.check_reach, "the largest coefficient of a report differs"),
    (WrongSquares, checks.check_reach, "square_sums() differs"),
    (WrongAdjoint, checks.check_scores, "decode(counts) . w is off by"),
    (WrongUnitWeights, checks.check_scores, "the sum of `unit_weights` over the cells of a report is off by 1"),
    (WrongGather, checks.check_scores, "what `gather` finds is off by"),
    (TrustingGather, checks.check_scores, "score() accepts the impossible report 5"),
    (WrongColumns, checks.check_columns, "relative to the likeliest value; it is 0.36787944117"),
    (NegativeColumns, checks.check_columns, "none negative"),
    (TrustingGather, checks.check_columns, "columns() accepts the impossible report 5"),
    (LostCell, checks.check_counting, "differs from the cells of its reports"),
    (OutOfRange, checks.check_scalar_is_vector, "which is_report denies"),
    (SplitPersonality, checks.check_scalar_is_vector, "in bulk"),
    (StatefulSampler, checks.check_scalar_is_vector, "made in two batches"),
]


@pytest.mark.parametrize(
    ("kind", "check", "message"), FAULTS, ids=[f"{kind.__name__}-{check.__name__}" for kind, check, _ in FAULTS]
)
def test_a_planted_fault_is_caught_and_the_sound_one_passes(kind, check, message, monkeypatch):
    def subject(kind):
        wide = Context.uniform(range(5), "1.1")  # room for the overstated ratio
        mechanism = Mechanism(wide, kind(5, ONE))
        return mechanism.sampler if check is checks.check_every_word else mechanism

    check(subject(RandomizedResponse))
    sampler = kind
    if issubclass(kind, Decoder):
        monkeypatch.setitem(DECODERS, "response", kind)
        sampler = RandomizedResponse
    with pytest.raises(CheckFailed) as caught:
        check(subject(sampler))
    assert message in str(caught.value)
    assert "randomized_response" in str(caught.value)


def test_a_sampler_whose_integers_and_arrays_differ_is_caught_by_execution():
    class Differs(RandomizedResponse):
        def draw(self, x, words, ops):
            drawn = super().draw(x, words, ops)
            return (drawn + 1) % 5 if isinstance(drawn, int) else drawn

    with pytest.raises(CheckFailed, match="alone and"):
        checks.check_every_word(Differs(5, ONE))


def test_a_miss_that_draws_the_own_value_is_caught():
    checks.check_every_word(Subset(5, ONE, d=2))
    with pytest.raises(CheckFailed, match="its law says"):
        checks.check_every_word(LeakyMiss(5, ONE, d=2))


def test_a_mechanism_that_takes_more_words_for_one_value_is_caught():
    mechanism = made(RandomizedResponse)

    class Greedy(Mechanism):
        def randomize_index(self, x, rng):
            rng.take(int(x == 4))
            return super().randomize_index(x, rng)

        def randomize_indices(self, indices, rng):
            rng.fill(self.extra)
            return super().randomize_indices(indices, rng)

    greedy = Greedy(CONTEXT, mechanism.sampler)
    greedy.extra = 0
    with pytest.raises(CheckFailed, match="value 4 took 2 words; it must take 1"):
        checks.check_equal_words(greedy)
    greedy.extra = 1
    greedy.randomize_index = mechanism.randomize_index
    with pytest.raises(CheckFailed, match="in bulk took 31 words"):
        checks.check_equal_words(greedy)


def test_a_mechanism_that_reports_without_randomness_is_caught():
    class Careless(Mechanism):
        def randomize_index(self, x, rng):
            try:
                return super().randomize_index(x, rng)
            except dc.errors.RandomnessFailure:
                return x

    with pytest.raises(CheckFailed, match="with one word too few it wrote 0"):
        checks.check_equal_words(Careless(CONTEXT, RandomizedResponse(5, ONE)))


def test_tallies_that_forget_are_caught(monkeypatch):
    from discreet.estimation.tally import Tally

    mechanism = made(RandomizedResponse)
    checks.check_merging(mechanism)
    monkeypatch.setattr(Tally, "__add__", lambda self, other: self)
    with pytest.raises(CheckFailed, match="break the law: a \\+ b = b \\+ a"):
        checks.check_merging(mechanism)


def test_lists_counted_otherwise_than_arrays_are_caught(monkeypatch):
    mechanism = made(RandomizedResponse)
    sound = mechanism.tally
    monkeypatch.setattr(
        mechanism, "tally", lambda reports: sound(reports[:-1] if isinstance(reports, list) else reports)
    )
    with pytest.raises(CheckFailed, match="a list of integers differs"):
        checks.check_counting(mechanism)


def test_a_mechanism_that_its_spec_does_not_tell_is_passed_over_and_a_wrong_report_is_caught(monkeypatch):
    from discreet import wire
    from discreet.estimation import tally

    assert checks.check_round_trips(made(RandomizedResponse))
    other = made(Subset, d=4)
    assert checks.check_round_trips(other)
    monkeypatch.setattr(wire, "report_from_json", lambda mechanism, data: int(data) + 1)
    with pytest.raises(CheckFailed, match="comes back from JSON as"):
        checks.check_round_trips(other)
    monkeypatch.undo()
    monkeypatch.setattr(tally, "parse_tally", lambda mechanism, text: mechanism.tally())
    with pytest.raises(CheckFailed, match="a tally comes back changed"):
        checks.check_round_trips(other)


def test_a_spec_that_gives_another_law_is_caught(monkeypatch):
    from discreet.wire import Spec

    class Lying:
        mechanism = made(Subset, d=3)

    monkeypatch.setattr(Spec, "of_mechanism", classmethod(lambda cls, mechanism: Lying))
    with pytest.raises(CheckFailed, match="read back from its spec is a different one"):
        checks.check_round_trips(made(Subset, d=4))


def test_a_randomizer_of_ones_own_without_a_spec_is_still_checked():
    class MineLaw(ResponseLaw):
        kind = "mine"

    class Mine(RandomizedResponse):
        name = "mine"

        def follow(self, law):
            super().follow(MineLaw(law.size, law.low, law.high, law.spare, law.word_bits))

    done = check_mechanism(made(Mine))
    assert "round trips" not in done
    assert "every word" in done
    assert made(Mine).fingerprint != made(RandomizedResponse).fingerprint


def test_a_factory_rebuilds_a_randomizer_of_ones_own():
    class Mine(RandomizedResponse):
        name = "mine"

        def __init__(self, *, word_bits=64):
            super().__init__(5, ONE, word_bits=word_bits)

    assert checks.check_every_word(Mine(), factory=lambda word_bits: Mine(word_bits=word_bits)) == 3
    with pytest.raises(TypeError):
        checks.check_every_word(Mine())


def test_a_channel_with_one_unit_too_many_is_refused_and_a_verifier_that_lets_it_pass_is_caught(monkeypatch):
    from discreet.checks import law

    mechanism = made(RandomizedResponse)
    checks.check_certificate(mechanism)
    monkeypatch.setattr(law, "verify", lambda subject, *, context=None: mechanism.certificate)
    with pytest.raises(CheckFailed, match="with one unit too many"):
        checks.check_certificate(mechanism)


def test_a_certificate_above_its_claim_is_caught(monkeypatch):
    from dataclasses import replace

    from discreet.checks import law

    mechanism = made(RandomizedResponse)
    above = replace(mechanism.certificate, ratio=mechanism.certificate.ratio * 2)
    monkeypatch.setattr(law, "verify", lambda subject, *, context=None: above)
    with pytest.raises(CheckFailed, match="is above"):
        checks.check_certificate(mechanism)


def test_a_mechanism_with_an_understated_certificate_fails_when_its_channel_is_written_out():
    hot = RandomizedResponse(5, Fraction(2))

    class Lying(RandomizedResponse):
        def ratio_bounds(self):
            yield RatioBound(0, 1, Fraction(2))

    lying = Mechanism(CONTEXT, Lying(5, Fraction(2)))
    with pytest.raises(PrivacyViolation):
        checks.check_certificate(lying)
    with pytest.raises(PrivacyViolation):
        Mechanism(CONTEXT, hot)


class TestEngines:
    mechanism = made(Subset, d=2)

    def test_the_reference_passes(self):
        checks.check_engine(randomize_indices, self.mechanism)
        wide = dc.mechanism(Context.uniform(range(70), "1"), "subset")
        checks.check_engine(randomize_indices, wide, n=50)

    @pytest.mark.parametrize(
        ("engine", "message"),
        [
            (lambda r, x, rng: randomize_indices(r, x, rng)[::-1].copy(), "by the reference and"),
            (lambda r, x, rng: randomize_indices(r, x, rng).astype(np.uint64), "the engine gives uint64"),
            (lambda r, x, rng: randomize_indices(r, np.clip(np.asarray(x, int), 0, 4), rng), "randomizes the index -1"),
        ],
    )
    def test_another_is_caught(self, engine, message):
        with pytest.raises(CheckFailed, match=message):
            checks.check_engine(engine, self.mechanism)
