import itertools
import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.theory import (
    attained_subset,
    cube_packing,
    fano_best,
    fano_distribution,
    fano_inequality,
    fano_information,
    fano_printed,
    kl,
    minimax_classical,
    mutual_information,
    packing,
    phi_n,
    simplex_information,
    simplex_packing,
    total_variation,
)


@pytest.mark.parametrize(
    "members",
    [
        simplex_packing(5, radius=0.3),
        cube_packing(8, radius=0.5, distance=2),
        cube_packing(7, radius=0.9, distance=1),
        packing([[0.5, 0.5, 0], [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]),
    ],
    ids=["simplex", "cube", "odd cube", "given"],
)
def test_a_packing_knows_its_separation_and_informations(members):
    rows = members.distributions
    assert np.allclose(rows.sum(axis=1), 1)
    pairs = itertools.combinations(rows, 2)
    assert members.separation == pytest.approx(min(float(total_variation(p, q)) for p, q in pairs))
    assert members.information == pytest.approx(mutual_information(rows, np.full(len(rows), 1 / len(rows))))
    assert members.mean_kl == pytest.approx(np.mean([[kl(p, q) for q in rows] for p in rows]))
    assert members.information <= members.mean_kl


@pytest.mark.parametrize(("k", "radius"), [(3, 0.2), (10, 0.9), (7, 1.0)])
def test_the_simplex_needs_no_table(k, radius):
    members = simplex_packing(k, radius=radius)
    assert members.size == k
    assert members.separation == pytest.approx(radius)
    assert simplex_information(k, radius=radius) == pytest.approx(members.information)


@pytest.mark.parametrize(("k", "distance"), [(8, 2), (12, 3), (13, 2)])
def test_the_cube_has_as_many_corners_as_gilbert_and_varshamov_promise(k, distance):
    pairs, members = k // 2, cube_packing(k, radius=0.4, distance=distance)
    assert members.size >= 2**pairs / sum(math.comb(pairs, i) for i in range(distance))
    assert members.separation >= 0.4 * distance / pairs - 1e-12


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_the_error_of_guessing_a_member_is_what_fano_says_or_more(channels, epsilon):
    """One report: the best guess is explicit, and so is the information."""
    for members in (simplex_packing(6, radius=0.8), cube_packing(6, radius=1.0, distance=1)):
        Q = channels.subset(6, 2, epsilon)
        reports = members.distributions @ Q
        error = 1 - reports.max(axis=0).sum() / members.size
        exact = mutual_information(reports, np.full(members.size, 1 / members.size))
        assert fano_inequality(members.size, exact, separation=2) <= error + 1e-12
        assert fano_distribution(members, 1, epsilon=epsilon).value <= members.separation / 2 * error + 1e-12


def test_the_information_of_private_reports_is_within_the_contraction(channels):
    members = cube_packing(6, radius=0.7, distance=1)
    prior = np.full(members.size, 1 / members.size)
    for epsilon in (0.3, 1.0, 2.0):
        for m in (1, 2, 3):
            after = mutual_information(members.distributions @ channels.subset(6, m, epsilon), prior)
            assert after <= math.tanh(epsilon / 2) ** 2 * members.information + 1e-12


def test_the_printed_bound_is_lemma_4_and_never_better():
    members = simplex_packing(64, radius=0.05)
    for n in (1, 10, 200):
        printed = fano_printed(members, n, epsilon=0.5, delta=1e-3)
        bits = n * phi_n(0.5, n, delta=1e-3) * members.mean_kl
        expected = 0.05 / 2 * (1 - (bits + math.log(2)) / math.log(64))
        assert printed.value == pytest.approx(max(expected, 0))
        assert fano_distribution(members, n, epsilon=0.5, delta=1e-3).value >= printed.value


@pytest.mark.parametrize("k", [4, 16, 300])
@pytest.mark.parametrize("n", [0, 10, 10_000])
def test_the_best_packing_is_below_what_is_attained(k, n):
    found = fano_best(k, n, epsilon=1)
    assert found.value <= attained_subset(k, max(n, 1), epsilon=1).total_variation.value
    assert found.value <= 0.5
    if n == 0 and k >= 16:
        assert found.value >= 0.3
    if n and k >= 16:
        assert 0 < found.value <= minimax_classical(k, n, epsilon=1).total_variation.value * 1.5


def test_too_few_members_say_nothing_and_say_so():
    assert fano_best(2, 10, epsilon=1).vacuous
    assert fano_best(10, 10**9, epsilon=1).value < 1e-4
    assert fano_printed(simplex_packing(4, radius=1.0), 5, epsilon=1).vacuous


def test_a_delta_weakens_the_bound():
    members = simplex_packing(32, radius=0.3)
    values = [fano_distribution(members, 20, epsilon=0.1, delta=d).value for d in (0.0, 1e-3, 0.05)]
    assert values[0] >= values[1] > values[2]


@pytest.mark.parametrize(
    "call",
    [
        lambda: packing([[0.5, 0.5]]),
        lambda: packing([[0.5, 0.5], [0.5, 0.5]]),
        lambda: simplex_packing(3, radius=0),
        lambda: cube_packing(8, radius=0.5, distance=5),
        lambda: cube_packing(40, radius=0.5, distance=2),
        lambda: fano_inequality(1, 0.0, separation=1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must"):
        call()


@pytest.mark.parametrize("n", [1, 5, 200])
def test_lemma_4_beside_duchi_as_quoted_and_with_the_square(n):
    members = simplex_packing(5, radius=0.3)
    for epsilon in (0.05, 0.405, 0.41, 0.536, 1.0, 3.0):
        found = fano_information(members, n, epsilon=epsilon)
        assert found.sharp.value <= found.printed.value
        assert found.duchi.value <= 2 * math.expm1(epsilon) ** 2 * n * members.mean_kl  # Pinsker
        if epsilon >= math.log(1.5):
            assert found.printed.value <= found.duchi_printed.value
        # what reports through randomized response really say, one at a time
        Q = np.full((5, 5), 1.0) + math.expm1(epsilon) * np.eye(5)
        said = mutual_information(members.distributions @ (Q / Q.sum(axis=1, keepdims=True)), np.full(5, 0.2))
        assert n * said <= min(found.duchi.value, found.printed.value, found.sharp.value) * (1 + 1e-12)


def test_the_comparison_of_the_paper_begins_where_it_says_and_the_true_one_later():
    """Lemma 4 against (10): from log(3/2) = 0.405; with a square in it: from log(1 + 1/sqrt(2)) = 0.535."""
    members = simplex_packing(4, radius=0.2)
    n = 10_000  # phi_n is one
    before = fano_information(members, n, epsilon=0.40)
    assert before.printed.value > before.duchi_printed.value
    later = fano_information(members, n, epsilon=0.41)
    assert later.printed.value < later.duchi_printed.value
    kl = 2 * math.expm1(0.41) ** 2 * n * members.mean_kl
    assert later.printed.value > kl  # the control: with the square Duchi's is still the smaller at 0.41
    assert fano_information(members, n, epsilon=0.54).printed.value < 2 * math.expm1(0.54) ** 2 * n * members.mean_kl
