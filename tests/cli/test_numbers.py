"""Numbers between two bounds on the command line, from a first spec to a mean."""

import json
import re

import numpy as np
import pytest

import discreet as dc

INIT = ("init", "income.toml", "--form", "numbers", "--low", 0, "--high", 4000, "--epsilon", 1, "--clip")


@pytest.fixture
def income(discreet, folder):
    """The first spec that anybody writes, and the incomes of some people, of which one in ten is above the bounds."""
    assert discreet(*INIT).exit_code == 0
    held = np.round(np.random.default_rng(1).exponential(1700, 20_000), 2)
    (folder / "people.csv").write_text("income,town\n" + "".join(f"{x},{'ab'[i % 2]}\n" for i, x in enumerate(held)))
    return held


def mean_in(text, name="mean"):
    """The value of a figure, its ends, and what is said after it."""
    found = re.search(rf"^{name}(?: \(standard deviation\))? (\S+) \(from (\S+) to (\S+)\)(.*)$", text, re.MULTILINE)
    return (*map(float, found.groups()[:3]), found[4])


def test_a_number_goes_from_a_spec_to_a_mean_of_numbers_cut(discreet, income, folder):
    done = discreet("verify", "income.toml")
    assert "numbers      a number from 0 to 4000, rounded at random to one of 33, 125 apart" in done.stdout
    assert "beyond       numbers above 4000 count as 4000, and numbers below 0 as 0" in done.stdout
    assert "two numbers  epsilon at most 1\n" in done.stdout
    assert json.loads(discreet("verify", "income.toml", "--json").stdout)["numbers"] == {"largest": "1", "a_unit": None}
    for command in (
        ("randomize", "income.toml", "people.csv", "--column", "income", "--keep", "town", "-o", "reports.csv"),
        ("tally", "income.toml", "reports.csv", "-o", "tally.json"),
        ("tally", "income.toml", "reports.csv", "--by", "town", "-o", "by.json"),
    ):
        assert discreet(*command, "--quiet").exit_code == 0
    said = discreet("estimate", "income.toml", "tally.json").stdout
    value, low, high, cut = mean_in(said)
    assert cut == ", of numbers cut at 0 and 4000"
    assert low < np.minimum(income, 4000).mean() < high
    assert high < income.mean() + 100  # a control: the plain mean is another figure, far above the interval
    assert income.mean() > value
    spread = mean_in(said, "spread")
    assert spread[1] < np.minimum(income, 4000).std() < spread[2]
    median = mean_in(said, "median")
    assert median[1] <= np.median(income) <= median[2]
    by = discreet("estimate", "income.toml", "by.json").stdout
    assert by.count(", of numbers cut at 0 and 4000") == 6
    data = json.loads(discreet("estimate", "income.toml", "tally.json", "--json").stdout)["numbers"]
    assert data["mean"]["value"] == pytest.approx(value, rel=1e-4)
    assert (data["given"], data["cut"]) == (1.0, "of numbers cut at 0 and 4000")
    assert sum(one["value"] for one in data["ranges"]) == pytest.approx(1, abs=1e-6)


def test_by_distance_the_step_is_short_and_said(discreet):
    assert discreet("init", "way.toml", "--form", "numbers", "--low", 0, "--high", 120, "--distance", "line",
                    "--epsilon", "0.05").exit_code == 0  # fmt: skip
    spec = dc.Spec.read("way.toml")
    assert str(spec.context.domain.step) == "1/5"
    assert "two numbers  epsilon at most 0.05 times their distance" in discreet("verify", "way.toml").stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--low", 5, "--high", 4), "--low: 5 must be below 4"),
        (("--low", "a", "--high", 4), "--low: 'a' must be a number with a decimal point"),
        (("--low", 0, "--high", 4, "--step", 3), "step='3' must be positive, and 0 to 4 a whole number of steps"),
        (("--high", 4), "--low is missing"),
        (("--low", 0, "--high", 4, "--values", "a,b"), "--values has no use in the form numbers"),
        (("--low", 0, "--high", 4, "--distance", "ring"), "--distance: 'ring' must be line for numbers"),
        (("--low", 0, "--high", "1e400"), "must be at most 10**15"),
    ],
)
def test_what_makes_no_numbers_is_refused(refused, options, said):
    assert said in refused("init", "new.toml", "--form", "numbers", "--epsilon", 1, *options)


@pytest.mark.parametrize("value", ["abc", "", "1_0", "nan", "1/3"])
def test_a_bad_number_is_one_line_that_does_not_repeat_it(discreet, income, folder, value):
    (folder / "bad.csv").write_text(f"income,x\n12,1\n{value},2\n")
    done = discreet("randomize", "income.toml", "bad.csv", "--column", "income", "-o", "out.csv", "--quiet")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "row 2: a value" in done.stderr
    assert "must be a number from 0 to 4000" in done.stderr
    assert not value or repr(value) not in done.stderr
    assert not (folder / "out.csv").exists()


FORM = """
[form]
strategy = "{}"
epsilon = "4"
[[questions]]
name = "mode"
domain = {{values = ["bus", "car"]}}
[[questions]]
name = "minutes"
domain = {{low = 0, high = 120, step = "7.5", clip = true}}
"""


@pytest.mark.parametrize("strategy", ["each", "one at random"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_form_rounds_its_numbers_at_random(discreet, folder, strategy, kind):
    rng = np.random.default_rng(2)
    minutes = [3.7] * 20_000  # between two steps: rounded to the nearest, the mean would be 0
    modes = rng.choice(["bus", "car"], len(minutes)).tolist()
    (folder / "form.toml").write_text(FORM.format(strategy))
    path = folder / f"people.{kind}"
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"mode": modes, "minutes": minutes}), path)
    elif kind == "csv":
        path.write_text("mode,minutes\n" + "".join(f"{a},{b}\n" for a, b in zip(modes, minutes, strict=True)))
    else:
        rows = zip(modes, minutes, strict=True)
        path.write_text("".join(json.dumps({"mode": a, "minutes": b}) + "\n" for a, b in rows))
    assert discreet("randomize", "form.toml", path, "-o", "r.csv", "--quiet", "--insecure-seed", 3).exit_code == 0
    assert discreet("tally", "form.toml", "r.csv", "-o", "t.json", "--quiet").exit_code == 0
    said = discreet("estimate", "form.toml", "t.json").stdout
    found = re.search(r"minutes: mean (\S+) \(from (\S+) to (\S+)\), of numbers cut at 0 and 120", said)
    value, low, high = map(float, found.groups())
    assert low < 3.7 < high
    assert abs(value - 3.7) < 4


def test_numbers_are_not_asked_together_with_others(refused, folder):
    (folder / "form.toml").write_text(FORM.format("together"))
    said = refused("verify", "form.toml")
    assert said.startswith("form.toml: question 'minutes' asks for a number, which has a report of its own")


def test_answering_shows_the_bounds_and_refuses_without_repeating(discreet, folder, monkeypatch):
    from .test_answer import load

    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    mechanism = dc.mechanism(dc.Context.numbers(0, 4000, "1", clip=True))
    collector = load().Collector(mechanism, words={})
    with collector.serving() as url:
        bad = discreet("answer", url, "12,5x", "--cap", "4")
        assert (bad.exit_code, bad.stderr.count("\n")) == (2, 1)
        assert "must be a number from 0 to 4000" in bad.stderr
        assert "12,5x" not in bad.stderr
        monkeypatch.setattr("discreet.cli.collecting.answer.in_terminal", lambda: True)
        done = discreet("answer", url, "--cap", "4", input="lots\n5000.25\nyes\n")
        assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "  a number from 0 to 4000" in lines
    assert "Numbers above 4000 count as 4000, and numbers below 0 as 0." in lines
    assert "type a number from 0 to 4000" in done.stdout + done.stderr
    assert "Accepted. Spent in all: 1 of 4." in done.stdout
    assert len(collector.uploads) == 1


def test_groups_are_compared_by_means_of_numbers_cut_and_only_nodes_are_asked_about(discreet, income):
    done = discreet(
        "randomize", "income.toml", "people.csv", "--column", "income", "--keep", "town", "-o", "r.csv", "--quiet"
    )
    assert done.exit_code == 0
    said = discreet("compare", "income.toml", "r.csv", "--by", "town", "--query", "mean", "--quiet").stdout
    assert "- of numbers cut at 0 and 4000" in said
    wrong = discreet("audit", "income.toml", "--pair", 10, 4000)
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert wrong.stderr.endswith("value='10' must be one of the numbers 0 to 4000 by 125\n")
