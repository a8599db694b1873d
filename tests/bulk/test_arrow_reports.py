"""Laws of reports in Arrow columns: every width comes back, and a file names its mechanism."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.bulk.arrow.reports import (
    FINGERPRINT_KEY,
    check_column,
    marks_in_column,
    report_column,
    report_type,
    report_writer,
    reports_in,
    reports_in_texts,
    reports_of,
)
from discreet.bulk.words import seeded
from discreet.core.errors import InvalidInput, InvalidReport, MechanismMismatch
from discreet.files.arrow import arrow_writer, open_column
from discreet.wire.reports import report_to_text

MECHANISMS = {
    "7 bits": dc.mechanism(dc.Context.uniform(range(90), epsilon="1"), "hadamard"),
    "16 bits": dc.mechanism(dc.Context.uniform(range(40_000), epsilon="1"), "hadamard"),
    "32 bits": dc.mechanism(dc.Context.uniform(range(32), epsilon="1"), "unary"),
    "63 bits": dc.mechanism(dc.Context.uniform(range(63), epsilon="1"), "unary"),
    "64 bits": dc.mechanism(dc.Context.uniform(range(64), epsilon="1"), "unary"),
    "90 bits": dc.mechanism(dc.Context.uniform(range(90), epsilon="1"), "subset"),
}
NARROW, WIDE = MECHANISMS["7 bits"], MECHANISMS["90 bits"]
each_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())


def drawn(mechanism, n=50):
    return mechanism.randomize_indices(np.arange(n) % mechanism.context.size, seeded(3))


def together(batches):
    return [report for batch in batches for report in batch.tolist()]


@each_mechanism
def test_reports_of_every_width_survive_the_column(mechanism):
    reports = drawn(mechanism)
    column = report_column(mechanism, reports)
    assert column.type == report_type(mechanism)
    back = reports_in(mechanism, column)
    assert mechanism.tally(back) == mechanism.tally(reports)
    assert back.tolist() == reports.tolist()
    assert len(report_column(mechanism, reports[:0])) == 0


@each_mechanism
def test_chunks_and_dictionaries_are_read_alike(mechanism):
    column = report_column(mechanism, drawn(mechanism))
    parts = pa.chunked_array([column[:20], column[20:]])
    assert together(reports_of(mechanism, parts)) == drawn(mechanism).tolist()
    assert together(reports_of(mechanism, parts.dictionary_encode())) == drawn(mechanism).tolist()


@each_mechanism
def test_reports_are_read_from_text_as_they_print(mechanism):
    whole = mechanism.sampler.check_report
    reports = [whole(mechanism.randomize(x, seeded(x))) for x in range(20)]
    texts = pa.array([report_to_text(mechanism, report) for report in reports])
    assert mechanism.tally(reports_in_texts(mechanism, texts)) == mechanism.tally(reports)
    assert mechanism.tally(reports_in_texts(mechanism, texts[:0])) == mechanism.tally()


@pytest.mark.parametrize("text", ["007", "+1", "-1", "1.0", "x", "99999999999999999999"])
def test_text_that_is_not_how_a_report_prints_is_refused(text):
    with pytest.raises(InvalidReport, match="must be a whole number"):
        reports_in_texts(NARROW, pa.array(["1", text]))


def test_marks_are_found_in_a_column_of_text():
    assert marks_in_column(pa.array(["#a", "1", "#", "2#", ""])) == [0, 2]
    assert marks_in_column(pa.array(["1", "2"])) == []


@pytest.mark.parametrize("name", ["f.parquet", "f.arrow", "f.arrow.gz"])
@each_mechanism
def test_a_file_of_reports_names_its_mechanism(tmp_path, mechanism, name):
    with report_writer(tmp_path / name, mechanism, mechanism.fingerprint) as write:
        write(drawn(mechanism)[:0])
        write(drawn(mechanism))
    column = open_column(tmp_path / name, "report")
    assert column.field.metadata[FINGERPRINT_KEY.encode()].decode() == mechanism.fingerprint
    check_column(mechanism, column)
    assert (
        together(part for piece in column.pieces() for part in reports_of(mechanism, piece.load()))
        == drawn(mechanism).tolist()
    )
    other = WIDE if mechanism is NARROW else NARROW
    with pytest.raises(MechanismMismatch, match=f"{name}: column 'report': holds reports of another mechanism"):
        check_column(other, column)


@pytest.mark.parametrize("name", ["f.parquet", "f.arrow"])
def test_a_column_without_a_mark_is_refused_unless_that_is_asked_for(tmp_path, name):
    with report_writer(tmp_path / name, NARROW, None) as write:
        write(drawn(NARROW))
    column = open_column(tmp_path / name)
    with pytest.raises(InvalidInput, match=f"{name}: column 'report': no mark says which mechanism wrote"):
        check_column(NARROW, column)
    check_column(NARROW, column, unmarked=True)


def test_columns_beside_the_reports_have_the_types_of_their_fields(tmp_path):
    keep = [
        pa.field("age", pa.int8()),
        pa.field("city", pa.string()),
        pa.field("kind", pa.dictionary(pa.int8(), pa.string())),
    ]
    with report_writer(tmp_path / "f.arrow", NARROW, None, keep=keep) as write:
        for kind in ("a", "b"):  # a dictionary that changes cannot be written to a file
            kinds = pa.chunked_array([[kind], [kind]]).dictionary_encode()
            write(drawn(NARROW, 2), [pa.chunked_array([[1], [2]]), ["rome", None], kinds])
    table = pa.ipc.open_file(tmp_path / "f.arrow").read_all()
    assert table.schema.types[1:] == [pa.int8(), pa.string(), pa.string()]
    assert table.column("city").to_pylist() == ["rome", None] * 2
    assert table.column("kind").to_pylist() == ["a", "a", "b", "b"]
    assert table.column("age").to_pylist() == [1, 2] * 2
    with (
        pytest.raises(InvalidInput, match="column 'age' must be of type int8 in every input"),
        report_writer(tmp_path / "g.arrow", NARROW, None, keep=keep[:1]) as write,
    ):
        write(drawn(NARROW, 1), [["old"]])
    assert not (tmp_path / "g.arrow").exists()


def test_a_mark_that_is_no_text_is_that_of_another_mechanism(tmp_path):
    field = pa.field("report", pa.int16(), metadata={FINGERPRINT_KEY: b"\xff\xfe"})
    with arrow_writer(tmp_path / "f.arrow", field) as write:
        write(pa.array([1], pa.int16()))
    with pytest.raises(MechanismMismatch, match="holds reports of another mechanism"):
        check_column(NARROW, open_column(tmp_path / "f.arrow"))


def test_a_writer_whose_block_fails_leaves_nothing(tmp_path):
    def fail():
        with report_writer(tmp_path / "out.parquet", NARROW, NARROW.fingerprint) as write:
            write(drawn(NARROW))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert list(tmp_path.iterdir()) == []
