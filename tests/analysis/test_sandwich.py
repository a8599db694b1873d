"""Covariances of sums from some people after the other are those of all at once."""

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.regression.design_matrix import gram, rows_at_a_time
from discreet.analysis.regression.sandwich import covariance_of_pieces
from discreet.core.errors import InvalidInput

N = 700
DRAWS = np.random.default_rng(1)
TERMS = DRAWS.normal(size=(N, 3)) + 2
DESIGNS = {
    "people": {},
    "clusters": {"clusters": DRAWS.integers(0, 40, N)},
    "strata": {"strata": DRAWS.integers(0, 5, N)},
    "both": {"clusters": DRAWS.integers(0, 40, N), "strata": DRAWS.choice(["a", "b"], N)},
}


def survey(**columns):
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    return dc.Survey(mechanism, np.zeros(N, dtype=int), **columns)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_covariance_is_that_of_the_survey(name):
    sample = survey(**DESIGNS[name])
    places = [slice(begin, begin + 64) for begin in range(0, N, 64)]
    covariance = covariance_of_pieces(sample.units, ((place, TERMS[place]) for place in places), 3)
    assert covariance == pytest.approx(sample.covariance_of_sum(TERMS), rel=1e-9)


def test_a_stratum_of_one_is_refused():
    with pytest.raises(InvalidInput, match="a stratum has one cluster"):
        _ = survey(strata=np.arange(N) == 0).units
    with pytest.raises(InvalidInput, match="one person or cluster"):
        _ = survey(clusters=np.zeros(N)).units


@pytest.mark.parametrize("width", [1, 7, 60, 300])
def test_squares_in_pieces_are_squares(width):
    terms = np.random.default_rng(2).normal(size=(1003, width))
    assert gram(terms) == pytest.approx(terms.T @ terms, rel=1e-9, abs=1e-9)
    assert rows_at_a_time(width, width) >= 128
