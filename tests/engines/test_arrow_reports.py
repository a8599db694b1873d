"""Laws of reports in Arrow columns: every width comes back, and a file names its mechanism."""

import numpy as np
import pytest

import discreet as dc
from discreet.errors import InvalidReport, MechanismMismatch
from discreet.random import seeded

pa = pytest.importorskip("pyarrow")

from discreet.engines.arrow_reports import (  # noqa: E402
    MARK,
    ReportWriter,
    check_column,
    check_mark,
    report_column,
    report_type,
    reports_in,
    reports_of,
    reports_of_texts,
)
from discreet.files.arrow import open_column  # noqa: E402
from discreet.wire.reports import report_to_text  # noqa: E402

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
    return mechanism.randomize_many(np.arange(n) % mechanism.context.size, seeded(3))


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
    whole = mechanism.randomizer.check_report
    reports = [whole(mechanism.randomize(x, seeded(x))) for x in range(20)]
    texts = pa.chunked_array([[report_to_text(mechanism, report) for report in reports]])
    tallies = [mechanism.tally(batch) for batch in reports_of_texts(mechanism, texts)]
    assert tallies == [mechanism.tally(reports)]


@pytest.mark.parametrize("text", ["007", "+1", "-1", "1.0", "x", "99999999999999999999"])
def test_text_that_is_not_how_a_report_prints_is_refused(text):
    with pytest.raises(InvalidReport, match="must be a whole number"):
        list(reports_of_texts(NARROW, pa.chunked_array([["1", text]])))


@pytest.mark.parametrize("name", ["f.parquet", "f.arrow", "f.arrow.gz"])
@each_mechanism
def test_a_file_of_reports_names_its_mechanism(tmp_path, mechanism, name):
    with ReportWriter(tmp_path / name, mechanism) as writer:
        writer.write(drawn(mechanism)[:0])
        writer.write(drawn(mechanism))
    column = open_column(tmp_path / name, "report")
    assert column.field.metadata[MARK.encode()].decode() == mechanism.fingerprint
    check_column(mechanism, column)
    assert (
        together(part for piece in column.pieces() for part in reports_of(mechanism, piece.load()))
        == drawn(mechanism).tolist()
    )
    other = WIDE if mechanism is NARROW else NARROW
    with pytest.raises(MechanismMismatch, match=f"{name}: column 'report' holds reports of another mechanism"):
        check_column(other, column)


def test_reports_without_a_mark_are_believed():
    check_mark(NARROW, None, "column 'report'")
    check_mark(NARROW, NARROW.fingerprint, "column 'report'")
    with pytest.raises(
        MechanismMismatch, match=r"column 'y' holds reports of another mechanism \(0123456789ab\), not of"
    ):
        check_mark(NARROW, "0123456789abcdef", "column 'y'")


def test_a_writer_whose_block_fails_leaves_nothing(tmp_path):
    def fail():
        with ReportWriter(tmp_path / "out.parquet", NARROW) as writer:
            writer.write(drawn(NARROW))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert list(tmp_path.iterdir()) == []
