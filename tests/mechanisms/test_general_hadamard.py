"""General Hadamard response: parts of the values, each with a small Hadamard matrix of its own."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidEpsilon
from discreet.mechanisms.uniform.general_hadamard import GeneralHadamard
from discreet.planning.choose import candidate_of, prior_of

SIZES = [1, 2, 3, 6, 7, 8, 9, 30]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("epsilon", ["0.01", "1", "3", "20"])
def test_it_passes_the_conformance_suite(size: int, epsilon: str) -> None:
    check_mechanism(("general_hadamard", dc.Context.uniform(range(size), epsilon)))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "5", "30"])
def test_every_value_has_a_row_that_is_not_all_ones_in_its_own_part(size: int, epsilon: str) -> None:
    made = GeneralHadamard(size, Fraction(epsilon))
    assert made.parts * (made.columns - 1) >= size
    assert made.outputs == made.parts * made.columns
    for x in range(size):
        supported = [y for y in range(made.outputs) if made.probability(x, y) - made.low > (made.high - made.low) / 2]
        assert len(supported) == made.columns // 2
        assert {y // made.columns for y in supported} == {x // (made.columns - 1)}


def test_up_to_e_to_the_epsilon_of_two_it_is_hadamard_response() -> None:
    for size in (2, 5, 9):
        context = dc.Context.uniform(range(size), "0.6")
        plain, general = (dc.mechanism(context, name) for name in ("hadamard", "general_hadamard"))
        assert general.sampler.parts == 1
        ours, theirs = (np.array(made.channel(), dtype=float) for made in (general, plain))
        assert np.allclose(ours, theirs, atol=1e-15)


def test_supporting_sets_shrink_with_epsilon_as_published() -> None:
    """B = 2**(ceil(log2 min(e**epsilon, 2k)) - 1) parts."""
    assert [GeneralHadamard(1000, Fraction(e)).parts for e in (1, 2, 3, 5, 8, 30)] == [2, 4, 16, 128, 1024, 1024]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "2", "3", "5", "8"])
def test_its_error_relative_to_hadamard_response_is_the_published_one(epsilon: str) -> None:
    """k = 43,750; the ratios of both to subset selection are 1.00 1.62 2.04 2.39 2.53 2.44 and 1.00 .. 746."""
    context = dc.Context.uniform(range(43_750), epsilon)
    shares = prior_of(context, None)
    general, plain = (candidate_of(dc.mechanism(context, name), shares) for name in ("general_hadamard", "hadamard"))
    expected = {"0.1": 1.0, "1": 1.62 / 1.27, "2": 2.04 / 2.38, "3": 2.39 / 5.53, "5": 2.53 / 37.6, "8": 2.44 / 746}
    assert general.error / plain.error == pytest.approx(expected[epsilon], rel=0.01)


def test_an_epsilon_beyond_the_words_is_refused() -> None:
    with pytest.raises(InvalidEpsilon, match="beyond what words of 64 bits can certify"):
        GeneralHadamard(10, Fraction(60))
