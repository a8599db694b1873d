"""Laws of blocks, with the paper's block scheme simplified and corrected."""

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput, InvalidReport
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.composed.blocks import BlockResponse
from discreet.mechanisms.tables.table import Table
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse

C = (math.e + 1) / (math.e - 1)
CONTEXT = Context.blocks({"a": range(5), "b": range(5, 8), "c": [8, 9]}, "1")
SHARES = np.random.default_rng(3).dirichlet(np.ones(10))


def test_hadamard_blocks_have_the_corrected_variance_and_total():
    """n Var(p_x) = c**2 p(X_j) - p_x**2; in total c**2 sum_j k_j p_j - |p|**2 (Acharya2020 (19), Proposition 5)."""
    variances = decoder_of(dc.mechanism(CONTEXT, "hadamard")).second_moments(SHARES) - SHARES**2
    of_block = np.array([SHARES[:5].sum()] * 5 + [SHARES[5:8].sum()] * 3 + [SHARES[8:].sum()] * 2)
    assert np.allclose(variances, C**2 * of_block - SHARES**2, rtol=1e-11)
    sizes = np.array([5] * 5 + [3] * 3 + [2] * 2)
    assert variances.sum() == pytest.approx(C**2 * (sizes * SHARES).sum() - (SHARES**2).sum())


def test_the_sum_of_a_blocks_shares_is_not_its_total_which_is_known_exactly():
    mechanism = dc.mechanism(CONTEXT, "hadamard")
    values = np.random.default_rng(1).choice(10, size=3000, p=SHARES)
    estimate = dc.estimate(mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(1))))
    members = {"a": [0, 1, 2, 3, 4], "b": [5, 6, 7], "c": [8, 9]}
    true = {name: float(np.isin(values, own).mean()) for name, own in members.items()}
    assert estimate.block_totals == pytest.approx(true, abs=1e-15)
    assert abs(estimate.shares[:5].sum() - true["a"]) > 1e-3


def test_a_block_of_one_value_says_only_the_block_and_costs_nothing():
    context = Context.blocks({"pair": [0, 1], "one": [2]}, "1")
    for name in ("hadamard", "subset", "unary", "projective", "randomized_response"):
        mechanism = dc.mechanism(context, name)
        sampler = mechanism.sampler
        assert [y for y in mechanism.reports() if sampler.probability(2, y)] == [sampler.offsets[1]]
        shares = np.array([0.5, 0.2, 0.3])
        assert decoder_of(mechanism).second_moments(shares)[2] - 0.09 == pytest.approx(0.3 * 0.7)


def test_blocks_of_two_are_served_by_randomized_response_with_a_quarter_of_the_error():
    context = Context.blocks({0: [0, 1], 1: [2, 3]}, "1")
    shares = np.full(4, 0.25)

    def total(mechanism):
        return float((decoder_of(mechanism).second_moments(shares) - shares).sum())

    assert dc.mechanism(context).name == "blocks(randomized_response)"
    fixed = total(dc.mechanism(context, "randomized_response")) / 2
    hadamard = float(decoder_of(dc.mechanism(context, "hadamard")).second_moments(shares).sum())
    e = math.e
    assert fixed == pytest.approx(e / (e - 1) ** 2)
    assert hadamard == pytest.approx(2 * C**2)


def test_blocks_may_mix_designs_and_say_so():
    context = Context.blocks({"many": range(200), "two": ["a", "b"]}, "1")
    mechanism = dc.mechanism(context)
    inner = mechanism.sampler.describe()
    assert mechanism.name.startswith("blocks(")
    assert inner["name"] in ("mixed", "projective", "subset")


def test_each_block_needs_a_randomizer_of_its_size():
    with pytest.raises(InvalidInput, match="each block needs a sampler of the block's size"):
        BlockResponse([0, 0, 1], [RandomizedResponse(3, Fraction(1)), RandomizedResponse(1, Fraction(1))])


WIDE = Context.blocks({"wide": range(65), "narrow": ["x"], "pair": ["y", "z"]}, "1")


@pytest.mark.parametrize("name", ["subset", "unary"])
def test_forged_wide_reports_are_refused_in_bulk_as_one_by_one(name):
    mechanism = dc.mechanism(WIDE, name)
    sampler = mechanism.sampler
    sound = [mechanism.randomize(value, dc.random.seeded(5)) for value in (0, "x", "y")]
    assert mechanism.tally(sound).n == 3
    offset = sampler.offsets
    forged = [sound[1] + 1, sound[1] + (1 << 64), sound[2] + (1 << 70), offset[2] + 8, 3 * offset[1], offset[1] - 1, -1]
    for y in forged:
        assert not sampler.is_report(y)
        with pytest.raises(InvalidReport):
            mechanism.tally([y])


def test_one_wide_block_alone_is_counted():
    mechanism = dc.mechanism(Context.blocks({"all": range(65)}, "1"), "subset")
    tally = mechanism.tally(mechanism.randomize_indices(np.zeros(4000, dtype=int), dc.random.seeded(1)))
    assert dc.estimate(tally).shares[0] == pytest.approx(1, abs=0.2)
    assert dc.estimate(tally).block_totals == {"all": 1.0}


def test_tables_inside_blocks_are_certified_and_decoded():
    from discreet.mechanisms.mechanism import Mechanism
    from discreet.mechanisms.tables.table import Table

    quarter = 1 << 62
    table = Table([[2 * quarter, quarter, quarter], [quarter, 2 * quarter, quarter], [quarter, quarter, 2 * quarter]])
    context = Context.blocks({0: range(3), 1: range(3, 6)}, "1")
    mechanism = Mechanism(context, BlockResponse([0, 0, 0, 1, 1, 1], [table, table]))
    from discreet.checks import check_moments, check_pairs, check_unbiased

    check_pairs(mechanism)
    check_unbiased(mechanism)
    check_moments(mechanism)


def test_a_prior_is_handed_to_the_kinds_as_the_shares_inside_their_blocks():
    rows = [[2**62, 2**62, 2**63], [2**63, 2**62, 2**62]]
    plain = BlockResponse([0, 0, 1, 1], [Table(rows), Table(rows[::-1])])
    weighted = plain.weighted([0.6, 0.2, 0.05, 0.15])
    assert [part.prior for part in weighted.inner] == [pytest.approx((0.75, 0.25)), pytest.approx((0.25, 0.75))]
    assert weighted.law == plain.law
    assert plain.inner[0].prior is None
    nobody = plain.weighted([0.5, 0.5, 0.0, 0.0])
    assert nobody.inner[1].prior is None
