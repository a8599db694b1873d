"""Files beside the database."""

import pytest

from discreet.collector.store.disk import LocalDisk
from discreet.core.errors import StoreFailed


def test_files_are_added_to_replaced_and_read(tmp_path):
    disk, path = LocalDisk(), tmp_path / "file"
    assert disk.read(path) is None
    for part in (b"one", b"two"):
        file = disk.append(path)
        file.write(part)
        file.sync()
        file.close()
    assert disk.read(path) == b"onetwo"
    disk.replace(path, b"three")
    assert disk.read(path) == b"three"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_lock_is_held_by_one_until_it_is_closed(tmp_path):
    disk = LocalDisk()
    held = disk.lock(tmp_path / "lock")
    with pytest.raises(StoreFailed, match="another process"):
        disk.lock(tmp_path / "lock")
    held.close()
    disk.lock(tmp_path / "lock").close()
