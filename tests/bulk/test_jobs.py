"""Laws of whole files: every format in and out, any number of threads, all of it or nothing."""

import csv
import gzip
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.bulk import jobs
from discreet.bulk.arrow.reports import FINGERPRINT_KEY, reports_of
from discreet.bulk.jobs import in_order, randomize_files, rows_in, tally_files
from discreet.bulk.report_files import reports_to_json
from discreet.bulk.words import secure, seeded
from discreet.core.errors import InvalidInput, InvalidReport, MechanismMismatch, MissingExtra, UnknownValue
from discreet.estimation.arrays import acceleration
from discreet.files import arrow, arrow_csv
from discreet.files.arrow import open_column
from discreet.files.text_reader import TextWriter

VALUES = [f"v{i}" for i in range(40)]
N = 5000


@pytest.fixture
def mechanism():
    return dc.mechanism(dc.Context.blocks({"a": VALUES[:10], "b": VALUES[10:]}, "1"), "hadamard")


@pytest.fixture
def wide():
    return dc.mechanism(dc.Context.uniform(VALUES * 1 + [f"w{i}" for i in range(40)], "1"), "subset")


@pytest.fixture
def numbers():
    return np.random.default_rng(1).integers(0, len(VALUES), N)


@pytest.fixture
def texts(numbers):
    return [VALUES[i] for i in numbers]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(arrow, "PIECE", 256)
    return tmp_path


def stored(name, table):
    """The table in the format that the name says."""
    if name.endswith(".parquet"):
        pq.write_table(table, name, row_group_size=300)
    elif name.endswith(".arrow"):
        with pa.OSFile(name, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=100)
    elif name.endswith(".stream.ipc"):
        with pa.OSFile(name, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        sink = pa.CompressedOutputStream(name, {"gz": "gzip", "zst": "zstd"}[name.rpartition(".")[2]])
        with sink as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    return name


def read_back(mechanism, name):
    pieces = open_column(name).pieces()
    return [y for piece in pieces for part in reports_of(mechanism, piece.load()) for y in part]


FORMATS = ["a.parquet", "a.arrow", "a.stream.ipc", "a.arrow.gz", "a.arrow.zst"]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("threads", [1, 3])
def test_every_format_gives_the_reports_of_the_values_in_order(folder, mechanism, numbers, texts, name, threads):
    stored(name, pa.table({"id": range(N), "place": texts}))
    seen = randomize_files(mechanism, [name], "out.parquet", seeded(1), column="place", threads=threads)
    assert seen == (N, 0)
    assert read_back(mechanism, "out.parquet") == mechanism.randomize_indices(numbers, seeded(1)).tolist()


@pytest.mark.parametrize(
    "out",
    ["out.parquet", "out.pq", "out.arrow", "out.feather", "out.ipc.gz", "out.arrow.zst", "out.txt", "out.csv.zst"],
)
@pytest.mark.parametrize("which", ["mechanism", "wide"])
def test_reports_written_in_any_format_are_tallied_as_they_were_made(folder, request, numbers, texts, which, out):
    mechanism = request.getfixturevalue(which)
    stored("in.parquet", pa.table({"place": texts}))
    randomize_files(mechanism, ["in.parquet"], out, seeded(2))
    made = mechanism.tally(mechanism.randomize_indices(numbers, seeded(2)))
    assert tally_files(mechanism, [out]) == made
    assert tally_files(mechanism, [out], threads=1) == made


def test_text_in_gives_the_reports_of_arrow_in(folder, mechanism, texts):
    (folder / "in.txt").write_text("".join(f"{text}\n" for text in texts))
    with gzip.open("in.jsonl.gz", "wt") as file:
        file.writelines(f'{{"place": "{text}"}}\n' for text in texts)
    stored("in.parquet", pa.table({"place": texts}))
    for name in ("in.txt", "in.jsonl.gz", "in.parquet"):
        randomize_files(mechanism, [name], f"{name}.arrow", seeded(3))
    assert read_back(mechanism, "in.txt.arrow") == read_back(mechanism, "in.parquet.arrow")
    assert read_back(mechanism, "in.jsonl.gz.arrow") == read_back(mechanism, "in.parquet.arrow")


def test_many_files_are_one_after_the_other(folder, mechanism, texts):
    stored("whole.parquet", pa.table({"place": texts}))
    stored("one.parquet", pa.table({"place": texts[:600]}))
    stored("two.arrow", pa.table({"place": texts[600:]}))
    randomize_files(mechanism, ["whole.parquet"], "whole.out.parquet", seeded(4))
    randomize_files(mechanism, ["one.parquet", "two.arrow"], "parts.out.parquet", seeded(4))
    assert read_back(mechanism, "parts.out.parquet") == read_back(mechanism, "whole.out.parquet")
    both = tally_files(mechanism, ["whole.out.parquet", "parts.out.parquet"])
    assert both.n == 2 * N


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "small dictionary"])
def test_text_and_dictionaries_are_found_alike(folder, mechanism, numbers, texts, kind):
    column = {
        "string": pa.array(texts),
        "large_string": pa.array(texts, pa.large_string()),
        "dictionary": pa.array(texts).dictionary_encode(),
        "small dictionary": pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int8)), pa.array(VALUES)),
    }[kind]
    stored("in.arrow", pa.table({"place": column}))
    randomize_files(mechanism, ["in.arrow"], "out.parquet", seeded(5))
    assert read_back(mechanism, "out.parquet") == mechanism.randomize_indices(numbers, seeded(5)).tolist()


@pytest.mark.parametrize("kind", ["i1", "u1", "i4", "i8", "u8"])
def test_whole_numbers_of_any_type_are_their_own_numbers(folder, numbers, kind):
    mechanism = dc.mechanism(dc.Context.uniform(range(40), "1"), "hadamard")
    stored("in.parquet", pa.table({"place": numbers.astype(kind)}))
    randomize_files(mechanism, ["in.parquet"], "out.parquet", seeded(6))
    assert read_back(mechanism, "out.parquet") == mechanism.randomize_indices(numbers, seeded(6)).tolist()


UNKNOWN = {
    "text": pa.array(["v1", None, "x", "v2"]),
    "dictionary": pa.array(["v1", None, "x", "v2"]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_nulls_and_unknown_values_stop_everything_unless_told_otherwise(folder, mechanism, kind):
    stored("in.arrow", pa.table({"place": UNKNOWN[kind]}))
    with pytest.raises(UnknownValue, match=r"in\.arrow, row 2: null must be one of the 40 values"):
        randomize_files(mechanism, ["in.arrow"], "out.parquet", secure())
    assert not (folder / "out.parquet").exists()
    assert randomize_files(mechanism, ["in.arrow"], "out.parquet", seeded(7), unknown="drop") == (4, 2)
    kept = mechanism.randomize_indices([1, 2], seeded(7)).tolist()
    assert read_back(mechanism, "out.parquet") == kept
    assert randomize_files(mechanism, ["in.arrow"], "out.parquet", seeded(7), unknown="v9") == (4, 2)
    assert read_back(mechanism, "out.parquet") == mechanism.randomize_indices([1, 9, 9, 2], seeded(7)).tolist()


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv", "a.jsonl", "a.txt"])
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.decimal128(9, 3), pa.string()], ids=str)
def test_numbers_in_every_format_and_type_give_the_same_reports(folder, monkeypatch, name, kind, large):
    monkeypatch.setattr(jobs, "LARGE", 0 if large else 1 << 24)
    monkeypatch.setattr(acceleration, "MIN_COMPILED_SIZE", 1 if large else 1 << 60)
    mechanism = dc.mechanism(dc.Context.uniform(dc.NumberDomain(-5, 5, step="0.5", decimals=1, clip=True), "1"))
    texts = [f"{step / 20:.3f}" for step in range(-150, 150)]  # many are in the middle of two units
    held = pa.array(texts).cast(kind)
    if name in FORMATS:
        stored(name, pa.table({"x": held}))
    else:
        entries = [str(entry) for entry in held.to_numpy(zero_copy_only=False)]
        objects = [f'{{"x": {entry}}}' for entry in entries]
        lines = {"a.csv": ["x", *entries], "a.jsonl": objects, "a.txt": entries}[name]
        Path(name).write_text("\n".join(lines) + "\n")
    column = None if name == "a.txt" else "x"
    assert randomize_files(mechanism, [name], "out.arrow", seeded(2), column=column) == (300, 0)
    assert read_back(mechanism, "out.arrow") == mechanism.randomize_many(texts, seeded(2)).tolist()


@pytest.mark.parametrize("wrong", [-1, 40, 2**32 + 1, 2**40])
def test_numbers_outside_the_domain_are_unknown_however_large(folder, wrong):
    mechanism = dc.mechanism(dc.Context.uniform(range(40), "1"), "hadamard")
    for column in (pa.array([1, wrong, 2]), pa.array([1, wrong, 2]).dictionary_encode(), pa.array([1, wrong, 2, None])):
        stored("in.arrow", pa.table({"place": column}))
        with pytest.raises(UnknownValue, match="row 2: a value of type int must be one of the 40"):
            randomize_files(mechanism, ["in.arrow"], "out.parquet", secure())
        seen = randomize_files(mechanism, ["in.arrow"], "out.parquet", secure(), unknown="drop")
        assert seen == (len(column), 1 + column.null_count)


def test_the_row_of_an_unknown_value_is_counted_over_pieces(folder, mechanism, texts):
    stored("in.parquet", pa.table({"place": [*texts, "x"]}))
    with pytest.raises(UnknownValue, match=f"row {N + 1}: a value of type str must be"):
        randomize_files(mechanism, ["in.parquet"], "out.parquet", secure())


def test_a_column_is_chosen_by_name_or_is_the_only_one(folder, mechanism):
    stored("in.parquet", pa.table({"a": ["v1"], "b": ["v2"]}))
    stored("two.parquet", pa.table([["v1"], ["v2"]], names=["a", "a"]))
    with pytest.raises(
        InvalidInput,
        match=r"in\.parquet: a column must be chosen, by column=NAME or --column NAME; the columns are a, b",
    ):
        randomize_files(mechanism, ["in.parquet"], "out.parquet", secure())
    with pytest.raises(InvalidInput, match="column 'c' is missing; the columns are a, b"):
        randomize_files(mechanism, ["in.parquet"], "out.parquet", secure(), column="c")
    with pytest.raises(InvalidInput, match="column 'a' appears twice"):
        randomize_files(mechanism, ["two.parquet"], "out.parquet", secure(), column="a")
    assert rows_in(["in.parquet", "in.parquet"], "a") == 2
    assert rows_in(["in.parquet", "in.txt"], "a") is None


@pytest.mark.parametrize("name", ["bad.parquet", "bad.arrow", "bad.arrow.gz"])
def test_a_file_that_is_not_what_its_name_says_is_refused(folder, mechanism, name):
    (folder / name).write_bytes(b"not at all what it says" * 10)
    with pytest.raises(InvalidInput, match=name):
        randomize_files(mechanism, [name], "out.parquet", secure())
    with pytest.raises(FileNotFoundError):
        randomize_files(mechanism, [f"no-{name}"], "out.parquet", secure())
    assert not (folder / "out.parquet").exists()


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_cut_short_is_refused_and_nothing_is_written(folder, mechanism, texts, name):
    stored(name, pa.table({"place": texts}))
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(InvalidInput, match=f"{name}: cannot be read as"):
        randomize_files(mechanism, [name], "out.parquet", secure())
    assert not (folder / "out.parquet").exists()


def test_values_of_a_type_that_cannot_be_in_the_domain_are_refused(folder, mechanism):
    stored("in.parquet", pa.table({"place": [[1, 2], [3]]}))
    with pytest.raises(InvalidInput, match=r"in\.parquet: .* cannot be found in a column of type list"):
        randomize_files(mechanism, ["in.parquet"], "out.parquet", secure())


def test_reports_of_another_mechanism_are_refused(folder, mechanism, texts):
    stored("in.parquet", pa.table({"place": texts}))
    randomize_files(mechanism, ["in.parquet"], "out.parquet", secure())
    other = dc.mechanism(dc.Context.blocks({"a": VALUES[:10], "b": VALUES[10:]}, "2"), "hadamard")
    with pytest.raises(MechanismMismatch, match="column 'report': holds reports of another mechanism"):
        tally_files(other, ["out.parquet"])


@pytest.mark.parametrize("reports", [[0, 10**6], [0, -1], [0, None]])
def test_a_report_that_cannot_occur_stops_everything(folder, mechanism, reports):
    stored("reports.parquet", pa.table({"report": pa.array(reports)}))
    with pytest.raises(InvalidReport, match=r"reports\.parquet: reports: "):
        tally_files(mechanism, ["reports.parquet"], unmarked=True)


def test_reports_stored_as_a_dictionary_are_read(folder, mechanism):
    stored("reports.arrow", pa.table({"report": pa.array([0, 1, 1, 0, 3]).dictionary_encode()}))
    assert tally_files(mechanism, ["reports.arrow"], unmarked=True).counts[:4].tolist() == [2, 2, 0, 1]


def test_no_rows_give_an_empty_file_and_an_empty_tally(folder, mechanism):
    stored("in.parquet", pa.table({"place": pa.array([], pa.string())}))
    assert randomize_files(mechanism, ["in.parquet"], "out.parquet", secure()) == (0, 0)
    assert tally_files(mechanism, ["out.parquet"]) == mechanism.tally()
    assert (
        pq.read_schema("out.parquet").field("report").metadata[FINGERPRINT_KEY.encode()]
        == mechanism.fingerprint.encode()
    )


def test_row_groups_too_large_to_hold_give_the_reports_of_others(folder, mechanism, numbers, texts):
    pq.write_table(pa.table({"place": texts}), "in.parquet", row_group_size=4 * 256 + 1)
    randomize_files(mechanism, ["in.parquet"], "out.parquet", seeded(8))
    assert read_back(mechanism, "out.parquet") == mechanism.randomize_indices(numbers, seeded(8)).tolist()


def test_progress_is_told_every_row(folder, mechanism, texts):
    stored("in.parquet", pa.table({"place": texts}))
    told = []
    randomize_files(mechanism, ["in.parquet"], "out.parquet", secure(), progress=told.append)
    tally_files(mechanism, ["out.parquet"], progress=told.append)
    assert sum(told) == 2 * N
    assert len(told) > 10


def test_results_come_in_order_and_few_tasks_are_held():
    started = []

    def tasks():
        for i in range(50):
            started.append(i)
            yield lambda i=i: i

    for place, result in enumerate(in_order(tasks(), 3)):
        assert result == place
        assert len(started) <= place + 5


def test_a_task_that_fails_stops_the_others():
    def fail():
        raise InvalidInput("stop")

    done = []
    with pytest.raises(InvalidInput, match="stop"):
        done.extend(in_order([lambda: 1, fail, *[lambda: done.append(2)] * 50], 2))
    assert done.count(2) < 10


def test_without_pyarrow_the_install_line_is_named(folder, mechanism, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (folder / "in.txt").write_text("v1\n")
    for name, out in (("in.parquet", "out.txt"), ("in.txt", "out.parquet")):
        with pytest.raises(MissingExtra, match=r"pip install 'discreet\[files\]'"):
            randomize_files(mechanism, [name], out, secure())
    assert randomize_files(mechanism, ["in.txt"], "out.txt", secure()) == (1, 0)  # the control: text needs none


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
@pytest.mark.parametrize("out", ["out.parquet", "out.arrow"])
def test_a_killed_run_leaves_the_old_file_or_none(folder, mechanism, texts, out):
    """The process is killed after some reports have been written; the name holds what it held before."""
    stored("in.parquet", pa.table({"place": texts}))
    script = textwrap.dedent(f"""
        import os, signal
        import discreet as dc
        from discreet.files import arrow
        arrow.PIECE = 256
        from discreet.bulk.jobs import randomize_files
        values = [f"v{{i}}" for i in range(40)]
        mechanism = dc.mechanism(dc.Context.blocks({{"a": values[:10], "b": values[10:]}}, "1"), "hadamard")
        done = []
        def kill(rows):
            done.append(rows)
            if sum(done) > 2000:
                os.kill(os.getpid(), signal.SIGKILL)
        randomize_files(mechanism, ["in.parquet"], {out!r}, dc.random.secure(), progress=kill)
    """)
    for before in (None, b"as it was"):
        if before is not None:
            (folder / out).write_bytes(before)
        ended = subprocess.run([sys.executable, "-c", script], check=False)
        assert ended.returncode == -signal.SIGKILL
        assert ((folder / out).read_bytes() if (folder / out).exists() else None) == before


def test_memory_is_bounded_by_pieces_and_not_by_rows(folder, monkeypatch):
    """Arrow's own count of bytes, at its peak, for ten times the rows."""
    monkeypatch.setattr(arrow, "PIECE", 1 << 14)
    mechanism = dc.mechanism(dc.Context.uniform(range(300), "1"), "hadamard")
    peaks = []
    for pieces in (8, 80):
        place = np.arange(pieces << 14, dtype=np.int32) % 300
        pq.write_table(pa.table({"place": place}), "in.parquet", row_group_size=1 << 14)
        held = []
        start = pa.total_allocated_bytes()
        randomize_files(
            mechanism,
            ["in.parquet"],
            "out.parquet",
            secure(),
            threads=2,
            progress=lambda rows, held=held, start=start: held.append(pa.total_allocated_bytes() - start),
        )
        peaks.append(max(held))
    assert peaks[1] < 2 * peaks[0] + (1 << 20)
    assert jobs.rows_in(["in.parquet"]) == 80 << 14


# -- large CSV ----------------------------------------------------------------------------------------

ODD = ["plain", "with, comma", 'with "quotes"', "two\nlines", " spaces ", "", "NA", "null", "007", "7", "é", "-"]


@pytest.fixture
def all_large(monkeypatch):
    """Every CSV file counts as large."""
    monkeypatch.setattr(jobs, "LARGE", 0)


def csv_file(path, rows, columns=("id", "place")):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


@pytest.mark.parametrize("name", ["in.csv", "in.csv.gz"])
def test_a_large_csv_file_gives_the_reports_of_a_small_one(folder, monkeypatch, name):
    mechanism = dc.mechanism(dc.Context.uniform(ODD, "1"), "hadamard")
    csv_file(folder / name, [(i, ODD[i % len(ODD)]) for i in range(500)])
    randomize_files(mechanism, [name], "small.txt", seeded(9), column="place")
    monkeypatch.setattr(jobs, "LARGE", 0)
    randomize_files(mechanism, [name], "large.txt", seeded(9), column="place")
    assert (folder / "large.txt").read_text() == (folder / "small.txt").read_text()
    assert rows_in([name], "place") is None


@pytest.mark.usefixtures("all_large")
def test_a_large_csv_file_is_held_to_the_same_rules(folder, mechanism):
    csv_file(folder / "in.csv", [(1, "v1"), (2, "x")])
    with pytest.raises(UnknownValue, match=r"in\.csv, row 2: a value of type str must be one of the 40"):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure(), column="place")
    with pytest.raises(
        InvalidInput, match="a column must be chosen, by column=NAME or --column NAME; there are 2 columns"
    ):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure())
    with pytest.raises(InvalidInput, match="column 'c' is missing"):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure(), column="c")
    csv_file(folder / "in.csv", [(1, "v1"), (2, "v2", "v3")])
    with pytest.raises(InvalidInput, match=r"in\.csv, row 2: 3 fields; the header has 2"):
        randomize_files(mechanism, ["in.csv"], "out.txt", secure(), column="place")
    assert not (folder / "out.txt").exists()


@pytest.mark.usefixtures("all_large")
@pytest.mark.parametrize("which", ["mechanism", "wide"])
def test_reports_in_a_large_csv_file_are_tallied_as_they_were_made(folder, request, which):
    mechanism = request.getfixturevalue(which)
    reports = mechanism.randomize_indices(np.arange(3000) % len(VALUES), seeded(10))
    with TextWriter("reports.csv", mechanism.fingerprint) as writer:
        writer.write(reports_to_json(mechanism, reports))
    assert tally_files(mechanism, ["reports.csv"]) == mechanism.tally(reports)


@pytest.mark.usefixtures("all_large")
@pytest.mark.parametrize("block", [200, 1000, 1 << 20])
@pytest.mark.parametrize("which", ["mechanism", "wide"])
def test_marks_are_found_wherever_they_stand_in_a_large_csv_file(folder, request, monkeypatch, which, block):
    """Joined files, read in blocks that end anywhere."""
    monkeypatch.setattr(arrow_csv, "BLOCK", block)
    mechanism = request.getfixturevalue(which)
    other = dc.mechanism(mechanism.context, "randomized_response")
    parts, total = {}, mechanism.tally()
    for number, n in enumerate((40, 0, 77)):
        reports = mechanism.randomize_indices(np.arange(n) % len(VALUES), seeded(number))
        total += mechanism.tally(reports)
        with TextWriter(f"{number}.csv", mechanism.fingerprint, keep=["id"]) as writer:
            writer.write(reports_to_json(mechanism, reports), [list(range(n))])
        parts[number] = (folder / f"{number}.csv").read_text()
    joined = folder / "joined.csv"
    joined.write_text("".join(parts.values()))
    assert tally_files(mechanism, ["joined.csv"]) == total
    with pytest.raises(MechanismMismatch, match=r"joined\.csv: holds reports of another mechanism"):
        tally_files(other, ["joined.csv"])
    lines = joined.read_text().splitlines(keepends=True)
    for wrong in (lines[:-1], lines[:30] + lines[31:], lines[:42] + lines[43:], lines[:44], [*lines, lines[0]]):
        joined.write_text("".join(wrong))
        with pytest.raises(InvalidInput, match=r"joined\.csv"):
            tally_files(mechanism, ["joined.csv"])
    before, last = "".join(lines).rsplit(mechanism.fingerprint, 1)
    joined.write_text(before + other.fingerprint + last)
    with pytest.raises(MechanismMismatch):
        tally_files(mechanism, ["joined.csv"])


@pytest.mark.usefixtures("all_large")
@pytest.mark.parametrize("wrong", ["x", "007", "+1", "-1", "1.0", "", "1000000", "99999999999999999999"])
def test_a_large_csv_file_with_what_is_no_report_is_refused(folder, mechanism, wrong):
    csv_file(
        folder / "reports.csv", [["0"], ["1"], [wrong]] if wrong else [["0", "1"]], ["report"] if wrong else ["a", "b"]
    )
    with pytest.raises(InvalidInput, match=r"reports\.csv: "):
        tally_files(mechanism, ["reports.csv"], column="report", unmarked=True)
