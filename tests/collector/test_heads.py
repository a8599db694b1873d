"""The file of heads: whole lines, durable, and never trusted after a failed sync."""

import errno
from dataclasses import replace

import pytest

from discreet.collector.store.disk import LocalDisk
from discreet.collector.store.heads import LINE, MOST, Head, Heads, read_heads

HEAD = Head(7, 12, bytes(range(32)), 3, "ab" * 32)


class Failing(LocalDisk):
    """A disk whose files cannot be synced, but replaced."""

    def __init__(self):
        self.failing = True

    def append(self, path):
        file, disk = super().append(path), self

        class File:
            write, close = file.write, file.close

            def sync(self):
                if disk.failing:
                    raise OSError(errno.EIO, "Input/output error")

        return File()


def test_a_line_says_what_was_kept_and_nothing_else_is_a_line():
    line = HEAD.line()
    assert len(line) == LINE
    assert Head.of_line(line) == HEAD
    for at in range(LINE):
        for bit in range(8):
            assert Head.of_line(line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]) is None


def test_heads_are_there_in_their_order_when_read_again(tmp_path):
    heads = Heads.begin(tmp_path / "heads", LocalDisk(), HEAD)
    later = [replace(HEAD, commits=8 + at) for at in range(5)]
    for head in later:
        heads.keep(head)
    heads.shut()
    lines = read_heads(tmp_path / "heads", LocalDisk())
    assert lines.heads == (HEAD, *later)
    assert lines.last == later[-1]
    assert not lines.torn
    assert lines.damaged == []
    assert read_heads(tmp_path / "nothing", LocalDisk()) is None


def test_a_long_file_begins_anew_with_its_last_head(tmp_path):
    path = tmp_path / "heads"
    heads = Heads(path, LocalDisk(), MOST - 1)
    heads.keep(HEAD)
    heads.keep(replace(HEAD, commits=9))
    heads.keep(replace(HEAD, commits=10))
    heads.shut()
    assert [head.commits for head in read_heads(path, LocalDisk()).heads] == [9, 10]


def test_a_torn_line_and_a_damaged_one_are_told_apart(tmp_path):
    path = tmp_path / "heads"
    path.write_bytes(HEAD.line() + HEAD.line()[:100])
    assert (read_heads(path, LocalDisk()).torn, read_heads(path, LocalDisk()).damaged) == (True, [])
    path.write_bytes(HEAD.line().replace(b"7", b"8") + HEAD.line())
    assert (read_heads(path, LocalDisk()).torn, read_heads(path, LocalDisk()).damaged) == (False, [1])


def test_after_a_failed_sync_the_next_head_goes_into_a_new_file(tmp_path):
    path, disk = tmp_path / "heads", Failing()
    heads = Heads.begin(path, disk, HEAD)
    with pytest.raises(OSError, match="Input/output"):
        heads.keep(replace(HEAD, commits=8))
    before = path.stat().st_ino
    heads.keep(replace(HEAD, commits=9))  # by another file: the old one would fail again
    assert path.stat().st_ino != before
    assert [head.commits for head in read_heads(path, disk).heads] == [9]
    with pytest.raises(OSError, match="Input/output"):
        heads.keep(replace(HEAD, commits=10))  # the control: adding to the file is what fails
    heads.shut()
