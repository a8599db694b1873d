"""Hash chains and checksums of stored rows."""

from hashlib import sha256

import pytest

from discreet.collector.store.protocol import StoredCollection
from discreet.collector.store.sql.checkpoints import (
    CHAIN_START,
    checksum,
    declaration_digest,
    extend_chain,
    log_entry,
    row_hash,
)
from discreet.core.canonical import canonical

ROW = {
    "position": 3,
    "collection": "c",
    "upload": "u",
    "digest": bytes(32),
    "day": "2026-01-05",
    "labels": "[]",
    "count": 2,
    "answer": "{}",
}
SALTED = {**ROW, "salt": b"salt", "reports": b""}
OTHER = {
    "position": 4,
    "collection": "d",
    "upload": "v",
    "digest": bytes([1]) * 32,
    "day": "2026-01-06",
    "labels": '[["a","b"]]',
    "count": 3,
    "answer": "{ }",
}


def test_a_row_hash_is_the_hash_that_the_documentation_says():
    text = '[3,"c","u","' + "0" * 64 + '","2026-01-05","[]",2,"{}"]\n'
    assert row_hash(**ROW, salt=b"salt", reports=b"\x01\x02") == sha256(b"salt" + text.encode() + b"\x01\x02").digest()
    assert extend_chain(CHAIN_START, b"row") == sha256(bytes(32) + b"row").digest()


@pytest.mark.parametrize("changed", ROW)
def test_every_part_of_a_row_is_in_its_hash(changed):
    assert row_hash(**SALTED | {changed: OTHER[changed]}) != row_hash(**SALTED)


def test_reports_and_salt_are_in_the_hash_of_a_row():
    salted = [{"salt": salt, "reports": reports} for salt in (b"a", b"b") for reports in (b"", b"\n", b"\x00")]
    assert len({row_hash(**ROW, **one) for one in salted}) == 6


def test_a_line_of_the_log_can_be_checked_with_nothing_but_the_log():
    digest = declaration_digest(StoredCollection("c", '{"title":"ü"}', "law"))
    assert digest == sha256('["{\\"title\\":\\"ü\\"}","law"]'.encode()).hexdigest()
    entry = log_entry("0" * 64, number=1, kind="created", collection="c", digest=digest, day="2026-01-05")
    rest = {"collection": "c", "day": "2026-01-05", "digest": digest, "kind": "created", "number": 1}
    assert entry.chain == sha256(("0" * 64 + canonical(rest)).encode()).hexdigest()


def test_checksums_tell_different_rows_apart():
    rows = [("a", 1), ("a", "1"), ("a", b"\x01"), ("a", None), ("a1",), ("a", 1, None)]
    assert len({checksum(*row) for row in rows}) == len(rows)
