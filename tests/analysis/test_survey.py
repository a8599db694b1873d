"""Scores of surveys against the reference figures."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, InvalidReport

from .reference import B2, B5, N, answers, figures, survey


def mean_and_error(scores, sample):
    return float(scores.mean()), float(np.sqrt(sample.covariance_of_sum(scores[:, None] / N)[0, 0]))


def test_the_share_of_yes():
    sample = survey(dc.mechanism(dc.Context.uniform(["no", "yes"], "1")), B2, 1)
    expected = figures()
    assert [answers(B2).sum(), sample.tally.counts[1]] == expected["A true yes, yes reports"]
    mean, error = mean_and_error(sample.scores({"yes": 1}), sample)
    assert mean == pytest.approx(expected["A share, stderr"][0], abs=1e-9)
    assert error * np.sqrt(1 - 1 / N) == pytest.approx(expected["A share, stderr"][1], abs=1e-9)


def test_calibrated_scores_of_hadamard():
    sample = survey(dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard"), B5, 2)
    expected = figures()
    for calibrated, name in ((False, "B mean raw, stderr"), (True, "B mean calibrated, stderr")):
        mean, error = mean_and_error(sample.scores("mean", calibrated=calibrated), sample)
        assert mean == pytest.approx(expected[name][0], abs=1e-9)
        assert error == pytest.approx(expected[name][1], rel=1e-6)


# -- estimates of groups -----------------------------------------------------------------------------------


def linearised(sample, query, mine, weights, clusters):
    """The mean of a group and its error as survey::svymean has them, over all clusters."""
    s = sample.scores(query)
    mean = np.average(s[mine], weights=weights[mine])
    terms = np.where(mine, weights * (s - mean), 0) / weights[mine].sum()
    sums = np.bincount(clusters, terms)
    return mean, np.sqrt(len(sums) / (len(sums) - 1) * ((sums - sums.mean()) ** 2).sum())


@pytest.mark.parametrize("clusters", [None, np.arange(N) // 20])
def test_weighted_means_of_groups_are_linearised(clusters):
    mechanism = dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard")
    weights = 1 + (np.arange(N) % 4) / 4
    sample = survey(mechanism, B5, 2, labels={"region": np.arange(N) % 3}, weights=weights, clusters=clusters)
    found = sample.by("region", query="mean")
    units = np.arange(N) if clusters is None else clusters
    for group in range(3):
        mean, error = linearised(sample, "mean", np.arange(N) % 3 == group, weights, units)
        assert found[group] == pytest.approx([mean], abs=1e-12)
        assert found.stderr[group, 0] == pytest.approx(error, rel=1e-10)
    whole = sample.query("mean")
    assert whole.estimate[0, 0] == pytest.approx(np.average(sample.scores("mean"), weights=weights))


def test_shares_of_several_mechanisms_are_those_of_all_scores():
    first, second = (
        survey(dc.mechanism(dc.Context.uniform(range(5), epsilon), "hadamard"), B5, 2) for epsilon in ("1", "3")
    )
    both = first + second
    found = both.shares()
    for x in range(5):
        scores = both.scores({x: 1}, calibrated=False)
        assert found.estimate[0, x] == pytest.approx(scores.mean(), abs=1e-12)
        parts = [one.scores({x: 1}, calibrated=False) for one in (first, second)]
        assert found.stderr[0, x] == pytest.approx(np.sqrt(sum(s.var() * N for s in parts)) / (2 * N), rel=0.02)


def test_estimates_are_tables_and_pictures(tmp_path):
    sample = survey(dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard"), B5, 2, labels={"n": np.arange(N) % 2})
    found = sample.by("n")
    assert list(found.table()) == ["n (label)", "value", "n", "estimate", "stderr", "low", "high"]
    assert len(found.to_pandas()) == 10
    assert found.to_dict()["labels"] == ["n"]
    assert "shares are unbiased" in str(found)
    found.plot(tmp_path / "groups.png", title="by n")
    sample.query("mean").plot(tmp_path / "mean.pdf")
    assert all(file.stat().st_size > 3000 for file in tmp_path.iterdir())


def test_strata_with_one_cluster_are_refused():
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    sample = survey(mechanism, B2, 1, clusters=np.arange(N) // 20, strata=np.minimum(np.arange(N) // 20, 5))
    with pytest.raises(dc.errors.InvalidInput, match="a stratum has one cluster"):
        sample.query({"yes": 1})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"labels": {"a": [1, 2]}}, r"labels\['a'\] of shape \(2,\) must be one column with 3 labels"),
        ({"labels": {"a": "xyz"}}, r"labels\['a'\] of type str must be a column of 3 labels"),
        ({"labels": {"a": [[1], [2], [3]]}}, r"labels\['a'\] must hold numbers, text, truth values or times"),
        ({"labels": [1, 2, 3]}, "labels of type list must be columns by name"),
        ({"weights": [1, 0, 2]}, "weights must be positive numbers"),
        ({"weights": ["a", "b", "c"]}, "weights must be positive numbers"),
        ({"population": 2}, "population=2 must be a whole number, at least the 3 people asked"),
    ],
)
def test_columns_that_cannot_serve_are_named(columns, message):
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    with pytest.raises(dc.errors.InvalidInput, match=message):
        dc.Survey(mechanism, [0, 1, 1], **columns)


def test_answers_on_paper_are_read_in_words():
    by_hand = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"), "randomized_response")
    by_hand = by_hand.with_report_names(["blue", "red"])
    words = ["red", "blue", "red", "red"]
    plain = dc.Survey(by_hand, by_hand.reports_of(words)).tally
    for given in (words, np.array(words), np.array(words, dtype=object), iter(words)):
        assert dc.Survey(by_hand, given).tally == plain
    assert dc.Survey(by_hand, np.array([1, 0, 1, 1])).tally == plain
    for wrong in (["red", "green"], ["red", 1]):
        with pytest.raises(InvalidReport, match="row 1 must be one of 'blue', 'red'"):
            dc.Survey(by_hand, wrong)
    with pytest.raises(InvalidReport, match="one column"):
        dc.Survey(by_hand, "red")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_labels_and_predictions_take_a_table(library):
    made = pytest.importorskip(library)
    columns = {"age": [20.5, 30.0, 41.0, 50.0] * 25, "region": ["n", "s"] * 50}
    table = made.table(columns) if library == "pyarrow" else made.DataFrame(columns)
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "3"))
    reports = mechanism.randomize_indices(np.arange(100) % 2, dc.random.seeded(1))
    plain, other = dc.Survey(mechanism, reports, labels=columns), dc.Survey(mechanism, reports, labels=table)
    assert str(other.by("region")) == str(plain.by("region"))
    fitted = dc.regress(other, {"yes": 1}, on=["age", "region"])
    assert str(fitted.predict(table)) == str(fitted.predict(columns))
    with pytest.raises(InvalidInput, match="labels of type int must be columns by name, or a table"):
        dc.Survey(mechanism, reports, labels=3)


def test_labels_that_are_numbers_are_printed_as_given():
    mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], "3"))
    reports = mechanism.randomize_indices(np.arange(100) % 2, dc.random.seeded(1))
    sample = dc.Survey(mechanism, reports, labels={"dose": np.arange(100) % 2 / 2 + 1, "arm": [1.0, 2.0] * 50})
    for shown in (str(sample.by("dose")), str(dc.compare(sample, by="dose", query={"yes": 1}))):
        assert " 1.5 " in shown.replace("\n", " ")
        assert "1.5000" not in shown
    told = str(dc.compare(sample, by="arm", query={"yes": 1}))
    assert told.splitlines()[1].split()[:2] == ["2", "1"]
    assert sample.by("dose").to_dict()["dose"] == [1.0, 1.0, 1.5, 1.5], "data stay numbers"


def test_waves_that_are_merged_are_said_to_be_of_different_people():
    """Thirty people who answer eight times alike are thirty: with clusters the error is that of one wave."""
    one = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))
    reports = one.randomize_many(["no", "yes", "yes"] * 10, dc.random.seeded(1))

    def waves(**design):
        return [dc.Survey(one, reports, **{name: list(range(30)) for name in design}) for _ in range(8)]

    def merged(**design):
        first, *others = waves(**design)
        for other in others:
            first = first + other
        return first

    said = "those of 8 waves are taken to be of different people"
    assert any(said in remark for remark in merged().shares().remarks())
    alone = dc.Survey(one, reports).query({"yes": 1}).stderr.item()
    assert merged().query({"yes": 1}).stderr.item() < alone / 2
    known = merged(clusters=True).query({"yes": 1})
    assert not any("different people" in remark for remark in known.remarks())
    assert known.stderr.item() == pytest.approx(alone, rel=0.05)


def test_reports_that_a_seed_drew_are_marked_in_every_tally_of_a_survey():
    survey = dc.Survey(
        dc.mechanism(dc.Context.uniform(["no", "yes"], "1")),
        [0, 1, 1, 0],
        labels={"town": ["lima", "oslo", "lima", "oslo"]},
    )
    for insecure in (False, True):
        survey.insecure = insecure
        tallies = [
            survey.tally,
            *survey.tallies("town").values(),
            (survey + survey).tally,
            survey.only(np.arange(4) < 2).tally,
        ]
        assert {tally.insecure for tally in tallies} == {insecure}
        assert ("a seed drew" in dc.release(dc.estimate(survey.tally), title="Towns").to_html()) is insecure
