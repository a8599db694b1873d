"""Laws of columns in Parquet and Arrow files: read in pieces, in order, and written whole or not at all."""

import pyarrow as pa
import pytest

from discreet.core.errors import InvalidInput
from discreet.files import arrow
from discreet.files.arrow import arrow_writer, check_alike, open_column

NAMES = ["f.parquet", "f.pq", "f.arrow", "f.feather", "f.ipc.gz", "f.arrow.zst"]
FIELD = pa.field("y", pa.int32(), nullable=False, metadata={"who": "we"})
N = 2000


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(arrow, "PIECE", 256)


def write(path, rows=range(N), field=FIELD):
    with arrow_writer(path, field) as write:
        for start in range(0, len(rows), 100):
            write(pa.array(rows[start : start + 100], field.type))


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
        with arrow_writer(tmp_path / name, FIELD) as write:
            write(pa.array([1, 2, 3], pa.int32()))
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
    with pytest.raises(
        InvalidInput,
        match=f"{name}: a column must be chosen, by column=NAME or --column NAME; the columns are x, y, z, z",
    ):
        open_column(tmp_path / name)
    with pytest.raises(InvalidInput, match="column 'w' is missing; the columns are x, y, z, z"):
        open_column(tmp_path / name, "w")
    with pytest.raises(InvalidInput, match="column 'z' appears twice"):
        open_column(tmp_path / name, "z")


def test_a_column_whose_name_is_no_text_is_refused(tmp_path):
    table = pa.table({"\u00e9\u00e9\u00e9": [1, 2]})
    with pa.ipc.new_file(tmp_path / "f.arrow", table.schema) as writer:
        writer.write(table)
    content = (tmp_path / "f.arrow").read_bytes()
    (tmp_path / "f.arrow").write_bytes(content.replace("\u00e9\u00e9\u00e9".encode(), b"\xff\xfe\xff\xfe\xff\xfe"))
    with pytest.raises(InvalidInput, match=r"f\.arrow: cannot be read as Arrow IPC"):
        open_column(tmp_path / "f.arrow")


def parquet(path, table):
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, row_group_size=300)


def test_the_name_of_a_folder_is_a_column_with_one_value(tmp_path):
    parquet(tmp_path / "city=New%20York" / "a.parquet", pa.table({"x": range(1000)}))
    parquet(tmp_path / "city=__HIVE_DEFAULT_PARTITION__" / "a.parquet", pa.table({"x": range(3)}))
    column = open_column(tmp_path / "city=New%20York" / "a.parquet", "city")
    assert (column.field.name, column.rows) == ("city", 1000)
    assert max(piece.rows for piece in column.pieces()) <= 2 * 300
    assert rows_of(column) == ["New York"] * 1000
    assert rows_of(open_column(tmp_path / "city=__HIVE_DEFAULT_PARTITION__" / "a.parquet", "city")) == [None] * 3
    assert rows_of(open_column(tmp_path / "city=New%20York" / "a.parquet")) == list(range(1000))  # the only one inside
    write(tmp_path / "city=New%20York" / "b.arrow")
    assert rows_of(open_column(tmp_path / "city=New%20York" / "b.arrow", "city")) == ["New York"] * N


@pytest.mark.parametrize("size", [300, 5000])
def test_columns_are_kept_beside_the_name_of_a_folder(tmp_path, size):
    import pyarrow.parquet as pq

    (tmp_path / "city=oslo").mkdir()
    table = pa.table({"x": range(5000), "y": [str(i) for i in range(5000)]})
    pq.write_table(table, tmp_path / "city=oslo" / "a.parquet", row_group_size=size)
    column = open_column(tmp_path / "city=oslo" / "a.parquet", "city", keep=["y", "x"])
    assert [field.name for field in column.keep] == ["y", "x"]
    assert rows_of(column) == ["oslo"] * 5000
    kept = [piece.kept() for piece in column.pieces()]
    assert [row for part in kept for row in part[0].to_pylist()] == table["y"].to_pylist()
    assert [row for part in kept for row in part[1].to_pylist()] == table["x"].to_pylist()


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
@pytest.mark.parametrize("keep", [["city"], ["city", "y"], ["y", "day", "city"]], ids=str)
def test_the_names_of_folders_are_kept_beside_a_column(tmp_path, name, keep):
    folder = tmp_path / "city=New%20York" / "day=__HIVE_DEFAULT_PARTITION__"
    folder.mkdir(parents=True)
    with arrow_writer(folder / name, pa.field("x", pa.int64()), pa.field("y", pa.int8())) as write:
        for _ in range(10):
            write(pa.array(range(100)), pa.array(range(100), pa.int8()))
    column = open_column(folder / name, "x", keep=keep)
    assert [(field.name, field.type) for field in column.keep] == [
        (name, pa.int8() if name == "y" else pa.string()) for name in keep
    ]
    assert rows_of(column) == [*range(100)] * 10
    expected = {"city": ["New York"] * 1000, "day": [None] * 1000, "y": [*range(100)] * 10}
    pieces = list(column.pieces())
    kept = {one: [row for p in pieces for row in p.kept()[place].to_pylist()] for place, one in enumerate(keep)}
    assert kept == {one: expected[one] for one in keep}
    assert all(len(part) == piece.rows for piece in pieces for part in piece.kept())
    with pytest.raises(InvalidInput, match="column 'land' is missing"):
        open_column(folder / name, "x", keep=["city", "land"])


def test_a_column_inside_a_file_is_kept_before_its_folder(tmp_path):
    parquet(tmp_path / "city=oslo" / "a.parquet", pa.table({"x": [1, 2], "city": ["rome", "bern"]}))
    (piece,) = open_column(tmp_path / "city=oslo" / "a.parquet", "x", keep=["city"]).pieces()
    assert [part.to_pylist() for part in piece.kept()] == [["rome", "bern"]]


def test_a_column_inside_a_file_comes_before_its_folder(tmp_path):
    parquet(tmp_path / "city=oslo" / "a.parquet", pa.table({"city": ["rome", "bern"]}))
    assert rows_of(open_column(tmp_path / "city=oslo" / "a.parquet", "city")) == ["rome", "bern"]


def test_a_file_without_columns_does_not_say_how_many_people_there_are(tmp_path):
    parquet(tmp_path / "city=oslo" / "a.parquet", pa.table({}))
    with pytest.raises(InvalidInput, match=r"a\.parquet: has no column, so it does not say how many rows it has"):
        open_column(tmp_path / "city=oslo" / "a.parquet", "city")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ({"x": [1]}, {"x": pa.array([1], pa.int8())}, True),
        ({"x": [1]}, {"x": [1.0]}, True),
        ({"x": ["a"]}, {"x": pa.array(["a"], pa.large_string()).dictionary_encode()}, True),
        ({"x": ["a"]}, {"x": pa.nulls(2)}, True),
        ({"x": pa.nulls(1)}, {"x": ["a"]}, True),
        ({"x": ["a"]}, {"x": [1]}, False),
        ({"x": [True]}, {"x": [1]}, False),
        ({"x": ["a"]}, {"y": ["a"]}, False),
        ({"x": [b"a"]}, {"x": ["a"]}, False),
    ],
)
def test_files_that_are_read_together_have_one_kind_of_column(tmp_path, one, other, alike):
    parquet(tmp_path / "one.parquet", pa.table(one))
    parquet(tmp_path / "two.parquet", pa.table(other))
    columns = [open_column(tmp_path / name) for name in ("one.parquet", "two.parquet")]
    if alike:
        check_alike(columns)
        return
    with pytest.raises(InvalidInput, match=r"two\.parquet: column '.' of type .* differs from column 'x' .* in .*one"):
        check_alike(columns)
