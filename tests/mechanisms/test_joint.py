"""The joint estimate of a high-low mixture: unbiased everywhere, and the best there is at its prior."""

from fractions import Fraction

import numpy as np
import pytest

from discreet import Context
from discreet.checks import check_mechanism
from discreet.checks.statistics import enumerate_channel
from discreet.estimation.decoders import decoder_of
from discreet.estimation.decoders.mixture import Averaged, Joint
from discreet.mechanisms.build import BASES
from discreet.mechanisms.composed.high_low import HighLowResponse
from discreet.mechanisms.composed.mixture import Mixture
from discreet.mechanisms.composed.two_sizes import SizeTerms, mixed_error, terms_of
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.subset import Subset

QUARTER = 1 << 62


def made(size: int, sensitive: list[int], inners: list, prior: list[float], epsilon: str = "1") -> Mechanism:
    level = Fraction(epsilon)
    parts = [HighLowResponse(size, sensitive, inner, level) for inner in inners]
    units = [QUARTER] * (len(inners) - 1) + [(1 << 64) - QUARTER * (len(inners) - 1)]
    return Mechanism(Context.high_low(range(size), sensitive, epsilon), Mixture(parts, units, prior))


def subsets(size: int, sensitive: list[int], sizes: list[int], prior: list[float], epsilon: str = "1") -> Mechanism:
    return made(size, sensitive, [Subset(len(sensitive), Fraction(epsilon), d=d) for d in sizes], prior, epsilon)


def shares_of(mass: float, size: int, sensitive: list[int], tilt: float = 0.0) -> list[float]:
    """Even shares of the sensitive values, of total `mass`; uneven ones of the others."""
    others = [b for b in range(size) if b not in sensitive]
    weights = np.exp(tilt * np.arange(len(others)))
    found = np.full(size, mass / len(sensitive))
    found[others] = (1 - mass) * weights / weights.sum()
    return found.tolist()


CASES = {
    "even": subsets(6, [1, 2, 3, 5], [1, 2], [1 / 6] * 6),
    "three sizes": subsets(7, [0, 1, 2, 4, 6], [1, 2, 4], shares_of(0.3, 7, [0, 1, 2, 4, 6], 1.0), "2"),
    "uneven everywhere": subsets(6, [1, 2, 3, 5], [1, 3], [0.05, 0.4, 0.1, 0.1, 0.3, 0.05], "0.5"),
    "only sensitive people": subsets(6, [1, 2, 3, 5], [1, 2], shares_of(1.0, 6, [1, 2, 3, 5])),
    "no sensitive people": subsets(6, [1, 2, 3, 5], [1, 2], shares_of(0.0, 6, [1, 2, 3, 5])),
    "one other value": subsets(5, [0, 1, 2, 3], [1, 2], shares_of(0.6, 5, [0, 1, 2, 3])),
    "two sensitive values": made(
        4, [1, 2], [BASES[name](2, Fraction(1)) for name in ("hadamard", "randomized_response")], [0.25] * 4
    ),
    "one sensitive value": made(4, [2], [BASES["randomized_response"](1, Fraction(1))] * 2, [0.1, 0.2, 0.3, 0.4]),
    "any base": made(
        7,
        [0, 1, 2, 5, 6],
        [BASES[name](5, Fraction(1)) for name in ("subset", "hadamard", "unary", "projective")],
        shares_of(0.4, 7, [0, 1, 2, 5, 6], 0.5),
    ),
}


@pytest.mark.parametrize("mechanism", CASES.values(), ids=CASES)
def test_it_keeps_the_laws_whatever_the_parts_and_the_prior(mechanism: Mechanism) -> None:
    check_mechanism(mechanism)


@pytest.mark.parametrize("mechanism", CASES.values(), ids=CASES)
def test_it_is_unbiased_and_sets_count_every_report_as_one_person(mechanism: Mechanism) -> None:
    channel, phi, _ = enumerate_channel(mechanism)
    room = 1e-12 * max(1.0, np.abs(phi).max())
    assert np.abs(channel @ phi - np.eye(len(channel))).max() < room
    if all(isinstance(part.inner, Subset) for part in mechanism.sampler.parts):
        assert np.abs(phi.sum(axis=1) - 1).max() < room


def least_error(mechanism: Mechanism, prior: np.ndarray) -> float:
    """The least error of all unbiased estimates at the prior: the trace of M**-1, less |p|**2."""
    channel, _, _ = enumerate_channel(mechanism)
    law = prior @ channel
    scaled = channel[:, law > 0] / law[law > 0]
    return float(np.trace(np.linalg.inv(scaled @ channel[:, law > 0].T)) - prior @ prior)


@pytest.mark.parametrize(("mass", "tilt"), [(0.05, 0.0), (0.4, 1.0), (0.9, 0.3)])
@pytest.mark.parametrize(("sizes", "epsilon"), [([1, 2], "1"), ([2, 3], "0.5"), ([1, 2, 4], "2")])
def test_no_unbiased_estimate_has_less_error_at_its_prior(
    mass: float, tilt: float, sizes: list[int], epsilon: str
) -> None:
    sensitive = [0, 1, 2, 4, 6]
    prior = shares_of(mass, 8, sensitive, tilt)
    mechanism, shares = subsets(8, sensitive, sizes, prior, epsilon), np.array(prior)
    decoder = decoder_of(mechanism)
    error = float(np.sum(decoder.second_moments(shares)) - shares @ shares)
    assert error == pytest.approx(least_error(mechanism, shares), rel=1e-12)
    odds = decoder.odds
    terms = [terms_of(5, d, float(epsilon), mass) for d in sizes]
    known = SizeTerms(
        *(sum(share * one for share, one in zip(odds, column, strict=True)) for column in zip(*terms, strict=True))
    )
    spread = sum(prior[b] ** 2 for b in (3, 5, 7)) / (1 - mass) ** 2
    assert error == pytest.approx(mixed_error(known, 5, mass, spread), rel=1e-9), "the closed form"
    averaged = Averaged(decoder.parts, odds, prior)
    by_value = float(np.sum(averaged.second_moments(shares)) - shares @ shares)
    assert by_value > error * (1 + 1e-5), "the control: value by value is worse"


def test_the_weights_of_the_parts_average_to_one() -> None:
    mechanism = CASES["three sizes"]
    decoder = decoder_of(mechanism)
    terms = Joint(decoder.parts, decoder.odds, mechanism.sampler.prior).terms
    for weights in ([t.beta for t in terms], [t.alpha for t in terms], [t.tilt + t.alpha for t in terms]):
        assert sum(t.odds * one for t, one in zip(terms, weights, strict=True)) == pytest.approx(1)
