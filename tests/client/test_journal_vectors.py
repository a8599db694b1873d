"""A journal that every implementation reads alike: `journal.jsonl`, its key, and what they add up to."""

import hmac
import json
import shutil
from pathlib import Path

import pytest

from discreet.client.ledger import Ledger
from discreet.client.ledger.journal import read_lines
from discreet.core.canonical import canonical
from discreet.core.errors import DamagedLedger
from discreet.core.exact import text_of

HERE = Path(__file__).parent
JOURNAL = (HERE / "journal.jsonl").read_bytes()
EXPECTED = json.loads((HERE / "journal.expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def copied(tmp_path):
    for name in ("journal.jsonl", "journal.jsonl.key"):
        shutil.copy(HERE / name, tmp_path / name)
    return tmp_path / "journal.jsonl"


def check(ledger):
    assert [text_of(amount) for amount in (ledger.cap, ledger.spent, ledger.left)] == [
        EXPECTED["cap"],
        EXPECTED["spent"],
        EXPECTED["left"],
    ]
    assert [upload.upload for upload in ledger.queued()] == EXPECTED["queued"]
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
    } == EXPECTED["collections"]
    waiting = {
        name: [kept.entry.report for kept in known.reports if not kept.carried]
        for name, known in account.collections.items()
    }
    assert {name: reports for name, reports in waiting.items() if reports} == EXPECTED["not_yet_uploaded"]


def test_the_journal_reads_as_it_must(copied):
    objects, _, chain = read_lines(JOURNAL, "it")
    assert (len(objects), chain) == (EXPECTED["lines"], EXPECTED["chain"])
    check(Ledger.existing(copied))
    assert Ledger.existing(copied).export().encode() == JOURNAL


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
