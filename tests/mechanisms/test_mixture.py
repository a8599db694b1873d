"""Mixtures: a coin that does not depend on the value, then one of several randomizers."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks import check_mechanism
from discreet.errors import InvalidInput
from discreet.mechanisms.high_low import HighLowResponse
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.mixture import Mixture
from discreet.mechanisms.subset import Subset
from discreet.statistics.numeric import NUMERIC
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
    first, second = mechanism.randomizer.parts
    for x in range(6):
        assert sum(mechanism.channel()[x]) == 1
        for y in first.reports():
            assert mechanism.randomizer.probability(x, y) == first.probability(x, y) / 4
        for y in second.reports():
            assert mechanism.randomizer.probability(x, first.outputs + y) == second.probability(x, y) * 3 / 4
    assert mechanism.randomizer.probability(0, -1) == mechanism.randomizer.probability(0, 1 << 20) == 0


def test_its_certificate_is_the_worst_of_its_parts() -> None:
    worst = max(Mechanism(CONTEXT, part).certificate.ratio for part in parts(1, 2))
    assert mixture().certificate.ratio <= worst
    assert mixture().certificate.realised <= 1


def test_the_coin_does_not_depend_on_the_value() -> None:
    """Exactly: each part has the same total chance whatever the value."""
    mechanism = mixture()
    border = mechanism.randomizer.offsets[1]
    columns = mechanism.reports()
    for row in mechanism.channel():
        assert sum(chance for y, chance in zip(columns, row, strict=True) if y < border) == Fraction(1, 4)


def test_weights_average_to_one_and_the_estimate_is_unbiased_at_any_prior() -> None:
    for prior in ([1 / 6] * 6, [0.9, 0.02, 0.02, 0.02, 0.02, 0.02]):
        made = Mixture(parts(1, 2), (QUARTER, 3 * QUARTER), prior)
        one, two = made.weights(NUMERIC)
        assert np.allclose(one / 4 + two * 3 / 4, 1)
        shares = np.arange(1.0, 7) / 21
        assert np.allclose(made.decode(made.push(shares, NUMERIC), NUMERIC), shares)


def test_no_weighting_has_less_error_at_the_prior() -> None:
    prior = np.array([0.3, 0.1, 0.1, 0.1, 0.3, 0.1])
    best = Mixture(parts(1, 2), (QUARTER, 3 * QUARTER), prior.tolist())
    error = best.second_moments(prior, NUMERIC)
    own = [part.second_moments(prior, NUMERIC) for part in best.parts]
    for tilt in (-0.2, -0.01, 0.01, 0.2):
        one = best.weights(NUMERIC)[0] + tilt
        two = (1 - one / 4) * 4 / 3
        assert (own[0] * one**2 / 4 + own[1] * two**2 * 3 / 4 > error - 1e-12).all()


def test_it_goes_over_the_wire_with_its_prior() -> None:
    spec = Spec.of_mechanism(mixture())
    read = Spec.of(spec.as_dict()).mechanism
    assert read.fingerprint == mixture().fingerprint
    assert read.randomizer.prior == mixture().randomizer.prior
    other = Mechanism(CONTEXT, Mixture(parts(1, 2), (2 * QUARTER, 2 * QUARTER), mixture().randomizer.prior))
    assert other.fingerprint != mixture().fingerprint


def test_the_prior_weighs_the_estimate_and_is_no_part_of_the_law() -> None:
    other = Mechanism(CONTEXT, Mixture(parts(1, 2), (QUARTER, 3 * QUARTER), [0.5, *[0.1] * 5]))
    assert other.law() == mixture().law()
    assert other.fingerprint == mixture().fingerprint
    assert not np.allclose(other.randomizer.weights(NUMERIC)[0], mixture().randomizer.weights(NUMERIC)[0])


@pytest.mark.parametrize("units", [(QUARTER,), (QUARTER, QUARTER), (0, 4 * QUARTER), (-QUARTER, 5 * QUARTER)])
def test_units_are_positive_and_fill_the_word(units: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput, match="units must be positive, one per part, and add up to 2"):
        mixture(units)


def test_reports_out_of_every_part_are_refused() -> None:
    mechanism = mixture()
    assert not mechanism.randomizer.is_report(mechanism.randomizer.outputs)
    with pytest.raises(dc.errors.InvalidReport):
        mechanism.tally([0])  # an empty set: no part of fixed size writes it
    with pytest.raises(dc.errors.InvalidReport):
        mechanism.tally([mechanism.randomizer.outputs])
