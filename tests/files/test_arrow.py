"""Laws of columns in Parquet and Arrow files: read in pieces, in order, and written whole or not at all."""

import pytest

from discreet.errors import InvalidInput

pa = pytest.importorskip("pyarrow")

from discreet.files import arrow_columns  # noqa: E402
from discreet.files.arrow import ArrowWriter, open_column  # noqa: E402

NAMES = ["f.parquet", "f.pq", "f.arrow", "f.feather", "f.ipc.gz", "f.arrow.zst"]
FIELD = pa.field("y", pa.int32(), nullable=False, metadata={"who": "we"})
N = 2000


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(arrow_columns, "PIECE", 256)


def write(path, rows=range(N), field=FIELD):
    with ArrowWriter(path, field) as writer:
        for start in range(0, len(rows), 100):
            writer.write(pa.array(rows[start : start + 100], field.type))


def rows_of(column):
    return [row for piece in column.pieces() for row in piece.load().to_pylist()]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_comes_back_in_pieces_with_its_type_and_metadata(tmp_path, name):
    write(tmp_path / name)
    column = open_column(tmp_path / name)
    assert rows_of(column) == rows_of(open_column(tmp_path / name, "y")) == list(range(N))
    assert column.field == FIELD
    assert column.field.metadata[b"who"] == b"we"
    assert column.rows in (N, None)
    sizes = [piece.rows for piece in column.pieces()]
    assert sum(sizes) == N
    assert max(sizes) <= 2 * 256
    assert len(sizes) > 3


@pytest.mark.parametrize("name", NAMES)
def test_bytes_and_no_rows_are_written_too(tmp_path, name):
    write(tmp_path / name, [bytes([i]) * 9 for i in range(250)], pa.field("y", pa.binary()))
    assert rows_of(open_column(tmp_path / name)) == [bytes([i]) * 9 for i in range(250)]
    write(tmp_path / name, [])
    assert rows_of(open_column(tmp_path / name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_writer_whose_block_fails_leaves_nothing(tmp_path, name):
    def fail():
        with ArrowWriter(tmp_path / name, FIELD) as writer:
            writer.write(pa.array([1, 2, 3], pa.int32()))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_what_its_name_says_is_refused(tmp_path, name):
    title = "Parquet" if name in ("f.parquet", "f.pq") else "Arrow IPC"
    (tmp_path / name).write_bytes(b"not at all what it says" * 10)
    with pytest.raises(InvalidInput, match=f"{name}: cannot be read as {title}: "):
        open_column(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        open_column(tmp_path / f"no-{name}")


def test_parquet_is_compressed_inside_and_not_around(tmp_path):
    with pytest.raises(
        InvalidInput, match=r"f\.parquet\.gz: Parquet is compressed inside; its name must not end in \.gz"
    ):
        write(tmp_path / "f.parquet.gz")
    (tmp_path / "f.pq.zst").write_bytes(b"")
    with pytest.raises(InvalidInput, match=r"its name must not end in \.zst"):
        open_column(tmp_path / "f.pq.zst")


@pytest.mark.parametrize("name", ["f.parquet", "f.arrow"])
def test_one_of_several_columns_is_chosen_by_name(tmp_path, name):
    table = pa.table([["a"], ["b"], ["c"], ["d"]], names=["x", "y", "z", "z"])
    if name == "f.parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, tmp_path / name)
    else:
        with pa.OSFile(str(tmp_path / name), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    assert rows_of(open_column(tmp_path / name, "y")) == ["b"]
    with pytest.raises(InvalidInput, match=f"{name}: a column must be chosen; there are x, y, z, z"):
        open_column(tmp_path / name)
    with pytest.raises(InvalidInput, match="column 'w' is missing; the columns are x, y, z, z"):
        open_column(tmp_path / name, "w")
    with pytest.raises(InvalidInput, match="column 'z' appears twice"):
        open_column(tmp_path / name, "z")
