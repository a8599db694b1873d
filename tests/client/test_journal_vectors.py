"""Journals that every implementation reads alike: of single questions, and of questionnaires of every strategy."""

import hmac
import json
import shutil
from pathlib import Path

import pytest

from discreet.client.ledger import Ledger
from discreet.client.ledger.journal import read_lines
from discreet.client.ledger.laws import asked_number
from discreet.core.canonical import canonical
from discreet.core.errors import DamagedLedger
from discreet.core.exact import text_of

HERE = Path(__file__).parent
JOURNALS = {
    name: ((HERE / f"{name}.jsonl").read_bytes(), json.loads((HERE / f"{name}.expected.json").read_text("utf-8")))
    for name in ("journal", "journal.forms")
}
JOURNAL, EXPECTED = JOURNALS["journal"]


def copy(tmp_path, name="journal"):
    for file in (f"{name}.jsonl", f"{name}.jsonl.key"):
        shutil.copy(HERE / file, tmp_path / file)
    return tmp_path / f"{name}.jsonl"


@pytest.fixture
def copied(tmp_path):
    return copy(tmp_path)


def check(ledger, expected=EXPECTED):
    assert [text_of(amount) for amount in (ledger.cap, ledger.spent, ledger.left)] == [
        expected["cap"],
        expected["spent"],
        expected["left"],
    ]
    assert [upload.upload for upload in ledger.queued()] == expected["queued"]
    account = ledger._account()
    assert {
        name: {
            "fingerprint": known.fingerprint,
            "spent": text_of(known.spent),
            "shows": known.shows,
            "reports": [kept.entry.report for kept in known.reports],
            "debit_without_report": known.owed,
        }
        for name, known in account.collections.items()
    } == expected["collections"]
    waiting = {
        name: [kept.entry.report for kept in known.reports if not kept.carried]
        for name, known in account.collections.items()
    }
    assert {name: reports for name, reports in waiting.items() if reports} == expected["not_yet_uploaded"]


@pytest.mark.parametrize("name", JOURNALS)
def test_the_journal_reads_as_it_must(tmp_path, name):
    copied, (journal, expected) = copy(tmp_path, name), JOURNALS[name]
    objects, _, chain = read_lines(journal, "it")
    assert (len(objects), chain) == (expected["lines"], expected["chain"])
    check(Ledger.existing(copied), expected)
    assert Ledger.existing(copied).export().encode() == journal


def test_a_journal_of_questionnaires_counts_budgets_and_says_what_is_asked(tmp_path):
    path, (journal, expected) = copy(tmp_path, "journal.forms"), JOURNALS["journal.forms"]
    key = bytes.fromhex(expected["key"])
    assert path.with_name("journal.forms.jsonl.key").read_bytes() == key
    for balance, told in zip(Ledger.existing(path).budgets, expected["budgets"], strict=True):
        pair = told["x"], told["z"]
        assert [text_of(one.epsilon(*pair)) for one in (balance.budget, balance.spent, balance.left)] == [
            told["budget"],
            told["spent"],
            told["left"],
        ]
    for told in expected["asked"]:
        assert asked_number(key, told["fingerprint"], told["wording"], told["count"]) == told["number"]
    stored = {(data["collection"], data["tag"]) for data in read_lines(journal, "it")[0] if data["kind"] == "report"}
    for told in expected["tags"]:
        text = canonical([told["collection"], told["answers"]])
        assert told["tag"] == hmac.new(key, text.encode(), "sha256").hexdigest()
        assert (told["collection"], told["tag"]) in stored
    assert len(stored) == len(expected["tags"]) + 1  # that of a single question, whose value is not told


def test_tags_are_those_of_the_key():
    key = bytes.fromhex(EXPECTED["key"])
    assert (HERE / "journal.jsonl.key").read_bytes() == key
    stored = {data["tag"] for data in read_lines(JOURNAL, "it")[0] if data["kind"] == "report"}
    for entry in EXPECTED["tags"]:
        told = hmac.new(key, canonical([entry["collection"], entry["value"]]).encode(), "sha256").hexdigest()
        assert told == entry["tag"]
    assert stored < {entry["tag"] for entry in EXPECTED["tags"]}


@pytest.mark.parametrize("torn", EXPECTED["torn"])
def test_what_was_torn_is_cut_off(copied, torn):
    copied.write_bytes(JOURNAL + torn.encode())
    check(Ledger.existing(copied))
    assert copied.read_bytes() == JOURNAL


def test_any_other_change_is_damage(copied):
    for place in range(0, len(JOURNAL), 7):
        copied.write_bytes(JOURNAL[:place] + bytes([JOURNAL[place] ^ 1]) + JOURNAL[place + 1 :])
        with pytest.raises(DamagedLedger):
            Ledger.existing(copied)
