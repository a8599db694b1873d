"""Laws of the pipe: what it holds is seen from its first bytes, and read like the file it came from."""

import gzip
import io
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.core.errors import InvalidInput
from discreet.files import sources
from discreet.files.arrow import open_column
from discreet.files.sources import source_of
from discreet.files.text_reader import read_values

TABLE = pa.table({"id": range(1000), "place": [f"v{i % 7}" for i in range(1000)]})


class Dribble(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, data):
        self.rest = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.rest.read(min(3, len(buffer)))
        buffer[: len(data)] = data
        return len(data)


@pytest.fixture
def piped(monkeypatch):
    def put(data, *, slowly=False):
        stream = io.BufferedReader(Dribble(data)) if slowly else io.BytesIO(data)
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
        return stream

    return put


def written(kind):
    sink = io.BytesIO()
    if kind == "Parquet":
        pq.write_table(TABLE, sink, row_group_size=100)
    else:
        with (pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)(sink, TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=100)
    return sink.getvalue()


@pytest.mark.parametrize("slowly", [False, True])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("kind", ["Parquet", "file", "stream"])
def test_parquet_and_arrow_are_read_from_a_pipe(piped, kind, pack, slowly):
    stream = piped(pack(written(kind)), slowly=slowly)
    source = source_of("-")
    assert source.format.title == ("Parquet" if kind == "Parquet" else "Arrow IPC")
    for _ in range(2):  # as often as it takes
        column = open_column(source, "place")
        assert [row for piece in column.pieces() for row in piece.load().to_pylist()] == TABLE["place"].to_pylist()
    assert column.path == "standard input"
    assert column.rows == (1000 if kind == "Parquet" else None)
    assert not stream.closed


@pytest.mark.parametrize("slowly", [False, True])
@pytest.mark.parametrize(
    ("data", "column", "entries"),
    [
        (b"", None, []),
        (b"a", None, ["a"]),
        (b"PAR\nARROW\n", None, ["PAR", "ARROW"]),
        (b"\xef\xbb\xbfa\r\nb", None, ["a", "b"]),
        (gzip.compress(b"a\nb\n", mtime=0) + gzip.compress(b"c\n", mtime=0), None, ["a", "b", "c"]),
        (gzip.compress(b"k,v\n1,2\n", mtime=0), "v", ["2"]),
        (b'{"k": 1}\n', "k", ["1"]),
    ],
)
def test_text_is_read_as_it_comes(piped, data, column, entries, slowly):
    stream = piped(data, slowly=slowly)
    assert [entry for chunk in read_values("-", column) for entry in chunk] == entries
    assert not stream.closed


def test_zstandard_is_unpacked(piped):
    packed = pa.compress(b"a\nb\n", "zstd", asbytes=True)
    piped(packed)
    assert [entry for chunk in read_values("-") for entry in chunk] == ["a", "b"]


def test_a_delimiter_makes_it_csv(piped):
    piped(b"k;v\n1;2\n")
    source = source_of("-", delimiter=";")
    assert [entry for chunk in read_values(source, "v") for entry in chunk] == ["2"]


@pytest.mark.parametrize("data", [gzip.compress(b"a\n" * 9999, mtime=0)[:-9], b"\x1f\x8bplain"])
def test_a_broken_pipe_is_named(piped, data):
    piped(data)
    with pytest.raises(InvalidInput, match="standard input: is not a complete gzip file"):
        list(read_values("-"))


@pytest.mark.parametrize("data", [b"PAR1 and then something else", written("Parquet")[:-100], b"ARROW1\0\0"])
def test_what_only_begins_like_parquet_or_arrow_is_refused(piped, data):
    piped(data)
    with pytest.raises(InvalidInput, match=r"standard input: cannot be read as (Parquet|Arrow IPC)"):
        open_column(source_of("-"), "place")


def test_no_more_is_kept_than_the_bound(piped, monkeypatch):
    data = written("Parquet")
    monkeypatch.setattr(sources, "MAX_PIPE_BYTES", len(data))
    piped(data)
    assert open_column(source_of("-"), "place").rows == 1000  # the control
    monkeypatch.setattr(sources, "MAX_PIPE_BYTES", len(data) - 1)
    piped(data)
    with pytest.raises(InvalidInput, match=r"standard input: more than .* bytes of Parquet; give them as a file"):
        source_of("-")


def test_wide_text_is_refused(piped):
    piped("n1\n".encode("utf-16"))
    with pytest.raises(InvalidInput, match="standard input: must be UTF-8 text, not UTF-16"):
        list(read_values("-"))
