"""`discreet init` asks plain questions: scripted dialogues, with a typo wherever one can be made."""

from __future__ import annotations

import json

import pytest

import discreet as dc
from discreet.wire import Questionnaire

SEVERAL = [
    # what is typed first by mistake (None where every text can be read), then the answer
    ("two or more", "2"),
    ("x" * 201, "Habits"),  # title
    (None, "An institute"),
    (None, "Welcome."),
    (None, ""),  # no consent
    (None, "Thank you."),
    ("english", "en"),
    ("4", "each"),  # how it is asked
    ("both", "2"),  # each question says what is hidden
    ("", "Do you smoke?"),
    ("radio", "1"),
    ("report", "smokes"),  # the name of a column
    ("perhaps", "y"),  # prefer not to say
    (None, "Now and then counts."),
    ("0", "only some"),
    ("maybe", "yes"),
    ("-1", "1"),
    ("", "How often do you travel?"),
    ("9", "scale"),
    ("smokes", "travels"),
    ("never,,often", "never, sometimes, often"),
    ("3", "n"),
    (None, ""),
    ("far ones", "1"),
    ("much", "0.7"),
    ("3", "y"),  # another question
    ("", "How old are you?"),
    ("age", "4"),
    ("a * b", ""),  # the name that is offered
    ("99..18", "18..99"),
    (None, "years"),
    ("3", "y"),
    (None, ""),
    ("5", "near ones"),
    ("0", "0.25"),
    ("inf", "3"),
    ("3", "y"),
    ("", "What do you own?"),
    ("box", "5"),
    ("travels", "owns"),
    ("car,car", "car, bike"),
    (None, "Tick all."),
    ("3", "1"),
    ("1/0", "2"),
    ("3", "n"),
    ("smokes=a,b", "region=north,south"),
    ("", "Where do you live?"),
    ("region=a,b", ""),
]


def typed(steps, *, typos):
    lines = [line for wrong, right in steps for line in ([wrong, right] if typos and wrong else [right])]
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setattr("discreet.cli.before.init._in_terminal", lambda: True)


def check_habits(path):
    asked = Questionnaire.read(path)
    texts, spec = asked.texts, asked.spec
    assert (texts.title, texts.asker, texts.introduction, texts.thanks) == (
        "Habits",
        "An institute",
        "Welcome.",
        "Thank you.",
    )
    assert spec.strategy == "each"
    assert list(asked.specs) == ["smokes", "travels", "old", "owns_car", "owns_bike"]
    contexts = {name: one.context for name, one in asked.specs.items()}
    assert list(contexts["smokes"].values) == ["no", "yes", "prefer not to say"]
    assert contexts["smokes"].epsilon("yes", "prefer not to say") == 1
    assert contexts["smokes"].epsilon("no", "yes") == float("inf")
    assert contexts["travels"].epsilon("never", "often") == dc.Context.uniform([1, 2], "1.4").epsilon(1, 2)
    assert contexts["old"].epsilon(20, 24) == 1
    assert contexts["old"].epsilon(20, "prefer not to say") == contexts["old"].epsilon("prefer not to say", 98) == 3
    assert texts.questions["old"].unit == "years"
    assert [one.kind for one in texts.questions.values()] == ["yes/no", "scale", "number", "box", "box"]
    assert texts.questions["owns_bike"].group == "What do you own?"
    assert asked.settings == {"labels": {"region": ["north", "south"]}}
    assert texts.background["region"].question == "Where do you live?"


def test_a_questionnaire_of_several_kinds_is_made_from_plain_questions(discreet, folder):
    done = discreet("init", "habits.toml", input=typed(SEVERAL, typos=False))
    assert done.exit_code == 0, done.output[-500:]
    assert "habits.toml: 5 questions, each. Next:" in done.stdout
    check_habits("habits.toml")
    assert not (folder / "habits.toml.draft").exists()
    assert (folder / "habits.toml").read_text().startswith("# A questionnaire of discreet")


def test_a_typo_in_every_place_costs_only_that_answer(discreet, folder):
    clean = discreet("init", "habits.toml", input=typed(SEVERAL, typos=False))
    assert clean.exit_code == 0
    done = discreet("init", "other.toml", "--name", "habits", input=typed(SEVERAL, typos=True))
    assert done.exit_code == 0, done.output[-500:]
    assert (folder / "other.toml").read_text() == (folder / "habits.toml").read_text()
    reasons = [line for line in done.stdout.splitlines() if line.startswith("  ") and " must " in line]
    assert len(reasons) >= sum(wrong not in (None, "") for wrong, _ in SEVERAL)


@pytest.mark.parametrize("stop", range(1, len(SEVERAL), 4))
def test_nothing_said_is_lost_wherever_the_input_ends(discreet, folder, stop):
    done = discreet("init", "habits.toml", input=typed(SEVERAL[:stop], typos=False))
    assert done.exit_code == 130
    assert "discreet init habits.toml goes on" in done.stderr
    assert not (folder / "habits.toml").exists()
    done = discreet("init", "habits.toml", input="1\n" + typed(SEVERAL[stop:], typos=False))
    assert done.exit_code == 0, done.output[-500:]
    check_habits("habits.toml")
    assert not (folder / "habits.toml.draft").exists()


def test_ctrl_c_keeps_a_draft_too(discreet, folder, monkeypatch):
    import click

    plain, calls = click.prompt, []

    def prompt(*args, **more):
        calls.append(args)
        if len(calls) == 4:
            raise click.Abort
        return plain(*args, **more)

    monkeypatch.setattr("click.prompt", prompt)
    done = discreet("init", "habits.toml", input=typed(SEVERAL, typos=False))
    assert done.exit_code == 130
    kept = json.loads((folder / "habits.toml.draft").read_text())["said"]
    assert [answer for _, answer in kept] == ["2", "Habits", "An institute"]


def test_a_draft_can_be_forgotten(discreet, folder):
    discreet("init", "habits.toml", input=typed(SEVERAL[:9], typos=False))
    done = discreet("init", "habits.toml", input="2\n1\nSmoking\n\n\n\n\nen\nDo you smoke?\n1\nn\n\n1\n1\n\n")
    assert done.exit_code == 0, done.output[-500:]
    assert Questionnaire.read("habits.toml").texts.title == "Smoking"


@pytest.mark.parametrize("draft", ["", "{", "[]", '{"said": [1]}', '{"said": [["What do you want to make", 7]]}'])
def test_a_damaged_draft_is_no_draft(discreet, folder, draft):
    (folder / "habits.toml.draft").write_text(draft)
    done = discreet("init", "habits.toml", input=typed(SEVERAL, typos=False))
    assert done.exit_code == 0
    check_habits("habits.toml")


def test_a_draft_of_other_questions_is_followed_as_far_as_it_fits(discreet, folder):
    said = [["What do you want to make", "2"], ["Its title", "Habits"], ["Its colour", "blue"]]
    (folder / "habits.toml.draft").write_text(json.dumps({"said": said}))
    done = discreet("init", "habits.toml", input="1\n" + typed(SEVERAL[2:], typos=False))
    assert done.exit_code == 0, done.output[-500:]
    check_habits("habits.toml")


ONE = "1\nAges\n\n\n\n\n\n"


@pytest.mark.parametrize(
    ("answers", "values", "pairs"),
    [
        ("Smoke?\n1\nn\n\n1\n\n", ["no", "yes"], {("no", "yes"): 1}),
        ("Smoke?\n1\ny\n\n1\n2\n", ["no", "yes", "prefer not to say"], {("no", "prefer not to say"): 2}),
        ("Way?\n2\nbus,car\nn\n\n2\nbus\n1\n", ["bus", "car"], {("bus", "car"): 1, ("car", "bus"): float("inf")}),
        ("Hour?\n4\n0..23\n\nn\n\naround\n0.5\n", list(range(24)), {(23, 1): 1}),
        ("Often?\n3\na,b\ny\n\n1\n1\n3\n", ["a", "b", "prefer not to say"], {("a", "prefer not to say"): 3}),
    ],
)  # fmt: skip
def test_one_question_of_every_kind(discreet, answers, values, pairs):
    done = discreet("init", "one.toml", input=f"{ONE}{answers}\n")
    assert done.exit_code == 0, done.output[-500:]
    asked = Questionnaire.read("one.toml")
    assert list(asked.spec.context.values) == values
    assert {pair: asked.spec.context.epsilon(*pair) for pair in pairs} == pairs
    assert discreet("verify", "one.toml").exit_code == 0


def test_what_cannot_be_asked_is_asked_again_with_what_was_said(discreet):
    """Values that clash only when they are seen together are found after the question, and Enter keeps the rest."""
    start = "2\nWays\n\n\n\n\n\ntogether\n1\n\n"
    wrong = "Which number?\n4\nnumber\n0..9999\n\nn\n\n"
    more = "Which other number?\n4\nother\n0..9999\n\nn\n\n"
    again = "\n\n\n0..9\n\n\n\n"
    done = discreet("init", "ways.toml", input=f"{start}{wrong}{more}{again}n\n\n")
    assert done.exit_code == 0, done.output[-700:]
    assert "is beyond the limit" in done.stdout
    assert "Once more: Enter keeps what you said." in done.stdout
    assert [spec.context.size for spec in Questionnaire.read("ways.toml").specs.values()] == [10_000, 10]


def test_a_questionnaire_goes_through_the_other_commands(discreet, folder):
    discreet("init", "habits.toml", input=typed(SEVERAL, typos=False))
    assert discreet("verify", "habits.toml").exit_code == 0
    assert discreet("resolve", "habits.toml", "-o", "pinned.toml").exit_code == 0
    (folder / "people.csv").write_text(
        "smokes,travels,old,owns_car,owns_bike\n" + "yes,never,20,no,yes\nno,often,prefer not to say,no,no\n" * 20
    )
    assert discreet("randomize", "habits.toml", "people.csv", "-o", "r.csv", "--quiet").exit_code == 0
    assert discreet("tally", "habits.toml", "r.csv", "-o", "t.json", "--quiet").exit_code == 0
    assert discreet("estimate", "habits.toml", "t.json").exit_code == 0


def test_without_a_terminal_nothing_is_asked_and_no_draft_is_made(refused, monkeypatch):
    monkeypatch.setattr("discreet.cli.before.init._in_terminal", lambda: False)
    assert "--form is missing" in refused("init", "new.toml", input=typed(SEVERAL, typos=False))


def test_what_cannot_be_read_is_asked_again_with_a_reason(discreet, tmp_path):
    steps = [("few", "2"), *SEVERAL[1:9], (" ", SEVERAL[9][1]), *SEVERAL[10:]]
    steps[-3] = ("region=north;south", "region=north,south")  # one answer is none to choose from
    done = discreet("init", str(tmp_path / "habits.toml"), input=typed(steps, typos=True))
    assert done.exit_code == 0, done.output
    for reason in (
        "'few' must be a number from 1 to 3, or a name: 'one', 'several', 'spec'",
        "  there must be an answer\nQuestion 1, as people read it: Do you smoke?",
        "'-1' must be a positive number with a decimal point, such as 0.5",
        "there must be 2 or more, separated by single commas",
    ):
        assert reason in done.output.replace("\n\n", "\n"), reason
    check_habits(tmp_path / "habits.toml")
