"""The joint table of two randomized answers: figures of the reference, exact laws, sizes of tests, and refusals."""

import json

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.tables.paired_answers import MAX_CELLS, em_step
from discreet.core.errors import InvalidInput, Unavailable

from .reference import B5, ROWS, N, answers, figures

FIRST = dc.mechanism(dc.Context.uniform(range(5), "1"), "subset", d=2)
SECOND = dc.mechanism(dc.Context.uniform(range(2), "1"))
PAIRS = dc.mechanism(dc.Context.uniform([(x, z) for x in range(5) for z in range(2)], "2"))


def held():
    x = answers(B5)
    return x, (x + (ROWS % 3 == 0)) % 2


def surveys(**columns):
    x, z = held()
    return (
        dc.Survey(FIRST, FIRST.randomize_indices(x, dc.random.seeded(7)), **columns),
        dc.Survey(SECOND, SECOND.randomize_indices(z, dc.random.seeded(8)), **columns),
    )


@pytest.fixture(scope="module")
def table():
    return dc.crosstab(*surveys(), names=("x", "z"))


@pytest.fixture(scope="module")
def together():
    x, z = held()
    return dc.crosstab(dc.Survey(PAIRS, PAIRS.randomize_indices(2 * x + z, dc.random.seeded(9))))


def test_the_figures_of_the_reference(table):
    expected = figures()
    assert table.shares == pytest.approx(np.array(expected["F joint shares 5x2"]), abs=1e-9)
    assert table.stderr == pytest.approx(np.array(expected["F joint stderr"]), rel=1e-7)
    assert table.shares[0] == pytest.approx([0.113352, 0.020092], abs=5e-7)
    assert table.stderr[0] == pytest.approx([0.024917, 0.024095], abs=5e-7)


def test_margins_are_what_each_question_alone_says(table):
    for (shares, errors), survey in zip(table.margins, surveys(), strict=True):
        alone = dc.estimate(survey.tally)
        assert shares == pytest.approx(alone.shares, abs=1e-12)
        assert errors == pytest.approx(alone.stderr * np.sqrt(N / (N - 1)), rel=1e-9)
    assert table.shares.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", ["hadamard", "unary"])
def test_calibrated_terms_add_up_to_one_also_where_decoded_shares_do_not(name):
    mechanism = dc.mechanism(dc.Context.uniform(range(5), "1"), name)
    reports = mechanism.randomize_indices(held()[0], dc.random.seeded(1))
    assert dc.estimate(mechanism.tally(reports)).shares.sum() != pytest.approx(1, abs=1e-3)  # the control
    found = dc.crosstab((mechanism, reports), surveys()[1])
    assert found.shares.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("pairs", ["two reports", "pairs as one value"])
def test_the_table_is_unbiased_by_the_exact_channels(pairs):
    """Every pair of reports with its exact probability as a weight gives the held pair, and nothing else."""
    one, two = (dc.mechanism(dc.Context.uniform(range(k), "1"), "subset") for k in (3, 4))
    both = dc.mechanism(dc.Context.uniform([(x, z) for x in range(3) for z in range(4)], "1"), "hadamard")
    for x, z in ((0, 0), (2, 3), (1, 2)):
        if pairs == "two reports":
            ys = [(y, v) for y in one.reports() for v in two.reports()]
            chances = [float(one.sampler.probability(x, y) * two.sampler.probability(z, v)) for y, v in ys]
            first, second = ([pair[side] for pair in ys] for side in (0, 1))
            found = dc.crosstab(dc.Survey(one, first, weights=chances), dc.Survey(two, second, weights=chances))
        else:
            chances = [float(both.sampler.probability(4 * x + z, y)) for y in both.reports()]
            found = dc.crosstab(dc.Survey(both, list(both.reports()), weights=chances))
        expected = np.zeros((3, 4))
        expected[x, z] = 1
        assert found.shares == pytest.approx(expected, abs=1e-9)
        assert found.shares != pytest.approx(expected.T.reshape(3, 4) * 0, abs=1e-3)  # the control


def test_pairs_as_one_value_find_the_same_table_with_less_error(table, together):
    truth = np.zeros((5, 2))
    np.add.at(truth, held(), 1 / N)
    for found in (table, together):
        assert np.abs((found.shares - truth) / found.stderr).max() < 5.4  # false alarm below 1e-6 over 20 cells
        low, high = found.interval(0.95)
        assert (high - low) == pytest.approx(2 * 1.959964 * found.stderr, rel=0.05)
    assert together.stderr.max() < table.stderr.min()
    assert together.independence.p < 1e-12


def test_the_likely_table_is_a_distribution_near_the_truth(table, together):
    truth = np.zeros((5, 2))
    np.add.at(truth, held(), 1 / N)
    for found in (table, together):
        likely = found.likely()
        assert likely.min() >= 0
        assert likely.sum() == pytest.approx(1)
        assert np.abs(likely - truth).max() < 0.1


def test_a_table_with_negative_cells_has_a_likely_one_without():
    one = dc.mechanism(dc.Context.uniform(range(3), "1"))
    reports = one.randomize_indices(np.repeat([0, 1], 150), dc.random.seeded(3))
    others = one.randomize_indices(np.repeat([0, 1], 150), dc.random.seeded(4))
    found = dc.crosstab((one, reports), (one, others))
    assert found.shares.min() < 0
    assert found.likely().min() >= 0


def test_shares_given_an_answer(table):
    given = table.given(second=1)
    assert given.shares == pytest.approx(table.shares[:, 1] / table.shares[:, 1].sum())
    assert given.shares.sum() == pytest.approx(1)
    assert given.name == "x"
    other = table.given(first=2)
    assert other.shares == pytest.approx(table.shares[2] / table.shares[2].sum())
    assert "among the people whose x is 2" in str(other)
    assert 0 < other.stderr[0] < 0.2
    assert other.stderr[0] == pytest.approx(other.stderr[1])  # two shares that add up to one
    for wrong in ({}, {"first": 1, "second": 1}, {"third": 1}):
        with pytest.raises(InvalidInput, match="one of first=ANSWER and second=ANSWER"):
            table.given(**wrong)
    with pytest.raises(InvalidInput, match="value=9 must be one of the 5 values"):
        table.given(first=9)


def test_errors_of_ratios_are_those_of_many_surveys():
    """The deviation over 300 surveys is the mean standard error within 20 %: 5 standard errors, false alarm 1e-6."""
    one = dc.mechanism(dc.Context.uniform(range(2), "2"))
    draw = np.random.default_rng(8)
    found = []
    for seed in range(300):
        x = draw.integers(2, size=1500)
        z = np.where(draw.random(1500) < 1 / 3, 1 - x, x)
        rng = dc.random.seeded(seed)
        made = dc.crosstab((one, one.randomize_indices(x, rng)), (one, one.randomize_indices(z, rng)))
        given = made.given(first=1)
        found.append((given.shares[1], given.stderr[1], made.correlation.estimate, made.correlation.stderr))
    shares, errors, correlations, spreads = np.array(found).T
    assert 0.8 < shares.std() / errors.mean() < 1.2
    assert 0.8 < correlations.std() / spreads.mean() < 1.2
    assert correlations.mean() == pytest.approx(1 / 3, abs=0.02)
    naive = np.corrcoef(one.randomize_indices(x, dc.random.seeded(1)), one.randomize_indices(z, dc.random.seeded(2)))
    assert naive[0, 1] < 0.27  # the control: the correlation of reports is not that of answers


def rejections(second_depends):
    one, two = dc.mechanism(dc.Context.uniform(range(3), "1")), dc.mechanism(dc.Context.uniform(range(4), "1"))
    rng = np.random.default_rng(5)
    found = []
    for seed in range(200):
        x = rng.integers(3, size=1000)
        z = x if second_depends else rng.integers(4, size=1000)
        words = dc.random.seeded(seed)
        test = dc.crosstab((one, one.randomize_indices(x, words)), (two, two.randomize_indices(z, words))).independence
        assert test.df == 6
        found.append(test.p < 0.05)
    return np.mean(found)


def test_independence_has_its_size_and_power():
    """Of 200 tables of independent answers 5 % are rejected: at most 24 with probability 1 - 5e-7 (binomial)."""
    assert rejections(second_depends=False) <= 24 / 200
    assert rejections(second_depends=True) > 0.9


def test_permutations_agree_with_the_chi_square(table):
    exact = dc.crosstab(*surveys(), permutations=199, rng=dc.random.seeded(1)).independence
    assert exact.statistic == table.independence.statistic
    assert exact.permuted_p == 1 / 200
    assert exact.permutations == 199
    x = held()[0]
    rng = np.random.default_rng(2)
    other = SECOND.randomize_indices(rng.integers(2, size=N), dc.random.seeded(1))
    apart = dc.crosstab(
        (FIRST, FIRST.randomize_indices(x, dc.random.seeded(2))),
        (SECOND, other),
        permutations=199,
        rng=dc.random.seeded(3),
    ).independence
    assert abs(apart.permuted_p - apart.p) < 0.15


def test_weights_clusters_and_strata_are_used(table):
    even = dc.crosstab(*surveys(weights=np.full(N, 3.0)))
    assert even.shares == pytest.approx(table.shares)
    assert even.stderr == pytest.approx(table.stderr)
    assert even.independence.p == pytest.approx(table.independence.p, rel=0.5)
    alone = dc.crosstab(*surveys(clusters=ROWS))
    assert alone.stderr == pytest.approx(table.stderr)
    twice = np.concatenate([ROWS, ROWS])
    doubled = dc.crosstab(*(survey_twice(survey, twice) for survey in surveys()))
    assert doubled.shares == pytest.approx(table.shares)
    assert doubled.stderr == pytest.approx(table.stderr, rel=1e-3)  # the same people twice tell no more
    assert doubled.independence.df == 4
    layered = dc.crosstab(*surveys(strata=ROWS % 3))
    assert layered.stderr == pytest.approx(table.stderr, rel=0.05)


def survey_twice(survey, clusters):
    reports = np.concatenate([survey.waves[0].reports] * 2)
    return dc.Survey(survey.mechanism, reports, clusters=clusters)


def test_words_have_no_correlation_unless_scores_are_given(table):
    words = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    reports = surveys()[1].waves[0].reports
    assert dc.crosstab((words, reports), surveys()[1]).correlation is None
    scored = dc.crosstab((words, reports), surveys()[0], scores=({"yes": 1}, "mean"))
    turned = dc.crosstab(surveys()[0], surveys()[1])
    assert scored.correlation.estimate == pytest.approx(turned.correlation.estimate)


def test_the_result_is_printed_drawn_and_taken_further(table, tmp_path):
    text = str(table)
    assert "independence: chi-square" in text
    assert text.splitlines()[0].split() == ["x", "z", "estimate", "stderr", "low", "high"]
    assert "(all)" in text
    frame = table.to_pandas()
    assert list(frame.columns) == ["x", "z", "estimate", "stderr", "low", "high"]
    assert len(frame) == 10 + 7
    assert frame.attrs["independence"]["df"] == 4
    assert json.loads(json.dumps(table.to_dict()))["n"] == N
    assert "<table>" in table._repr_html_()
    for name in ("table.png", "table.svg"):
        table.plot(tmp_path / name, title="x and z")
        assert (tmp_path / name).stat().st_size > 1000
    table.given(first=0).plot(tmp_path / "given.png")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: dc.crosstab((FIRST, [3, 5]), (SECOND, [1])),
            "first has 2 reports and second 1; they must be of the same",
        ),
        (lambda: dc.crosstab((FIRST, [3])), "must be over tuples of answers"),
        (lambda: dc.crosstab((FIRST, [3]), (SECOND, [1])), "n=1 people are too few"),
        (
            lambda: dc.crosstab((PAIRS, [3, 4]), questions=(0, 2)),
            r"questions=\(0, 2\) must be two different whole numbers",
        ),
        (lambda: dc.crosstab((FIRST, [3, 5]), (SECOND, [1, 1]), names=("a", "a")), "must be two different names"),
        (
            lambda: dc.crosstab(FIRST, SECOND),
            "first of type Mechanism must be a survey, or a mechanism and its reports",
        ),
        (
            lambda: dc.crosstab(surveys(weights=ROWS + 1)[0], surveys(weights=ROWS + 2)[1]),
            "weights of second must be those",
        ),
        (lambda: dc.crosstab(*surveys(), rng=7), "rng of type int must be a source of words"),
        (
            lambda: dc.crosstab(*surveys(), rng=dc.random.seeded(1), permutations=0),
            "permutations=0 must be a positive",
        ),
        (lambda: dc.crosstab(*surveys(), rng=dc.random.seeded(1), permutations=10**9), "take too long"),
        (lambda: dc.crosstab(*surveys(weights=ROWS + 1), rng=dc.random.seeded(1)), "must be left out with weights"),
        (lambda: dc.crosstab(*surveys(), scores="mean"), "scores must be two queries"),
    ],
)
def test_what_cannot_be_crossed_is_refused_with_one_line(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()


def test_large_tables_are_bounded():
    large = dc.mechanism(dc.Context.uniform(range(1000), "1"), "hadamard")
    reports = large.randomize_indices([1, 2, 3], dc.random.seeded(1))
    with pytest.raises(InvalidInput, match=f"1000000 pairs of answers is beyond the {MAX_CELLS} that can be held"):
        dc.crosstab((large, reports), (large, reports[::-1]))


def test_an_answer_that_nobody_may_have_given_is_not_divided_by():
    one = dc.mechanism(dc.Context.uniform(range(3), "4"))
    reports = one.randomize_indices([0] * 40, dc.random.seeded(6))
    found = dc.crosstab((one, reports), (one, reports[::-1]))
    empty = int(np.argmin(found.margins[0][0]))
    if found.margins[0][0][empty] <= 0:
        with pytest.raises(Unavailable, match="is not above 0"):
            found.given(first=empty)
    else:
        assert "WARNING" in str(found.given(first=empty))


def test_no_table_is_much_likelier_than_the_likely_one(table):
    """By concavity what is left to gain is at most the largest gradient less 1, a person; at even shares it is not."""
    step = em_step(*surveys(), np.full(N, 1 / N))

    def left(p):
        return float((step(p)[0] / p).max() - 1)

    assert left(np.maximum(table.likely(), 1e-12)) < 1e-3
    assert left(np.full((5, 2), 0.1)) > 0.05  # the control


def test_margins_of_people_in_clusters_are_those_of_each_question(table):
    clustered = dc.crosstab(*surveys(clusters=ROWS // 20))
    for side, survey in enumerate(surveys(clusters=ROWS // 20)):
        scores = survey.scores({1: 1})
        error = np.sqrt(survey.covariance_of_sum((scores - scores.mean())[:, None] / N)[0, 0])
        assert clustered.margins[side][1][1] == pytest.approx(error)
    assert clustered.margins[0][1] != pytest.approx(table.margins[0][1], rel=1e-6)


def test_pairs_that_nobody_reported_have_an_interval():
    """The extremes of a score are those of all reports, not of those that were sent."""
    one = dc.mechanism(dc.Context.uniform(range(3), "8"))
    held = np.repeat([0, 1], 50)
    found = dc.crosstab((one, held), (one, np.roll(held, 1)))
    low, high = found.interval()
    assert (high - low).min() > 0.01
    assert high[2, 2] > 0.02, "up to three in a hundred may hold what none of them reported"


def test_the_share_among_people_of_whom_there_may_be_none_is_anything():
    rare = dc.mechanism(dc.Context.uniform(range(2), "1"))
    reports = rare.randomize_indices(np.arange(200) // 196, dc.random.seeded(4))
    others = rare.randomize_indices(np.arange(200) % 2, dc.random.seeded(5))
    given = dc.crosstab((rare, reports), (rare, others)).given(first=1)
    assert given.among[0] < 2 * given.among[1]
    low, high = given.interval()
    assert (np.minimum(low, 0) == np.minimum(given.shares, 0)).all()
    assert ((low <= 0) & (high >= 1)).all()
    with pytest.raises(InvalidInput, match=r"confidence=2 must be between 0 and 1"):
        given.interval(2)


def test_intervals_by_inversion_are_normal_where_people_are_many(table):
    given = table.given(second=1)
    low, high = given.interval()
    reach = 1.959964 * given.stderr
    uncut = given.shares > reach
    assert uncut.sum() == 3
    assert (high - low)[uncut] == pytest.approx(2 * reach[uncut], rel=0.1)
    assert (low[~uncut] == np.minimum(given.shares[~uncut], 0)).all()
    narrow = given.interval(0.5)
    assert ((low <= narrow[0]) & (narrow[1] < high)).all()
    r = table.correlation
    assert np.ptp(r.interval()) == pytest.approx(2 * 1.959964 * r.stderr, rel=0.05)
    assert r.interval(0.5)[0] > r.interval()[0]
    for columns in ({"clusters": ROWS // 20}, {"weights": np.full(N, 3.0)}):
        drawn = dc.crosstab(*surveys(**columns))
        assert np.array(drawn.given(second=1).interval()) == pytest.approx(np.array([low, high]), abs=0.05)
        assert drawn.correlation.interval() == pytest.approx(r.interval(), abs=0.05)


def test_a_correlation_of_answers_without_spread_is_anything():
    one = dc.mechanism(dc.Context.uniform(range(2), "2"))
    reports, others = np.zeros(40, dtype=int), np.arange(40) % 2
    found = dc.crosstab((one, reports), (one, others))
    assert np.isnan(found.correlation.estimate)
    assert found.correlation.interval() == (-1.0, 1.0)
    assert found.to_dict()["correlation"] | {"freedom": None} == {
        "estimate": None,
        "stderr": None,
        "freedom": None,
        "low": -1.0,
        "high": 1.0,
    }


def test_plain_data_has_the_covariance_of_the_cells(table, together):
    for found in (table, together, dc.crosstab(*surveys(clusters=ROWS // 20))):
        plain = json.loads(json.dumps(found.to_dict()))
        covariance = np.array(plain["covariance"])
        assert np.sqrt(np.diag(covariance)) == pytest.approx(found.stderr.reshape(-1))
        rows = np.kron(np.eye(5), np.ones(2))
        assert np.sqrt(np.diag(rows @ covariance @ rows.T)) == pytest.approx(found.margins[0][1])
        assert [plain["correlation"][end] for end in ("low", "high")] == list(found.correlation.interval())
        assert {"estimate", "stderr", "freedom"} <= set(plain["correlation"])


def test_large_tables_leave_the_covariance_out():
    wide = dc.mechanism(dc.Context.uniform(range(20), "3"), "hadamard")
    reports = [wide.randomize_indices(np.arange(300) % 20, dc.random.seeded(seed)) for seed in (1, 2)]
    assert dc.crosstab((wide, reports[0]), (wide, reports[1])).to_dict()["covariance"] is None
