"""Laws of Parquet: row groups go together while they are small, and are read batch by batch when they are large."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.files import arrow
from discreet.files.arrow import open_column

N = 5000


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(arrow, "PIECE", 256)


@pytest.mark.parametrize("size", [10, 300, 4 * 256, 4 * 256 + 1, N])
def test_pieces_are_bounded_whatever_the_row_groups_are(tmp_path, size):
    pq.write_table(pa.table({"place": range(N)}), tmp_path / "f.parquet", row_group_size=size)
    column = open_column(tmp_path / "f.parquet")
    sizes = [piece.rows for piece in column.pieces()]
    assert max(sizes) <= 4 * 256
    assert sum(sizes) == column.rows == N
    assert [row for piece in column.pieces() for row in piece.load().to_pylist()] == list(range(N))


def test_text_comes_as_a_dictionary(tmp_path):
    pq.write_table(pa.table({"place": ["a", "b", "a"]}), tmp_path / "f.parquet")
    (piece,) = open_column(tmp_path / "f.parquet").pieces()
    assert pa.types.is_dictionary(piece.load().type)
    assert piece.load().to_pylist() == ["a", "b", "a"]


def test_whole_numbers_take_as_few_bits_as_they_need(tmp_path):
    from discreet.files.arrow import arrow_writer

    with arrow_writer(tmp_path / "f.parquet", pa.field("y", pa.int64(), nullable=False)) as write:
        write(pa.array(range(N)))
    assert "DELTA_BINARY_PACKED" in pq.read_metadata(tmp_path / "f.parquet").row_group(0).column(0).encodings
    assert (tmp_path / "f.parquet").stat().st_size < N
