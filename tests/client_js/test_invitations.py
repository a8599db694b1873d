"""Invitations with both clients and a real collector: spent once, sent again by either, and kept by neither."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet.client.ledger import Ledger

COLLECTOR = Path(__file__).parents[1] / "collector"
SURVEY = dc.mechanism(dc.Context.uniform(range(40), "1"), "unary")
TOKEN = "0123456789abcdef-4711"


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    """A collector as users run it."""
    folder = tmp_path_factory.mktemp("collector")
    sys.path.insert(0, str(COLLECTOR))
    try:
        spec = importlib.util.spec_from_file_location("tests_collector_running", COLLECTOR / "running.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(COLLECTOR))
    with module.running(folder) as started:
        yield started


@pytest.fixture
def invited(collector):
    """The address of a new collection, and two invitations to it."""
    path = collector.made(access="invitation", minimum=1, labels=None)["collection"]
    status, body = collector.ask("POST", f"{path}/invitations", {"count": 2}, role="admin")
    assert status == 201
    return f"{collector.address}{path}", json.loads(body)["invitations"]


def counted(collector, url):
    """How many reports there are, and how many invitations are spent."""
    _, body = collector.ask("GET", f"{url.removeprefix(collector.address)}/progress", role="analyst")
    found = json.loads(body)
    return found["n"], found["invitations"]["spent"]


def client(path):
    return dc.client.Client(ledger=path, cap=None if path.exists() else "4", sleep=lambda _: None)


def test_the_tests_in_javascript_pass(node):
    done = node.run("tests/invitations.mjs")
    assert done.returncode == 0, done.stdout[-5000:]


def test_each_client_spends_an_invitation_once(node, collector, invited, tmp_path):
    url, (first, second) = invited
    python = client(tmp_path / "python.jsonl").open(f"{url}#invitation={first}").answer("n1")
    assert (python.state, python.status) == ("accepted", 200)
    node_ = node.json("tests/invited.mjs", tmp_path / "node.jsonl", f"{url}#invitation={second}", "s1")
    assert (node_["state"], node_["status"]) == ("accepted", 200)
    assert counted(collector, url) == (2, 2)
    late = client(tmp_path / "late.jsonl").open(url).answer("n2", invitation=first)
    assert (late.state, late.status, late.code) == ("refused", 403, "not_invited")
    late = node.json("tests/invited.mjs", tmp_path / "later.jsonl", url, "n2", second)
    assert (late["state"], late["code"]) == ("refused", "not_invited")
    assert "the report is kept" in late["reason"]
    missing = node.json("tests/invited.mjs", tmp_path / "later.jsonl", url, "n2")
    assert missing == {
        "code": "invitation",
        "message": "This collection needs an invitation, and none was given; no report was made.",
    }
    assert counted(collector, url) == (2, 2)
    for path in [*tmp_path.iterdir(), *collector.folder.iterdir()]:
        assert not [token for token in invited[1] if token.encode() in path.read_bytes()], path


@pytest.mark.parametrize("then", ["python", "node"])
def test_an_upload_whose_answer_was_lost_gets_the_first_answer_again(node, collector, invited, tmp_path, then):
    url, (token, _) = invited
    path = tmp_path / "ledger.jsonl"
    lost = node.json("tests/invited.mjs", path, url, "n1", token, "--lost")
    assert (lost["state"], counted(collector, url)) == ("queued", (1, 1))
    if then == "python":
        (again,) = client(path).flush()
        found = (again.state, again.status, again.upload, again.sent)
    else:
        (again,) = node.json("tests/invited.mjs", path, "--flush")
        found = tuple(again[key] for key in ("state", "status", "upload", "sent"))
    assert found == ("accepted", 200, lost["upload"], lost["sent"])
    assert counted(collector, url) == (1, 1)


def test_an_invitation_that_python_has_sealed_is_opened_by_node(node, tmp_path):
    path = tmp_path / "ledger.jsonl"
    told = {"question": "https://a.example/c", "url": "https://a.example/c/reports", "labels": {}}
    ledger = Ledger(path, "4")
    upload = ledger.submit(SURVEY, 3, dc.random.secure(), access="invitation", invitation=TOKEN, **told)
    assert node.json("tests/journals.mjs", "invitations", path) == {upload.upload: TOKEN}
    found = node.json("tests/journals.mjs", "summary", path)
    assert found["text"] == path.read_text() == ledger.export()
    assert TOKEN not in json.dumps(found)


def test_an_invitation_that_node_has_sealed_is_sent_by_python(node, collector, invited, tmp_path):
    url, (token, _) = invited
    path = tmp_path / "ledger.jsonl"
    lost = node.json("tests/invited.mjs", path, url, "n1", token, "--lost")
    ledger = Ledger.existing(path)
    (upload,) = ledger.queued()
    assert (upload.upload, ledger.invitation(upload)) == (lost["upload"], token)
    path.with_name("ledger.jsonl.key").unlink()
    assert ledger.invitation(upload) is None
    (again,) = client(path).flush()  # without the key it goes alone, and is known by its number
    assert again.state == "accepted"
