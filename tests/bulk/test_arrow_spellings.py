"""Laws of columns in files: whatever type holds a value, it is found where the domain has it, and nowhere else."""

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

import discreet as dc
from discreet.bulk.arrow.values import column_as_text
from discreet.bulk.jobs import randomize_files
from discreet.bulk.words import seeded
from discreet.core.errors import InvalidInput, UnknownValue

DAY = date(2024, 5, 1)


def view(values):
    return pa.array(values, pa.string_view())


COLUMNS = {
    "text": (["oslo", "rome"], pa.array(["rome", "oslo", None])),
    "large text": (["oslo", "rome"], pa.array(["rome", "oslo", None], pa.large_string())),
    "text of polars": (["oslo", "rome"], view(["rome", "oslo", None])),
    "bytes": (["oslo", "rome"], pa.array([b"rome", b"oslo", None])),
    "bytes of polars": (["oslo", "rome"], pa.array([b"rome", b"oslo", None], pa.binary_view())),
    "a dictionary": (["oslo", "rome"], pa.array(["rome", "oslo", None]).dictionary_encode()),
    "a dictionary of views": (
        ["oslo", "rome"],
        pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.uint8()), view(["oslo", "rome"])),
    ),
    "booleans": ([False, True], pa.array([True, False, None])),
    "booleans as text": (["false", "true"], pa.array([True, False, None])),
    "booleans as Python's text": (["False", "True"], pa.array([True, False, None])),
    "dates": (["2024-04-30", "2024-05-01"], pa.array([DAY, date(2024, 4, 30), None])),
    "dates themselves": ([date(2024, 4, 30), DAY], pa.array([DAY, date(2024, 4, 30), None])),
    "decimals that are whole": ([7, 10], pa.array([Decimal("10.00"), Decimal("7.00"), Decimal("7.01")])),
    "decimals": (["7", "12.5"], pa.array([Decimal("12.500"), Decimal("7.000"), Decimal("12.505")])),
    "decimals with their zeros": (["7.00", "12.50"], pa.array([Decimal("12.50"), Decimal("7.00"), None])),
    "decimals without a scale": (range(2), pa.array([Decimal(1), Decimal(0), Decimal(10)])),
    "wide decimals": ([7, 10], pa.array([Decimal("10.0"), Decimal("7.0"), None], pa.decimal256(40, 1))),
    "whole numbers of which the domain has the text": (["7", "10"], pa.array([10, 7, 8], pa.int8())),
    "a dictionary of such numbers": (["7", "10"], pa.array([10, 7, None]).dictionary_encode()),
    "bytes that are not UTF-8": (["oslo", "rome"], pa.array([b"rome", b"oslo", b"\xff\xfe"])),
    "wide bytes that are not UTF-8": (["oslo", "rome"], pa.array([b"rome", b"oslo", b"\xff"], pa.large_binary())),
    "bytes of polars that are not UTF-8": (["oslo", "rome"], pa.array([b"rome", b"oslo", b"\xff"], pa.binary_view())),
    "a dictionary of bytes": (["oslo", "rome"], pa.array([b"rome", b"oslo", b"\xff"]).dictionary_encode()),
    "days after the last of Python": (["2024-04-30", "2024-05-01"], pa.array([19844, 19843, 2**30], pa.date32())),
    "floats": ([7, 10], pa.array([10.0, 7.0, 7.5])),
    "negative decimals": ([-10, -1], pa.array([Decimal("-1.0"), Decimal("-10.0"), Decimal("1.0")])),
}


@pytest.mark.parametrize("name", ["in.parquet", "in.arrow"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_value_is_found_whatever_type_holds_it(tmp_path, monkeypatch, kind, name):
    """The second value, the first, and one that is null or unknown."""
    monkeypatch.chdir(tmp_path)
    values, column = COLUMNS[kind]
    if (kind, name) == ("a dictionary of views", "in.parquet"):
        pytest.skip("pyarrow does not write it")
    store(name, pa.table({"x": column}))
    mechanism = dc.mechanism(dc.Context.uniform(values, "3"), "randomized_response")
    assert randomize_files(mechanism, [name], "out.txt", seeded(1), unknown="drop") == (3, 1)
    (tmp_path / "in.txt").write_text(f"{values[1]}\n{values[0]}\n?\n")
    assert randomize_files(mechanism, ["in.txt"], "text.txt", seeded(1), unknown="drop") == (3, 1)
    assert (tmp_path / "out.txt").read_text() == (tmp_path / "text.txt").read_text()


@pytest.mark.parametrize("name", ["in.parquet", "in.arrow"])
def test_bytes_that_are_not_text_are_named_by_their_row(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    store(name, pa.table({"x": pa.array([b"oslo", b"\xff\xfe"])}))
    mechanism = dc.mechanism(dc.Context.uniform(["oslo", "rome"], "3"), "randomized_response")
    with pytest.raises(UnknownValue, match=f"{name}, row 2: a value of type large_string must be one of the 2 values"):
        randomize_files(mechanism, [name], "out.txt", seeded(1))


def store(name, table):
    if name.endswith("parquet"):
        import pyarrow.parquet as pq

        pq.write_table(table, name)
    else:
        with pa.OSFile(name, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2], pa.timestamp("us")),
        pa.array([1, 2], pa.time32("s")),
        pa.array([1, 2], pa.duration("s")),
        pa.array([[1], [2]]),
        pa.array([{"a": 1}]),
    ],
    ids=lambda column: str(column.type),
)
def test_other_types_hold_no_values(tmp_path, monkeypatch, column):
    monkeypatch.chdir(tmp_path)
    store("in.arrow", pa.table({"x": column}))
    mechanism = dc.mechanism(dc.Context.uniform(range(3), "1"), "hadamard")
    with pytest.raises(InvalidInput, match=r"in\.arrow: values of the domain cannot be found in a column of type"):
        randomize_files(mechanism, ["in.arrow"], "out.txt", seeded(1), unknown="drop")


def test_a_column_without_chunks_stays_as_it_is():
    assert len(column_as_text(pa.chunked_array([], pa.bool_()), dc.Domain(range(3)))) == 0
