"""`discreet invite`: a link for every row, and a list that never leaves the machine."""

import csv
import io
import os
import re
import sys

import pytest
import segno
from click.testing import CliRunner
from running import running

import discreet as dc
from discreet.cli import main

PEOPLE = 'name,mail\r\n"Doe, Ann",ann@example.org\r\n=1+1,@x\r\nBo,+49 30 123\r\n'
LINK = re.compile(r"https://survey\.example\.org/s/answer/[0-9a-f]{16}#invitation=[0-9a-f]{32}")
PUBLIC = ("--public", "https://survey.example.org/s/")


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    with running(tmp_path_factory.mktemp("collector")) as started:
        yield started


@pytest.fixture
def url(collector):
    return f"{collector.address}{collector.made(access='invitation')['collection']}"


@pytest.fixture
def folder(tmp_path, monkeypatch, collector):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCREET_ADMIN", collector.tokens["admin"])
    (tmp_path / "people.csv").write_bytes(PEOPLE.encode())
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


def invite(*args):
    return CliRunner().invoke(main, ["invite", *args], catch_exceptions=False)


def rows_of(path):
    return list(csv.reader(io.StringIO(path.read_text(), newline=""), strict=True))


def test_each_row_gets_a_link_of_its_own_and_formulas_are_inert(folder, url):
    done = invite(url, "people.csv", "-o", "links.csv", *PUBLIC)
    assert (done.exit_code, done.stderr) == (0, "")
    header, *rows = rows_of(folder / "links.csv")
    assert header == ["name", "mail", "link"]
    assert [row[:2] for row in rows] == [["Doe, Ann", "ann@example.org"], ["'=1+1", "'@x"], ["Bo", "+49 30 123"]]
    assert all(LINK.fullmatch(row[2]) for row in rows)
    assert len({row[2] for row in rows}) == 3
    assert (folder / "links.csv").stat().st_mode & 0o777 == 0o600


def test_the_collector_keeps_no_name_and_its_links_can_be_answered_once(folder, url, collector):
    done = invite(url, "people.csv", "-o", "links.csv")
    assert "open on this machine only; --public" in done.stderr
    link = rows_of(folder / "links.csv")[1][2]
    assert link.startswith(f"{collector.address}/answer/")
    invitation = link.partition("#invitation=")[2]
    states = []
    for person in range(2):
        client = dc.client.Client(ledger=folder / f"{person}.jsonl", cap="4")
        states.append(client.open(url).answer("n1", invitation=invitation).state)
    assert states == ["accepted", "refused"]
    kept = b"".join(file.read_bytes() for file in collector.folder.iterdir())
    assert url.rpartition("/")[2].encode() in kept  # a control: this is where all is kept
    assert not any(word in kept for word in (b"Doe", b"ann@example.org", b"+49 30 123", invitation.encode()))


def test_links_are_codes_too_where_that_is_asked_for(folder, url, monkeypatch):
    assert invite(url, "people.csv", "-o", "links.csv", "--qr", *PUBLIC).exit_code == 0
    header, *rows = rows_of(folder / "links.csv")
    assert header == ["name", "mail", "link", "qr"]
    assert [row[3] for row in rows] == [segno.make(row[2], error="m", micro=False).svg_inline() for row in rows]
    assert len({row[3] for row in rows}) == 3  # the control: another link is another code
    again = ("links.csv", "--remind", *PUBLIC)
    assert invite(url, *again, "-o", "again.csv").exit_code == 0
    assert rows_of(folder / "again.csv") == [header, *rows]
    assert "has a column qr already" in invite(url, *again, "-o", "x.csv", "--qr").stderr
    monkeypatch.setitem(sys.modules, "segno", None)
    refused = invite(url, "people.csv", "-o", "x.csv", "--qr", *PUBLIC)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "pip install 'discreet[qr]'" in refused.stderr
    assert not (folder / "x.csv").exists()


def test_links_that_were_written_are_not_written_over(folder, url):
    invite(url, "people.csv", "-o", "links.csv", *PUBLIC)
    before = (folder / "links.csv").read_bytes()
    refused = invite(url, "people.csv", "-o", "links.csv", *PUBLIC)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "links.csv: is there already, and may hold the links of people" in refused.stderr
    assert (folder / "links.csv").read_bytes() == before


def test_a_reminder_is_for_everybody_needs_no_token_and_is_the_same_whoever_answered(folder, url, monkeypatch):
    invite(url, "people.csv", "-o", "links.csv")
    monkeypatch.delenv("DISCREET_ADMIN")
    done = invite(url, "links.csv", "--remind", "-o", "before.csv")
    assert done.exit_code == 0
    assert "3 reminders" in done.stdout
    invitation = rows_of(folder / "links.csv")[1][2].partition("#invitation=")[2]
    client = dc.client.Client(ledger=folder / "one.jsonl", cap="4")
    assert client.open(url).answer("n1", invitation=invitation).state == "accepted"
    invite(url, "links.csv", "--remind", "-o", "after.csv")
    assert (
        (folder / "after.csv").read_bytes()
        == (folder / "before.csv").read_bytes()
        == (folder / "links.csv").read_bytes()
    )


def test_a_closed_collection_reminds_nobody(folder, url, collector):
    invite(url, "people.csv", "-o", "links.csv")
    collector.ask("POST", url.removeprefix(collector.address) + "/close", {}, role="admin")
    done = invite(url, "links.csv", "--remind", "-o", "again.csv")
    assert (done.exit_code, "it is closed" in done.stderr) == (2, True)
    assert not (folder / "again.csv").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,link\nann,x\n", "has a column link already"),
        ("name,name\nann,x\n", "no two the same"),
        ("name\n\n", "row 1 is empty"),
        ("name\nann\nann\n", "row 2 is the same as row 1"),
        ("name\n", "a row for each person"),
        ("name,mail\nann\n", "1 fields; the header has 2"),
        ('name\na"nn\n', "this is not CSV"),
        (b"name\n\xff\n", "must be text in UTF-8"),
    ],
)
def test_a_list_that_cannot_be_used_makes_no_invitation(folder, url, collector, text, words):
    (folder / "people.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = invite(url, "people.csv", "-o", "links.csv", *PUBLIC)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert "ann" not in done.stderr
    assert not (folder / "links.csv").exists()
    _, body = collector.ask("GET", url.removeprefix(collector.address) + "/progress", role="analyst")
    assert b'"made":0' in body


def test_links_of_another_collection_or_of_two_rows_are_refused(folder, url, collector):
    invite(url, "people.csv", "-o", "links.csv")
    other = f"{collector.address}{collector.made(access='invitation')['collection']}"
    assert "row 1: its link must be" in invite(other, "links.csv", "--remind", "-o", "x.csv").stderr
    header, first, second, _ = rows_of(folder / "links.csv")
    (folder / "two.csv").write_text("\n".join(map(",".join, [header, ["a", "b", first[2]], ["c", "d", first[2]]])))
    assert "row 2: its link is that of another row" in invite(url, "two.csv", "--remind", "-o", "x.csv").stderr
    assert "has no column link" in invite(url, "people.csv", "--remind", "-o", "x.csv").stderr
    assert second[2] != first[2]
    assert not (folder / "x.csv").exists()


def test_the_list_is_never_written_over_and_the_rest_is_said_in_a_line(folder, url, collector, monkeypatch):
    assert "is also read" in invite(url, "people.csv", "-o", "people.csv").stderr
    assert (folder / "people.csv").read_bytes() == PEOPLE.encode()
    assert "must be the address of a collection" in invite(collector.address, "people.csv", "-o", "x.csv").stderr
    assert "without a query" in invite(url, "people.csv", "-o", "x.csv", "--public", "https://a.org/?b").stderr
    assert "must be https" in invite(url, "people.csv", "-o", "x.csv", "--public", "http://a.org").stderr
    opened = f"{collector.address}{collector.made()['collection']}"
    assert "takes no invitations" in invite(opened, "people.csv", "-o", "x.csv", *PUBLIC).stderr
    monkeypatch.setenv("DISCREET_ADMIN", "wrong")
    assert "status 401" in invite(url, "people.csv", "-o", "x.csv", *PUBLIC).stderr
    monkeypatch.delenv("DISCREET_ADMIN")
    assert "DISCREET_ADMIN is missing" in invite(url, "people.csv", "-o", "x.csv").stderr
    assert not (folder / "x.csv").exists()
