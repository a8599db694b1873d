"""`discreet law`: canonical JSON whose hash is the fingerprint."""

import hashlib
import json

import pytest

from discreet.wire import Spec


@pytest.fixture
def law(discreet, folder):
    return discreet("law", "survey.toml").output


def test_the_law_is_canonical_json_and_its_hash_the_fingerprint(law, folder):
    fingerprint = Spec.read(folder / "survey.toml").mechanism.fingerprint
    assert hashlib.sha256(law.encode()).hexdigest() == fingerprint
    assert set(json.loads(law)) == {"version", "domain", "context", "law"}


def test_a_file_is_written_whole_and_serves_every_command(discreet, law, folder):
    assert discreet("law", "survey.toml", "-o", "law.json").output == ""
    assert (folder / "law.json").read_text(encoding="utf-8") == law
    told, same = (json.loads(discreet("verify", spec, "--json").output) for spec in ("survey.toml", "law.json"))
    assert told == same
    assert discreet("law", "law.json").output == law


def test_a_law_that_lies_is_refused_in_one_line(refused, law, folder):
    (folder / "lie.json").write_text(law.replace('"epsilon":"1"', '"epsilon":"0.5"'), encoding="utf-8")
    message = refused("verify", "lie.json")
    assert message.startswith("lie.json: ")
    assert message.endswith("more than the 0.5 that E allows")
