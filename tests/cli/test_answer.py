"""`discreet answer` and `discreet ledger`: one person's answers from the command line."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli.collecting.answer import _of_page
from discreet.cli.collecting.asking import printable

PLACE = Path(__file__).parents[1] / "client" / "collector.py"
SURVEY = dc.mechanism(dc.Context.high_low(["none", "cold", "hiv"], ["hiv"], "1"), "randomized_response")


def load():
    name = "tests_client_collector"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, PLACE)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def collector():
    return load().Collector(SURVEY, words={"hiv": "HIV infection"}, labels={"week": ["1", "2"]})


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
def failed(discreet):
    """Run the command, which must end with exit code 2 and one line of error, or one after what it had shown."""

    def run(*args, **more):
        done = discreet(*args, **more)
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        return done.stderr.removeprefix("discreet: ").removesuffix("\n")

    return run


def test_an_answer_shows_what_is_promised_and_what_was_sent(discreet, collector, url, data_folder):
    done = discreet("answer", url, "hiv", "--cap", "4")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:5] == ["Health survey", "Which of these have you had?", "  none", "  cold", "  hiv: HIV infection"]
    assert lines[5].startswith(
        "Compared with an answer that it is hidden from, your report makes yours at most 2.72 times"
    )
    assert lines[6] == 'Protected: "hiv" (shown as "HIV infection"). All other answers are not protected.'
    assert lines[-3].startswith("This answer is protected: compared with any other")
    assert lines[-2] == "Accepted. Spent in all: 1 of 4. This is what was sent:"
    assert lines[-1].encode() in collector.uploads.values()
    assert (data_folder / "discreet" / "ledger.jsonl").exists()


def test_the_value_may_come_from_standard_input(discreet, collector, url):
    done = discreet("answer", url, "-", "--cap", 4, "--ledger", "mine.jsonl", "--json", input="hiv\r\nmore\n")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    assert (data["state"], data["status"], data["epsilon"]) == ("accepted", 201, "1")
    assert (data["spent"], data["left"], data["collection"]) == ("1", "3", url)
    assert data["sent"].encode() in collector.uploads.values()
    assert Path("mine.jsonl").exists()


def test_the_value_is_asked_for_in_a_terminal(discreet, collector, url, monkeypatch):
    monkeypatch.setattr("discreet.cli.collecting.answer.in_terminal", lambda: True)
    done = discreet("answer", url, "--cap", "4", input="flu\nHIV infection\nagain\n3\nsend\nyes\n")
    assert done.exit_code == 0
    assert "   3  hiv: HIV infection" in done.output
    assert "Error: type a number from 1 to 3, or one of the answers above" in done.output
    assert "Of your budget of 4 you have spent 0 so far; after this answer, 3 will remain." in done.output
    assert "Error: type yes, no, or again" in done.output
    assert len(collector.uploads) == 1


def test_who_says_no_in_the_end_has_sent_and_spent_nothing(discreet, collector, url, monkeypatch):
    monkeypatch.setattr("discreet.cli.collecting.answer.in_terminal", lambda: True)
    done = discreet("answer", url, "--cap", "4", input="hiv\nno\n")
    assert (done.exit_code, collector.uploads) == (2, {})
    assert done.stderr.endswith("nothing was sent or spent\n")
    assert "0 of 4" in discreet("ledger").stdout


def test_labels_are_given_by_name(discreet, collector, url):
    assert discreet("answer", url, "hiv", "--cap", "4", "--label", "week=2").exit_code == 0
    (body,) = collector.uploads.values()
    assert json.loads(body)["labels"] == {"week": "2"}


def test_an_answer_that_cannot_be_sent_is_queued(discreet, collector, url, monkeypatch):
    monkeypatch.setattr("discreet.client.uploading.MAX_TRIES", 1)
    collector.replies["/survey/reports"] = [load().Reply(503)]
    done = discreet("answer", url, "hiv", "--cap", "4")
    assert done.exit_code == 0
    assert "status 503. Send it later with: discreet ledger --flush. Spent in all: 1 of 4." in done.stdout
    assert "Queued: 1. Send with: discreet ledger --flush" in discreet("ledger").stdout
    del collector.replies["/survey/reports"]
    done = discreet("ledger", "--flush")
    assert done.stderr == f"discreet: {url}: accepted\n"
    assert "Queued" not in done.stdout
    assert len(collector.uploads) == 1


def test_an_answer_that_is_not_taken_ends_with_1(discreet, collector, url):
    problem = load().Reply(410, {"Content-Type": "application/problem+json"}, b'{"code": "closed"}')
    collector.replies["/survey/reports"] = [problem]
    done = discreet("answer", url, "hiv", "--cap", "4")
    assert done.exit_code == 1
    said = (
        "Not taken by the collector (status 410, closed): the collection was closed before the report came, and did not"
    )
    assert f"{said} count it; what it spent stays spent. Spent in all: 1 of 4." in done.stdout
    assert json.loads(discreet("answer", url, "hiv", "--json").stdout)["code"] == "closed"


def test_the_first_answer_needs_a_cap_and_no_later_one_does(failed, discreet, url, data_folder):
    told = failed("answer", url, "hiv")
    assert told.startswith("--cap is missing: your first answer needs to know")
    assert not data_folder.exists()
    assert discreet("answer", url, "hiv", "--cap", "4").exit_code == 0
    assert discreet("answer", url, "hiv").exit_code == 0
    assert "a cap is never raised" in failed("answer", url, "hiv", "--cap", "5")


WRONG = {
    "a value outside the domain": (["flu"], "a value of type str must be one of the 3 values of the domain"),
    "no value": ([], "VALUE is missing: give it, or - to read it from standard input"),
    "a label without text": (["hiv", "--label", "week"], "--label 'week' must be NAME=TEXT, each name once"),
    "a label twice": (["hiv", "--label", "week=1", "--label", "week=2"], "each name once"),
    "an unknown label": (["hiv", "--label", "name=Ada"], "must be one that the collection declares: 'week'"),
    "a wrong label": (["hiv", "--label", "week=9"], "label 'week' must be one of '1', '2'"),
    "a strange cap": (["hiv", "--cap", "much"], "cap='much' must be a non-negative decimal"),
    "too small a cap": (
        ["hiv", "--cap", "0.5"],
        "costs 1, more than the 0.5 that remains of your privacy budget of 0.5",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_person_can_put_right_is_said_in_one_line(failed, collector, url, name):
    args, rule = WRONG[name]
    assert rule in failed("answer", url, *args, *([] if "--cap" in args else ["--cap", "4"]))
    assert collector.uploads == {}


def test_a_changed_value_and_a_changed_law_are_refused(failed, discreet, collector, url):
    discreet("answer", url, "hiv", "--cap", "4")
    assert "answers there cannot be changed" in failed("answer", url, "none")
    collector.law += b" "
    assert "not the one that its fingerprint stands for" in failed("answer", url, "hiv")


@pytest.mark.parametrize(
    ("address", "reason"),
    [("http://example.org/", "must be https"), ("survey", "must be an address that begins with https://")],
)
def test_an_unsafe_address_is_refused(failed, address, reason):
    assert reason in failed("answer", address, "hiv", "--cap", "4")


def test_a_collector_that_is_away_is_said_to_be(failed, collector):
    with collector.serving() as address:
        pass
    assert "could not be reached" in failed("answer", address, "hiv", "--cap", "4")


def test_what_a_collector_writes_cannot_steer_the_terminal(discreet, collector, url):
    collector.document |= {"title": "Safe\x9b2J\x7f title\nAccepted.", "introduction": "One.\nAccepted.\x85"}
    done = discreet("answer", url, "hiv", "--cap", "4")
    assert done.stdout.splitlines()[:3] == [r"Safe\x9b2J\x7f title Accepted.", "One.", "Accepted."]
    collector.document["title"] = "Safe\x1b[2J"
    assert "title must be text" in discreet("answer", url, "hiv").stderr
    assert printable("می\u200cخواهم") == "می\u200cخواهم"


def test_many_values_are_not_all_listed(discreet):
    many = load().Collector(dc.mechanism(dc.Context.uniform([f"v{x}" for x in range(100)], "1"), "hadamard"))
    with many.serving() as address:
        done = discreet("answer", address, "v99", "--cap", "4")
    assert "  v39\n  ... and 60 more\n" in done.stdout
    numbers = load().Collector(dc.mechanism(dc.Context.uniform(range(18, 118), "1"), "hadamard"), unit="years")
    with numbers.serving() as address:
        assert "  a whole number from 18 to 117 years\n" in discreet("answer", address, "99").stdout


# -- invitations ---------------------------------------------------------------------------------
TOKEN = "0123456789abcdef-4711"


@pytest.fixture
def invited(collector, url, monkeypatch):
    """The address of a collection that needs an invitation."""
    monkeypatch.delenv("DISCREET_INVITATION", raising=False)
    collector.document["access"] = "invitation"
    return url


def sent(collector):
    return [request.headers.get("invitation") for request in collector.seen if request.method == "POST"]


WAYS = {
    "a flag": (["", "hiv", "--invitation", TOKEN], "", {}),
    "the link": ([f"#invitation={TOKEN}", "hiv"], "", {"DISCREET_INVITATION": "another"}),
    "the environment": (["", "hiv"], "", {"DISCREET_INVITATION": TOKEN}),
    "standard input": (["", "hiv", "--invitation", "-"], f"{TOKEN}\n", {}),
    "both from standard input": (["", "-", "--invitation", "-"], f"{TOKEN}\r\nhiv\r\n", {}),
    "a flag before the link": (["#invitation=another", "hiv", "--invitation", TOKEN], "", {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_an_invitation_is_given_by(discreet, collector, invited, monkeypatch, data_folder, way):
    (fragment, *args), lines, environment = WAYS[way]
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    done = discreet("answer", invited + fragment, *args, "--cap", "4", input=lines)
    assert (done.exit_code, sent(collector)) == (0, [TOKEN])
    assert "Your invitation is sent along with your report" in done.stdout
    assert TOKEN not in done.output + (data_folder / "discreet" / "ledger.jsonl").read_text()
    assert TOKEN not in discreet("ledger", "--export", "-").stdout + discreet("ledger", "--json").stdout


def test_an_invitation_is_asked_for_in_a_terminal(discreet, collector, invited, monkeypatch):
    monkeypatch.setattr("discreet.cli.collecting.answer.in_terminal", lambda: True)
    assert discreet("answer", invited, "--cap", "4", input=f"{TOKEN}\nhiv\nyes\n").exit_code == 0
    assert sent(collector) == [TOKEN]


def test_without_an_invitation_or_with_a_strange_one_nothing_is_spent(discreet, failed, collector, invited):
    assert failed("answer", invited, "hiv", "--cap", "4").endswith(
        "needs an invitation, and none was given; no report was made"
    )
    assert "invitation must be 1 to 128 letters" in failed("answer", invited, "hiv", "--invitation", "a b")
    assert "invitation must be 1 to 128 letters" in failed("answer", f"{invited}#invitation=", "hiv")
    assert "0 of 4" in discreet("ledger").stdout
    assert sent(collector) == []


def test_a_spent_invitation_is_said_to_be_in_one_line(discreet, collector, invited):
    problem = load().Reply(403, {"Content-Type": "application/problem+json"}, b'{"code": "not_invited"}')
    collector.replies["/survey/reports"] = [problem]
    done = discreet("answer", invited, "hiv", "--cap", "4", "--invitation", TOKEN)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == (
        "Not taken by the collector (status 403, not_invited): the invitation is missing, unknown or used up; "
        "the report is kept, and the same answer with another invitation sends it at no further cost. "
        "Spent in all: 1 of 4."
    )
    del collector.replies["/survey/reports"]
    assert "Accepted. Spent in all: 1 of 4." in discreet("answer", invited, "hiv", "--invitation", "new").stdout
    assert sent(collector) == [TOKEN, "new"]


def test_an_invitation_in_the_environment_is_left_alone_where_none_is_needed(discreet, collector, url, monkeypatch):
    monkeypatch.setenv("DISCREET_INVITATION", TOKEN)
    assert discreet("answer", url, "hiv", "--cap", "4").exit_code == 0
    assert sent(collector) == [None]


# -- the ledger ----------------------------------------------------------------------------------


def test_the_ledger_is_shown_per_collection_and_in_all(discreet, url):
    discreet("answer", url, "hiv", "--cap", "4")
    lines = discreet("ledger").stdout.splitlines()
    assert lines[0].split() == ["collection", "spent", "reports", "shows"]
    assert lines[1].split() == [url, "1", "1", "some", "values"]
    assert lines[2] == "Spent in all: 1 of 4, which leaves 3."
    data = json.loads(discreet("ledger", "--json").stdout)
    assert data == {
        "cap": "4",
        "spent": "1",
        "left": "3",
        "queued": 0,
        "budgets": [],
        "collections": [
            {
                "collection": url,
                "fingerprint": SURVEY.fingerprint,
                "epsilon": "1",
                "reports": 1,
                "shows": True,
                "parts": 1,
            }
        ],
    }


def test_the_cap_is_lowered_by_the_ledger(discreet, failed, url):
    discreet("answer", url, "hiv", "--cap", "4")
    assert "1 of 2, which leaves 1." in discreet("ledger", "--cap", "2").stdout
    assert "must be at most 2" in failed("ledger", "--cap", "3")


def test_a_budget_is_set_shown_and_kept_to(discreet, failed, url, folder):
    spec = folder / "budget.toml"

    def write(epsilon):
        spec.write_text(
            f'[domain]\nvalues = ["none", "cold", "hiv"]\n[context]\nform = "high_low"\nsensitive = ["hiv"]\n'
            f'epsilon = "{epsilon}"\n'
        )

    write("1/2")
    lines = discreet("ledger", "--cap", "4", "--budget", spec).stdout.splitlines()
    assert (
        lines[-1]
        == "Budget over none, cold, hiv: tightest for telling hiv from none, with 0 of 0.5 spent and 0.5 left."
    )
    assert "costs 1 for telling 'hiv' from 'none', more than the 0.5 that remains of the budget of 0.5 there" in failed(
        "answer", url, "cold"
    )
    (budget,) = json.loads(discreet("ledger", "--json").stdout)["budgets"]
    assert budget["tightest"] == {"x": "hiv", "z": "none", "budget": "0.5", "spent": "0", "left": "0.5"}
    write("2")
    assert "a budget is never raised" in failed("ledger", "--budget", spec)
    assert "--law goes with --budget" in failed("ledger", "--law", spec)


def test_what_was_answered_before_a_budget_is_given_as_laws(discreet, failed, url, folder, data_folder):
    from discreet.client.ledger import Terms
    from discreet.client.ledger.journal import lines_of
    from discreet.wire import Spec, law_text

    discreet("answer", url, "hiv", "--cap", "4")
    own = dc.Ledger.existing(data_folder / "discreet" / "ledger.jsonl")  # as those were without contexts of laws
    own.path.write_bytes(b"".join(lines_of(entry for entry in own.entries if not isinstance(entry, Terms))))
    spec, law = folder / "budget.json", folder / "law.json"
    Spec.of_mechanism(dc.mechanism(dc.Context.uniform(["a", "b"], "1"))).write(spec)
    law.write_text(law_text(SURVEY))
    assert "must be set before answers that may show values" in failed("ledger", "--budget", spec)
    assert (
        "Budget over a, b: tightest for telling a from b, with 0 of 1 spent"
        in discreet("ledger", "--budget", spec, "--law", law).stdout
    )


def test_the_ledger_is_exported_without_value_and_key(discreet, failed, url, folder, data_folder):
    discreet("answer", url, "hiv", "--cap", "4")
    own = data_folder / "discreet" / "ledger.jsonl"
    assert discreet("ledger", "--export", "copy.jsonl").stdout == ""
    assert (folder / "copy.jsonl").read_bytes() == own.read_bytes()
    assert discreet("ledger", "--export", "-").stdout == own.read_text()
    assert [line for line in own.read_text().splitlines() if "hiv" in line and '"kind":"terms"' not in line] == []
    for name in (own, f"{own}.key", f"{own}.lock"):
        assert "is also read" in failed("ledger", "--export", name)


@pytest.mark.parametrize(("state", "reason"), [("closed", "was closed by its owner"), ("waiting", "is not open yet")])
def test_a_collection_that_is_not_open_is_refused_in_one_line(failed, discreet, collector, url, state, reason):
    collector.document["state"] = state
    said = failed("answer", url, "hiv", "--cap", "4")
    assert said == f"this collection {reason}, and takes no answers"
    assert discreet("answer", url, "hiv").stdout == ""  # nothing was asked
    assert "Spent in all: 0 of 4" in discreet("ledger").stdout
    assert not any(seen.method == "POST" for seen in collector.seen)


def test_answers_that_another_law_has_asked_about_are_named_before_the_question(discreet, url):
    other = load().Collector(dc.mechanism(dc.Context.uniform(["hiv", "other"], "1")))
    discreet("answer", url, "hiv", "--cap", "4")
    with other.serving() as there:
        said = discreet("answer", there, "hiv").stdout
    assert f"1 of these 2 answers were also answers to {url}, which you answered before" in said


def test_there_is_no_ledger_before_the_first_answer(failed, folder):
    assert "must be a ledger, and there is none" in failed("ledger")
    assert "mine.jsonl must be a ledger" in failed("ledger", "--ledger", "mine.jsonl")


def test_a_damaged_ledger_is_said_to_be(discreet, failed, url, data_folder):
    discreet("answer", url, "hiv", "--cap", "4")
    own = data_folder / "discreet" / "ledger.jsonl"
    own.write_bytes(own.read_bytes().replace(b'"1"', b'"0"'))
    for command in (["ledger"], ["answer", url, "hiv"]):
        assert "is not as it was written" in failed(*command)


def test_an_answer_needs_no_numpy(url, folder):
    code = (
        "import sys\nfrom discreet.cli import main\n"
        f"sys.argv = ['discreet', 'answer', {url!r}, 'hiv', '--cap', '4']\n"
        "try:\n    main()\nfinally:\n    print('loaded:', *sys.modules)"
    )
    source = str(Path(dc.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": source, "XDG_DATA_HOME": str(folder / "other")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.rpartition("loaded:")[2].split())
    assert "Accepted." in done.stdout
    assert not loaded & {"numpy", "cryptography", "pyarrow", "discreet.estimation.tally"}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("https://s.example/answer/4f1d", "https://s.example/collections/4f1d"),
        ("https://s.example/survey/answer/4f1d#invitation=x", "https://s.example/survey/collections/4f1d#invitation=x"),
        ("https://s.example/collections/4f1d", "https://s.example/collections/4f1d"),
        ("https://s.example/answer/", "https://s.example/answer/"),
        ("https://answer/4f1d", "https://answer/4f1d"),
    ],
)
def test_the_address_of_a_page_is_that_of_its_collection(given, meant):
    assert _of_page(given) == meant
