"""Differences between groups and waves: reference figures, identities coded by hand, sizes of tests, and controls."""

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.groups.comparison import holm
from discreet.core.errors import InvalidInput, Unavailable
from discreet.estimation.tails import chi_square_tail

from .reference import B2, B5, COVARIATE, ROWS, N, figures, survey

TWO = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
FIVE = dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard")
SIX = dc.mechanism(dc.Context.uniform(range(6), "1"), "unary")


def yes(**columns):
    return survey(TWO, B2, 1, labels={"region": ROWS % 3, "wave": ROWS // 3000}, **columns)


def five(mechanism=FIVE, **columns):
    return survey(mechanism, B5, 2, labels={"side": COVARIATE > 0, "region": ROWS % 3}, **columns)


def by_hand(scores, groups, one, other):
    """The difference of two means and its error, as a textbook has them."""
    a, b = scores[groups == one], scores[groups == other]
    return a.mean() - b.mean(), np.sqrt(a.var() / len(a) + b.var() / len(b))


# -- reference figures --------------------------------------------------------------------------------


def test_the_difference_of_two_regions():
    found = dc.compare(yes(), by="region", query={"yes": 1})
    expected = figures()["A region 1 - 0, stderr"]
    assert found.pairs[0] == ((1,), (0,))
    assert [found.difference[0, 0], found.stderr[0, 0]] == pytest.approx(expected, abs=1e-9)


def test_the_plain_test_of_all_values():
    found = dc.compare(five(), by="side", omnibus="plain").omnibus
    statistic, p = figures()["B Wald c>0 against c<=0 (df 5)"]
    assert found.statistic == pytest.approx(statistic, abs=1e-8)
    assert found.p == pytest.approx(p, abs=1e-9)
    assert found.df == 5


# -- identities -----------------------------------------------------------------------------------------


def test_a_question_of_several_that_are_one_value_is_the_sum_over_the_tuples_that_hold_its_answer():
    pairs = dc.mechanism(dc.Context.uniform([(a, b) for a in "xyz" for b in (0, 1)], "2"))
    values = [("xyz"[row % 3 if row % 4 else 0], row % 2) for row in range(3000)]
    labels = {"side": ["l", "r"] * 1000 + ["r"] * 1000}
    sample = dc.Survey(pairs, pairs.randomize_many(values, dc.random.seeded(3)), labels=labels)
    for place, answers in enumerate(("xyz", (0, 1))):
        found = dc.compare(sample, by="side", question=place)
        for number, answer in enumerate(answers):
            query = {value: 1 for value in pairs.context.values if value[place] == answer}
            one = dc.compare(sample, by="side", query=query)
            assert found.difference[0, number] == pytest.approx(one.difference[0, 0], abs=1e-12)
            assert found.stderr[0, number] == pytest.approx(one.stderr[0, 0], abs=1e-12)
        assert found.difference.sum() == pytest.approx(0, abs=1e-12)
    assert dc.compare(sample, by="side", question=0).difference.shape == (1, 3)
    by_side = sample.by("side", question=0)
    assert by_side.estimate[1] - by_side.estimate[0] == pytest.approx(
        dc.compare(sample, by="side", question=0).difference[0], abs=1e-12
    )
    assert by_side.to_pandas()["value"].tolist() == list("xyzxyz")


@pytest.mark.parametrize("place", [2, -1, True, "x"])
def test_a_question_must_be_a_place_in_the_values(place):
    pairs = dc.mechanism(dc.Context.uniform([(0, 0), (0, 1)], "2"))
    sample = dc.Survey(pairs, [0, 1, 0, 1], labels={"side": [0, 0, 1, 1]})
    with pytest.raises(InvalidInput, match=f"question={place!r} must be the place of an answer in values"):
        dc.compare(sample, by="side", question=place)
    with pytest.raises(InvalidInput, match="query and question must not both be given"):
        dc.compare(sample, by="side", question=0, query={(0, 0): 1})
    with pytest.raises(InvalidInput, match="query and question must not both be given"):
        sample.by("side", question=0, query={(0, 0): 1})
    with pytest.raises(InvalidInput, match="values that are tuples"):
        dc.compare(yes(), by="region", question=0)


def test_differences_of_shares_are_differences_of_mean_scores():
    sample = five()
    found = dc.compare(sample, by="region", pairs="all")
    assert found.pairs == [((1,), (0,)), ((2,), (0,)), ((2,), (1,))]
    for x in range(5):
        scores = sample.scores({x: 1}, calibrated=False)
        for row, (one, other) in enumerate(((1, 0), (2, 0), (2, 1))):
            gap, error = by_hand(scores, ROWS % 3, one, other)
            assert found.difference[row, x] == pytest.approx(gap, abs=1e-12)
            assert found.stderr[row, x] == pytest.approx(error, rel=0.02)  # of the reference, and not of these reports


def test_the_calibrated_test_has_one_degree_less_and_is_the_formula():
    sample = five()
    found = dc.compare(sample, by="side").omnibus
    scores = np.stack([sample.scores({x: 1}) for x in range(5)], axis=1)
    side = COVARIATE > 0
    root = np.linalg.pinv(np.cov(scores.T, bias=True), rcond=1e-9, hermitian=True)
    means = [scores[side == s].mean(axis=0) - scores.mean(axis=0) for s in (False, True)]
    by_scores = sum(n * m @ root @ m for n, m in zip(np.bincount(side), means, strict=True))
    assert found.df == 4
    assert found.statistic == pytest.approx(by_scores, rel=0.01)
    assert found.p == pytest.approx(chi_square_tail(found.statistic, 4))


def test_weights_clusters_and_strata_are_linearised():
    weights, clusters, strata = 1 + (ROWS % 4) / 4, ROWS // 20, ROWS // 2000
    sample = yes(weights=weights, clusters=clusters, strata=strata)
    found = dc.compare(sample, by="region", query={"yes": 1})
    s = sample.scores({"yes": 1})
    terms = np.zeros((N, 3))
    for g in range(3):
        mine = g == ROWS % 3
        mean = np.average(s[mine], weights=weights[mine])
        terms[mine, g] = weights[mine] * (s[mine] - mean) / weights[mine].sum()
    sums = np.stack([np.bincount(clusters, column) for column in terms.T], axis=1)
    layer = np.arange(300) // 100
    covariance = np.zeros((3, 3))
    for h in range(3):
        z = sums[layer == h] - sums[layer == h].mean(axis=0)
        covariance += 100 / 99 * z.T @ z
    contrast = np.array([-1.0, 1.0, 0.0])
    assert found.stderr[0, 0] == pytest.approx(np.sqrt(contrast @ covariance @ contrast), rel=1e-12)
    assert found.omnibus.rest == pytest.approx(300 - 3 - 2 + 1, abs=1), "clusters that are nearly alike"


def test_weights_that_are_all_equal_change_nothing():
    plain, weighted = five(), five(weights=np.full(N, 2.5))
    one, two = (dc.compare(sample, by="side") for sample in (plain, weighted))
    assert one.difference == pytest.approx(two.difference, abs=1e-12)
    assert one.stderr == pytest.approx(two.stderr, rel=0.02)
    assert one.omnibus.statistic == pytest.approx(two.omnibus.statistic, rel=0.02)


def test_a_census_keeps_the_noise_of_randomization():
    whole, part = (dc.compare(yes(population=p), by="region", query={"yes": 1}).stderr[0, 0] for p in (N, 10**9))
    share = np.array([yes().by("region", query={"yes": 1}).estimate[g, 0] for g in (0, 1)])
    g = np.exp(1) / (1 + np.exp(1))
    noise = g * (1 - g) / (2 * g - 1) ** 2 / 2000
    assert whole == pytest.approx(np.sqrt(2 * noise), rel=1e-9)
    assert part == pytest.approx(np.sqrt(2 * noise + (share * (1 - share)).sum() / 2000), rel=1e-6)
    weighted = dc.compare(yes(population=N, weights=np.ones(N)), by="region", query={"yes": 1})
    assert weighted.stderr[0, 0] == pytest.approx(whole, rel=0.05)


def test_people_in_both_waves_count_by_their_own_change():
    rng = dc.random.seeded(5)
    held = np.arange(3000) % 3 == 0
    reports = [TWO.randomize_indices(held.astype(int), rng) for _ in range(2)]
    columns = {"wave": np.repeat([1, 2], 3000), "person": np.tile(np.arange(3000), 2)}
    sample = dc.Survey(TWO, np.concatenate(reports), labels=columns)
    paired, apart = (dc.compare(sample, wave="wave", query={"yes": 1}, paired=p) for p in ("person", None))
    s = sample.scores({"yes": 1})
    change = s[3000:] - s[:3000]
    assert paired.difference == pytest.approx(apart.difference)
    assert paired.stderr[0, 0] == pytest.approx(change.std(ddof=1) / np.sqrt(3000), rel=1e-12)
    assert paired.stderr[0, 0] < 0.95 * apart.stderr[0, 0]
    again = dc.Survey(TWO, np.tile(reports[0], 2), labels=columns)  # memoised reports: nobody changed
    assert dc.compare(again, wave="wave", query={"yes": 1}, paired="person").p[0, 0] == 1.0


def test_waves_of_other_mechanisms_compare():
    other = dc.mechanism(dc.Context.uniform(["no", "yes"], "3"))
    first, second = (survey(m, B2, 3, labels={"wave": np.full(N, w)}) for w, m in enumerate((TWO, other)))
    found = dc.compare(first + second, wave="wave", query={"yes": 1})
    scores = [one.scores({"yes": 1}) for one in (first, second)]
    assert found.difference[0, 0] == pytest.approx(scores[1].mean() - scores[0].mean())
    assert found.stderr[0, 0] == pytest.approx(np.sqrt(sum(s.var() / N for s in scores)), rel=1e-9)
    assert found.omnibus.statistic == pytest.approx((found.difference[0, 0] / found.stderr[0, 0]) ** 2, rel=0.01)


def test_waves_are_compared_inside_groups():
    found = dc.compare(yes(), by="region", wave="wave", query={"yes": 1})
    assert found.pairs == [((g, 1), (g, 0)) for g in range(3)]
    assert list(found.table())[:4] == ["region", "wave", "against", "query"]
    assert found.omnibus.df == 3


@pytest.mark.parametrize("mechanism", [FIVE, dc.mechanism(dc.Context.uniform(range(5), "1"), "subset")])
def test_tallies_by_label_tell_as_much(mechanism):
    sample = five(mechanism)
    one, two = dc.compare(sample, by="side"), dc.compare(sample.tallies("side"), by="side")
    assert two.groups.groups == [("false",), ("true",)]
    for name in ("difference", "stderr", "adjusted_p"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert one.omnibus == two.omnibus


def test_two_values_are_one_test():
    found = dc.compare(yes(), by="region")
    alone = dc.compare(yes(), by="region", query={"yes": 1})
    assert found.adjusted_p == pytest.approx(np.repeat(alone.adjusted_p, 2, axis=1))
    assert "all 2 tests together" in str(found)


def test_holm_is_holm():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]


# -- how often tests are wrong ----------------------------------------------------------------------------


def alarms(mechanism, surveys, n, seed, test):
    """In how many surveys of n people in two equal groups a test calls them different at 0.05."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(mechanism.context.size))
    found = 0
    for number in range(surveys):
        held = rng.choice(len(shares), size=n, p=shares)
        reports = mechanism.randomize_indices(held, dc.random.seeded(1000 * seed + number))
        found += test(dc.Survey(mechanism, reports, labels={"g": np.arange(n) % 2}))
    return found


def wald(sample):
    return dc.compare(sample, by="g").omnibus.p < 0.05


def smallest(sample):
    return dc.compare(sample, by="g").adjusted_p.min() < 0.05


def dealt(sample):
    return dc.compare(sample, by="g", rng=dc.random.seeded(1)).permutation.squares_p <= 0.05


def test_equal_groups_are_rarely_called_different():
    """False alarms: of 150 surveys at 0.05, more than 25 have a probability of 1e-7 (binomial) if the test is right."""
    for seed, mechanism in enumerate((FIVE, SIX), 1):
        assert alarms(mechanism, 150, 1000, seed, wald) <= 25
        assert alarms(mechanism, 150, 1000, seed + 10, smallest) <= 25


def test_dealing_labels_out_anew_is_exact(monkeypatch):
    """False alarms: of 120 surveys at 0.05, more than 22 have a probability of 3e-7 if the test is right."""
    monkeypatch.setattr("discreet.analysis.groups.omnibus.PERMUTATIONS", 99)
    assert alarms(FIVE, 120, 60, 3, dealt) <= 22


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hadamard", "unary", "subset", "randomized_response"])
def test_the_size_of_the_test_of_all_values(name):
    """Of 1,000 surveys 3.5 to 6.5 % alarm; a right test strays outside with probability 0.03, the words are fixed."""
    mechanism = dc.mechanism(dc.Context.uniform(range(20), "1"), name)
    assert 35 <= alarms(mechanism, 1000, 4000, 7, wald) <= 65


def test_unequal_groups_are_called_different():
    rng = dc.random.seeded(9)
    held = np.where(np.arange(4000) % 2 == 0, 0, np.arange(4000) % 5)
    sample = dc.Survey(FIVE, FIVE.randomize_indices(held, rng), labels={"g": np.arange(4000) % 2})
    found = dc.compare(sample, by="g", rng=rng)
    assert found.omnibus.p < 1e-6
    assert found.adjusted_p[0, 0] < 1e-6
    assert found.permutation.squares_p == found.permutation.largest_p == 0.001


def test_sets_are_dealt_out_report_by_report_and_not_from_counts():
    sample = survey(SIX, np.vstack([B5, [0, 0]]), 3, labels={"side": COVARIATE > 0})
    found = dc.compare(sample, by="side", rng=dc.random.seeded(1)).permutation
    assert found == dc.compare(sample, by="side", rng=dc.random.seeded(1)).permutation
    assert found.squares_p < 0.05
    with pytest.raises(Unavailable, match="give the survey itself"):
        dc.compare(sample.tallies("side"), by="side", rng=dc.random.seeded(1))


def test_shares_that_are_projected_first_are_biased():
    """The control: what `compare` does not do, in a small and a large group in which nobody holds the value."""
    plain, projected = [], []
    rng = dc.random.seeded(70)
    for _ in range(300):
        tallies = [FIVE.tally(FIVE.randomize_indices(np.zeros(n, dtype=int), rng)) for n in (200, 2000)]
        both = dc.GroupTallies(FIVE, ["g"], {"small": tallies[0], "large": tallies[1]})
        plain.append(dc.compare(both, by="g", query={1: 1}).difference[0, 0])
        projected.append(dc.project(tallies[0])[1] - dc.project(tallies[1])[1])
    for found, right in ((plain, True), (projected, False)):
        z = np.mean(found) / (np.std(found) / np.sqrt(300))
        assert bool(abs(z) < 5) is right  # false alarm 6e-7


# -- what is said, and what is refused ------------------------------------------------------------------------


def test_the_table_is_read_printed_and_drawn(tmp_path):
    found = dc.compare(five(), by="side")
    assert str(found).splitlines()[0].split() == [
        "group", "against", "value", "estimate", "stderr", "low", "high", "p", "adjusted_p",
    ]  # fmt: skip
    assert "no difference at all: Wald statistic" in str(found)
    assert found.to_dict()["omnibus"]["df"] == 4
    frame = found.to_pandas(confidence=0.9)
    assert frame.attrs["method"] == "differences"
    assert (frame["high"] - frame["low"]).to_numpy() == pytest.approx(2 * 1.6448536 * found.stderr[0], rel=0.01)
    assert "<table>" in found._repr_html_()
    found.plot(tmp_path / "differences.png", title="by side")
    assert (tmp_path / "differences.png").stat().st_size > 5000


def test_groups_too_small_are_remarked_on():
    sample = dc.Survey(TWO, TWO.randomize_indices([0, 1] * 24, dc.random.seeded(1)), labels={"g": [0] * 45 + [1] * 3})
    told = "\n".join(dc.compare(sample, by="g").remarks())
    assert "fewer than 30 people in 1: intervals are rough" in told
    assert "standard errors above 0.5 in 1: these say next to nothing" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "by or wave must name the labels to compare"),
        ({"by": "area"}, "label='area' must be one of the survey's labels: 'c', 'side', 'region'"),
        ({"by": ["side", "side"]}, "by='side' is given twice"),
        ({"by": "side", "pairs": "some"}, "pairs='some' must be 'first' or 'all'"),
        ({"by": "side", "omnibus": "none"}, "omnibus='none' must be 'calibrated' or 'plain'"),
        ({"by": "side", "query": [1, 1, 1, 1, 1]}, "query must weigh some values differently"),
        ({"by": "side", "rng": 3}, "rng of type int must be a source of words"),
    ],
)
def test_what_cannot_be_compared_is_said(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        dc.compare(five(), **arguments)


def test_one_group_is_not_enough_and_weights_cannot_be_dealt_out():
    with pytest.raises(InvalidInput, match="at least two groups"):
        dc.compare(five().only(COVARIATE > 0), by="side")
    with pytest.raises(Unavailable, match="cannot change labels"):
        dc.compare(five(weights=np.ones(N)), by="side", rng=dc.random.seeded(1))
    with pytest.raises(InvalidInput, match="one person or cluster tells nothing"):
        dc.compare(five(clusters=np.zeros(N)), by="side")


def test_a_thousand_values_are_compared_without_a_matrix_of_reports():
    mechanism = dc.mechanism(dc.Context.uniform(range(2000), "2"), "hadamard")
    reports = mechanism.randomize_indices(np.arange(4000) % 2000, dc.random.seeded(1))
    found = dc.compare(dc.Survey(mechanism, reports, labels={"g": np.arange(4000) // 2000}), by="g")
    assert found.omnibus is None
    assert "no Wald test" in str(found)
    assert found.difference.shape == (1, 2000)
