"""Laws of compressed content: what was written is read, and what is not whole is refused."""

import gzip
import sys

import pytest

from discreet.core.documents import replacing
from discreet.core.errors import InvalidInput, MissingExtra
from discreet.files.compressed import reading, writing

CONTENT = b"a\nb\n" * 9999
NAMES = ["f.txt", "f.txt.gz", "f.txt.zst"]


def write(path):
    with replacing(path) as file, writing(file, path) as packed:
        packed.write(CONTENT)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_written_is_read(tmp_path, name):
    pytest.importorskip("pyarrow")
    write(tmp_path / name)
    with reading(tmp_path / name) as content:
        assert content.read() == CONTENT
    assert ((tmp_path / name).stat().st_size < len(CONTENT) / 10) is (name != "f.txt")


def test_the_same_content_gives_the_same_bytes(tmp_path):
    for name in ("one.gz", "two.gz"):
        write(tmp_path / name)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == CONTENT


@pytest.mark.parametrize(("name", "method"), [("f.gz", "gzip"), ("f.zst", "zstd")])
def test_what_is_not_whole_is_refused(tmp_path, name, method):
    pytest.importorskip("pyarrow")
    write(tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    for broken in (whole[: len(whole) // 2], b"plain text"):
        (tmp_path / name).write_bytes(broken)
        with (
            pytest.raises(InvalidInput, match=f"{name}: is not a complete {method} file"),
            reading(tmp_path / name) as file,
        ):
            file.read()


def test_a_missing_file_is_an_os_error(tmp_path):
    for name in ("f", "f.gz"):
        with pytest.raises(FileNotFoundError), reading(tmp_path / name):
            pass


def test_without_pyarrow_the_install_line_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'discreet\[files\]'"):
        write(tmp_path / "f.zst")
    assert list(tmp_path.iterdir()) == []
    write(tmp_path / "f.gz")  # the control: gzip needs none
