"""Laws of Arrow streams in files: cut between two batches, or joined, they are refused."""

import gzip
from contextlib import suppress

import pyarrow as pa
import pytest

from discreet.core.errors import InvalidInput
from discreet.files.arrow import open_column


def rows_of(path):
    return sum(piece.rows for piece in open_column(path).pieces())


@pytest.fixture
def stream(tmp_path):
    """A stream of ten batches of a hundred rows."""
    table = pa.table({"report": pa.array(range(1000), pa.int16())})
    with pa.OSFile(str(tmp_path / "s.ipc"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
    return (tmp_path / "s.ipc").read_bytes()


def test_a_stream_cut_anywhere_is_refused_also_between_two_batches(tmp_path, stream):
    path = tmp_path / "cut.ipc"
    accepted_by_pyarrow = 0
    for cut in range(8, len(stream), 8):
        path.write_bytes(stream[:cut])
        with suppress(pa.ArrowInvalid, OSError):
            accepted_by_pyarrow += len(pa.ipc.open_stream(stream[:cut]).read_all()) >= 0
        with pytest.raises(InvalidInput, match=r"cut\.ipc: cannot be read as Arrow IPC"):
            rows_of(path)
    assert accepted_by_pyarrow == 11  # after the schema, and after each batch
    path.write_bytes(stream)
    assert rows_of(path) == 1000  # the control


@pytest.mark.parametrize("name", ["two.ipc", "two.ipc.gz"])
def test_joined_streams_are_refused_where_the_second_would_be_lost(tmp_path, stream, name):
    pack = gzip.compress if name.endswith(".gz") else bytes
    path = tmp_path / name
    path.write_bytes(pack(stream))
    assert rows_of(path) == 1000
    path.write_bytes(pack(stream) + pack(stream))
    with pytest.raises(InvalidInput, match="the stream goes on after its end; files of streams cannot be joined"):
        rows_of(path)
