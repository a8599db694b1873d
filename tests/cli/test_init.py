from __future__ import annotations

import tomllib

import pytest

import discreet as dc
from discreet.contexts import FORMS
from discreet.wire import Spec

CELLS = "cell,city\nb1,boston\nb2,boston\nn1,nyc\n"

DRAFTS = {
    "uniform": (
        ["--form", "uniform", "--values", "never, once,often", "--epsilon", "0.5"],
        dc.Context.uniform(["never", "once", "often"], "0.5"),
    ),
    "numbers": (
        ["--form", "uniform", "--values", "18..99", "--epsilon", "1/3"],
        dc.Context.uniform(range(18, 100), "1/3"),
    ),
    "blocks": (
        ["--form", "blocks", "--block", "boston=b1,b2", "--block", "new york=n1,n2", "--epsilon", "1"],
        dc.Context.blocks({"boston": ["b1", "b2"], "new york": ["n1", "n2"]}, 1),
    ),
    "an epsilon for each block": (
        ["--form", "blocks", "--block", "a=1..3", "--block", "b=4,5", "--epsilon", "a=1, b=0.5"],
        dc.Context.blocks({"a": [1, 2, 3], "b": [4, 5]}, {"a": 1, "b": "0.5"}),
    ),
    "blocks of a file": (
        ["--form", "blocks", "--file", "cells.csv", "--column", "cell", "--block-column", "city", "--epsilon", "2"],
        dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1"]}, 2),
    ),
    "a column of a file": (
        ["--form", "uniform", "--file", "cells.csv", "--column", "cell", "--epsilon", "2"],
        dc.Context.uniform(["b1", "b2", "n1"], 2),
    ),
    "high_low": (
        ["--form", "high_low", "--values", "none,cold,hiv", "--sensitive", "hiv", "--epsilon", "1"],
        dc.Context.high_low(["none", "cold", "hiv"], ["hiv"], 1),
    ),
    "binary": (
        ["--form", "binary", "--values", "no,yes", "--epsilon", "inf,1"],
        dc.Context.binary("no", "yes", ("inf", 1)),
    ),
    "metric of numbers": (
        ["--form", "metric", "--values", "18..22", "--epsilon", "0.25"],
        dc.Context.metric(range(18, 23), lambda x, z: abs(x - z), "0.25"),
    ),
    "nested": (
        [
            "--form",
            "nested",
            "--block",
            "fr/paris=p1,p2",
            "--block",
            "fr/lyon=l1",
            "--block",
            "us/nyc=7,8",
            "--epsilon",
            "1, 2,inf",
        ],
        dc.Context.nested({"fr": {"paris": ["p1", "p2"], "lyon": ["l1"]}, "us": {"nyc": [7, 8]}}, [1, 2, "inf"]),
    ),
    "nested blocks of a file": (
        [
            "--form",
            "nested",
            "--file",
            "cells.csv",
            "--column",
            "cell",
            "--block-column",
            "cell,city",
            "--epsilon",
            "1,2,3",
        ],
        dc.Context.nested({"boston": {1: ["b1"], 2: ["b2"]}, "nyc": {3: ["n1"]}}, [1, 2, 3]),
    ),
    "graded": (
        ["--form", "graded", "--epsilon", "none=inf, cold=3,hiv=0.5"],
        dc.Context.graded({"none": "inf", "cold": 3, "hiv": "0.5"}),
    ),
    "graded numbers": (["--form", "graded", "--epsilon", "1=1,2=2,3=1"], dc.Context.graded({1: 1, 2: 2, 3: 1})),
    "ring": (
        ["--form", "metric", "--values", "0..23", "--distance", "ring", "--epsilon", "0.5"],
        dc.Context.metric(range(24), "ring", "0.5"),
    ),
    "ring of points": (
        [
            "--form",
            "metric",
            "--values",
            "a,b,c",
            "--points",
            "0,1,5.5",
            "--distance",
            "ring",
            "--around",
            "7",
            "--epsilon",
            "0.5",
        ],
        dc.Context.metric(["a", "b", "c"], "ring", "0.5", points=["0", "1", "5.5"], around=7),
    ),
    "grid": (
        ["--form", "metric", "--values", "a,b", "--points", "0 0,3 4", "--distance", "l1", "--epsilon", "1"],
        dc.Context.metric(["a", "b"], "l1", 1, points=[(0, 0), (3, 4)]),
    ),
    "line of a file": (
        ["--form", "metric", "--file", "ages.csv", "--column", "age", "--distance", "line", "--epsilon", "1"],
        dc.Context.metric(["20", "30.5"], "line", 1),
    ),
    "metric of points": (
        ["--form", "metric", "--values", "a,b", "--points", "0 0,-3 4.5", "--epsilon", "1"],
        None,
    ),
}


@pytest.fixture
def terminal(monkeypatch):
    """As if somebody sat at the keyboard."""
    monkeypatch.setattr("discreet.cli.before.init._in_terminal", lambda: True)


@pytest.fixture(autouse=True)
def cells(folder):
    (folder / "cells.csv").write_text(CELLS)
    (folder / "ages.csv").write_text("age\n20\n30.5\n")


@pytest.mark.parametrize(("options", "context"), DRAFTS.values(), ids=DRAFTS.keys())
def test_options_make_a_commented_spec_that_verify_accepts_at_once(discreet, folder, options, context):
    done = discreet("init", "new.toml", *options)
    assert done.exit_code == 0, done.stderr
    assert "discreet verify new.toml" in done.stdout
    assert "discreet resolve new.toml -o" in done.stdout
    written = (folder / "new.toml").read_text()
    assert written.count("# ") > 5
    assert tomllib.loads(written)["name"] == "new"
    assert discreet("verify", "new.toml").exit_code == 0
    if context is not None:
        found = Spec.read("new.toml").context
        assert list(found.values) == list(context.values)
        assert found.matrix() == context.matrix()


def test_every_form_but_matrix_and_product_can_be_drafted():
    from discreet.cli.before.drafts import FORMS as DRAFTED

    assert {*DRAFTED} == {*FORMS, "numbers"} - {"matrix", "product"}


ANSWERED = {
    "uniform": ("3\n\na,b,c\n\n", [], dc.Context.uniform(["a", "b", "c"], 1)),
    "blocks": (
        "3\nblocks\nnorth=a,b\nsouth=c\n\nnorth=1,south=2\n",
        [],
        dc.Context.blocks({"north": ["a", "b"], "south": ["c"]}, {"north": 1, "south": 2}),
    ),
    "high_low": ("3\nhigh_low\na,b,c\nb,c\n2\n", [], dc.Context.high_low(["a", "b", "c"], ["b", "c"], 2)),
    "binary": ("3\nbinary\n\ninf,2\n", [], dc.Context.binary("no", "yes", ("inf", 2))),
    "metric": ("3\nmetric\n1..4\n\n\n", [], dc.Context.metric(range(1, 5), lambda x, z: abs(x - z), 1)),
    "nested": (
        "3\nnested\na/x=1,2\na/y=3\nb/z=4\n\n1,2,4\n",
        [],
        dc.Context.nested({"a": {"x": [1, 2], "y": [3]}, "b": {"z": [4]}}, [1, 2, 4]),
    ),
    "graded": ("3\ngraded\na=1,b=2,c=inf\n", [], dc.Context.graded({"a": 1, "b": 2, "c": "inf"})),
    "metric elsewhere": (
        "3\nmetric\n1..3\n5,6,9\n\n",
        [],
        dc.Context.metric(range(1, 4), "line", 1, points=[5, 6, 9]),
    ),
    "only what is open": ("3\n", ["--form", "uniform", "--values", "a,b"], dc.Context.uniform(["a", "b"], 3)),
    "until it can be read": (
        "3\nunifrom\nuniform\na,,b\na,b\n-1\nmuch\n2\n",
        [],
        dc.Context.uniform(["a", "b"], 2),
    ),
}


@pytest.mark.parametrize(("typed", "options", "context"), ANSWERED.values(), ids=ANSWERED.keys())
def test_questions_are_asked_in_a_terminal(discreet, folder, terminal, typed, options, context):
    done = discreet("init", "new.toml", *options, input=typed)
    assert done.exit_code == 0, done.stderr
    found = Spec.read("new.toml").context
    assert list(found.values) == list(context.values)
    assert found.matrix() == context.matrix()


def test_an_answer_that_cannot_be_read_says_why(discreet, terminal):
    done = discreet("init", "new.toml", "--form", "uniform", "--values", "a,b", input="-1\n1\n")
    assert "epsilon='-1' must be a non-negative decimal" in done.output
    assert done.exit_code == 0


def test_giving_up_leaves_only_a_draft_from_which_the_same_command_goes_on(discreet, folder, terminal):
    done = discreet("init", "new.toml", input="spec\nuniform\na,b\n")
    assert done.exit_code == 130
    assert not (folder / "new.toml").exists()
    assert "What you said is kept in new.toml.draft: discreet init new.toml goes on." in done.stderr
    done = discreet("init", "new.toml", input="1\n2\n")
    assert done.exit_code == 0
    assert list(Spec.read("new.toml").context.values) == ["a", "b"]
    assert Spec.read("new.toml").context.epsilon("a", "b") == 2
    assert not (folder / "new.toml.draft").exists()


GOOD = ["--form", "uniform", "--values", "a,b", "--epsilon", "1"]
BAD = {
    "nothing": ([], "--form is missing: give it, or answer questions in a terminal"),
    "no values": (["--form", "uniform", "--epsilon", "1"], "--values is missing"),
    "no epsilon": (["--form", "uniform", "--values", "a,b"], "--epsilon is missing"),
    "no blocks": (["--form", "blocks", "--epsilon", "1"], "--block is missing"),
    "no sensitive values": (["--form", "high_low", "--values", "a,b", "--epsilon", "1"], "--sensitive is missing"),
    "no points": (["--form", "metric", "--values", "a,b", "--epsilon", "1"], "--points is missing"),
    "another form": (["--form", "matrix"], "--form: form='matrix' must be one of uniform, blocks"),
    "an option of another form": ([*GOOD, "--sensitive", "a"], "--sensitive has no use in the form uniform"),
    "an epsilon of nothing": ([*GOOD[:-1], "0"], "--epsilon: epsilon='0' must be positive and finite"),
    "an epsilon of words": ([*GOOD[:-1], "much"], "--epsilon: epsilon='much' must be"),
    "an empty value": (
        ["--form", "uniform", "--values", "a,,b", "--epsilon", "1"],
        "--values: values must be separated",
    ),
    "a value twice": (["--form", "uniform", "--values", "a,a", "--epsilon", "1"], "'a' appears twice"),
    "too many values": (
        ["--form", "uniform", "--values", "1..999999999999", "--epsilon", "1"],
        "values=999999999999 is beyond the limit",
    ),
    "a block without a name": (
        ["--form", "blocks", "--block", "a,b", "--epsilon", "1"],
        "must be a name and its values",
    ),
    "a block twice": (["--form", "blocks", "--block", "x=a", "--block", "x=b", "--epsilon", "1"], "'x' is given twice"),
    "an epsilon for no block": (
        ["--form", "blocks", "--block", "x=a,b", "--epsilon", "y=1"],
        "every block must have one; missing: 'x'",
    ),
    "an epsilon twice": (["--form", "blocks", "--block", "x=a", "--epsilon", "x=1,x=2"], "must name every block once"),
    "one epsilon for two": (["--form", "binary", "--values", "a,b", "--epsilon", "1"], "must be two, separated by"),
    "nested without blocks around": (
        ["--form", "nested", "--block", "/a=1", "--epsilon", "1,2"],
        "must name every block around its values",
    ),
    "a nested block twice": (
        ["--form", "nested", "--block", "a/b=1", "--block", "a/b=2", "--epsilon", "1,2,3"],
        "block 'a/b' is given twice",
    ),
    "a block of values and blocks": (
        ["--form", "nested", "--block", "a=1", "--block", "a/b=2", "--epsilon", "1,2"],
        "block 'a' holds values, so it can hold no blocks",
    ),
    "epsilons that decrease": (
        ["--form", "nested", "--block", "a=1,2", "--epsilon", "2,1"],
        "epsilon[1]=1 must be more than epsilon[0]=2",
    ),
    "a value graded twice": (["--form", "graded", "--epsilon", "a=1,a=2"], "must give every value once"),
    "another distance": (
        ["--form", "metric", "--values", "1..3", "--distance", "l3", "--epsilon", "1"],
        "--distance: 'l3' must be one of line, ring, l1, l2, linf",
    ),
    "a line with a length": (
        ["--form", "metric", "--values", "1..3", "--around", "3", "--epsilon", "1"],
        "--around goes with --distance ring",
    ),
    "points of words": (
        ["--form", "metric", "--values", "a,b", "--points", "x,y", "--epsilon", "1"],
        "--points: points must be decimals",
    ),
    "a column of no file": ([*GOOD, "--column", "cell"], "--column goes with --file"),
    "columns of no file": (["--form", "blocks", "--block-column", "b", "--epsilon", "1"], "go with --file"),
    "values twice": ([*GOOD, "--file", "cells.csv", "--column", "cell"], "--file must stand alone"),
    "a file that is not there": (
        ["--form", "uniform", "--file", "none.csv", "--column", "cell", "--epsilon", "1"],
        "must name a file beside the spec",
    ),
    "a name that cannot be printed": ([*GOOD, "--name", "a\x07"], "must be printable text"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD.keys())
def test_what_is_missing_or_wrong_is_one_line_and_nothing_is_written(refused, options, message):
    assert message in refused("init", "new.toml", *options)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("survey.toml", "survey.toml: is there already; --force replaces it"),
        ("survey.json", "survey.json: a spec with comments must be a .toml file"),
        ("none/new.toml", "none/new.toml: the folder none must exist"),
        ("a\nb.toml", "must be printable text"),
    ],
)
def test_a_file_that_cannot_be_made_is_one_line(refused, file, message):
    assert message in refused("init", file, "--form", "binary", "--values", "a,b", "--epsilon", "1,1")


def test_a_file_is_replaced_only_by_force(discreet, folder):
    assert discreet("init", "survey.toml", *GOOD, "--force").exit_code == 0
    assert list(Spec.read("survey.toml").context.values) == ["a", "b"]


def test_the_survey_is_called_what_it_is_told(discreet):
    discreet("init", *GOOD, "--force", "--name", 'a "survey" ü')
    assert Spec.read("survey.toml").name == 'a "survey" ü'
