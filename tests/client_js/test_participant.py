"""The participant in JavaScript: its own tests, the journal that Python reads alike, and the ledger of a page."""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import time
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.client.ledger import Ledger, disk
from discreet.client.ledger.disk import SystemDisk
from discreet.core.errors import AlreadyAnswered, InvalidInput, Overspent
from discreet.core.exact import text_of
from discreet.wire import law_text

CLIENT = Path(__file__).parents[2] / "client"
VECTOR = Path(__file__).parents[1] / "client"
JOURNALS = {
    name: json.loads((VECTOR / f"{name}.expected.json").read_text(encoding="utf-8"))
    for name in ("journal", "journal.forms")
}
NAME = "https://collector.example/survey?wave=1"
MECHANISM = dc.mechanism(dc.Context.uniform(["a", "é", "\U0001f600"], "1/3"), "hadamard")
WIDE = dc.mechanism(dc.Context.uniform(range(200), "0.25"), "hadamard")


def run(node, histories, **more):
    done = node.run("tests/participant.mjs", env={**os.environ, "HISTORIES": str(histories), **more})
    assert done.returncode == 0, done.stdout[-5000:]


def test_the_tests_in_javascript_pass(node):
    run(node, 200)


@pytest.mark.slow
def test_ten_thousand_histories_with_crashes_never_overspend(node):
    run(node, 10_000, NODE_OPTIONS="--test-name-pattern=^no.history")


# -- journals of Python and JavaScript ----------------------------------------------------------
def check(found, expected):
    assert [found[key] for key in ("cap", "spent", "left")] == [expected[key] for key in ("cap", "spent", "left")]
    assert [upload["upload"] for upload in found["queued"]] == expected["queued"]
    assert [
        (entry["collection"], entry["fingerprint"], entry["epsilon"], entry["shows"], entry["reports"])
        for entry in found["collections"]
    ] == [
        (name, known["fingerprint"], known["spent"], known["shows"], len(known["reports"]))
        for name, known in expected["collections"].items()
    ]


def test_a_budget_of_either_language_is_kept_to_in_the_other(node, tmp_path):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    law.write_text(law_text(MECHANISM), encoding="utf-8")
    values = ["a", "é", "\U0001f600"]
    ledger = Ledger(path, 4, budgets=[dc.Context.graded({"a": "inf", "é": "1/2", "\U0001f600": 2})])
    assert node.json("tests/journals.mjs", "answer", path, law, NAME, '"a"')["state"] == "accepted"
    (balance,) = ledger.budgets
    assert balance.spent.matrix() == dc.Context.uniform(values, "1/3").matrix()
    assert [entry.kind for entry in ledger.entries[1:4]] == ["budget", "terms", "debit"]
    found = node.json("tests/journals.mjs", "answer", path, law, f"{NAME}&b", '"é"')
    assert (found["code"], ledger.spent) == ("overspent", MECHANISM.context.largest)
    with pytest.raises(Overspent):
        ledger.submit(MECHANISM, "é", dc.random.secure(), question="b", url=f"{NAME}/reports", labels={})
    (told,) = node.json("tests/journals.mjs", "summary", path)["budgets"]
    assert told["tightest"] == {"x": "é", "z": "a", "budget": "0.5", "spent": "1/3"}


@pytest.mark.parametrize(
    "context",
    [
        dc.Context.blocks({"n": ["a", "b"], "s": ["c", "d"]}, {"n": 1, "s": "3/2"}),
        dc.Context.high_low(list("abcd"), ["a", "b"], 1),
        dc.Context.matrix(list("abc"), [[0, 1, "inf"], ["1/2", 0, 1], [2, 1, 0]]),
        dc.Context.metric(range(5), "line", "1/4"),
        dc.Context.uniform(["u", "v"], "1/3") * dc.Context.binary("y", "n", (1, 2)),
        dc.Context.nested({"fr": {"p": [1, 2], "l": [3]}, "de": {"b": [4, 5]}}, [1, 2, "inf"]),
    ],
    ids=lambda context: context.form,
)
def test_both_languages_see_the_same_pair_as_the_tightest_of_a_budget(node, tmp_path, context):
    """A budget of a form and a half of its own entries, spent once: the same least rest, in both."""
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    mechanism = dc.mechanism(context)
    law.write_text(law_text(mechanism), encoding="utf-8")
    ledger = Ledger(path, 99, budgets=[context + context])
    value = json.dumps(
        {"tuple": list(context.values[0])} if isinstance(context.values[0], tuple) else context.values[0]
    )
    assert node.json("tests/journals.mjs", "answer", path, law, NAME, value)["state"] == "accepted"
    (told,) = node.json("tests/journals.mjs", "summary", path)["budgets"]
    _, _, budget, spent = ledger.budgets[0].tightest()
    found = told["tightest"]
    assert Fraction(found["budget"]) - Fraction(found["spent"]) == budget - spent


def test_a_budget_that_javascript_cannot_read_is_left_alone(node, tmp_path):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    law.write_text(law_text(MECHANISM), encoding="utf-8")
    Ledger(path, 4, budgets=[dc.Context.uniform(range(300), 1)])
    text = path.read_text(encoding="utf-8")
    for command in (("summary", path), ("answer", path, law, NAME, '"a"')):
        found = node.json("tests/journals.mjs", *command)
        assert found["code"] == "kind"
        assert 'Line 2 of the ledger is a "budget", which this client does not keep to' in found["message"]
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("journal", JOURNALS)
def test_the_shared_journal_reads_as_it_must(node, tmp_path, journal):
    for name in (f"{journal}.jsonl", f"{journal}.jsonl.key"):
        shutil.copy(VECTOR / name, tmp_path / name)
    path, expected = tmp_path / f"{journal}.jsonl", JOURNALS[journal]
    text = path.read_text(encoding="utf-8")
    found = node.json("tests/journals.mjs", "summary", path)
    check(found, expected)
    for balance, told in zip(found["budgets"], expected.get("budgets", ()), strict=True):
        assert balance["tightest"] == {key: told[key] for key in ("x", "z", "budget", "spent")}
    assert found["text"] == text
    for torn in expected["torn"]:
        path.write_text(text + torn, encoding="utf-8")
        check(node.json("tests/journals.mjs", "summary", path), expected)


@pytest.mark.parametrize("journal", JOURNALS)
def test_tags_are_those_of_the_shared_key(node, journal):
    expected = JOURNALS[journal]
    pairs = [[entry["collection"], entry.get("value", entry.get("answers"))] for entry in expected["tags"]]
    done = node.run("tests/journals.mjs", "tags", expected["key"], input=json.dumps(pairs))
    assert json.loads(done.stdout) == [entry["tag"] for entry in expected["tags"]]


def test_a_ledger_goes_from_one_language_to_the_other_and_back(node, tmp_path):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    law.write_text(law_text(MECHANISM), encoding="utf-8")
    first = node.json("tests/journals.mjs", "answer", path, law, NAME, '"é"', "spend")
    assert first["state"] == "accepted"

    ledger, rng = Ledger.existing(path), dc.random.secure()
    told = {"question": NAME, "url": f"{NAME}/reports", "labels": {}}
    upload = ledger.submit(MECHANISM, "é", rng, **told)
    assert (upload.upload, upload.body) == (first["upload"], first["sent"])
    with pytest.raises(AlreadyAnswered):
        ledger.submit(MECHANISM, "a", rng, **told)
    other = ledger.submit(MECHANISM, "\U0001f600", rng, changes="spend", **told)
    Ledger(path, "2")

    again = node.json("tests/journals.mjs", "answer", path, law, NAME, json.dumps("\U0001f600"), "spend")
    assert (again["upload"], again["sent"], again["state"]) == (other.upload, other.body, "accepted")
    assert node.json("tests/journals.mjs", "answer", path, law, NAME, '"a"')["code"] == "answered"
    found = node.json("tests/journals.mjs", "summary", path)
    assert (found["cap"], found["spent"], found["left"]) == ("2", "2/3", "4/3")
    assert found["text"] == Ledger.existing(path).export() == path.read_text(encoding="utf-8")
    assert [text_of(entry.epsilon) for entry in Ledger.existing(path).collections] == ["2/3"]
    assert not Ledger.existing(path).queued()


def test_a_question_that_was_answered_in_one_language_has_its_report_in_the_other(node, tmp_path):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    law.write_text(law_text(MECHANISM), encoding="utf-8")
    assert node.json("tests/journals.mjs", "answer", path, law, NAME, '"é"')["epsilon"] == "1/3"
    wording, ledger = hashlib.sha256(b'["A survey","Which of these?",{}]').hexdigest(), Ledger.existing(path)
    told = {"url": f"{NAME}/reports", "labels": {}, "question": "b", "wording": wording}
    ledger.submit(MECHANISM, "é", dc.random.secure(), **told)
    first, second = (entry for entry in ledger.entries if entry.kind == "report")
    assert (first.wording, first.report, second.source) == (wording, second.report, NAME)
    assert node.json("tests/journals.mjs", "answer", path, law, f"{NAME}&c", '"é"')["epsilon"] == "0"
    assert ledger.entries[-3].wording == wording
    other = told | {"question": "d", "wording": hashlib.sha256(b'["A survey","Which of those?",{}]').hexdigest()}
    ledger.submit(MECHANISM, "é", dc.random.secure(), **other)
    assert text_of(ledger.spent) == node.json("tests/journals.mjs", "summary", path)["spent"] == "2/3"


def test_node_waits_for_python_and_python_for_node(node, tmp_path, monkeypatch):
    path, law = tmp_path / "folder" / "ledger.jsonl", tmp_path / "law.json"
    law.write_text(law_text(MECHANISM), encoding="utf-8")
    line = [node.path, CLIENT / "tests" / "journals.mjs", "answer", path, law, NAME, '"a"']
    with SystemDisk().locked(path.with_name("ledger.jsonl.lock")):
        started = subprocess.Popen(line, stdout=subprocess.PIPE)
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(2)
        assert not path.exists()
    assert b"accepted" in started.communicate()[0]
    assert node.json("tests/journals.mjs", "summary", path)["spent"] == "1/3"
    path.with_name("ledger.jsonl.pid").write_text(f"00 {os.getppid()} 0 {socket.gethostname()}", encoding="utf-8")
    monkeypatch.setattr(disk, "MAX_PATIENCE_SECONDS", 0.1)
    with pytest.raises(InvalidInput, match="in use"):
        Ledger(path, "2")


def test_python_and_node_at_once_never_overspend(node, tmp_path):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    law.write_text(law_text(WIDE), encoding="utf-8")
    Ledger(path, "4")
    line = [node.path, CLIENT / "tests" / "journals.mjs", "many", path, law, NAME, "20"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as started:
        while "debit" not in path.read_text(encoding="utf-8"):
            time.sleep(0.001)
        ledger, rng, refused = Ledger.existing(path), dc.random.secure(), 0
        for number in range(20):
            told = {"question": f"python {number}", "url": f"{NAME}/reports", "labels": {}}
            try:
                ledger.submit(WIDE, number, rng, **told)
            except Overspent:
                refused += 1
        theirs = json.loads(started.communicate()[0])
    assert refused + theirs["refused"] == 40 - 16
    assert theirs["answered"] > 0
    assert refused < 20
    assert text_of(Ledger.existing(path).spent) == node.json("tests/journals.mjs", "summary", path)["spent"] == "4"
    assert sorted(file.name for file in tmp_path.iterdir() if "pid" in file.name) == []


# -- pages --------------------------------------------------------------------------------------
IN_A_PAGE = "([name, given]) => import('/tests/participant.page.mjs').then((tests) => tests[name](...given))"


def take(context):
    """Let every upload of a browser be taken."""
    context.route("**/reports", lambda route: route.fulfill(status=204))


@pytest.fixture
def collections(page, site):
    """Three collections of the site, whose uploads are taken."""
    base, folder = site
    text = law_text(WIDE)
    (folder / "law.json").write_text(text, encoding="utf-8")
    take(page.context)
    for name in "abc":
        document = {
            "version": 1,
            "title": "A survey",
            "question": "Which?",
            "fingerprint": WIDE.fingerprint,
            "law": "law.json",
            "reports": "reports",
            "changes": "refuse",
        }
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return [f"{base}/files/{name}.json" for name in "abc"]


def ask(page, name, *given):
    return page.evaluate(IN_A_PAGE, [name, list(given)])


def test_lines_of_indexeddb_are_written_once_and_its_key_stays_inside(page):
    found = ask(page, "store", "lines")
    assert found == {"before": None, "tags": 1, "extractable": False, "once": True, "kept": True, "lines": 20}


def test_a_reload_gives_the_same_report_and_keeps_the_budget(page, collections):
    first = ask(page, "answer", "reload", collections[0], 3)
    assert first["state"] == "accepted", first
    for _ in range(5):
        page.reload()
        assert ask(page, "answer", "reload", collections[0], 3) == first
    assert ask(page, "answer", "reload", collections[0], 4)["code"] == "answered"
    assert ask(page, "answer", "reload", collections[1], 4)["state"] == "accepted"
    assert ask(page, "answer", "reload", collections[2], 5)["code"] == "overspent"
    found = ask(page, "summary", "reload")
    assert (found["cap"], found["spent"], found["left"], found["queued"]) == ("0.5", "0.5", "0", [])
    assert found["text"].count("\n") == 10


def test_what_a_page_wrote_reads_in_python(page, collections, tmp_path):
    ask(page, "answer", "python", collections[0], 3)
    found = ask(page, "summary", "python")
    path = tmp_path / "ledger.jsonl"
    path.write_text(found["text"], encoding="utf-8")
    ledger = Ledger.existing(path)
    assert (text_of(ledger.spent), ledger.export()) == ("0.25", found["text"])


START = "([name, given]) => { window.found = import('/tests/participant.page.mjs').then((t) => t[name](...given)); }"


@pytest.mark.parametrize("number", range(5))
def test_tabs_that_race_never_overspend(browser, site, collections, number):
    with browser.new_context() as context:
        take(context)
        tabs = [context.new_page() for _ in range(3)]
        for tab in tabs:
            tab.goto(f"{site[0]}/tests/page.html")
        for tab in tabs:
            tab.evaluate(START, ["race", [f"race {number}", collections]])
        for tab in tabs:
            found = tab.evaluate("() => window.found")
            assert found == {"spent": "0.5", "debits": 2, "most": 1, "refused": 3}


def test_an_upload_that_is_sent_elsewhere_is_refused_in_a_page(page, collections):
    page.context.unroute("**/reports")
    page.context.route("**/reports", lambda route: route.fulfill(status=307, headers={"location": "/other"}))
    found = ask(page, "answer", "elsewhere", collections[0], 3)
    assert (found["state"], found["status"], found["epsilon"]) == ("refused", 0, "0.25")


def test_what_is_queued_is_sent_when_the_browser_is_online_again(page, collections):
    assert ask(page, "online", "online", collections[0]) == {"state": "queued", "same": True}
