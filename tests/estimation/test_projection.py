"""Laws of projections: distributions, nearest in their sense, and said to be biased."""

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput
from discreet.estimation.results.projection import _clip

CONTEXTS = {
    "uniform": Context.uniform(range(30), "0.5"),
    "blocks": Context.blocks({"a": range(12), "b": [12], "c": range(13, 30)}, "0.5"),
    "high_low": Context.high_low(range(30), range(10), "0.5"),
}


def estimated(context, n=400):
    mechanism = dc.mechanism(context)
    values = np.random.default_rng(1).choice(context.size, size=n, p=np.arange(1, 31) / 465)
    return dc.estimate(mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(2))))


@pytest.mark.parametrize("onto", ["blocks", "simplex", "clip"])
@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_every_projection_is_a_distribution_and_says_that_it_is_biased(context, onto):
    estimate = estimated(context)
    assert estimate.shares.min() < 0
    projected = dc.project(estimate, onto=onto)
    assert projected.shares.min() >= 0
    assert projected.shares.sum() == pytest.approx(1)
    assert projected.method == f"projection ({onto}), biased"
    assert projected.tally is estimate.tally
    assert projected.n == estimate.n
    assert projected.values == estimate.values


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_the_simplex_projection_satisfies_its_optimality_conditions(context):
    """p = max(q - t, 0): one t for all positive shares, and none at zero would gain (Karush, Kuhn and Tucker)."""
    estimate = estimated(context)
    shares = dc.project(estimate, onto="simplex").shares
    shift = (estimate.shares - shares)[shares > 0]
    assert np.ptp(shift) < 1e-12
    assert (estimate.shares[shares == 0] <= shift[0] + 1e-12).all()


def test_block_projection_keeps_the_exact_totals_and_is_optimal_inside_each_block():
    estimate = estimated(CONTEXTS["blocks"])
    shares = dc.project(estimate).shares
    for members, name in ((slice(0, 12), "a"), (slice(12, 13), "b"), (slice(13, 30), "c")):
        assert shares[members].sum() == pytest.approx(estimate.block_totals[name], abs=1e-12)
        own = shares[members]
        shift = (estimate.shares[members] - own)[own > 0]
        assert np.ptp(shift) < 1e-12
        assert (estimate.shares[members][own == 0] <= shift[0] + 1e-12).all()


def test_clipping_keeps_the_proportions_of_positive_shares():
    estimate = estimated(CONTEXTS["uniform"])
    shares = dc.project(estimate, onto="clip").shares
    positive = estimate.shares > 0
    assert (shares[~positive] == 0).all()
    assert np.ptp(shares[positive] / estimate.shares[positive]) < 1e-12


def test_shares_that_are_all_negative_are_clipped_to_equal_ones():
    assert _clip(np.array([-1.0, -2.0])).tolist() == [0.5, 0.5]


def test_there_is_nothing_to_project_without_reports_and_no_other_projection():
    mechanism = dc.mechanism(CONTEXTS["uniform"])
    with pytest.raises(InvalidInput, match="n=0 reports give nothing to project"):
        dc.project(dc.estimate(mechanism.tally()))
    with pytest.raises(InvalidInput, match="onto='ball' must be blocks, simplex or clip"):
        dc.project(estimated(CONTEXTS["uniform"]), onto="ball")


@pytest.mark.parametrize("make", [dc.project, dc.likelihood, dc.shrink])
def test_what_is_printed_says_whose_intervals_are_shown_and_where_few_reports_tell(make):
    mechanism = dc.mechanism(dc.Context.high_low(range(4), [0], "1"))
    text = str(make(mechanism.tally(mechanism.randomize_many([0, 1] * 50, dc.random.seeded(1)))))
    assert "intervals are those of the unbiased shares, moved into 0 to 1 and stretched to hold the share shown" in text
    assert "WARNING: fewer than 4 reports tell of 2 of the 4 shares" in text
