"""Utility-optimised RAPPOR: a baseline, private, unbiased, and worse than what replaces it."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidReport
from discreet.planning.choose import candidate_of, prior_of

CONTEXT = dc.Context.high_low(range(7), [1, 3, 4], "1")


@pytest.mark.parametrize(
    "context",
    [CONTEXT, *(dc.Context.high_low(range(5), range(s), e) for s in (1, 2, 5) for e in ("0.01", "2", "8"))],
    ids=repr,
)
def test_it_passes_the_conformance_suite(context: dc.Context) -> None:
    check_mechanism(("utility_rappor", context))


def test_only_people_who_need_no_protection_show_an_honest_bit() -> None:
    mechanism = dc.mechanism(CONTEXT, "utility_rappor")
    for y in mechanism.reports():
        seen = [x for x in (0, 2, 5, 6) if y >> x & 1]
        assert len(seen) <= 1
        for x in range(7):
            possible = mechanism.sampler.probability(x, y) > 0
            assert possible == (not seen or seen == [x])


def test_the_published_probabilities() -> None:
    """Sensitive bits as in symmetric RAPPOR; any other is dropped with chance e**(-epsilon/2) (Murakami2019's d2)."""
    sampler = dc.mechanism(CONTEXT, "utility_rappor").sampler
    inner = sampler.inner
    half = 2.718281828459045**0.5
    assert float(inner.p) == pytest.approx(half / (1 + half))
    assert float(inner.q) == pytest.approx(1 / (1 + half))
    assert float(1 - sampler.disclosing) == pytest.approx(1 / half)


def test_leaving_out_the_noise_of_people_who_show_their_value_is_better() -> None:
    shares = prior_of(CONTEXT, None)
    ours, theirs = (candidate_of(dc.mechanism(CONTEXT, name), shares) for name in ("unary", "utility_rappor"))
    assert ours.error < 0.9 * theirs.error
    assert ours.mechanism.certificate.ratio == pytest.approx(theirs.mechanism.certificate.ratio)


def test_two_honest_bits_are_forged() -> None:
    mechanism = dc.mechanism(CONTEXT, "utility_rappor")
    assert mechanism.sampler.probability(0, 0b101) == Fraction(0)
    with pytest.raises(InvalidReport, match="must not hold two values that are not sensitive"):
        mechanism.tally([0b101])
    assert mechanism.tally([0b11]).n == 1
