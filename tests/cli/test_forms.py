"""Laws of the commands that take a form of several questions in place of a spec."""

import json
from pathlib import Path

import pytest

import discreet as dc

FORM = """
name = "habits"
{joint}

[form]
strategy = "{strategy}"
epsilon = "{epsilon}"

[[questions]]
name = "smokes"
domain = {{values = ["no", "yes"]}}
{own}

[[questions]]
name = "drinks"
domain = {{values = ["never", "weekly", "daily"]}}
{own}
"""
MECHANISM = 'mechanism = {name = "subset"}'
STRATEGIES = ["one at random", "each", "together"]
PEOPLE = [("no", "never", "n"), ("yes", "daily", "s"), ("no", "weekly", "n"), ("no", "never", "s")] * 50


def written(strategy, epsilon="4"):
    joint = strategy == "together"
    parts = {"joint": MECHANISM if joint else "", "own": "" if joint else MECHANISM}
    return FORM.format(strategy=strategy, epsilon=epsilon, **parts)


@pytest.fixture
def habits(folder):
    """A form by every strategy, and answers in three formats."""
    for strategy in STRATEGIES:
        Path(f"{strategy}.toml").write_text(written(strategy))
    rows = "".join(f"{region},{smokes},{drinks}\n" for smokes, drinks, region in PEOPLE)
    Path("people.csv").write_text(f"region,smokes,drinks\n{rows}")
    keyed = [{"smokes": smokes, "drinks": drinks, "region": region} for smokes, drinks, region in PEOPLE]
    Path("people.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in keyed))
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.Table.from_pylist(keyed), "people.parquet")
    return folder


def shares(done):
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    return dict(zip(zip(found["question"], found["value"], strict=True), found["estimate"], strict=True)), found


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "arrow", "jsonl.gz"])
def test_answers_go_through_files_to_shares(habits, discreet, strategy, suffix):
    """The reports of a seed are the same in every format; their shares are near the truth."""
    people = "people.parquet" if suffix == "parquet" else "people.jsonl" if suffix == "jsonl" else "people.csv"
    form, out = f"{strategy}.toml", f"reports.{suffix}"
    done = discreet("randomize", form, people, "--keep", "region", "--insecure-seed", 1, "-o", out)
    assert done.exit_code == 0, done.stderr
    assert discreet("tally", form, out, "-o", "tally.json", "--quiet").exit_code == 0
    found, whole = shares(discreet("estimate", form, "tally.json", "--json"))
    made = dc.Form.read(form)
    answers = {"smokes": [one[0] for one in PEOPLE], "drinks": [one[1] for one in PEOPLE]}
    expected = dc.margins(made.tally(made.randomize_many(answers, dc.random.seeded(1))))
    assert found["smokes", "yes"] == pytest.approx(expected["smokes"][1][1])
    assert found["drinks", "daily"] == pytest.approx(expected["drinks"][1][2])
    assert whole["n"] == 200
    assert whole["strategy"] == strategy


@pytest.mark.parametrize(
    ("strategy", "columns"),
    [
        ("one at random", ["report", "question", "region"]),
        ("each", ["report.smokes", "report.drinks", "region"]),
        ("together", ["report", "region"]),
    ],
)
def test_what_stands_in_a_file_of_reports(habits, discreet, strategy, columns):
    discreet("randomize", f"{strategy}.toml", "people.csv", "--keep", "region", "-o", "reports.csv")
    head, mark, first, *_, end = Path("reports.csv").read_text().splitlines()
    assert head.split(",") == columns
    assert mark.startswith("#discreet reports 1 ")
    assert first.split(",")[-1] == "n"
    assert end.startswith("#end 200")


def test_pipes_carry_a_form(habits, discreet):
    reports = discreet("randomize", "each.toml", "people.csv")
    assert json.loads(reports.stdout.splitlines()[0])["discreet"] == "reports"
    tally = discreet("tally", "each.toml", "--quiet", input=reports.stdout)
    assert tally.exit_code == 0, tally.stderr
    assert discreet("estimate", "each.toml", input=tally.stdout).stdout.count("\n") > 6


def test_tallies_merge(habits, discreet):
    for name in ("a", "b"):
        discreet("randomize", "each.toml", "people.csv", "-o", f"{name}.jsonl")
    assert discreet("tally", "each.toml", "a.jsonl", "-o", "a.json").exit_code == 0
    assert discreet("tally", "each.toml", "a.json", "b.jsonl", "-o", "both.json").exit_code == 0
    assert json.loads(Path("both.json").read_text())["n"] == 400


def test_people_are_left_out_or_refused(habits, discreet, refused):
    Path("some.csv").write_text("smokes,drinks\nno,never\nmaybe,never\n,daily\n")
    said = refused("randomize", "each.toml", "some.csv", "-o", "out.csv")
    assert said == "some.csv, row 2: the answer to 'smokes' must be one of the 2 values of the domain (see --unknown)"
    done = discreet("randomize", "each.toml", "some.csv", "-o", "out.csv", "--unknown", "drop")
    assert "2 of 3 people gave an answer outside the domain; left out" in done.stderr
    assert Path("out.csv").read_text().endswith("#end 1,\n")


def test_damaged_and_foreign_files_are_refused(habits, discreet, refused):
    discreet("randomize", "one at random.toml", "people.csv", "-o", "one.csv")
    discreet("randomize", "each.toml", "people.csv", "-o", "each.csv")
    discreet("randomize", "each.toml", "people.csv", "-o", "each.parquet")
    lines = Path("one.csv").read_text().splitlines(keepends=True)
    Path("cut.csv").write_text("".join(lines[:-1]))
    Path("strange.csv").write_text("".join(lines).replace(",smokes", ",wine", 1))
    Path("wrong.csv").write_text("".join([*lines[:2], "99,smokes\n", *lines[3:]]))
    Path("bare.csv").write_text("".join([lines[0], *lines[2:-1]]))
    assert "without the mark of a whole stream" in refused("tally", "one at random.toml", "cut.csv")
    assert "question='wine' must be one of smokes, drinks" in refused("tally", "one at random.toml", "strange.csv")
    assert "must be" in refused("tally", "one at random.toml", "wrong.csv")
    assert "no mark says which mechanism" in refused("tally", "one at random.toml", "bare.csv")
    assert "column 'report.smokes' is missing" in refused("tally", "each.toml", "one.csv")
    Path("other.toml").write_text(written("each", "1"))
    assert "holds reports of another mechanism" in refused("tally", "other.toml", "each.csv")
    assert "holds reports of another mechanism" in refused("tally", "other.toml", "each.parquet")
    assert discreet("tally", "one at random.toml", "bare.csv", "--unmarked").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["randomize", "each.toml", "people.csv", "-o", "out.txt"],
            "out.txt: the reports of a form have several columns",
        ),
        (["randomize", "each.toml", "people.csv", "--column", "x"], "--column must be left out for a form"),
        (["randomize", "each.toml", "people.csv", "--keep", "smokes"], "keep='smokes' holds what is to be protected"),
        (["randomize", "each.toml", "people.csv", "--keep", "report.smokes"], "must not be what a column of the rep"),
        (["randomize", "each.toml", "people.csv", "--unknown", "no"], "unknown='no' must be error or drop for a form"),
        (["randomize", "each.toml", "answers.csv"], "column 'smokes' is missing"),
        (["tally", "each.toml", "people.csv", "--column", "x"], "--column must be left out for a form"),
        (["estimate", "each.toml", "none.json", "--top", "3"], "--top must be left out for a form"),
        (["estimate", "each.toml", "none.json", "--method", "shrink"], "--method must be left out for a form"),
        (["plan", "each.toml", "--tv", "0.1"], "--tv must be left out for a form"),
        (["resolve", "each.toml", "--question", "wine"], "--question 'wine' must be one of a form: smokes, drinks"),
        (["resolve", "survey.toml", "--question", "wine"], "--question 'wine' must be one of a form: SPEC is none"),
        (["law", "each.toml"], "each.toml: this is a form of several questions"),
        (["bounds", "each.toml", "--n", "9"], "each.toml: this is a form of several questions"),
        (["verify", "twice.toml"], "twice.toml: questions[1]: name='smokes' is that of an earlier question"),
    ],
)
def test_what_says_nothing_of_a_form_is_refused(habits, refused, arguments, said):
    Path("twice.toml").write_text(written("each").replace("drinks", "smokes"))
    assert said in refused(*arguments)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_form_is_proved_and_pinned(habits, discreet, strategy):
    form = f"{strategy}.toml"
    proved = json.loads(discreet("verify", form, "--json").stdout)
    assert proved["ok"]
    assert (proved["strategy"], proved["epsilon"]) == (strategy, "4")
    assert all(one["realised"] <= one["claimed"] for one in proved["parts"].values())
    text = discreet("verify", form).stdout
    assert "any two people: epsilon at most 4" in text
    assert "- claimed and realised are those of the pair of answers that comes closest to its limit" in text
    assert discreet("resolve", form, "-o", "pinned.toml", "--quiet").exit_code == 0
    assert dc.Form.read("pinned.toml").fingerprint == proved["fingerprint"]
    assert discreet("resolve", form).stdout == Path("pinned.toml").read_text()
    part = "smokes * drinks" if strategy == "together" else "smokes"
    assert discreet("resolve", form, "--question", part, "-o", "one.toml").exit_code == 0
    alone = json.loads(discreet("verify", "one.toml", "--json").stdout)
    assert alone["fingerprint"] == proved["parts"][part]["fingerprint"]
    assert dc.Spec.read("one.toml").name == part


@pytest.mark.parametrize("strategy", ["one at random", "each"])
def test_one_question_is_compared_between_groups(habits, discreet, refused, strategy):
    form = f"{strategy}.toml"
    discreet("randomize", form, "people.csv", "--keep", "region", "--insecure-seed", 1, "-o", "reports.csv")
    by = ("--by", "region", "--event", "yes", "--json", "--quiet")
    done = discreet("compare", form, "reports.csv", "--question", "smokes", *by)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["estimate"][0] == pytest.approx(
        0.5, abs=0.35
    )  # 50 % in the south, none in the north
    assert refused("compare", form, "reports.csv", *by) == "--question is missing; it must be one of smokes, drinks"
    assert "--question 'wine' must be one of smokes, drinks" in refused(
        "compare", form, "reports.csv", "--question", "wine", *by
    )
    assert "--question must go with a form" in refused("compare", "survey.toml", "reports.csv", "--question", "a", *by)


def test_a_question_of_several_that_are_one_value_is_compared_and_released(habits, discreet, refused):
    discreet("randomize", "together.toml", "people.csv", "--keep", "region", "--insecure-seed", 1, "-o", "reports.csv")
    compared = ("compare", "together.toml", "reports.csv", "--by", "region", "--quiet")
    done = discreet(*compared, "--question", "drinks", "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["value"] == ["never", "weekly", "daily"]
    assert found["estimate"] == pytest.approx([0, -0.5, 0.5], abs=0.35)
    whole = json.loads(discreet(*compared, "--question", "smokes * drinks", "--json").stdout)
    assert len(whole["value"]) == 6
    assert "must be one of smokes, drinks, smokes * drinks" in refused(*compared, "--question", "wine")
    part = ("--question", "drinks")
    assert "--query and --event must be left out" in refused(*compared, *part, "--event", "daily")
    assert "must have a report of its own here" in refused(
        "regress", "together.toml", "reports.csv", "--on", "region", *part, "--event", "daily"
    )
    discreet("tally", "together.toml", "reports.csv", "-o", "all.json", "--quiet")
    released = ("release", "together.toml", "all.json", "-o", "r.json", "--title", "Habits", "--part", "drinks")
    assert discreet(*released).exit_code == 0
    told = json.loads(Path("r.json").read_text())
    shown, _ = shares(discreet("estimate", "together.toml", "all.json", "--json"))
    (panel,) = told["panels"]
    assert panel["names"] == ["never", "weekly", "daily"]
    assert panel["estimate"] == pytest.approx([shown["drinks", value] for value in panel["names"]])
    assert told["caveats"][-1].startswith("The answers of a person to 2 questions were one value")
    assert "shares of others are unbiased" in refused(*released, "--method", "shrink")


def test_strategies_are_planned(habits, discreet, refused):
    text = discreet("plan", "each.toml", "--n", 1000).stdout
    assert [line.split("  ")[0] for line in text.splitlines()[1:4]] == STRATEGIES
    Path("prior.json").write_text('{"smokes": {"no": 0.9, "yes": 0.1}}')
    done = discreet("plan", "each.toml", "--n", 1000, "--prior", "prior.json", "--json", "--plot", "plan.png")
    found = json.loads(done.stdout)
    assert found["assumed"] == "the given shares"
    assert found["strategy"] == STRATEGIES
    assert Path("plan.png").stat().st_size > 1000
    Path("prior.json").write_text("[1]")
    assert "must be an object with the assumed shares" in refused(
        "plan", "each.toml", "--n", 9, "--prior", "prior.json"
    )


@pytest.mark.parametrize("strategy", ["one at random", "each"])
def test_one_question_is_counted_screened_and_released(habits, discreet, refused, strategy):
    form = f"{strategy}.toml"
    assert discreet("randomize", form, "people.csv", "-o", "r.jsonl", "--insecure-seed", 1).exit_code == 0
    assert discreet("tally", form, "r.jsonl", "-o", "all.json", "--quiet").exit_code == 0
    own = discreet("tally", form, "r.jsonl", "-o", "drinks.json", "--question", "drinks", "--quiet")
    assert own.exit_code == 0, own.stderr
    assert discreet("resolve", form, "--question", "drinks", "-o", "drinks.toml", "--quiet").exit_code == 0
    alone = discreet("estimate", "drinks.toml", "drinks.json", "--json")
    found, _ = shares(discreet("estimate", form, "all.json", "--json"))
    assert json.loads(alone.stdout)["shares"] == [found["drinks", value] for value in ("never", "weekly", "daily")]
    for command in (["goodness-of-fit"], ["noncompliance", "--to", "never"]):
        name, *more = command
        expected = discreet(name, "drinks.toml", "drinks.json", *more, "--quiet")
        assert expected.exit_code == 0, expected.stderr
        for file in ("all.json", "r.jsonl"):
            done = discreet(name, form, file, "--question", "drinks", *more, "--quiet")
            assert done.stdout == expected.stdout, done.stderr
        assert "must be one of smokes, drinks" in refused(name, form, "all.json", *more)
        assert "must go with a form" in refused(name, "drinks.toml", "drinks.json", *more, "--question", "drinks")
    done = discreet(
        "release", form, "all.json", "-o", "r.json", "--title", "Habits", "--question", "How often?", "--part", "drinks"
    )
    assert done.exit_code == 0, done.stderr
    told = json.loads(Path("r.json").read_text())
    assert "weekly" in json.dumps(told)
    assert (told["question"], told["insecure"]) == ("How often?", True)
    assert {"each": "Everybody answered 2 questions", "one at random": "Everybody was asked one of 2"}[strategy] in str(
        told["caveats"]
    )
    lone = ("release", "drinks.toml", "drinks.json", "-o", "n.json", "--title", "Habits", "--part", "drinks")
    assert "--part must go with a form" in refused(*lone)
    titled = ("release", form, "all.json", "-o", "n.json", "--title", "Habits")
    assert "must be one of smokes, drinks" in refused(*titled, "--part", "wine")
    assert "--question must go with --part" in refused(*titled, "--question", "How often?")
    assert not Path("n.json").exists()
    assert "must go with a form" in refused("tally", "drinks.toml", "r.jsonl", "--question", "drinks")
    assert "must be one of smokes, drinks" in refused("tally", form, "r.jsonl", "--question", "wine")


def test_answers_that_need_no_hiding_and_bits_are_told_in_words_and_whole_numbers(discreet, folder):
    own = 'context = {form = "high_low", sensitive = ["%s"], epsilon = "1"}'
    text = written("each").replace('epsilon = "4"\n', "").replace(MECHANISM, "")
    first, second = text.split('name = "drinks"')
    text = f'{first}{own % "yes"}\n\n[[questions]]\nname = "drinks"{second}{own % "daily"}\n'
    text = text.replace("[[questions]]\ncontext", "context").replace("[[questions]]\n\ncontext", "context")
    Path("own.toml").write_text(text)
    said = discreet("verify", "own.toml").stdout
    assert "- any two people: no limit, since some answers are not hidden from some others" in said


def test_a_release_says_what_the_questionnaire_does(folder, discreet, refused):
    """Title, question, words and who asked are said once, in the questionnaire; an option goes before it."""
    discreet("gallery", "health-questionnaire", "-o", "health.toml")
    rows = "no,bike,never,8,yes,no,no\n" * 40
    Path("people.csv").write_text(f"smokes,travels,mood,sleep,has_asthma,has_diabetes,has_allergy\n{rows}")
    discreet("randomize", "health.toml", "people.csv", "-o", "reports.csv", "--quiet")
    discreet("tally", "health.toml", "reports.csv", "-o", "tally.json", "--quiet")
    assert discreet("release", "health.toml", "tally.json", "--part", "has_asthma", "-o", "r.json").exit_code == 0
    found = json.loads(Path("r.json").read_text())
    assert found["title"] == "Health and habits"
    assert found["question"] == "What have you been told that you have? Asthma"
    assert found["asked_by"] == "Institute for Examples, survey@example.org"
    discreet("release", "health.toml", "tally.json", "--part", "mood", "-o", "m.json")
    assert json.loads(Path("m.json").read_text())["order"] == [0, 1, 2, 3]  # a scale keeps its order
    discreet(
        "release", "health.toml", "tally.json", "--part", "smokes", "--title", "T", "--asked-by", "", "-o", "s.json"
    )
    found = json.loads(Path("s.json").read_text())
    assert (found["title"], found["question"], found["asked_by"]) == ("T", "Do you smoke?", "")
    Path("plain.toml").write_text(written("each"))
    assert "--title is missing" in refused("release", "plain.toml", "tally.json", "--part", "smokes", "-o", "n.json")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_release_is_about_the_whole_form_unless_it_names_a_question(habits, discreet, refused, strategy):
    form = f"{strategy}.toml"
    discreet("randomize", form, "people.csv", "-o", "reports.csv", "--insecure-seed", 1, "--quiet")
    discreet("tally", form, "reports.csv", "-o", "all.json", "--quiet")
    released = ("release", form, "all.json", "--title", "Habits", "--asked", 400, "--note", "A pilot.")
    assert discreet(*released, "-o", "r.json").exit_code == 0
    found = json.loads(Path("r.json").read_text())
    assert (found["n"], found["response_rate"], found["insecure"]) == (200, 0.5, True)
    assert list(found["questions"]) == ["smokes", "drinks"]
    assert sum(one["n"] for one in found["questions"].values()) == (200 if strategy == "one at random" else 400)
    shown, _ = shares(discreet("estimate", form, "all.json", "--json"))
    for name, one in found["questions"].items():
        alone = one["shares"] or one["panels"][0]["estimate"]
        assert alone == pytest.approx(
            [shown[name, value] for value in dc.Form.read(form).questions[name].context.values]
        )
    said = {"one at random": "one of 2 questions", "each": "a report for each", "together": "one report of all answers"}
    assert said[strategy] in found["promise"]["sentences"][0]
    assert found["caveats"][-1] == "A pilot."
    assert discreet(*released, "-o", "r.html").exit_code == 0
    page = Path("r.html").read_text()
    assert page.count("<h3>") == page.count("<svg") == 2
    assert page.count("A pilot.") == 2  # once to be read, and once in the data
    if strategy == "together":
        assert "shares of others are unbiased" in refused(*released, "--method", "shrink", "-o", "n.json")
