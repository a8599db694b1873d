"""The file of checkpoints: whole lines, durable, and never trusted after a failed sync."""

import errno
from dataclasses import replace

import pytest

from discreet.collector.store.disk import LocalDisk
from discreet.collector.store.sql.checkpoints import LINE_BYTES, MAX_LINES, Checkpoint, CheckpointFile, read_checkpoints

CHECKPOINT = Checkpoint(7, 12, bytes(range(32)), 3, "ab" * 32)


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
    line = CHECKPOINT.line()
    assert len(line) == LINE_BYTES
    assert Checkpoint.of_line(line) == CHECKPOINT
    for at in range(LINE_BYTES):
        for bit in range(8):
            assert Checkpoint.of_line(line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]) is None


def test_checkpoints_are_there_in_their_order_when_read_again(tmp_path):
    file = CheckpointFile.begin(tmp_path / "store.heads", LocalDisk(), CHECKPOINT)
    later = [replace(CHECKPOINT, commits=8 + at) for at in range(5)]
    for each in later:
        file.append(each)
    file.close()
    lines = read_checkpoints(tmp_path / "store.heads", LocalDisk())
    assert lines.checkpoints == (CHECKPOINT, *later)
    assert lines.last == later[-1]
    assert not lines.torn
    assert lines.damaged_lines == []
    assert read_checkpoints(tmp_path / "nothing", LocalDisk()) is None


def test_a_long_file_begins_anew_with_its_last_checkpoint(tmp_path):
    path = tmp_path / "store.heads"
    file = CheckpointFile(path, LocalDisk(), MAX_LINES - 1)
    file.append(CHECKPOINT)
    file.append(replace(CHECKPOINT, commits=9))
    file.append(replace(CHECKPOINT, commits=10))
    file.close()
    assert [each.commits for each in read_checkpoints(path, LocalDisk()).checkpoints] == [9, 10]


def test_a_torn_line_and_a_damaged_one_are_told_apart(tmp_path):
    path = tmp_path / "store.heads"
    path.write_bytes(CHECKPOINT.line() + CHECKPOINT.line()[:100])
    assert (read_checkpoints(path, LocalDisk()).torn, read_checkpoints(path, LocalDisk()).damaged_lines) == (True, [])
    path.write_bytes(CHECKPOINT.line().replace(b"7", b"8") + CHECKPOINT.line())
    assert (read_checkpoints(path, LocalDisk()).torn, read_checkpoints(path, LocalDisk()).damaged_lines) == (False, [1])


def test_after_a_failed_sync_the_next_checkpoint_goes_into_a_new_file(tmp_path):
    path, disk = tmp_path / "store.heads", Failing()
    file = CheckpointFile.begin(path, disk, CHECKPOINT)
    with pytest.raises(OSError, match="Input/output"):
        file.append(replace(CHECKPOINT, commits=8))
    before = path.stat().st_ino
    file.append(replace(CHECKPOINT, commits=9))  # by another file: the old one would fail again
    assert path.stat().st_ino != before
    assert [each.commits for each in read_checkpoints(path, disk).checkpoints] == [9]
    with pytest.raises(OSError, match="Input/output"):
        file.append(replace(CHECKPOINT, commits=10))  # the control: adding to the file is what fails
    file.close()
