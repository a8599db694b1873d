"""What regressions share: tables, pictures, plain data, and Wald's test."""

import json

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.reference_distribution import joint_test
from discreet.core.tables import p_value

N = 400
AGE = np.arange(N) % 50 + 20.0
REGION = np.array(["north", "south"], dtype=object)[np.arange(N) % 2]


def survey(**columns):
    mechanism = dc.mechanism(dc.Context.uniform(["a", "b", "c"], "3"), "randomized_response")
    reports = np.random.default_rng(1).integers(0, 3, N)
    labels = {"age": AGE, "region": REGION, "income": AGE + np.sin(np.arange(N)), **columns.pop("labels", {})}
    return dc.Survey(mechanism, reports, labels=labels, **columns)


def results():
    """One of each kind."""
    regression = dc.regress(survey(), {"a": 1}, on=["age", "region"])
    model = dc.multinomial(survey(), on=["age", "region"])
    return {
        "regression": regression,
        "model": model,
        "relation": dc.regress_on(survey(), "income", {"a": 1}, on=["age"]),
        "prediction": regression.predict({"age": [20, 60.5], "region": "south"}),
        "shares": model.predict({"age": [20, 60], "region": "south"}),
        "one row": dc.regress(survey(), {"a": 1}, on=[]),
    }


@pytest.mark.parametrize("name", list(results()))
def test_every_result_can_be_read_and_taken_further(name, tmp_path):
    found = results()[name]
    table = found.table(0.9)
    assert len({len(column) for column in table.values()}) == 1
    assert [*table][-1] == ("high" if name in ("prediction", "shares") else "p")
    plain = json.loads(json.dumps(found.to_dict(confidence=0.9)))
    assert plain["estimate"] == pytest.approx(table["estimate"])
    assert plain["confidence"] == 0.9
    frame = found.to_pandas(confidence=0.9)
    assert frame["low"].tolist() == pytest.approx(table["low"])
    assert str(found).splitlines()[0].split() == list(table)
    assert "<table>" in found._repr_html_()
    found.plot(tmp_path / "picture.svg", title="A title", confidence=0.9)
    assert "<svg" in (tmp_path / "picture.svg").read_text()


def test_results_say_what_they_are():
    found = results()
    assert repr(found["regression"]) == "<Regression of 3 coefficients on 400 reports, identity link>"
    assert repr(found["model"]) == "<Multinomial of 3 values, 3 coefficients each, on 400 reports>"
    assert repr(found["relation"]) == "<PredictorRegression of income on answer, 400 reports, identity link>"
    assert found["regression"].about["query"] == [["a", 1.0]]
    assert found["model"].about["against"] == "c"
    mean = dc.regress(survey(), {"a": 2.5, "b": -1}, on=["age"])
    assert mean.remarks()[0].startswith("differences in the mean of 2.5 for a, -1 for b;")


def test_a_population_is_not_used_and_that_is_said():
    found = dc.regress(survey(population=1000), {"a": 1}, on=["age"])
    assert found.stderr == pytest.approx(dc.regress(survey(), {"a": 1}, on=["age"]).stderr)
    assert "the population is not used here" in found.remarks()[-1]


def test_people_who_lack_a_label_are_said_to_be_left_out():
    some = np.where(np.arange(N) < 10, np.nan, AGE)
    found = dc.regress(survey(labels={"lacking": some}, missing="drop"), {"a": 1}, on=["lacking"])
    assert found.n == N - 10
    assert any("10 people who lack a label are left out" in remark for remark in found.remarks())


def test_the_statistic_of_wald_is_a_quadratic_form():
    b, v = np.array([1e-6, 2.0]), np.array([[1e-12, 2e-7], [2e-7, 0.5]])
    found = joint_test(b, v, np.full(2, np.inf), np.inf)
    assert found.statistic == pytest.approx(b @ np.linalg.inv(v) @ b, rel=1e-9)
    assert found.df == 2
    assert str(found) == f"Wald: {found.statistic:.4f} on 2 degrees of freedom, p {p_value(found.p)}"
    assert np.isnan(joint_test(b, np.full((2, 2), np.nan), np.full(2, np.inf), np.inf).p)
