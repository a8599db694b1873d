"""Laws of a stream's frames: a mechanism's own reports, all of them, and nothing else."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.bulk.report_files import reports_to_json
from discreet.core.errors import InvalidInput, MechanismMismatch
from discreet.files.frames import FrameReader, check_fingerprint, frame_header, frame_trailer, marks_in

MECHANISM = dc.mechanism(dc.Context.uniform(range(8), epsilon="1"), "hadamard")
OTHER = dc.mechanism(dc.Context.uniform(range(8), epsilon="3"), "hadamard")
OPEN = frame_header(MECHANISM.fingerprint)
WHOLE = [OPEN, "3", "5", "7", frame_trailer(3)]


def followed(entries, *, size=100, array=False, **more):
    """The runs of reports that are found, the entries given some at a time, as lists or as arrays."""
    frames = FrameReader(MECHANISM, "stream", **more)
    found = []
    for begin in range(0, len(entries), size):
        chunk = entries[begin : begin + size]
        given = pa.array(chunk) if array else chunk
        found += [(start, [str(one) for one in run]) for start, run in frames.runs(given, marks_in(chunk))]
    frames.close()
    return found


@pytest.mark.parametrize("array", [False, True], ids=["lists", "arrays"])
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_the_reports_come_out_in_order_with_the_numbers_of_their_entries(size, array):
    entries = [*WHOLE, OPEN, frame_trailer(0), OPEN, "1", frame_trailer(1)]
    runs = followed(entries, size=size, array=array)
    numbered = {start + place: text for start, run in runs for place, text in enumerate(run)}
    assert numbered == {number: text for number, text in enumerate(entries, 1) if not text.startswith("#")}


@pytest.mark.parametrize("size", [1, 2, 100])
def test_the_header_of_a_table_may_stand_between_sections_and_nowhere_else(size):
    assert [text for _, run in followed([*WHOLE, "report", *WHOLE], size=size, header="report") for text in run] == [
        *WHOLE[1:-1]
    ] * 2
    for wrong in (["report", "report", *WHOLE], ["y", *WHOLE], ["3", *WHOLE]):
        with pytest.raises(InvalidInput, match="this is neither a mark nor inside a frame"):
            followed([*WHOLE, *wrong], size=size, header="report")
    with pytest.raises(InvalidInput, match="entry 6: this is neither a mark nor inside a frame"):
        followed([*WHOLE, "report", *WHOLE], size=size, header="y")
    with pytest.raises(InvalidInput, match="stream: ends after 0 reports without the mark"):
        followed([*WHOLE, "report"], size=size, header="report")


BROKEN = {
    "nothing": ([], "stream: is empty; even a stream of no reports has marks"),
    "no marks": (["3", "5"], "stream: no mark says which mechanism wrote these reports"),
    "no end": (WHOLE[:-1], "stream: ends after 3 reports without the mark of a whole stream"),
    "no end to nothing": ([OPEN], "stream: ends after 0 reports without the mark"),
    "a report lost": (
        [OPEN, "3", "7", frame_trailer(3)],
        "stream, entry 4: the frame should hold 3 reports, but holds 2",
    ),
    "a report too many": ([*WHOLE[:2], "1", *WHOLE[2:]], "entry 6: the frame should hold 3 reports, but holds 4"),
    "reports before": (["3", *WHOLE], "stream: no mark says which mechanism"),
    "reports after": ([*WHOLE, "3"], "stream, entry 6: this is neither a mark nor inside a frame"),
    "text after": ([*WHOLE, ""], "stream, entry 6: this is neither a mark nor inside a frame"),
    "the first one cut": (
        [*WHOLE[:2], *WHOLE],
        "entry 3: a frame begins, but the one of entry 1 has not ended",
    ),
    "the second one cut": ([*WHOLE, *WHOLE[:2]], "stream: ends after 1 reports without the mark"),
    "the second without a beginning": ([*WHOLE, *WHOLE[1:]], "entry 6: this is neither a mark nor inside"),
    "two ends": ([*WHOLE, frame_trailer(3)], "stream, entry 6: a frame ends that did not begin"),
    "an end alone": ([frame_trailer(0)], "stream, entry 1: a frame ends that did not begin"),
    "another version": ([OPEN.replace(" 1 ", " 2 ")], "stream, entry 1: version=2 of marks must be 1"),
    "a short fingerprint": ([OPEN[:-1]], "stream, entry 1: begins with # and is not a mark"),
    "a remark": ([OPEN, "#3", frame_trailer(1)], "stream, entry 2: begins with # and is not a mark"),
    "a count with a sign": ([OPEN, "3", "#end +1"], "stream, entry 3: begins with # and is not a mark"),
    "a mark with more": ([f"{OPEN} "], "stream, entry 1: begins with # and is not a mark"),
}


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize(("entries", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_not_whole_is_refused(entries, said, size):
    with pytest.raises(InvalidInput, match=said.replace("+", r"\+")):
        followed(entries, size=size)


@pytest.mark.parametrize("before", [[], WHOLE], ids=["at once", "after a whole section"])
def test_a_section_of_another_mechanism_is_refused_and_both_are_named(before):
    said = rf"stream: holds reports of another mechanism \({OTHER.fingerprint[:12]}\), not of hadamard "
    with pytest.raises(MechanismMismatch, match=said + rf"\({MECHANISM.fingerprint[:12]}\)"):
        followed([*before, frame_header(OTHER.fingerprint), "3", frame_trailer(1)])


def test_unmarked_accepts_streams_without_marks_and_checks_those_with():
    assert followed(["3", "5"], unmarked=True) == [(1, ["3", "5"])]
    assert followed([], unmarked=True) == []
    assert followed(WHOLE, unmarked=True) == [(2, ["3", "5", "7"])]
    for entries, said in list(BROKEN.values())[2:]:
        if entries[0].startswith("#"):
            with pytest.raises(InvalidInput, match=said.replace("+", r"\+")):
                followed(entries, unmarked=True)
    with pytest.raises(MechanismMismatch):
        followed([frame_header(OTHER.fingerprint), "3", frame_trailer(1)], unmarked=True)
    with pytest.raises(InvalidInput, match="entry 2: a frame begins after reports that are in none"):
        followed(["3", *WHOLE], unmarked=True)
    with pytest.raises(InvalidInput, match="entry 3: a frame ends that did not begin"):
        followed(["3", "5", frame_trailer(2)], unmarked=True)


def test_every_single_loss_from_a_stream_is_noticed():
    """Each entry of three sections left out, and each prefix and suffix, by full enumeration."""
    sections = [(OPEN, *map(str, range(n)), frame_trailer(n)) for n in (2, 0, 3)]
    whole = [entry for section in sections for entry in section]
    assert len(followed(whole)) == 2
    ends = {0, 4, 6, 11}
    for place in range(len(whole)):
        with pytest.raises(InvalidInput):
            followed(whole[:place] + whole[place + 1 :])
    for place in set(range(len(whole))) - ends:
        with pytest.raises(InvalidInput):
            followed(whole[:place])
        with pytest.raises(InvalidInput):
            followed(whole[place:])


def test_a_mark_is_the_mechanisms_own_another_s_or_missing():
    check_fingerprint(MECHANISM, MECHANISM.fingerprint, "here")
    check_fingerprint(MECHANISM, None, "here", unmarked=True)
    with pytest.raises(InvalidInput, match="here: no mark says which mechanism wrote these reports; --unmarked"):
        check_fingerprint(MECHANISM, None, "here")
    for unmarked in (False, True):
        with pytest.raises(MechanismMismatch, match=r"here: holds reports of another mechanism \(0123456789ab\)"):
            check_fingerprint(MECHANISM, "0123456789abcdef", "here", unmarked=unmarked)


def test_no_report_of_any_width_looks_like_a_mark():
    for name, size in (("hadamard", 100), ("unary", 53), ("unary", 54), ("subset", 90)):
        mechanism = dc.mechanism(dc.Context.uniform(range(size), epsilon="1"), name)
        reports = mechanism.randomize_indices(np.arange(50) % size, dc.random.seeded(1))
        texts = [str(y) for y in reports_to_json(mechanism, reports)]
        assert marks_in(texts) == []
        assert marks_in([*texts, OPEN]) == [50]
