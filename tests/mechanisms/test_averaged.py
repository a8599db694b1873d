"""Estimates averaged value by value: unbiased at any prior, and with the least error at the assumed one."""

from fractions import Fraction

import numpy as np

from discreet import Context
from discreet.checks import check_mechanism
from discreet.estimation.decoders import decoder_of
from discreet.estimation.decoders.mixture import Averaged
from discreet.mechanisms.composed.mixture import Mixture
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset

PARTS = [Subset(6, Fraction(1), d=2), RandomizedResponse(6, Fraction(1)), Hadamard(6, Fraction(1))]
ODDS = [0.25, 0.5, 0.25]
UNITS = [1 << 62, 1 << 63, 1 << 62]
DECODERS = [decoder_of(part) for part in PARTS]
SKEWED = [0.9, 0.02, 0.02, 0.02, 0.02, 0.02]


def test_parts_of_any_kind_keep_the_laws() -> None:
    for prior in ([1 / 6] * 6, SKEWED):
        check_mechanism(Mechanism(Context.uniform(range(6), "1"), Mixture(PARTS, UNITS, prior)))


def test_weights_average_to_one() -> None:
    for prior in ([1 / 6] * 6, SKEWED):
        assert np.allclose(sum(odds * beta for odds, beta, _ in Averaged(DECODERS, ODDS, prior).terms), 1)


def test_no_weights_of_the_values_have_less_error_at_the_prior() -> None:
    shares = np.array(SKEWED)
    best = Averaged(DECODERS, ODDS, SKEWED)
    error, weights = best.second_moments(shares), [beta for _, beta, _ in best.terms]
    own = [part.second_moments(shares) for part in DECODERS]
    for tilt in (-0.2, -0.01, 0.01, 0.2):
        moved = [weights[0] + 2 * tilt, weights[1] - tilt, weights[2]]
        other = sum(odds * one**2 * moment for odds, one, moment in zip(ODDS, moved, own, strict=True))
        assert (other > error).all()
