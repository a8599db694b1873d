"""`discreet collect`: a questionnaire file becomes a collection, and its links are printed."""

import json
import re

import pytest
from click.testing import CliRunner
from running import running
from test_forms import QUESTIONS, answers, spec

import discreet as dc
from discreet.cli import main

FILE = """
title = "Habits"
asker = "The city"
minimum = 20
access = "ACCESS"
labels = {town = ["a", "b"]}

[form]
strategy = "each"
epsilon = "2"

[[questions]]
name = "smokes"
question = "Do you smoke?"
kind = "yes/no"
domain = {values = ["no", "yes"]}

[[questions]]
name = "travels"
question = "How do you travel?"
domain = {values = ["bus", "car"]}
words = {bus = "by bus"}
"""
SPEC = '[domain]\nvalues = ["no", "yes"]\n[context]\nform = "uniform"\nepsilon = "1"\n'


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    with running(tmp_path_factory.mktemp("collector")) as started:
        yield started


@pytest.fixture
def folder(tmp_path, monkeypatch, collector):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCREET_ADMIN", collector.tokens["admin"])
    (tmp_path / "habits.toml").write_text(FILE.replace("ACCESS", "open"))
    (tmp_path / "survey.toml").write_text(SPEC)
    return tmp_path


def collect(*args):
    return CliRunner().invoke(main, ["collect", *args], catch_exceptions=False)


def test_a_questionnaire_becomes_a_collection_with_its_links(folder, collector):
    done = collect("habits.toml", "--url", collector.address)
    assert done.exit_code == 0, done.output
    first, address, answer, results = done.stdout.splitlines()
    assert first == "'Habits' takes answers: everybody is asked 2 questions."
    (number,) = re.findall(r"/collections/([0-9a-f]{16})$", address)
    assert answer.endswith(f" {collector.address}/answer/{number}")
    assert f" {collector.address}/results/{number} " in results
    assert "this machine only" in done.stderr
    status, content = collector.ask("GET", f"/collections/{number}")
    document = json.loads(content)
    assert (status, document["asker"], document["labels"]) == (200, "The city", {"town": ["a", "b"]})
    assert [one["name"] for one in document["questions"]] == ["smokes", "travels"]
    for page in ("answer", "results"):
        assert collector.ask("GET", f"/{page}/{number}")[0] == 200


def test_programs_read_the_links_as_json(folder, collector):
    (folder / "invited.toml").write_text(FILE.replace("ACCESS", "invitation"))
    done = collect("invited.toml", "--url", collector.address, "--public", "https://survey.example.org/s/", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    made = json.loads(done.stdout)
    assert made["answer"] == f"https://survey.example.org/s/answer/{made['id']}"
    assert made["collection"] == f"{collector.address}/collections/{made['id']}"
    assert (made["access"], made["state"]) == ("invitation", "open")
    plain = collect("invited.toml", "--url", collector.address)
    assert f"discreet invite {collector.address}/collections/" in plain.stdout


def test_a_plain_spec_or_form_needs_its_texts_from_options(folder, collector):
    where = ("--url", collector.address)
    done = collect("survey.toml", *where)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "question is missing" in done.stderr or "title is missing" in done.stderr
    done = collect("survey.toml", *where, "--title", "T", "--question", "Do you smoke?", "--minimum", "7", "--json")
    made = json.loads(done.stdout)
    assert json.loads(collector.ask("GET", f"/collections/{made['id']}")[1])["question"] == "Do you smoke?"
    (folder / "form.json").write_text(json.dumps(spec("together")))
    asked = [f"{one['name']}={one['question']}" for one in QUESTIONS]
    options = [word for text in asked for word in ("--question", text)]
    done = collect("form.json", *where, "--title", "T", *options)
    assert "3 questions, whose answers are one value" in done.stdout
    done = collect("form.json", *where, "--title", "T", *options[:2])
    assert done.exit_code == 2
    assert "form.json: questions[1].question is missing" in done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("title = ", "heading = "), "heading"),
        (('strategy = "each"', 'strategy = "all"'), "form.strategy"),
        (("minimum = 20", "minimum = 0"), "minimum must be"),
        (('words = {bus = "by bus"}', 'words = {bus = "car"}'), "must not look like"),
        (('["a", "b"]', '["a", "a"]'), "labels.town"),
        (("[form]", "[form"), "habits.toml"),
        (("minimum = 20", "mini = 20"), "mini is not a known entry; did you mean minimum?"),
        (('kind = "yes/no"', 'kin = "yes/no"'), r"questions[0].kin is not a known entry; did you mean kind?"),
        (('kind = "yes/no"', 'kind = "number"'), "questions[0].kind=number must be of a question"),
        (("minimum = 20", 'minimum = 20\ncloses = "tomorrow"'), "closes must be a time in UTC such as"),
        (("minimum = 20", "minimum = 20\ncloses = 2026-12-01"), "closes must be a time in UTC such as"),
        (("minimum = 20", "minimum = 20\ncloses = 2026-12-01T00:00:00"), "closes must be a time in UTC such as"),
        (("ACCESS", "invite"), "access must be one of open, invitation"),
        (("labels = {town", "labels = {smokes"), "labels: 'smokes' must not be the name of a question"),
        (("[[questions]]", "[[question]]"), "question is not a known entry; did you mean questions?"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_of_it_in_one_line(folder, collector, change, said):
    (folder / "habits.toml").write_text(FILE.replace(*change).replace("ACCESS", "open"))
    done = collect("habits.toml", "--url", collector.address)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("discreet: habits.toml: ")
    assert said in done.stderr


def test_times_of_toml_are_those_of_json(folder, collector):
    text = FILE.replace("ACCESS", "open").replace("minimum = 20", "closes = 2100-01-01T01:00:00+01:00")
    (folder / "habits.toml").write_text(text)
    made = json.loads(collect("habits.toml", "--url", collector.address, "--json").stdout)
    document = json.loads(collector.ask("GET", f"/collections/{made['id']}")[1])
    assert document["closes"] == "2100-01-01T00:00:00Z"


def test_without_a_token_or_a_collector_nothing_is_made(folder, collector, monkeypatch):
    done = collect("habits.toml", "--url", collector.address, "--admin", "discreet-admin-wrong")
    assert (done.exit_code, "401" in done.stderr) == (2, True)
    done = collect("habits.toml", "--url", "http://127.0.0.1:9")
    assert (done.exit_code, "could not be reached" in done.stderr) == (2, True)
    done = collect("habits.toml", "--url", "http://survey.example.org")
    assert (done.exit_code, "must be https" in done.stderr) == (2, True)
    monkeypatch.delenv("DISCREET_ADMIN")
    done = collect("habits.toml", "--url", collector.address)
    assert (done.exit_code, "--admin is missing" in done.stderr) == (2, True)


def test_a_form_that_was_collected_is_counted(folder, collector):
    """The whole way, by hand: the file is asked, one report a person comes, and its shares are read."""
    made = json.loads(collect("habits.toml", "--url", collector.address, "--json").stdout)
    form = dc.wire.parse_published(collector.ask("GET", f"/collections/{made['id']}/law")[1].decode())
    assert form.fingerprint == made["fingerprint"]
    packing = dc.wire.form_reports.ReportPacking(form)
    people = {"smokes": answers(40)["smokes"], "travels": ["bus", "car"] * 20}
    rng = dc.random.seeded(1)
    reports = [packing.pack(form.randomize({k: str(v[i]) for k, v in people.items()}, rng)) for i in range(40)]
    body = {"fingerprint": form.fingerprint, "reports": [packing.to_json(one) for one in reports], "version": 1}
    assert collector.ask("POST", f"/collections/{made['id']}/reports", body, idempotency_key="x")[0] == 200
    status, content = collector.ask("GET", f"/collections/{made['id']}/shares", role="analyst")
    assert (status, json.loads(content)["questions"]["smokes"]["cells"][0]["n"]) == (200, 40)
