from __future__ import annotations

import json
import re

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.report_files import reports_from_bytes, reports_from_texts, reports_to_bytes, reports_to_json
from discreet.core.errors import InvalidReport, MechanismMismatch
from discreet.wire import (
    byte_width,
    report_from_bytes,
    report_from_json,
    report_from_text,
    report_to_bytes,
    report_to_json,
    report_to_text,
    reports_from_envelope,
    reports_to_envelope,
)

MECHANISMS = {
    "one bit": dc.mechanism(dc.Context.binary("no", "yes", (1, 1))),
    "five bits": dc.mechanism(dc.Context.uniform(range(20), 1), "hadamard"),
    "seventeen bits": dc.mechanism(dc.Context.uniform(range(70_000), 1), "hadamard"),
    "53 bits": dc.mechanism(dc.Context.uniform(range(53), 1), "subset"),
    "54 bits": dc.mechanism(dc.Context.uniform(range(54), 1), "subset"),
    "64 bits": dc.mechanism(dc.Context.uniform(range(64), 1), "subset"),
    "65 bits": dc.mechanism(dc.Context.uniform(range(65), 1), "unary"),
    "300 bits": dc.mechanism(dc.Context.uniform(range(300), 1), "subset", d=40),
    "blocks of sets": dc.mechanism(dc.Context.blocks({"a": range(70), "b": range(70, 80)}, 1), "unary"),
    "high-low": dc.mechanism(dc.Context.high_low(range(90), range(70), 1), "unary"),
}
SEED = 5
COUNT = 40


def drawn(mechanism):
    """The same reports twice: one by one and as a batch."""
    numbers = np.arange(COUNT) * 7 % mechanism.context.size
    one_by_one = dc.random.seeded(SEED)
    listed = [mechanism.randomize_index(int(x), one_by_one) for x in numbers]
    return listed, mechanism.randomize_indices(numbers, dc.random.seeded(SEED))


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())
class TestEveryReport:
    def test_survives_json_text_and_bytes(self, mechanism):
        for report in drawn(mechanism)[0]:
            data = json.loads(json.dumps(report_to_json(mechanism, report)))
            assert isinstance(data, int if mechanism.bits <= 53 else str)
            assert report_from_json(mechanism, data) == report
            assert report_from_text(mechanism, report_to_text(mechanism, report)) == report
            assert report_from_bytes(mechanism, report_to_bytes(mechanism, report)) == report

    def test_has_the_same_width(self, mechanism):
        listed, _ = drawn(mechanism)
        assert {len(report_to_bytes(mechanism, report)) for report in listed} == {byte_width(mechanism)}
        assert byte_width(mechanism) == -(-mechanism.bits // 8)
        if mechanism.bits > 53:
            assert {len(report_to_text(mechanism, report)) for report in listed} == {-(-mechanism.bits // 4)}

    def test_is_written_in_bulk_as_one_by_one(self, mechanism):
        listed, batch = drawn(mechanism)
        assert reports_to_json(mechanism, batch) == [report_to_json(mechanism, report) for report in listed]
        assert reports_to_bytes(mechanism, batch) == b"".join(report_to_bytes(mechanism, report) for report in listed)

    def test_is_read_in_bulk_as_it_was_written(self, mechanism):
        listed, batch = drawn(mechanism)
        texts = [report_to_text(mechanism, report) for report in listed]
        for read in (
            reports_from_texts(mechanism, texts),
            reports_from_bytes(mechanism, reports_to_bytes(mechanism, batch)),
        ):
            assert np.array_equal(read, batch)
            assert mechanism.tally(read) == mechanism.tally(listed)

    def test_travels_in_an_envelope(self, mechanism):
        listed, _ = drawn(mechanism)
        envelope = json.loads(json.dumps(reports_to_envelope(mechanism, listed)))
        assert reports_from_envelope(mechanism, envelope) == listed

    def test_of_no_reports_is_empty(self, mechanism):
        empty = mechanism.randomize_indices([], dc.random.seeded(0))
        assert reports_to_json(mechanism, empty) == []
        assert reports_to_bytes(mechanism, empty) == b""
        assert mechanism.tally(reports_from_texts(mechanism, [])).n == 0
        assert mechanism.tally(reports_from_bytes(mechanism, b"")).n == 0


SMALL = MECHANISMS["five bits"]
WIDE = MECHANISMS["64 bits"]
GOOD_WIDE = report_to_json(WIDE, drawn(WIDE)[0][0])


@pytest.mark.parametrize("data", [-1, 32, 10**30, True, None, 1.0, "1", [1], {}])
def test_json_that_is_no_report_is_refused(data):
    with pytest.raises(InvalidReport, match="report="):
        report_from_json(SMALL, data)


@pytest.mark.parametrize("data", [5, GOOD_WIDE.upper(), GOOD_WIDE[1:], "0" + GOOD_WIDE, "g" * 16, "0" * 16, None, ""])
def test_hexadecimal_that_is_no_report_is_refused(data):
    with pytest.raises(InvalidReport, match="report="):
        report_from_json(WIDE, data)


@pytest.mark.parametrize("text", ["", " 1", "1 ", "01", "+1", "-1", "1_0", "1.0", "0x1", "٣", "32", "9" * 40, "1\n"])
def test_text_that_is_no_report_is_refused_alone_and_in_bulk(text):
    with pytest.raises(InvalidReport, match="report="):
        report_from_text(SMALL, text)
    with pytest.raises(InvalidReport):
        SMALL.tally(reports_from_texts(SMALL, ["3", text]))


@pytest.mark.parametrize("text", ["", GOOD_WIDE.upper(), GOOD_WIDE + "0", "+" + GOOD_WIDE[1:], "0" * 16])
def test_hexadecimal_text_that_is_no_report_is_refused_in_bulk(text):
    with pytest.raises(InvalidReport):
        WIDE.tally(reports_from_texts(WIDE, [GOOD_WIDE, text]))


@pytest.mark.parametrize("data", [b"", b"\x01\x00", b"\x20", b"\xff"])
def test_bytes_that_are_no_report_are_refused(data):
    with pytest.raises(InvalidReport):
        report_from_bytes(SMALL, data)


def test_bytes_that_end_in_the_middle_of_a_report_are_refused():
    mechanism = MECHANISMS["seventeen bits"]
    with pytest.raises(InvalidReport, match="7 bytes must be a whole number of reports of 3 bytes"):
        reports_from_bytes(mechanism, bytes(7))


def test_only_a_report_can_be_written():
    for write in (report_to_json, report_to_text, report_to_bytes):
        with pytest.raises(InvalidReport, match="report=32"):
            write(SMALL, 32)


ENVELOPE = reports_to_envelope(SMALL, [1, 2])
BAD_ENVELOPES = {
    "no object": ([1], "must hold version, fingerprint and reports"),
    "an extra entry": (ENVELOPE | {"sender": "me"}, "and nothing else"),
    "a missing entry": ({"version": 1, "reports": []}, "must hold version"),
    "another version": (ENVELOPE | {"version": 2}, "version=2 must be 1"),
    "a version that is true": (ENVELOPE | {"version": True}, "version=True must be 1"),
    "reports no list": (ENVELOPE | {"reports": 5}, "reports must be a list"),
    "a wrong report": (ENVELOPE | {"reports": [1, 32]}, "report=32"),
}


@pytest.mark.parametrize(("data", "message"), BAD_ENVELOPES.values(), ids=BAD_ENVELOPES.keys())
def test_an_envelope_is_refused(data, message):
    with pytest.raises(InvalidReport, match=re.escape(message)):
        reports_from_envelope(SMALL, data)


@pytest.mark.parametrize("fingerprint", [WIDE.fingerprint, "", None, 5, "x" * 10_000])
def test_reports_of_another_mechanism_are_refused(fingerprint):
    with pytest.raises(MechanismMismatch, match="were not written by hadamard") as caught:
        reports_from_envelope(SMALL, ENVELOPE | {"fingerprint": fingerprint})
    assert len(str(caught.value)) < 200
