"""Vectors of whole questionnaires cover every strategy, and one changed letter is found."""

import json
from pathlib import Path

import pytest

from discreet.checks import CheckFailed, check_form_vectors, write_form_vectors
from discreet.checks.vectors.forms import asked_forms
from discreet.core.errors import InvalidInput
from discreet.wire.form import STRATEGIES

COMMITTED = Path(__file__).parents[2] / "client" / "vectors.forms.jsonl"


@pytest.fixture(scope="module")
def forms():
    return list(asked_forms())


@pytest.fixture
def file(tmp_path, forms):
    path = tmp_path / "forms.jsonl"
    path.write_text("".join(write_form_vectors(forms[:2], count=3)), encoding="utf-8")
    return path


def test_the_committed_file_is_what_is_written_now():
    assert COMMITTED.read_text(encoding="ascii") == "".join(write_form_vectors())


def test_every_strategy_is_there_with_reports_on_both_sides_of_53_bits(forms):
    found = check_form_vectors(COMMITTED)
    assert set(found.strategies) == set(STRATEGIES)
    assert min(found.strategies.values()) >= 36
    for strategy in STRATEGIES:
        bits = [one.laws.packing.bits for one in forms if one.form.strategy == strategy]
        assert min(bits) <= 53 < max(bits)


def test_one_at_random_asks_each_question_of_some_key(forms):
    for one in forms:
        if one.form.strategy == "one at random":
            asked = {json.loads(line)["asked"][0] for line in list(one.lines(60, 1))[1:]}
            assert asked == set(one.form.names)


CHANGES = {
    "answers": lambda data: data | {"answers": {}},
    "asked": lambda data: data | {"asked": []},
    "key": lambda data: data | {"key": "00" * 32},
    "report": lambda data: data | {"report": data["report"] + 1},
    "tag": lambda data: data | {"tag": "0" * 64},
    "words": lambda data: data | {"words": data["words"][16:]},
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_anything_is_found(file, name):
    lines = file.read_text().splitlines()
    lines[4] = json.dumps(CHANGES[name](json.loads(lines[4])), separators=(",", ":"))
    file.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises((CheckFailed, InvalidInput), match="line 5: "):
        check_form_vectors(file)


@pytest.mark.parametrize("key", ["wording", "fingerprint", "law"])
def test_a_form_that_is_not_what_it_says_is_found(file, key):
    lines = file.read_text().splitlines()
    data = json.loads(lines[1])
    data[key] = data[key].translate(str.maketrans("123", "231"))
    lines[1] = json.dumps(data, separators=(",", ":"))
    file.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises((CheckFailed, InvalidInput), match="line 2: "):
        check_form_vectors(file)


def test_a_file_without_its_end_is_refused(file):
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(InvalidInput, match="the file ends here"):
        check_form_vectors(file)
