"""Tallies of forms: counted the same one by one and at once, merged, written, and refused where they do not belong."""

import json

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import DiscreetError, InvalidInput, InvalidReport, MechanismMismatch
from discreet.questionnaires.tally import FormTally
from discreet.wire.form import EACH, ONE, STRATEGIES, TOGETHER

HABITS = {"smokes": ["no", "yes"], "drinks": ["never", "weekly", "daily"]}
ANSWERS = {"smokes": ["no", "yes", "no"] * 400, "drinks": ["never", "daily", "weekly", "never"] * 300}


def habits(strategy, epsilon="4"):
    return dc.Form(HABITS, strategy, epsilon=epsilon)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reports_one_by_one_and_at_once_are_counted_alike(strategy):
    form = habits(strategy)
    made = form.randomize_many(ANSWERS, dc.random.seeded(1))
    one_by_one = [{} for _ in range(made.n)]
    for part in form.parts:
        for row, report in zip(made.rows[part], made.reports[part].tolist(), strict=True):
            one_by_one[row][part] = report
    tally = form.tally(made)
    assert form.tally(one_by_one) == tally
    assert form.tally(one_by_one[:500]) + form.tally(one_by_one[500:]) == tally
    assert form.tally() + tally == tally
    assert tally.n == 1200
    assert FormTally.parse(form, tally.text) == tally
    assert hash(FormTally.parse(form, tally.text)) == hash(tally)
    with pytest.raises(InvalidInput, match="'wine' must be one of the parts"):
        tally["wine"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_shares_of_every_question_are_found(strategy):
    """At epsilon 4 every share is within 6 standard errors of the truth: false alarm below 1e-7."""
    form = habits(strategy)
    found = dc.margins(form.tally(form.randomize_many(ANSWERS, dc.random.seeded(3))))
    for question, values in HABITS.items():
        truth = [ANSWERS[question].count(value) / 1200 for value in values]
        held, shares, errors = found[question]
        assert list(held) == values
        assert (np.abs(shares - truth) < 6 * errors).all()
        assert (errors < 0.06).all()
    table = found.to_pandas()
    assert list(table["question"]) == ["smokes"] * 2 + ["drinks"] * 3
    assert (table["low"] < table["estimate"]).all()
    assert json.loads(json.dumps(found.to_dict()))["strategy"] == strategy
    assert strategy in str(found)


def test_one_at_random_asks_everybody_one_question():
    form = habits(ONE)
    made = form.randomize_many(ANSWERS, dc.random.seeded(1))
    rows = np.concatenate(list(made.rows.values()))
    assert sorted(rows) == list(range(1200))
    asked = len(made.rows["smokes"])
    assert abs(asked - 600) < 5 * np.sqrt(300)  # false alarm below 1e-6
    word = dc.random.seeded(1).fill(1)[0]
    assert (0 in made.rows["smokes"]) == (int(word) * 2 >> 64 == 0)  # as `Form.ask` draws it


def test_people_with_unknown_answers_are_refused_or_left_out():
    form = habits(EACH)
    answers = {"smokes": ["no", None, "yes"], "drinks": ["never", "daily", "secret"]}
    with pytest.raises(DiscreetError, match="row 2: the answer to 'smokes' must be one of the 2 values") as refused:
        form.randomize_many(answers, dc.random.seeded(1))
    assert "secret" not in str(refused.value)
    made = form.randomize_many(answers, dc.random.seeded(1), unknown="drop")
    assert (made.n, made.left_out, made.rows["drinks"].tolist()) == (1, 2, [0])
    with pytest.raises(InvalidInput, match="unknown='no' must be error or drop for a form"):
        form.randomize_many(answers, dc.random.seeded(1), unknown="no")
    with pytest.raises(InvalidInput, match="must be a column for each of smokes, drinks"):
        form.randomize_many({"smokes": ["no"]}, dc.random.seeded(1))
    with pytest.raises(InvalidInput, match="must be equally long"):
        form.randomize_many({"smokes": ["no"], "drinks": []}, dc.random.seeded(1))


def test_tallies_of_other_forms_are_refused():
    one, other = habits(ONE).tally(), habits(ONE, "1").tally()
    with pytest.raises(MechanismMismatch, match="cannot be merged"):
        one + other
    with pytest.raises(MechanismMismatch, match="this tally is of another form"):
        FormTally.parse(one.form, other.text)


def damaged(change):
    data = habits(EACH).tally(habits(EACH).randomize_many(ANSWERS, dc.random.seeded(1))).to_json()
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.pop("n"), "must hold version, fingerprint, n and tallies"),
        (lambda data: data.update(x=1), "and nothing else"),
        (lambda data: data.update(version=2), "version=2 must be 1"),
        (lambda data: data.update(n=3), "n=3 must be the number of people in the tallies, 1200"),
        (lambda data: data.update(tallies=[]), "tallies must hold smokes, drinks"),
        (lambda data: data["tallies"].pop("smokes"), "tallies must hold smokes, drinks"),
        (lambda data: data["tallies"]["smokes"].update(n=-1), r"tallies\['smokes'\]: n=-1 must be a whole number"),
        (
            lambda data: data["tallies"].update(smokes={**data["tallies"]["smokes"], "n": 0, "counts": [0, 0]}),
            "the same",
        ),
    ],
)
def test_a_damaged_tally_is_refused_with_one_line(change, said):
    with pytest.raises(DiscreetError, match=said):
        FormTally.from_json(habits(EACH), damaged(change))


def test_reports_that_nobody_sends_are_not_counted():
    with pytest.raises(InvalidReport, match="must hold smokes, drinks, and nothing else"):
        habits(EACH).tally([{"smokes": 0}])
    with pytest.raises(InvalidReport):
        habits(TOGETHER).tally([{"smokes * drinks": 99}])
