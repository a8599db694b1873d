"""Laws of files that appear whole or not at all."""

import os
import stat

import pytest

from discreet.files.atomic import replacing


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


def test_an_impossible_place_is_named_as_given(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "none" / "f"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / "f")
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass
