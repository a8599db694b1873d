"""A survey that was done with dice: contact with armed groups in Nigeria (Blair2015), where its data are at hand."""

import csv
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize

import discreet as dc

from .reference import FIGURES

DATA = FIGURES.parent / "nigeria.tsv"
LABELS = {
    "age": "cov.age",
    "assets": "cov.asset.index",
    "married": "cov.married",
    "education": "cov.education",
    "female": "cov.female",
}
ON = ["age", "age*age", "assets", "married", "education", "female"]
TOLD = Fraction(5, 6)  # one face of the die forces "no", one forces "yes", and four ask for the truth


@pytest.fixture(scope="module")
def survey():
    """The answers of 2,457 people, less those who lack a label or an answer."""
    if not DATA.exists():
        pytest.skip("the data of the survey in Nigeria are not at hand: ../shared/data/nigeria.tsv")
    with DATA.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    rows = [row for row in rows if row["rr.q1"] in ("0", "1")]
    mechanism = dc.mechanism(
        dc.Context.uniform(["no", "yes"], "1.7"), "table", rows=[[TOLD, 1 - TOLD], [1 - TOLD, TOLD]]
    )
    labels = {
        name: np.array([float(row[column]) if row[column] not in ("", "NA") else np.nan for row in rows])
        for name, column in LABELS.items()
    }
    return dc.Survey(mechanism, [int(row["rr.q1"]) for row in rows], labels=labels, missing="drop")


def likelihood_of(survey):
    """The likelihood of forced responses as the paper writes it, with its gradient: 1/6 + 2/3 expit(x b) say yes."""
    columns = [survey.label(name) for name in LABELS]
    x = np.stack([np.ones(survey.n), columns[0], columns[0] ** 2, *columns[1:]], axis=1)
    scale = np.abs(x).max(axis=0)
    x, y = x / scale, survey.waves[0].reports.astype(float)

    def value(b):
        g = 1 / (1 + np.exp(-x @ b))
        p = 1 / 6 + 2 / 3 * g
        slope = (y / p - (1 - y) / (1 - p)) * 2 / 3 * g * (1 - g)
        return -(y @ np.log(p) + (1 - y) @ np.log(1 - p)), -x.T @ slope

    return value, scale


def test_log_odds_are_at_the_maximum_of_the_likelihood(survey):
    value, scale = likelihood_of(survey)
    best = optimize.minimize(value, np.zeros(7), jac=True, method="BFGS", options={"gtol": 1e-8, "maxiter": 1000})
    steps = 1e-5 * np.eye(7)
    information = np.array([(value(best.x + e)[1] - value(best.x - e)[1]) / 2e-5 for e in steps])
    errors = np.sqrt(np.diag(np.linalg.inv(information))) / scale
    found = dc.multinomial(survey, on=ON)
    assert survey.n > 2300
    assert survey.left_out > 0
    assert found.fit.converged
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert np.abs(found.coefficients - best.x / scale).max() < 1e-4 * errors.max()
    assert (np.abs(found.coefficients - best.x / scale) < 1e-3 * errors).all()
    assert found.stderr == pytest.approx(errors, rel=1e-4)
    moments = dc.regress(survey, {"yes": 1}, on=ON, link="logit")
    assert (np.abs(moments.coefficients - found.coefficients) < 1e-4 * errors).all()
    assert moments.stderr == pytest.approx(errors, rel=0.1)


def test_least_squares_tell_the_same_story(survey):
    plain = dc.regress(survey, {"yes": 1}, on=ON)
    odds = dc.regress(survey, {"yes": 1}, on=ON, link="logit")
    assert np.corrcoef(plain.z[1:], odds.z[1:])[0, 1] > 0.9
    assert 0.1 < dc.regress(survey, {"yes": 1}, on=[]).coefficients[0] < 0.4
