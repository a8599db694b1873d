"""Cyclotomic response: difference families, and where they are worth their longer reports."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.finite_geometry.difference_sets import best, squared_error
from discreet.mechanisms.uniform.cyclotomic import (
    Cyclotomic,
    DifferenceFamily,
    base_blocks,
    best_family,
    families,
    is_family,
)
from discreet.planning.choose import candidate_of, prior_of


@pytest.mark.parametrize(
    ("p", "d"), [(7, 2), (7, 3), (13, 3), (31, 3), (19, 4), (31, 5), (31, 6), (43, 7), (29, 8), (37, 9), (79, 13)]
)
def test_every_difference_occurs_equally_often(p: int, d: int) -> None:
    family = DifferenceFamily(p, d)
    assert is_family(family)
    counts = [0] * p
    for block in base_blocks(family):
        assert len(block) == d
        for a in block:
            for b in block:
                counts[(a - b) % p] += 1
    assert set(counts[1:]) == {d // 2}


@pytest.mark.parametrize(("p", "d"), [(9, 3), (11, 3), (13, 1), (2, 2)])
def test_what_is_no_family_is_refused(p: int, d: int) -> None:
    assert not is_family(DifferenceFamily(p, d))
    with pytest.raises(InvalidInput, match=f"p={p}, d={d}"):
        Cyclotomic(2, Fraction(1), p=p, d=d)


def test_sizes_and_arguments_are_checked() -> None:
    with pytest.raises(InvalidInput, match="together"):
        Cyclotomic(5, Fraction(1), p=7)
    with pytest.raises(InvalidInput, match="at least 8"):
        Cyclotomic(8, Fraction(1), p=7, d=3)
    with pytest.raises(InvalidInput, match="no family"):
        Cyclotomic(2, Fraction(1))
    assert best_family(2, 1.0) is None


def test_reports_keep_their_limit() -> None:
    for k in (65, 300, 5000):
        assert all(family.p >= k and family.parameters.bits <= np.log2(k) + 9 for family in families(k))


@pytest.mark.parametrize(("k", "epsilon"), [(65, "3"), (150, "4"), (354, "5"), (960, "6")])
def test_it_is_chosen_where_one_difference_set_is_not_enough(k: int, epsilon: str) -> None:
    context = dc.Context.uniform(range(k), epsilon)
    subset = candidate_of(dc.mechanism(context, "subset"), prior_of(context, None)).error
    chosen = dc.explain(context).candidates[0]
    assert chosen.name == "cyclotomic"
    assert chosen.error < 1.03 * subset
    assert chosen.bits <= np.log2(k) + 9
    single = squared_error(best(k, float(epsilon)), k, float(epsilon))
    assert single > 1.1 * subset, "the control: a single set is a tenth worse"


def test_it_is_not_tried_where_a_single_set_is_as_good() -> None:
    names = [c.name for c in dc.explain(dc.Context.uniform(range(1250), "1")).candidates]
    assert "projective" in names
    assert "cyclotomic" not in names


def test_supports_are_counted_exactly_over_all_blocks() -> None:
    sampler = Cyclotomic(10, Fraction(2), p=13, d=3)
    counts = np.random.default_rng(1).integers(0, 1000, sampler.outputs)
    expected = [sum(int(counts[y]) for y in range(sampler.outputs) if sampler.is_supported(x, y)) for x in range(10)]
    assert decoder_of(sampler).supports(counts).tolist() == expected
    assert sampler.describe() == {"name": "cyclotomic", "p": 13, "d": 3}
