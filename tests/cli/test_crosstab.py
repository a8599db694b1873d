"""Laws of `discreet crosstab`: two answers from the reports of a form, or of pairs as one value."""

import json
from pathlib import Path

import pytest

import discreet as dc
from discreet.questionnaires.reading import read_form_surveys

FORM = """
[form]
strategy = "{}"
epsilon = "6"

[[questions]]
name = "smokes"
[questions.domain]
values = ["no", "yes"]

[[questions]]
name = "age"
[questions.domain]
values = [1, 2, 3]

[[questions]]
name = "region"
[questions.domain]
values = ["n", "s"]
"""
PRODUCT = """
[context]
form = "product"
[context.first]
domain = {values = ["no", "yes"]}
context = {form = "uniform", epsilon = "3"}
[context.second]
domain = {values = [1, 2, 3]}
context = {form = "uniform", epsilon = "3"}
"""
PEOPLE = [("no", 1, "n"), ("yes", 3, "s"), ("no", 2, "n"), ("no", 1, "s"), ("yes", 3, "n")] * 100


@pytest.fixture
def people(folder, discreet):
    for strategy in ("one at random", "each", "together"):
        Path(f"{strategy}.toml").write_text(FORM.format(strategy))
    rows = "".join(f"{smokes},{age},{region},{i // 10},{1 + i % 2}\n" for i, (smokes, age, region) in enumerate(PEOPLE))
    Path("people.csv").write_text(f"smokes,age,region,street,weight\n{rows}")
    for strategy in ("one at random", "each", "together"):
        for suffix in ("csv", "parquet", "jsonl"):
            done = discreet(
                *("randomize", f"{strategy}.toml", "people.csv", "--keep", "street", "--keep", "weight"),
                *("--insecure-seed", 1, "-o", f"{strategy}.{suffix}"),
            )
            assert done.exit_code == 0, done.stderr
    return folder


def found(done):
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("strategy", ["each", "together"])
def test_a_table_is_that_of_python_in_every_format(people, discreet, strategy):
    form = dc.Form.read(f"{strategy}.toml")
    columns = dict(zip(("smokes", "age", "region"), zip(*PEOPLE, strict=True), strict=True))
    made = form.randomize_many({name: list(column) for name, column in columns.items()}, dc.random.seeded(1))
    if strategy == "each":
        pairs = [(form.mechanisms[name], made.reports[name]) for name in ("smokes", "age")]
        expected = dc.crosstab(*pairs, names=("smokes", "age"))
    else:
        (part,) = form.mechanisms
        expected = dc.crosstab((form.mechanisms[part], made.reports[part]), names=("smokes", "age"))
    for suffix in ("csv", "parquet", "jsonl"):
        got = found(discreet("crosstab", f"{strategy}.toml", f"{strategy}.{suffix}", "--json"))
        assert got["estimate"] == pytest.approx(expected.table()["estimate"])
        assert got["stderr"] == pytest.approx(expected.table()["stderr"])
        assert got["independence"]["p"] == pytest.approx(expected.independence.p)
        assert got["names"] == ["smokes", "age"]
        assert got["independence"]["p"] < 1e-6


def test_questions_are_chosen_by_name(people, discreet, refused):
    assert found(discreet("crosstab", "each.toml", "each.csv", "--second", "smokes", "--json"))["names"] == [
        "age",
        "smokes",
    ]
    chosen = discreet("crosstab", "each.toml", "each.csv", "--first", "region", "--second", "age", "--json")
    assert found(chosen)["names"] == ["region", "age"]
    last = discreet("crosstab", "together.toml", "together.csv", "--first", "region", "--second", "age", "--json")
    assert found(last)["names"] == ["region", "age"]
    assert "question 'x' must be one of smokes, age, region" in refused(
        "crosstab", "each.toml", "each.csv", "--first", "x"
    )
    twice = refused("crosstab", "each.toml", "each.csv", "--first", "age", "--second", "age")
    assert twice == "--first and --second must be two different questions, not 'age' twice"


def test_one_at_random_tells_nothing(people, refused):
    said = refused("crosstab", "one at random.toml", "one at random.csv")
    assert said.startswith("a form that asks one question at random tells nothing of two answers together")


def test_columns_beside_the_reports_are_weights_and_clusters(people, discreet):
    plain = found(discreet("crosstab", "each.toml", "each.csv", "--json"))
    for suffix in ("csv", "parquet"):
        options = ("--weight", "weight", "--cluster", "street", "--json")
        designed = found(discreet("crosstab", "each.toml", f"each.{suffix}", *options))
        assert designed["estimate"] != plain["estimate"]
        assert designed["n"] == 500


def test_shares_given_an_answer_and_permutations(people, discreet, refused):
    done = discreet("crosstab", "each.toml", "each.csv", "--given", "smokes", "yes", "--json", "--plot", "given.png")
    got = found(done)
    assert got["age"] == [1, 2, 3]
    assert got["estimate"][2] == pytest.approx(1, abs=0.2)
    other = found(discreet("crosstab", "each.toml", "each.csv", "--given", "age", "3", "--json"))
    assert other["smokes"] == ["no", "yes"]
    assert "--given 'x' must be one of the two questions" in refused(
        "crosstab", "each.toml", "each.csv", "--given", "x", "1"
    )
    exact = found(discreet("crosstab", "each.toml", "each.csv", "--permutations", 1, "--json"))
    assert exact["independence"]["permuted_p"] == 1 / 1000


def test_pairs_of_a_product(folder, discreet, refused):
    Path("pairs.toml").write_text(PRODUCT)
    Path("pairs.txt").write_text("".join(f"{person[:2]}\n" for person in PEOPLE))
    assert discreet("randomize", "pairs.toml", "pairs.txt", "-o", "reports.txt").exit_code == 0
    text = discreet("crosstab", "pairs.toml", "reports.txt", "--plot", "table.svg").stdout
    assert text.splitlines()[0].split()[:4] == ["question", "1", "question", "2"]
    assert Path("table.svg").read_text().count("%") >= 6
    turned = found(discreet("crosstab", "pairs.toml", "reports.txt", "--first", "2", "--json", "--given", "1", "no"))
    assert turned["given"] == {"question 1": "no"}
    assert "question '3' must be one of 1, 2" in refused("crosstab", "pairs.toml", "reports.txt", "--first", "3")
    assert "must be a form, or a spec whose values are tuples" in refused("crosstab", "survey.toml", "reports.txt")
    assert "confidence=2.0 must be between 0 and 1" in refused(
        "crosstab", "pairs.toml", "reports.txt", "--confidence", 2
    )


def test_surveys_of_a_form_have_the_labels_of_those_who_were_asked(people):
    surveys = read_form_surveys(dc.Form.read("one at random.toml"), ["one at random.csv"], labels=["street"])
    assert sum(survey.n for survey in surveys.values()) == 500
    assert set(surveys) == {"smokes", "age", "region"}
    streets = {name: set(survey.label("street").tolist()) for name, survey in surveys.items()}
    assert set.union(*streets.values()) == set(range(50))
