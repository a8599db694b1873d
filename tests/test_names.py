"""What carries names is matched by name or refused, at every door that takes one number per value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dc
from discreet.core.domain import Domain
from discreet.core.errors import InvalidInput, UnknownValue
from discreet.core.per_value import per_value
from discreet.planning import expected_error
from discreet.plots import shares as share_plots
from discreet.theory.of_mechanism import squared_error, total_variation_at
from discreet.theory.unbiased import unbiased_by_classes

VALUES = ["flu", "hiv", "none"]
SHARES = {"flu": 0.09, "hiv": 0.01, "none": 0.9}
OTHER = [0.9, 0.09, 0.01]
"""The same shares in the order that a sorted Series has them."""

CONTEXT = dc.Context.high_low(VALUES, ["hiv"], epsilon="1")
UNARY = dc.mechanism(dc.Context.graded({"flu": "1", "hiv": "0.5", "none": "2"}), "graded_unary")
ESTIMATE = dc.estimate(
    UNARY.tally(UNARY.randomize_many(["none"] * 900 + ["flu"] * 90 + ["hiv"] * 10, dc.random.seeded(1)))
)
SURVEY = dc.Survey(
    UNARY,
    UNARY.randomize_many(VALUES * 100, dc.random.seeded(2)),
    labels={"age": list(range(300)), "town": [0, 1] * 150},
)
REPORTS = SURVEY.waves[0].reports
PAIR = (UNARY, REPORTS), (UNARY, UNARY.randomize_many(VALUES * 100, dc.random.seeded(3)))
FORM = dc.Form({"ill": VALUES, "old": ["no", "yes"]}, "each", epsilon="1")


def drawn_truth(truth: Any) -> list[float]:
    """The truth as `plot_shares` hands it to its panels."""
    seen: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(share_plots, "_draw_panel", lambda axes, panel, order, rows, truth: seen.append(truth))
        patch.setattr(share_plots, "save", lambda figure, path: None)
        share_plots.plot_shares(ESTIMATE, "shares.svg", truth=truth)
    return [float(share) for share in seen[0]]


PRIORS: dict[str, Callable[[Any], Any]] = {
    "mechanism": lambda given: dc.mechanism(UNARY.context, "graded_unary", prior=given).fingerprint,
    "explain": lambda given: [one.error for one in dc.explain(CONTEXT, prior=given).candidates],
    "explanation.at": lambda given: [one.error for one in dc.explain(CONTEXT).at(given).candidates],
    "plan": lambda given: dc.plan(UNARY, n=1000, prior=given).expected.total_squared_error,
    "design": lambda given: dc.design(CONTEXT, prior=given, seconds=0.1).error,
    "exposure": lambda given: dc.exposure(UNARY, prior=given).range("hiv"),
    "form": lambda given: FORM.plan(n=100, prior={"ill": given}).to_dict(),
    "bounds.compare": lambda given: dc.bounds.compare(UNARY, 1000, prior=given).as_dict(),
    "bounds.bounds_for": lambda given: str(dc.bounds.bounds_for(UNARY.context, 1000, prior=given)),
    "bounds.mutual_information": lambda given: dc.bounds.mutual_information(UNARY, given),
    "bounds.unbiased_matrix": lambda given: dc.bounds.unbiased_matrix(UNARY.context, given).value,
    "bounds.channel_stein_exponent": lambda given: dc.bounds.channel_stein_exponent(UNARY, given, [0.2, 0.3, 0.5]),
    "squared_error": lambda given: squared_error(UNARY, 10, given).value,
    "total_variation_at": lambda given: total_variation_at(UNARY, 10, given).value,
    "unbiased_by_classes": lambda given: unbiased_by_classes(UNARY.context, given).value,
    "expected_error": lambda given: expected_error(UNARY, 10, given).stderr,
    "score, shares": lambda given: UNARY.score(REPORTS[:5], [1, 0, 0], shares=given).tolist(),
    "plot_shares": drawn_truth,
}

WEIGHTS: dict[str, Callable[[Any], Any]] = {
    "query": lambda given: ESTIMATE.query(given).value,
    "mean": lambda given: ESTIMATE.mean(given).value,
    "covariance": lambda given: ESTIMATE.covariance(given, [1, 0, 0]),
    "projected": lambda given: dc.project(ESTIMATE).query(given).value,
    "score": lambda given: UNARY.score(REPORTS[:5], given).tolist(),
    "survey": lambda given: SURVEY.query(given).estimate.tolist(),
    "survey.by": lambda given: SURVEY.by("town", query=given).estimate.tolist(),
    "survey.scores": lambda given: SURVEY.scores(given)[:5].tolist(),
    "compare": lambda given: dc.compare(SURVEY, by="town", query=given).difference.tolist(),
    "regress": lambda given: dc.regress(SURVEY, given, on=["age"]).coefficients.tolist(),
    "regress_on": lambda given: dc.regress_on(SURVEY, "age", query=given).coefficients.tolist(),
    "crosstab": lambda given: dc.crosstab(*PAIR, scores=(given, given)).correlation.estimate,
    "noncompliance": lambda given: dc.noncompliance(ESTIMATE, to="none", query=given).value,
    "plan": lambda given: dc.plan(UNARY, n=1000, query=given).objective.weights[0][1].tolist(),
    "plan of several": lambda given: dc.plan(UNARY, n=1000, query=["shares", given]).objective.weights[1][1].tolist(),
    "explain": lambda given: dc.explain(CONTEXT, query=given).candidates[0].error,
    "mechanism": lambda given: dc.mechanism(CONTEXT, query=given).name,
}

DOORS = {f"prior of {name}": door for name, door in PRIORS.items()} | WEIGHTS


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_series_is_matched_by_its_index(door):
    by_name, series = door(SHARES), pd.Series(SHARES).sort_values(ascending=False)
    assert list(series) == OTHER
    assert door(series) == by_name
    assert door(list(SHARES.values())) == by_name


def test_the_control_reads_by_position_what_names_would_set_right():
    doors = [door for name, door in DOORS.items() if name not in ("mechanism", "prior of mechanism")]
    assert all(door(OTHER) != door(SHARES) for door in doors)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_names_that_are_not_the_values_are_refused(door):
    with pytest.raises((InvalidInput, UnknownValue)):
        door(pd.Series(OTHER, index=["flu", "hiv", "well"]))
    with pytest.raises((InvalidInput, UnknownValue)):
        door(pd.DataFrame({"share": SHARES}))


def test_an_index_that_nobody_set_stands_for_the_order_and_only_that():
    domain = Domain(VALUES)
    assert per_value(domain, pd.Series(OTHER), name="prior") == OTHER
    for index in ([0, 1, 2], [2, 1, 0], ["flu", "hiv", "hiv"], range(1, 4)):
        with pytest.raises(InvalidInput, match="prior: the names in this Series must be the 3 values"):
            per_value(domain, pd.Series(OTHER, index=index), name="prior")
    with pytest.raises(InvalidInput, match="the 3 values"):
        per_value(domain, pd.Series(SHARES)[:2], name="prior")


def test_an_index_of_numbers_that_are_the_values_is_matched_in_any_order():
    domain = Domain([2, 0, 1])
    assert per_value(domain, pd.Series([5, 6, 7]), name="prior") == [7, 5, 6]
    assert per_value(Domain([True, False]), pd.Series({False: 1, True: 2}), name="prior") == [2, 1]
    ages = pd.Series([1, 2], index=pd.MultiIndex.from_tuples([("b", 1), ("a", 0)]))
    assert per_value(Domain([("a", 0), ("b", 1)]), ages, name="prior") == [2, 1]


def test_what_has_no_names_stands_in_order():
    for given in (OTHER, np.array(OTHER), pl.Series(OTHER), pd.Series(OTHER)):
        assert ESTIMATE.query(given).value == ESTIMATE.query(OTHER).value
        assert dc.exposure(UNARY, prior=given).guess == dc.exposure(UNARY, prior=OTHER).guess


def test_shares_of_another_survey_are_matched_by_their_values():
    other = dc.mechanism(dc.Context.uniform(VALUES[::-1], epsilon="2"))
    pilot = dc.project(other.tally(other.randomize_many(["none"] * 90 + ["flu"] * 10, dc.random.seeded(1))))
    assert dc.exposure(UNARY, prior=pilot).prior.tolist() == pilot.shares[::-1].tolist()


def test_names_without_values_to_match_are_refused():
    p, q = pd.Series({"a": 0.5, "b": 0.5}), pd.Series({"b": 0.75, "a": 0.25})
    with pytest.raises(InvalidInput, match="p of type Series must be plain numbers in order"):
        dc.bounds.total_variation(p, q)
    for channel in (pd.DataFrame([[0.5, 0.5], [0.5, 0.5]]), {"a": [0.5, 0.5], "b": [0.5, 0.5]}):
        with pytest.raises(InvalidInput, match="must be plain numbers"):
            dc.bounds.capacity(channel)
    assert dc.bounds.total_variation(pd.Series([0.5, 0.5]), q.to_numpy()) == 0.25


@pytest.mark.parametrize("role", ["labels", "weights", "clusters", "strata"])
def test_columns_of_a_survey_with_another_index_than_the_reports_are_refused(role):
    frame = pd.DataFrame({"report": REPORTS, "of": [1, 2, 3] * 100})
    kept, rest = frame[frame["of"] > 1], frame["of"][:200]
    column = {"of": rest} if role == "labels" else rest
    with pytest.raises(InvalidInput, match="must have the index of reports: align them first"):
        dc.Survey(UNARY, kept["report"], **{role: column})
    whole = {"of": kept["of"]} if role == "labels" else kept["of"]
    assert dc.Survey(UNARY, kept["report"], **{role: whole}).n == 200
    assert dc.Survey(UNARY, kept["report"].to_numpy(), **{role: column}).n == 200


def test_answers_of_one_form_and_reports_of_one_table_must_be_of_the_same_people():
    ill, old = pd.Series(["flu", "hiv"]), pd.Series(["no", "yes"])
    with pytest.raises(InvalidInput, match="old must have the index of ill"):
        FORM.randomize_many({"ill": ill, "old": old[::-1]}, dc.random.seeded(1))
    reports = pd.Series(REPORTS)
    with pytest.raises(InvalidInput, match="second must have the index of first"):
        dc.crosstab((UNARY, reports), (UNARY, reports[::-1]))


PEOPLE = dc.Survey(UNARY, pd.Series(REPORTS), labels={"age": list(range(300)), "town": [0, 1] * 150})
LATER = pd.Series(np.random.default_rng(1).normal(size=300))
COLUMNS: dict[str, Callable[[dc.Survey, Any], Any]] = {
    "regress": lambda survey, given: dc.regress(survey, {"hiv": 1}, on=[("z", given)]).coefficients.tolist(),
    "multinomial": lambda survey, given: dc.multinomial(survey, on=[("z", given)]).coefficients.tolist(),
    "outcome": lambda survey, given: dc.regress_on(survey, ("z", given), {"hiv": 1}).coefficients.tolist(),
    "only": lambda survey, given: survey.only(given > 0).label("age").tolist(),
}


@pytest.mark.parametrize("door", COLUMNS.values(), ids=COLUMNS)
def test_columns_that_come_later_must_have_the_index_of_the_survey(door):
    assert door(PEOPLE, LATER) == door(SURVEY, LATER.to_numpy())
    part, twice = PEOPLE.only(range(100)), PEOPLE + PEOPLE
    for survey, own in ((part, LATER[:100]), (twice, pd.concat([LATER, LATER]))):
        assert door(survey, own) == door(survey, own.to_numpy())
    for survey, strange in ((PEOPLE, LATER[::-1]), (part, LATER[100:200]), (twice, pd.concat([LATER, LATER[::-1]]))):
        with pytest.raises(InvalidInput, match="must have the index of the survey: align them first"):
            door(survey, strange)


def test_surveys_that_are_crossed_must_be_of_the_same_people():
    other = dc.Survey(UNARY, pd.Series(REPORTS)[::-1])
    for first in (PEOPLE, (UNARY, pd.Series(REPORTS))):
        with pytest.raises(InvalidInput, match="second must have the index of first"):
            dc.crosstab(first, other)
    same = dc.Survey(UNARY, pd.Series(REPORTS[::-1]))
    for first, second in ((SURVEY, other), (PEOPLE, same)):
        assert dc.crosstab(first, second, permutations=0).n == 300


def test_labels_of_people_to_predict_for_must_be_of_the_same_people():
    fit = dc.regress(SURVEY, {"hiv": 1}, on=["age", "town"])
    age, town = pd.Series([20, 30]), pd.Series([0, 1])
    assert len(fit.predict({"age": age, "town": town})) == 2
    with pytest.raises(InvalidInput, match="must have the index of"):
        fit.predict({"age": age, "town": town[::-1]})


def test_places_of_values_are_matched_by_name_too():
    places = {"a": 5, "b": 1, "c": 2}
    line = dc.Context.metric(list("abc"), "line", epsilon="1", points=list(places.values()))
    for points in (places, pd.Series(places).sort_values()):
        assert dc.Context.metric(list("abc"), "line", epsilon="1", points=points) == line
    with pytest.raises(InvalidInput):
        dc.Context.metric(list("abc"), "line", epsilon="1", points={"a": 5, "b": 1})
    tally = dc.mechanism(dc.Context.uniform(list("abc"), epsilon="2")).tally([0, 1, 1, 2])
    with pytest.raises(InvalidInput, match="coordinates: the names in this DataFrame"):
        dc.shrink(tally, coordinates=pd.DataFrame({"row": places, "column": places}))
