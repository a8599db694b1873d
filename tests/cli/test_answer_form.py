"""`discreet answer` of a questionnaire: what is shown, asked, put right and sent."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet.wire.form import Form

PLACE = Path(__file__).parents[1] / "client" / "collector.py"
QUESTIONS = {
    "smokes": dc.Context.uniform(["no", "yes"], "1/2"),
    "age": dc.Context.metric(range(18, 100), "line", "1/100"),
    "way": dc.Context.uniform(["bus", "car", "bike"], "1/2"),
}
TEXTS = {
    "title": "Ways to work",
    "asker": "The city",
    "introduction": "We plan new lanes.\nIt takes a minute.",
    "consent": "My answers may be used for planning.",
    "thanks": "Thank you.\nResults in May.",
    "labels": {"district": ["north", "south"], "sex": ["f", "m"]},
    "background": [
        {"name": "sex", "question": "What are you?", "words": {"f": "Woman", "m": "Man"}},
        {"name": "district", "help": "Where you sleep."},
    ],
    "questions": [
        {"name": "smokes", "question": "Do you smoke?", "kind": "yes/no", "words": {"yes": "Yes, I do"}},
        {"name": "age", "question": "How old are you?", "help": "In full years.", "unit": "years", "kind": "number"},
        {"name": "way", "question": "How do you travel?", "kind": "choice"},
    ],
    "translations": {"de": {"title": "Wege", "questions": {"smokes": {"question": "Rauchen Sie?"}}}},
}
GIVEN = {"smokes": "yes", "age": 43, "way": "bike"}


def load():
    name = "tests_client_collector"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, PLACE)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def strategy():
    return "each"


@pytest.fixture
def collector(strategy):
    return load().Collector(Form(QUESTIONS, strategy), **TEXTS)


@pytest.fixture
def url(collector):
    with collector.serving() as address:
        yield address


@pytest.fixture(autouse=True)
def data_folder(folder, monkeypatch):
    """The user's own folder is never touched."""
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    return folder / "data"


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr("discreet.cli.collecting.answer.in_terminal", lambda: True)


@pytest.fixture
def file(folder):
    path = folder / "answers.json"
    path.write_text(json.dumps(GIVEN))
    return path


def posted(collector):
    return sum(seen.method == "POST" for seen in collector.seen)


def test_a_person_is_shown_everything_and_asked_question_by_question(discreet, collector, url, terminal):
    typed = ["y", "2", "", "2", "17", "43", "tram", "bike", "yes"]
    done = discreet("answer", url, "--cap", "4", input="\n".join(typed) + "\n")
    assert (done.exit_code, posted(collector)) == (0, 1)
    shown = done.stdout
    places = [
        shown.index(part)
        for part in (
            "Ways to work\nAsked by: The city\nWe plan new lanes.\nIt takes a minute.\n",
            "You are asked all three questions, and for each of them a randomized report is sent.",
            "Answering uses 1.81 of your privacy budget.",
            "Of your budget of 4 you have spent 0 so far; after this answer, 2.19 will remain.",
            "\nMy answers may be used for planning.\nDo you agree? (y/n)",
            "\nWhat are you?\n   1  f: Woman\n   2  m: Man\nThis is public: it is sent as it is, beside your report.",
            "\ndistrict\nWhere you sleep.\n   1  north\n   2  south\n",
            "\nQuestion 1 of 3\nDo you smoke?\n   1  no\n   2  yes: Yes, I do\nYour answer: ",
            "\nQuestion 2 of 3\nHow old are you?\nIn full years.\n  a whole number from 18 to 99 years\nYour answer: ",
            "Error: type a whole number from 18 to 99\nYour answer: ",
            "\nQuestion 3 of 3\nHow do you travel?\n   1  bus\n   2  car\n   3  bike\nYour answer: ",
            "Error: type a number from 1 to 3, or one of the answers above\nYour answer: ",
            "\n1. Do you smoke? Yes, I do\nThis answer is protected",
            "\n2. How old are you? 43\nThis answer is protected best against answers near it",
            "\n3. How do you travel? bike\n",
            "Send them? Type yes, no, or the number of one to change: ",
            "Accepted. Spent in all: 1.81 of 4. This is what was sent:\n",
            "Thank you.\nResults in May.\n",
        )
    ]
    assert places == sorted(places)
    (body,) = map(json.loads, collector.uploads.values())
    assert (body["labels"], len(body["reports"])) == ({"sex": "m"}, 1)


def test_an_answer_can_be_changed_before_it_is_sent(discreet, collector, url, terminal):
    typed = ["y", "", "", "2", "43", "bike", "3", "car", "maybe", "9", "yes"]
    done = discreet("answer", url, "--cap", "4", input="\n".join(typed) + "\n")
    assert (done.exit_code, posted(collector)) == (0, 1)
    assert "3. How do you travel? car" in done.stdout
    assert done.stdout.count("Error: type yes, no, or a number from 1 to 3") == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("n\n", "you did not agree, so nothing was asked, spent or sent"),
        ("y\n\n\n2\n43\nbike\nno\n", "nothing was sent or spent"),
    ],
)
def test_who_does_not_want_to_has_spent_nothing(discreet, collector, url, terminal, typed, said):
    done = discreet("answer", url, "--cap", "4", input=typed)
    assert (done.exit_code, posted(collector)) == (2, 0)
    assert done.stderr.endswith(f"discreet: {said}\n")
    assert "Spent in all: 0 of 4" in discreet("ledger").stdout


@pytest.mark.parametrize("state", ["closed", "waiting"])
def test_a_collection_that_is_not_open_asks_nothing(discreet, collector, url, terminal, state):
    collector.document["state"] = state
    done = discreet("answer", url, "--cap", "4")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "takes no answers" in done.stderr


def test_a_questionnaire_beyond_the_budget_asks_nothing(discreet, collector, url, terminal):
    done = discreet("answer", url, "--cap", "1")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "costs 1.81, more than the 1 that remains of your privacy budget of 1" in done.stderr
    assert posted(collector) == 0


def test_who_has_answered_is_told_so_before_anything_is_asked(discreet, url, terminal, file):
    assert discreet("answer", url, "--cap", "2", "--answers", file, "--agree").exit_code == 0
    done = discreet("answer", url, input="y\n\n\n2\n43\nbike\nyes\n")
    assert done.stdout.index("You have answered this before.") < done.stdout.index("Do you agree?")
    assert "Spent in all: 1.81 of 2." in done.stdout


def test_it_is_shown_in_another_language(discreet, url, terminal):
    done = discreet("answer", url, "--cap", "4", "--language", "de", input="y\n\n\n2\n43\nbike\nyes\n")
    assert done.stdout.startswith("Wege\n")
    assert "Rauchen Sie?" in done.stdout
    assert "language='fr' must be one of en, de" in discreet("answer", url, "--language", "fr").stderr


@pytest.mark.parametrize("strategy", ["one at random"])
def test_of_one_at_random_only_that_question_is_shown(discreet, collector, url, terminal, folder):
    client = dc.client.Client(ledger=folder / "mine.jsonl", cap="4")
    (name,) = client.open(url).asked
    typed = f"y\n\n\n{GIVEN[name]}\nyes\n"
    done = discreet("answer", url, "--ledger", "mine.jsonl", input=typed)
    assert done.exit_code == 0
    assert "You are asked one of the three questions, drawn at random on this device" in done.stdout
    others = [entry["question"] for entry in TEXTS["questions"] if entry["name"] != name]
    assert not any(question in done.stdout for question in others)
    assert done.stdout.count("Your question\n") == 1


# -- scripts ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("strategy", ["one at random", "each"])
@pytest.mark.parametrize("way", ["file", "input"])
def test_answers_come_from_a_file_or_standard_input(discreet, collector, url, file, way):
    more = {} if way == "file" else {"input": file.read_text()}
    where = file if way == "file" else "-"
    done = discreet("answer", url, "--answers", where, "--cap", 4, "--label", "sex=f", "--agree", "--json", **more)
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    assert (data["state"], data["status"]) == ("accepted", 201)
    assert data["sent"].encode() in collector.uploads.values()
    assert json.loads(data["sent"])["labels"] == {"sex": "f"}


def test_without_a_terminal_what_is_sent_is_shown_with_its_promise(discreet, url, file):
    done = discreet("answer", url, "--answers", file, "--cap", "4", "--agree")
    assert done.exit_code == 0
    assert "My answers may be used for planning.\n" in done.stdout
    assert "How old are you?\nIn full years.\n  a whole number from 18 to 99 years\nThis answer is" in done.stdout
    assert done.stdout.endswith("Thank you.\nResults in May.\n")


WRONG = {
    "a value": (["yes"], None, "this collection asks 3 questions: give --answers FILE"),
    "nothing": ([], None, "this collection asks 3 questions: give --answers FILE"),
    "no agreement": (["--answers", "-"], json.dumps(GIVEN), "--agree is missing: this collection asks whether"),
    "a list": (["--answers", "-", "--agree"], "[]", "--answers must be a JSON object, such as"),
    "no JSON": (["--answers", "-", "--agree"], "smokes: HIV", "--answers must be a JSON object, such as"),
    "another question": (["--answers", "-", "--agree"], '{"HIV": "yes"}', "--answers must be to the questions smokes"),
    "an answer too few": (["--answers", "-", "--agree"], '{"smokes": "yes", "age": 43}', "an answer to 'way'"),
    "true": (["--answers", "-", "--agree"], '{"smokes": true}', "answer to 'smokes' must be text or a number"),
    "no such answer": (
        ["--answers", "-", "--agree"],
        json.dumps({**GIVEN, "way": "HIV"}),
        "the answer to 'way': a value of type str must be one of the 3 values of the domain",
    ),
    "no such file": (["--answers", "nowhere.json", "--agree"], None, "nowhere.json: No such file"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_can_be_put_right_is_said_in_one_line_that_repeats_no_answer(discreet, collector, url, name):
    args, typed, said = WRONG[name]
    done = discreet("answer", url, *args, "--cap", "4", "--json", input=typed)
    assert (done.exit_code, done.stderr.count("\n"), posted(collector)) == (2, 1, 0)
    assert said in done.stderr
    assert "HIV" not in done.output


def test_answers_are_for_questionnaires(discreet, file):
    single = load().Collector(dc.mechanism(QUESTIONS["way"]))
    with single.serving() as url:
        done = discreet("answer", url, "--answers", file, "--cap", "4")
    assert "--answers is for questionnaires: this collection asks one question" in done.stderr


# -- boxes, long lists and the ledger ---------------------------------------------------------------
def test_boxes_stand_under_their_heading_and_long_lists_are_searched(discreet, terminal):
    boxes = {f"box {place}": ["no", "yes"] for place in range(2)} | {"town": [f"Town {x}" for x in range(100)]}
    collector = load().Collector(Form(boxes, "each", epsilon="3"))
    for entry in collector.document["questions"][:2]:
        entry |= {"kind": "box", "group": "Which of these?"}
    with collector.serving() as url:
        done = discreet("answer", url, "--cap", "4", input="1\n2\nwn 9\nTOWN 99\nyes\n")
    assert done.exit_code == 0
    assert done.stdout.count("\nWhich of these?\n") == 2
    assert "\n2. Which of these? What about box 1? yes" in done.stdout
    with collector.serving() as url:
        given = json.dumps({"box 0": "no", "box 1": "yes", "town": "Town 9"})
        quiet = discreet("answer", url, "--cap", "4", "--answers", "-", input=given)
    assert quiet.stdout.count("\nWhich of these?\n") == 2
    said = "Error: these answers look like it: Town 9, Town 90, Town 91, Town 92, Town 93 and 6 more"
    assert said in done.stdout


@pytest.mark.parametrize("published", [True, False])
def test_what_was_answered_before_a_budget_is_given_as_a_form(discreet, url, file, folder, data_folder, published):
    from discreet.client.ledger import Parts, Terms
    from discreet.client.ledger.journal import lines_of

    discreet("answer", url, "--cap", "4", "--answers", file, "--agree", "--json")
    own = dc.Ledger.existing(data_folder / "discreet" / "ledger.jsonl")
    kept = [entry for entry in own.entries if not isinstance(entry, (Terms, Parts))]
    own.path.write_bytes(b"".join(lines_of(kept)))
    budget, law, form = folder / "budget.json", folder / "law.json", Form(QUESTIONS, "each")
    dc.wire.Spec.of_mechanism(dc.mechanism(dc.Context.uniform(["no", "yes"], "2"))).write(budget)
    law.write_text(form.published) if published else form.write(law)
    assert "with 1.81 of 2 spent" in discreet("ledger", "--budget", budget).stdout
    assert "with 0.5 of 2 spent" in discreet("ledger", "--budget", budget, "--law", law).stdout


def test_answers_beside_a_range_of_numbers_are_listed_and_yes_can_be_shortened(discreet, terminal):
    age = dc.Context.metric(range(18, 100), "line", "1/100").with_outside(["prefer not to say"], epsilon="1/2")
    collector = load().Collector(Form({"smokes": QUESTIONS["smokes"], "age": age}, "each"))
    collector.document["questions"][0] |= {"kind": "yes/no", "words": {"no": "Never", "yes": "Yes, I do"}}
    collector.document["questions"][1] |= {"kind": "number", "unit": "years"}
    with collector.serving() as url:
        done = discreet("answer", url, "--cap", "4", input="a\nY\n17\nPrefer not to say\nyes\n")
    assert done.exit_code == 0
    assert "Error: type 1 or 2, or one of the answers above" in done.stdout
    assert "1. What about smokes? Yes, I do" in done.stdout
    assert "\n  a whole number from 18 to 99 years\n  prefer not to say\n" in done.stdout
    assert "Error: type a whole number from 18 to 99, or prefer not to say" in done.stdout
    assert "2. What about age? prefer not to say" in done.stdout


def test_the_ledger_says_how_many_parts_a_questionnaire_has(discreet, url, file):
    discreet("answer", url, "--cap", "4", "--answers", file, "--agree", "--json")
    lines = discreet("ledger").stdout.splitlines()
    assert lines[0].split() == ["collection", "parts", "spent", "reports", "shows"]
    assert lines[1].split() == [url, "3", "1.81", "1", "no"]
    (known,) = json.loads(discreet("ledger", "--json").stdout)["collections"]
    assert known["parts"] == 3
    exported = [json.loads(line) for line in discreet("ledger", "--export", "-").stdout.splitlines()]
    assert [entry["kind"] for entry in exported].count("parts") == 1


def test_what_is_no_answer_is_asked_again_in_words(discreet, collector, url, terminal):
    typed = ["perhaps", "y", "", "", "", "2", "43", "bike", "", "yes"]
    done = discreet("answer", url, "--cap", "4", input="\n".join(typed) + "\n")
    assert (done.exit_code, posted(collector)) == (0, 1)
    assert "Error: type y if you agree, or n if you do not\n" in done.stdout + done.stderr
    assert "Error: type 1 or 2, or one of the answers above\n" in done.stdout + done.stderr
    assert "Error: type yes, no, or a number from 1 to 3\n" in done.stdout + done.stderr
