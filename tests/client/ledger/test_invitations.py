"""Invitations are encrypted in the journal: the key opens them, and nothing else does."""

import hashlib
import hmac

import pytest

import discreet as dc
from discreet.client.ledger import Ledger
from discreet.client.ledger.entries import (
    MAX_INVITATION_LENGTH,
    Upload,
    check_invitation,
    data_of,
    decrypt,
    encrypt,
    entry_of,
    is_encrypted,
)
from discreet.core.errors import InvalidInput, Refused

KEY, NUMBER = bytes(range(32)), "ab" * 16
TOLD = {"question": "https://a.example/c", "url": "https://a.example/c/reports", "labels": {}}
SURVEY = dc.mechanism(dc.Context.uniform(range(40), "1"), "unary")


@pytest.mark.parametrize("token", ["a", "a" * 31, "b" * 32, "c" * 33, "Az09._~-" * 16])
def test_what_is_sealed_is_opened_by_its_key_and_number_only(token):
    encrypted = encrypt(KEY, NUMBER, token)
    assert is_encrypted(encrypted)
    assert len(encrypted) == 2 * len(token)
    assert decrypt(KEY, NUMBER, encrypted) == token
    if len(token) > 30:  # a short one may be opened to another by chance
        assert decrypt(bytes(32), NUMBER, encrypted) is None
        assert decrypt(KEY, "cd" * 16, encrypted) is None


def test_the_form_is_the_documented_one():
    told = f'["invitation","{NUMBER}",0]', f'["invitation","{NUMBER}",1]'
    stream = b"".join(hmac.new(KEY, text.encode(), hashlib.sha256).digest() for text in told)
    token = b"x" * 40
    assert encrypt(KEY, NUMBER, token.decode()) == bytes(a ^ b for a, b in zip(token, stream, strict=False)).hex()


@pytest.mark.parametrize(
    "wrong", ["", "a" * (MAX_INVITATION_LENGTH + 1), "a b", "a\nb", "ä", "a%20", "٣", None, 3, b"a"]
)
def test_what_is_no_invitation_is_refused_and_not_repeated(wrong):
    with pytest.raises(InvalidInput) as caught:
        check_invitation(wrong)
    assert str(caught.value) == "invitation must be 1 to 128 letters, digits, ., _, ~ or -"


def test_an_upload_line_has_an_invitation_or_no_such_key():
    upload = Upload(NUMBER, "c", "u", '{"reports":[]}')
    assert "invitation" not in data_of(upload)
    assert entry_of(data_of(upload)) == upload
    invited = Upload(NUMBER, "c", "u", '{"reports":[]}', "00ff")
    assert entry_of(data_of(invited)) == invited
    for wrong in (None, "", "0", "0F", "zz", 3, "00" * (MAX_INVITATION_LENGTH + 1)):
        with pytest.raises(InvalidInput, match="invitation of a upload"):
            entry_of({**data_of(upload), "invitation": wrong})
    with pytest.raises(InvalidInput, match="nothing else"):
        entry_of({**data_of(upload), "other": "00"})


def test_a_ledger_shows_an_invitation_to_nobody_but_its_sender(tmp_path):
    token = "secret-token-4711"
    ledger = Ledger(tmp_path / "ledger.jsonl", "4")
    upload = ledger.submit(SURVEY, 3, dc.random.secure(), access="invitation", invitation=token, **TOLD)
    again = Ledger.existing(tmp_path / "ledger.jsonl")
    assert again.queued() == [upload]
    assert again.invitation(upload) == token
    shown = [repr(ledger.entries), repr(upload), ledger.export(), ledger.path.read_text(), upload.body]
    assert not [text for text in shown if token in text or token.encode().hex() in text]
    assert ledger.export() == ledger.path.read_text()
    ledger.path.with_name("ledger.jsonl.key").unlink()
    assert ledger.invitation(upload) is None


def test_an_upload_with_an_invitation_holds_one_report(tmp_path):
    ledger, rng = Ledger(tmp_path / "ledger.jsonl", "4"), dc.random.secure()
    ledger.randomize(SURVEY, 1, rng, question=TOLD["question"], changes="spend")
    upload = ledger.submit(SURVEY, 2, rng, changes="spend", access="invitation", invitation="t", **TOLD)
    assert len(upload.contents()["reports"]) == 1
    other = ledger.submit(SURVEY, 1, rng, changes="spend", access="invitation", invitation="s", **TOLD)
    assert (len(other.contents()["reports"]), ledger.invitation(other)) == (1, "s")


def test_without_an_invitation_nothing_is_spent_where_a_new_upload_needs_one(tmp_path):
    ledger, rng = Ledger(tmp_path / "ledger.jsonl", "4"), dc.random.secure()
    with pytest.raises(Refused, match="needs an invitation, and none was given; no report was made"):
        ledger.submit(SURVEY, 3, rng, access="invitation", **TOLD)
    assert (ledger.spent, len(ledger.entries)) == (0, 1)
    first = ledger.submit(SURVEY, 3, rng, access="invitation", invitation="t", **TOLD)
    assert ledger.submit(SURVEY, 3, rng, access="invitation", **TOLD) == first
    assert ledger.submit(SURVEY, 3, rng, access="invitation", invitation="other", **TOLD) == first
