"""Laws of marks: what is written is read back, as text and as the objects of JSON lines."""

import json

import pytest

from discreet.files.frames import HEADER, SIGN, TRAILER, frame_header, frame_trailer, from_object, to_object

FINGERPRINT = "0123456789abcdef" * 4
MARKS = [frame_header(FINGERPRINT), frame_trailer(0), frame_trailer(12345)]


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_survives_the_object_that_it_is_in_json_lines(mark):
    assert mark.startswith(SIGN)
    assert from_object(json.loads(json.dumps(to_object(mark)))) == mark


def test_the_forms_are_these():
    assert HEADER.fullmatch(MARKS[0]).groups() == ("1", FINGERPRINT)
    assert TRAILER.fullmatch(MARKS[2])[1] == "12345"
    assert to_object(MARKS[0]) == {"discreet": "reports", "version": 1, "fingerprint": FINGERPRINT}
    assert to_object(MARKS[1]) == {"discreet": "end", "reports": 0}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"report": 3},
        {"discreet": "reports", "version": 1},
        {"discreet": "reports", "version": "1", "fingerprint": FINGERPRINT},
        {"discreet": "reports", "version": True, "fingerprint": FINGERPRINT},
        {"discreet": "reports", "version": 1, "fingerprint": FINGERPRINT, "report": 3},
        {"discreet": "end", "reports": 3, "report": 3},
        {"discreet": "end", "reports": 3.0},
        {"discreet": "end", "reports": False},
    ],
)
def test_any_other_object_is_no_mark(data):
    assert from_object(data) is None
