"""Laws of high-low mechanisms, with the paper's scheme simplified and corrected."""

import math

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidReport, NotServed
from discreet.estimation.decoders import DECODERS, decoder_of
from discreet.estimation.decoders.written_out import WrittenOutDecoder
from discreet.leakage.profiles import PROFILES, profile_of

C = (math.e + 1) / (math.e - 1)


def test_hadamard_has_the_corrected_variances_inside_and_outside():
    """n Var: 2c**2/(e+1) + c p(A) - p_i**2 for sensitive i, c p_b - p_b**2 for others (Acharya2020 (15), (26))."""
    context = Context.high_low(range(8), [0, 2, 4], "1")
    decoder = decoder_of(dc.mechanism(context, "hadamard"))
    shares = np.random.default_rng(2).dirichlet(np.ones(8))
    variances = decoder.second_moments(shares) - shares**2
    sensitive = shares[[0, 2, 4]].sum()
    for x in range(8):
        inside = 2 * C**2 / (math.e + 1) + C * sensitive
        expected = (inside if x in (0, 2, 4) else C * shares[x]) - shares[x] ** 2
        assert variances[x] == pytest.approx(expected, rel=1e-11)
    assert decoder.sigma == pytest.approx(1 / C)
    assert decoder.kappa == 0


def test_the_estimated_share_of_all_sensitive_values_has_at_most_the_true_constant():
    """The variance of the estimated p(A) stays below c**2, not 3 c**2, for one sensitive value among many."""
    context = Context.high_low(range(5), [0], "1")
    decoder = decoder_of(dc.mechanism(context))
    for share in (0.0, 0.3, 1.0):
        shares = np.array([share, *[(1 - share) / 4] * 4])
        assert decoder.second_moments(shares)[0] - share**2 <= C**2


def test_a_sensitive_value_never_shows_itself_and_another_does_as_often_as_allowed():
    context = Context.high_low(range(5), [0, 1], "1")
    for name in ("randomized_response", "unary", "subset", "hadamard", "projective"):
        mechanism = dc.mechanism(context, name)
        base = mechanism.sampler.base
        reports = mechanism.randomize_indices(np.arange(5).repeat(400), dc.random.seeded(1)).reshape(5, 400)
        assert (reports[:2] < base).all()
        for x in (2, 3, 4):
            shown = reports[x] >= base
            assert set((reports[x][shown] - base).tolist()) == {x - 2}
            assert shown.mean() == pytest.approx(decoder_of(mechanism).sigma, abs=0.15)


def test_with_randomized_response_inside_it_is_the_utility_optimised_one():
    """Murakami2019's uRR: a value that needs no protection shows itself with probability (e-1)/(s+e-1)."""
    mechanism = dc.mechanism(Context.high_low(range(10), range(4), "1"), "randomized_response")
    assert decoder_of(mechanism).sigma == pytest.approx((math.e - 1) / (4 + math.e - 1))


def test_utility_rappor_has_more_error_than_high_low_unary():
    context = Context.high_low(range(10), range(4), "1")
    shares = np.full(10, 0.1)
    errors = [
        float(decoder_of(dc.mechanism(context, name)).second_moments(shares).sum())
        for name in ("unary", "utility_rappor")
    ]
    assert errors[0] < errors[1]


@pytest.mark.parametrize("sensitive", [62, 63, 64, 65, 128])
def test_forged_reports_are_refused_at_every_width(sensitive):
    context = Context.high_low(range(sensitive + 3), range(sensitive), "1")
    mechanism = dc.mechanism(context, "subset")
    sampler = mechanism.sampler
    sound = [mechanism.randomize_index(x, dc.random.seeded(x)) for x in (0, sensitive, sensitive + 2)]
    assert mechanism.tally(sound).n == 3
    beyond = [sampler.base + 3, sampler.outputs, 0, 1, -1, (1 << sensitive) - 1, sampler.base - 1]
    for y in beyond:
        assert not sampler.is_report(y)
        with pytest.raises(InvalidReport):
            mechanism.tally([y])
    if sampler.bits > 64:
        columns = -(-sampler.bits // 64)
        rows = np.zeros((1, columns), dtype=np.uint64)
        rows[0, -1] = 2
        with pytest.raises(InvalidReport, match="must be below"):
            mechanism.tally(rows)


@pytest.mark.parametrize("name", ["unary", "subset", "hadamard"])
def test_all_values_sensitive_is_the_base_itself(name):
    plain = dc.mechanism(Context.uniform(range(6), "1"), name, **({"d": 2} if name == "subset" else {}))
    high_low = dc.mechanism(Context.high_low(range(6), range(6), "1"), name, **({"d": 2} if name == "subset" else {}))
    assert high_low.channel() == plain.channel()


def test_a_sensitive_value_in_the_middle_keeps_its_number():
    context = Context.high_low(list("abcd"), ["c"], "1")
    mechanism = dc.mechanism(context)
    values = ["c"] * 3000 + ["a"] * 1000
    reports = [mechanism.randomize(v, dc.random.seeded(i)) for i, v in enumerate(values)]
    shares = dict(zip("abcd", dc.estimate(mechanism.tally(reports)).shares, strict=True))
    assert shares["c"] == pytest.approx(0.75, abs=0.1)
    assert shares["a"] == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize("name", ["hadamard", "subset"])
def test_a_pure_law_without_a_decoder_of_its_own_is_decoded_alike(name, monkeypatch):
    context = Context.high_low(range(6), [0, 1, 3], "1")
    counts = np.arange(decoder_of(dc.mechanism(context, name)).cells)
    own = decoder_of(dc.mechanism(context, name)).decode(counts)
    monkeypatch.delitem(DECODERS, name)
    bare = dc.mechanism(context, name)
    assert decoder_of(bare).decode(counts) == pytest.approx(own, rel=1e-12)
    check_mechanism(bare)


def test_a_decoder_that_is_not_one_of_a_pure_protocol_is_refused_in_one_line(monkeypatch):
    monkeypatch.setitem(DECODERS, "hadamard", WrittenOutDecoder)
    with pytest.raises(NotServed, match="must be a PureDecoder"):
        decoder_of(dc.mechanism(Context.high_low(range(4), [0, 1], "1"), "hadamard"))


def test_a_pure_law_without_a_profile_of_its_own_has_two_levels_or_is_refused(monkeypatch):
    context = Context.high_low(range(4), [0, 1, 2], "1")
    for name in ("response", "subset"):
        monkeypatch.delitem(PROFILES, name)
    assert profile_of(dc.mechanism(context, "randomized_response")).pair_profile(0, 1)
    with pytest.raises(NotServed, match="need a PureProfile of their own"):
        profile_of(dc.mechanism(context, "subset")).pair_profile(0, 1)
