"""Types that would lower the error: all of them compared, or the best found."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.planning.optimize.type_options import Classes, TypeProblem
from discreet.planning.optimize.types import best_weights, count_types, price_all_types, search_types


def priced(bits):
    of = (0,) * 4 + (1,) * 5 + (2,) * 6
    epsilons = Fraction(1, 2), Fraction(2), Fraction(3)
    problem = TypeProblem(Classes(of, epsilons, epsilons, np.array([0.2, 0.5, 0.3])), bits=bits)
    types, weights = problem.start()
    columns = problem.columns(types)
    weights, worth = best_weights(problem, columns, weights)
    form, inside, _ = problem.slopes(weights, columns)
    return problem, (form, inside, worth), types


def gains(problem, prices, types):
    (means, known), (form, inside, worth) = problem.columns(types), prices
    return ((means @ form) * means).sum(axis=1) + known @ inside - means @ worth


@pytest.mark.parametrize("bits", [None, 11])
def test_the_gains_of_all_types_are_compared(bits):
    problem, prices, _ = priced(bits)
    every = np.array(list(product(*(range(len(of)) for of in problem.means))))
    assert len(every) == count_types(problem)
    costs = sum(problem.costs[c][every[:, c]] for c in range(3))
    allowed = every[costs <= (bits or 99)]
    expected = gains(problem, prices, allowed)
    found, most = price_all_types(problem, prices)
    assert most == pytest.approx(expected.max(), rel=1e-9)
    assert len(found) >= 5
    assert np.sort(gains(problem, prices, found))[::-1] == pytest.approx(np.sort(expected)[::-1][: len(found)])


@pytest.mark.parametrize("bits", [None, 11])
def test_a_search_from_many_starts_finds_the_best_of_them(bits):
    problem, prices, used = priced(bits)
    found, most = search_types(problem, prices, used, np.random.default_rng(0))
    assert most == pytest.approx(price_all_types(problem, prices)[1], rel=1e-9)
    assert gains(problem, prices, found[:1])[0] == pytest.approx(most)
    if bits is not None:
        assert (sum(problem.costs[c][found[:, c]] for c in range(3)) <= bits).all()
