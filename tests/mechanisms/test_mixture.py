"""Mixtures: a coin that does not depend on the value, then one of several samplers."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidInput
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.composed.high_low import HighLowResponse
from discreet.mechanisms.composed.mixture import Mixture
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.subset import Subset
from discreet.wire import Spec

CONTEXT = dc.Context.high_low(range(6), [1, 2, 3, 5], "1")
QUARTER = 1 << 62


def parts(*sizes: int) -> list[HighLowResponse]:
    return [HighLowResponse(6, CONTEXT.sensitive, Subset(4, Fraction(1), d=d), Fraction(1)) for d in sizes]


def mixture(units: tuple[int, ...] = (QUARTER, 3 * QUARTER)) -> Mechanism:
    return Mechanism(CONTEXT, Mixture(parts(1, 2), units, [1 / 6] * 6))


def test_it_passes_the_conformance_suite() -> None:
    check_mechanism(mixture())


def test_its_law_is_the_weighted_law_of_its_parts() -> None:
    mechanism = mixture()
    first, second = mechanism.sampler.parts
    for x in range(6):
        assert sum(mechanism.channel()[x]) == 1
        for y in first.reports():
            assert mechanism.sampler.probability(x, y) == first.probability(x, y) / 4
        for y in second.reports():
            assert mechanism.sampler.probability(x, first.outputs + y) == second.probability(x, y) * 3 / 4
    assert mechanism.sampler.probability(0, -1) == mechanism.sampler.probability(0, 1 << 20) == 0


def test_its_certificate_is_the_worst_of_its_parts() -> None:
    worst = max(Mechanism(CONTEXT, part).certificate.ratio for part in parts(1, 2))
    assert mixture().certificate.ratio <= worst
    assert mixture().certificate.realised <= 1


def test_the_coin_does_not_depend_on_the_value() -> None:
    """Exactly: each part has the same total chance whatever the value."""
    mechanism = mixture()
    border = mechanism.sampler.offsets[1]
    columns = mechanism.reports()
    for row in mechanism.channel():
        assert sum(chance for y, chance in zip(columns, row, strict=True) if y < border) == Fraction(1, 4)


def test_it_goes_over_the_wire_with_its_prior() -> None:
    spec = Spec.of_mechanism(mixture())
    read = Spec.of(spec.as_dict()).mechanism
    assert read.fingerprint == mixture().fingerprint
    assert read.sampler.prior == mixture().sampler.prior
    other = Mechanism(CONTEXT, Mixture(parts(1, 2), (2 * QUARTER, 2 * QUARTER), mixture().sampler.prior))
    assert other.fingerprint != mixture().fingerprint


def test_the_prior_weighs_the_estimate_and_is_no_part_of_the_law() -> None:
    other = Mechanism(CONTEXT, Mixture(parts(1, 2), (QUARTER, 3 * QUARTER), [0.5, *[0.1] * 5]))
    assert other.law() == mixture().law()
    assert other.fingerprint == mixture().fingerprint
    one, two = (decoder_of(made).second_moments(np.full(6, 1 / 6)) for made in (other, mixture()))
    assert not np.allclose(one, two)


@pytest.mark.parametrize("units", [(QUARTER,), (QUARTER, QUARTER), (0, 4 * QUARTER), (-QUARTER, 5 * QUARTER)])
def test_units_are_positive_and_fill_the_word(units: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput, match="units must be positive, one per part, and add up to 2"):
        mixture(units)


def test_reports_out_of_every_part_are_refused() -> None:
    mechanism = mixture()
    assert not mechanism.sampler.is_report(mechanism.sampler.outputs)
    with pytest.raises(dc.errors.InvalidReport):
        mechanism.tally([0])  # an empty set: no part of fixed size writes it
    with pytest.raises(dc.errors.InvalidReport):
        mechanism.tally([mechanism.sampler.outputs])


def test_it_is_rebuilt_from_its_description() -> None:
    context, shares = dc.Context.high_low(range(20), range(3), "1"), [0.02 / 3] * 3 + [0.98 / 17] * 17
    made = dc.mechanism(context, prior=shares)
    told = made.sampler.describe()
    again = dc.mechanism(context, "mixture", parts=told["parts"], units=told["units"], prior=told["prior"])
    assert again.fingerprint == made.fingerprint
    for wrong in ({"parts": told["parts"]}, {"parts": told["parts"], "units": [1, 2]}):
        with pytest.raises(InvalidInput):
            dc.mechanism(context, "mixture", **wrong)


def test_its_parts_must_fit_together() -> None:
    three, four = Subset(3, Fraction(1), d=1), Subset(4, Fraction(1), d=1)
    halves = [1 << 63, 1 << 63]
    with pytest.raises(InvalidInput, match="one size"):
        Mixture([three, four], halves, [1 / 3] * 3)
    around = [HighLowResponse(5, chosen, three, Fraction(1)) for chosen in ((0, 1, 2), (1, 2, 3))]
    with pytest.raises(InvalidInput, match="alike"):
        Mixture(around, halves, [0.2] * 5)


def wide(size: int = 80, sensitive: int = 70) -> Mechanism:
    told = [{"name": "subset", "d": d} for d in (2, 20)]
    context = dc.Context.high_low(range(size), range(sensitive), "1")
    return dc.mechanism(context, "mixture", parts=told, units=[1 << 63, 1 << 63])


@pytest.mark.parametrize("sensitive", [62, 63, 64, 70, 128, 129])
def test_reports_of_many_words_are_drawn_counted_and_read_alike_one_by_one_and_together(sensitive: int) -> None:
    mechanism = wide(sensitive + 10, sensitive)
    people = [0, 1, sensitive - 1, sensitive, sensitive + 9] * 20
    together = mechanism.randomize_many(people, dc.random.seeded(5))
    source = dc.random.seeded(5)
    alone = [mechanism.randomize_index(x, source) for x in people]
    assert Spec.of_mechanism(mechanism).mechanism.fingerprint == mechanism.fingerprint
    decoder = decoder_of(mechanism)
    counts = np.zeros(decoder.cells)
    for y in alone:
        assert mechanism.sampler.is_report(y)
        counts[list(decoder.cells_of(y))] += 1
    assert mechanism.tally(together).counts.tolist() == counts.tolist()
    assert mechanism.tally(together).n == len(people)
    assert mechanism.bits == (mechanism.sampler.outputs - 1).bit_length()
    assert not mechanism.sampler.is_report(mechanism.sampler.outputs)


def test_values_with_equal_prior_shares_are_exchangeable() -> None:
    made = Mixture(parts(1, 2), (QUARTER, 3 * QUARTER), [0.3, 0.1, 0.1, 0.2, 0.2, 0.1])
    assert list(decoder_of(made).exchangeable) == [0, 1, 1, 2, 3, 1]
    assert list(decoder_of(mixture()).exchangeable) == [1, 0, 0, 0, 1, 0]
