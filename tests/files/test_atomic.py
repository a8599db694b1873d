"""Laws of files that appear whole or not at all."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from discreet.core import documents
from discreet.core.documents import replacing


def test_nothing_stands_under_the_name_before_the_end(tmp_path):
    with replacing(tmp_path / "f") as file:
        file.write(b"half")
        file.flush()
        assert not (tmp_path / "f").exists()
        assert len(list(tmp_path.iterdir())) == 1  # the control: it is being written beside it
    assert (tmp_path / "f").read_bytes() == b"half"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failing_rename_leaves_no_trace(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"), replacing(tmp_path / "f") as file:
        file.write(b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_a_device_is_written_and_not_replaced():
    before = os.stat("/dev/null").st_mode
    with replacing("/dev/null") as file:
        file.write(b"x")
    assert os.stat("/dev/null").st_mode == before
    assert stat.S_ISCHR(before)


def test_a_pipe_is_written_whatever_its_name_leads_to():
    out, into = os.pipe()
    with os.fdopen(out, "rb") as reader:
        with os.fdopen(into, "wb"), replacing(f"/dev/fd/{into}") as file:
            file.write(b"reports")
        assert reader.read() == b"reports"


def test_an_impossible_place_is_named_as_given(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "none" / "f"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / "f")
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass


# -- what killed runs leave ---------------------------------------------------------------------------

WRITE = """
import sys
from discreet.core.documents import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
"""
posix = pytest.mark.skipif(os.name != "posix", reason="locks and kills")


def begin(path):
    """Another process in the middle of writing the file."""
    running = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout.readline() == "writing\n"
    return running


def kill(running):
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert running.returncode == -signal.SIGKILL


@posix
def test_what_a_killed_run_left_is_removed_by_the_next_and_a_live_run_is_left_alone(tmp_path):
    target = tmp_path / "f"
    dead, alive = begin(target), begin(target)
    assert len(list(tmp_path.iterdir())) == 2  # a second run leaves the draft of the first, which is alive
    kill(dead)
    with replacing(target) as file:
        file.write(b"mine")
        assert len(list(tmp_path.iterdir())) == 2  # this one and the live one
    assert target.read_bytes() == b"mine"
    alive.communicate("\n")
    assert alive.returncode == 0
    assert target.read_bytes() == b"half"
    assert list(tmp_path.iterdir()) == [target]


@posix
def test_nothing_but_drafts_of_the_same_target_is_removed(tmp_path):
    kill(begin(tmp_path / "g"))
    others = [
        ".f.part",
        ".f.0123456.part",
        ".f.0123abcg.part",
        "f.0123abcd.part",
        ".ff.0123abcd.part",
        ".fx01234567.part",
    ]
    for name in others:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".f.00000000.part").symlink_to("outside")
    (tmp_path / ".f.00000001.part").mkdir()
    os.mkfifo(tmp_path / ".f.00000002.part")
    (tmp_path / ".f.00000003.part").write_bytes(b"stale")
    before = {entry.name for entry in tmp_path.iterdir()}
    with replacing(tmp_path / "f"):
        pass
    assert {entry.name for entry in tmp_path.iterdir()} == before - {".f.00000003.part"} | {"f"}


@posix
def test_a_draft_that_is_taken_away_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    """Another run that comes between the making and the locking takes the draft for a stale one."""
    real, calls = documents.fcntl.flock, []

    def slow(file, how):
        if not calls:
            (draft,) = tmp_path.iterdir()
            draft.unlink()
        calls.append(how)
        real(file, how)

    monkeypatch.setattr(documents.fcntl, "flock", slow)
    with replacing(tmp_path / "f") as file:
        file.write(b"whole")
    assert (tmp_path / "f").read_bytes() == b"whole"
    assert len(calls) == 2


def test_where_nothing_can_be_locked_nothing_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "fcntl", None)
    (tmp_path / ".f.00000003.part").write_bytes(b"perhaps in use")
    with replacing(tmp_path / "f") as file:
        file.write(b"whole")
    assert (tmp_path / "f").read_bytes() == b"whole"
    assert (tmp_path / ".f.00000003.part").exists()
