"""What a regression is on: columns of labels, factors, products, and what is refused."""

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.regression.design_matrix import design_of
from discreet.core.errors import InvalidInput

N = 200
AGE = np.arange(N) % 61 + 18
REGION = np.array(["north", "south", "west"], dtype=object)[np.arange(N) % 3]
OWNS = np.arange(N) % 2 == 0
MECHANISM = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))


def survey(**labels):
    named = {"age": AGE, "region": REGION, "owns": OWNS, **labels}
    return dc.Survey(MECHANISM, np.arange(N) % 2, labels=named)


def rows(on, factors=(), **labels):
    design = design_of(survey(**labels), on, factors)
    parts = [part.copy() for _, part in design.chunks()]
    centre, scale = design.scaling
    return design, np.concatenate(parts) * scale + centre


def test_numbers_are_taken_as_they_are_and_words_become_factors():
    design, found = rows(["age", "region", "owns"])
    assert design.formula.names == ("(constant)", "age", "region[south]", "region[west]", "owns[True]")
    expected = np.stack([np.ones(N), AGE, REGION == "south", REGION == "west", OWNS], axis=1)
    assert found == pytest.approx(expected.astype(float))
    assert design.formula.remarks() == ["region is compared with north", "owns is compared with False"]


def test_products_of_labels():
    design, found = rows(["age", "age*age", "age * region", "region*owns"])
    names = "(constant) age age*age age*region[south] age*region[west] region[south]*owns[True] region[west]*owns[True]"
    assert " ".join(design.formula.names) == names
    assert found[:, 2] == pytest.approx(AGE.astype(float) ** 2)
    assert found[:, 4] == pytest.approx(AGE * (REGION == "west"))
    assert found[:, 5] == pytest.approx(1.0 * OWNS * (REGION == "south"))


def test_numbers_that_are_but_names_are_factors_when_told_so():
    design, found = rows(["code"], ["code"], code=np.arange(N) % 4 * 10)
    assert design.formula.names == ("(constant)", "code[10]", "code[20]", "code[30]")
    assert found[:, 2] == pytest.approx((np.arange(N) % 4 == 2).astype(float))


def test_a_column_may_be_given_beside_its_name():
    design, found = rows(["age", ("root", np.sqrt(np.arange(N)))])
    assert design.formula.names == ("(constant)", "age", "root")
    assert found[:, 2] == pytest.approx(np.sqrt(np.arange(N)))
    assert list(design.units) == ["age", "root"]


def test_solved_columns_have_mean_0_and_deviation_1():
    design, _ = rows(["age", "age*region"])
    scaled = np.concatenate([part.copy() for _, part in design.chunks()])
    assert scaled[:, 1:].mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert scaled[:, 1:].std(axis=0) == pytest.approx(np.ones(3))
    squares = scaled.T @ scaled
    assert design.inverse == pytest.approx(np.linalg.inv(squares), rel=1e-9)
    assert np.abs(design.triangle.T @ design.triangle - squares).max() < 1e-9 * squares.max()


def test_columns_that_combine_are_named():
    same = AGE * 2.0 + 3
    with pytest.raises(InvalidInput, match=r"on: 'same' follows from 'age', .* leave one out"):
        _ = rows(["age", "region", "same"], same=same)[0].triangle
    north, south = ((name == REGION).astype(float) for name in ("north", "south"))
    with pytest.raises(InvalidInput, match=r"on: 'south' follows from 'region\[south\]'"):
        _ = rows(["age", "region", "south", "north"], north=north, south=south)[0].triangle
    _ = rows(["age", "region", "same"], same=same + 1e-6 * np.sin(np.arange(N)))[0].triangle


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ("age", "must be a list of labels"),
        (["ages"], "on: 'ages' must be one of the survey's labels: 'age', 'owns', 'region'"),
        (["age*ages"], "on: 'ages' must be one of"),
        (["age", "age"], "on: 'age' is given twice"),
        ([3], "must be the name of a label or a pair"),
        ([("age", AGE)], "is a label of the survey"),
        ([("b", AGE[:5])], "must be one column with 200 labels"),
        ([("b", "text")], "must be a column of 200 labels"),
        ([("b", [None] * N)], "'b': entries are missing"),
        ([("b", [np.inf] * N)], "must be finite"),
        ([("b", [1.0] * N)], "on: 'b' is the same for everyone"),
        ([("b", ["x"] * N)], "on: 'b' is the same for everyone"),
        ([("b", [str(i) for i in range(N)])], "200 people are too few for 200 coefficients"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(on, message):
    with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
        _ = design_of(survey(), on).triangle


def test_a_factor_that_is_not_used_is_refused():
    with pytest.raises(InvalidInput, match="factors: 'region' must be one of the labels in `on`"):
        design_of(survey(), ["age"], ["region"])


def test_predictions_take_labels_as_people_write_them():
    found = dc.regress(survey(), {"yes": 1}, on=["age", "age*age", "region"])
    one = found.predict({"age": 30, "region": "west"})
    b = dict(zip(found.names, found.coefficients, strict=True))
    expected = b["(constant)"] + 30 * b["age"] + 900 * b["age*age"] + b["region[west]"]
    assert one.estimates == pytest.approx([expected])
    turn = np.array([1, 30, 900, 0, 1.0])
    assert one.stderr == pytest.approx([np.sqrt(turn @ found.covariance @ turn)], rel=1e-3)
    plain = dc.regress(survey(), {"yes": 1}, on=["age", "age*age", "region"], errors="HC1")
    told = plain.predict({"age": 30, "region": "west"})
    assert told.stderr == pytest.approx([np.sqrt(turn @ plain.covariance @ turn)])
    low, high = told.interval()
    assert (high - low) / 2 == pytest.approx(1.959964 * told.stderr, rel=0.03)
    several = found.predict({"age": [30, 40], "region": "west"})
    assert several.estimates[0] == pytest.approx(expected)
    assert several.table()["region"] == ["west", "west"]


def test_predictions_of_log_odds_stay_between_0_and_1():
    odds = dc.regress(survey(), {"yes": 1}, on=["age"], link="logit")
    shares = odds.predict({"age": [18, 80]})
    logits = odds.coefficients[0] + odds.coefficients[1] * np.array([18, 80])
    assert shares.estimates == pytest.approx(1 / (1 + np.exp(-logits)))
    low, high = shares.interval(0.999999)
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert (low < shares.estimates).all()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"age": 3}, "labels must also give 'region'"),
        ({"age": 3, "region": "west", "x": 1}, "'x' is not in the regression"),
        ({"age": 3, "region": "moon"}, "labels: region='moon' must be one of the levels 'north', 'south', 'west'"),
        ({"age": "old", "region": "west"}, "labels: age must be numbers"),
        ({"age": np.nan, "region": "west"}, "labels: age must be finite"),
        ({"age": [1, 2], "region": ["west"] * 3}, "must be of one length"),
        (3, "must be columns by name"),
    ],
)
def test_labels_that_no_prediction_can_be_made_for(labels, message):
    found = dc.regress(survey(), {"yes": 1}, on=["age", "region"])
    with pytest.raises(InvalidInput, match=message):
        found.predict(labels)


def test_names_that_no_test_can_be_made_of():
    found = dc.regress(survey(), {"yes": 1}, on=["region"])
    with pytest.raises(InvalidInput, match=r"name='moon' must be one of '\(constant\)', 'region\[south\]'"):
        found.test("moon")
    with pytest.raises(InvalidInput, match="no coefficient to test"):
        dc.regress(survey(), {"yes": 1}, on=[]).test()
