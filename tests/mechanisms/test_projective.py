"""Projective response: parameters by error, exact decoding, every difference set behind it."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.estimation.arrays.transforms import CyclicKernel
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.finite_geometry.difference_sets import build
from discreet.mechanisms.uniform.cyclic import Projective, room
from discreet.mechanisms.uniform.subset import least_error_size
from discreet.planning.choose import candidate_of, prior_of

ONE = Fraction(1)


def test_reports_fit_log_k_plus_eight_bits() -> None:
    for k in (2, 65, 100, 1000, 1250, 43750):
        for epsilon in ("0.1", "1", "3", "8"):
            assert Projective(k, Fraction(epsilon)).bits <= (k - 1).bit_length() + 8
    assert room(10**6) == 24
    assert room(1 << 23) == 26


@pytest.mark.parametrize("k", [100, 1000, 1250])
@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "3", "5", "8"])
def test_the_default_is_within_a_tenth_of_subset_selection(k: int, epsilon: str) -> None:
    context = dc.Context.uniform(range(k), epsilon)
    shares = prior_of(context, None)
    subset = dc.mechanism(context, "subset", d=least_error_size(k, float(epsilon)))
    chosen = dc.explain(context).candidates[0]
    assert chosen.error <= 1.10 * candidate_of(subset, shares).error
    assert chosen.bits <= np.log2(k) + 8


@pytest.mark.parametrize("k", [2, 5, 9, 17, 33, 64])
def test_up_to_64_values_the_default_is_the_subset_optimum(k: int) -> None:
    for epsilon in ("0.1", "1", "3", "8"):
        context = dc.Context.uniform(range(k), epsilon)
        subset = dc.mechanism(context, "subset")
        least = candidate_of(subset, prior_of(context, None)).error
        assert dc.explain(context).candidates[0].error <= least * (1 + 1e-9)


def test_supports_are_counted_exactly() -> None:
    sampler = Projective(200, ONE)
    counts = np.random.default_rng(0).integers(0, 10**6, sampler.outputs)
    members = set(build(sampler.parameters))
    expected = [
        sum(int(counts[y]) for y in range(sampler.outputs) if (y - x) % sampler.outputs in members) for x in range(200)
    ]
    assert decoder_of(sampler).supports(counts).tolist() == expected


def test_decoding_beyond_the_error_bound_is_left_unrounded() -> None:
    kernel = CyclicKernel([0, 1, 3], (7,))
    huge = np.full(7, 1 << 52, dtype=np.int64)
    assert kernel._error(huge) >= 0.25
    assert kernel.correlate(huge) == pytest.approx(np.full(7, 3.0 * (1 << 52)))
    assert kernel.correlate(np.arange(7)).tolist() == [4, 7, 10, 13, 9, 12, 8]


def test_a_set_may_be_named() -> None:
    named = Projective(7, ONE, family="singer", key=(2, 3))
    assert (named.outputs, named.parameters.r, named.parameters.lam) == (7, 3, 1)
    assert named.describe() == {"name": "projective", "family": "singer", "key": [2, 3]}
    with pytest.raises(InvalidInput, match="one per value"):
        Projective(8, ONE, family="singer", key=(2, 3))
    with pytest.raises(InvalidInput, match="at least 2"):
        Projective(1, ONE)


def test_construction_is_quick_because_the_set_is_built_when_first_drawn() -> None:
    sampler = Projective(10**6, ONE)
    assert "table" not in vars(sampler)
