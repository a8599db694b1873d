"""A copy that is restored on the command line is the store it was made of; nothing is replaced, no damage restored."""

import os
import subprocess
import sys

import psycopg
import pytest
from click.testing import CliRunner

from discreet.checks.store import everything, fill, upload
from discreet.cli import main
from discreet.collector.store.disk import DraftFolder, LocalDisk
from discreet.collector.store.opening import open_store

from .stores import server


def discreet(*words):
    """The exit code, the output and the error of a command."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(params=["sqlite", "postgres"])
def places(request, tmp_path):
    """The addresses of a store and of one to be made of its copy, each with a folder for its checkpoints."""
    if request.param == "sqlite":
        yield [(tmp_path / name, tmp_path) for name in ("store.db", "new.db")]
        return
    names = [f"{kind}_{os.getpid()}" for kind in ("first", "second")]
    with psycopg.connect(server().get_uri(), autocommit=True) as db:
        for name in names:
            db.execute(f"CREATE DATABASE {name}")
        address = server().get_uri()
        yield [(address.replace("/postgres?", f"/{name}?"), tmp_path / name) for name in names]
        for name in names:
            db.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_store_is_backed_up_restored_and_checked(places, tmp_path):
    (place, heads), (new, new_heads) = places
    store = open_store(str(place), checkpoints=heads)
    fill(store)
    before = everything(store)
    copied = discreet("serve", "--store", place, "--heads", heads, "--backup", tmp_path / "copy")
    assert copied == (0, f"The store was copied to {tmp_path / 'copy'}.\n", "")
    store.add([upload(8)])
    store.shut()
    code, said, _ = discreet("restore", tmp_path / "copy", new, "--heads", new_heads)
    assert (code, said.startswith("The store "), "@" in said) == (0, True, False)
    code, said, _ = discreet("serve", "--store", new, "--heads", new_heads, "--check")
    assert (code, said.startswith("The store is whole")) == (0, True)
    restored = open_store(str(new), checkpoints=new_heads)
    assert everything(restored) == before
    restored.shut()
    code, _, said = discreet("restore", tmp_path / "copy", new, "--heads", tmp_path / "none")
    assert (code, "is there already; a copy replaces nothing" in said) == (2, True)


def test_a_damaged_copy_is_not_restored(places, tmp_path):
    (place, heads), (new, new_heads) = places
    store = open_store(str(place), checkpoints=heads)
    fill(store)
    with store._change() as change:
        change.db.execute("UPDATE upload SET answer = 'another' WHERE answer IS NOT NULL")
        change.changed = True
    store.back_up(tmp_path / "copy")
    store.shut()
    code, _, said = discreet("restore", tmp_path / "copy", new, "--heads", new_heads)
    assert code == 2
    assert "upload at position 2: its content is not what was hashed" in said
    (tmp_path / "copy").write_bytes(b"something else")
    code, _, said = discreet("restore", tmp_path / "copy", new, "--heads", new_heads)
    assert code == 2
    assert "copy is no" in said
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".part") or path.name.startswith("new.db")]


def test_checkpoints_of_another_state_are_not_written_over(tmp_path):
    (tmp_path / "copy").write_bytes(b"")
    (tmp_path / "lane-0.heads").write_bytes(b"")
    code, _, said = discreet("restore", tmp_path / "copy", "postgresql://host/name", "--heads", tmp_path)
    assert (code, "lane-0.heads is of another state of the store" in said) == (2, True)


# -- drafts -------------------------------------------------------------------------------------------------

KILLED = """
import os, sys
from pathlib import Path
from discreet.collector.store.disk import DraftFolder
folder = DraftFolder(Path(sys.argv[1])).path()
(folder / "half.parquet").write_bytes(b"reports")
print(folder, flush=True)
os.kill(os.getpid(), 9)
"""


def test_drafts_of_a_killed_process_are_removed_when_the_next_one_starts(tmp_path):
    place = tmp_path / "store.db"
    alive = DraftFolder(place)
    (alive.path() / "other.parquet").write_bytes(b"reports")
    done = subprocess.run([sys.executable, "-c", KILLED, str(place)], stdout=subprocess.PIPE, text=True)
    assert (tmp_path / done.stdout.strip() / "half.parquet").exists()  # the control
    started = DraftFolder(place)
    assert sorted(path.name for path in tmp_path.rglob("*.parquet")) == ["other.parquet"]  # a running one keeps its own
    started.remove()
    alive.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_its_name_is_removed_and_one_that_is_being_made_is_made_again(tmp_path, monkeypatch):
    place, lock, locked = tmp_path / "store.db", LocalDisk.lock, []
    (tmp_path / "store.db.new-drafts-left").mkdir()  # its process was killed before it locked it

    def started_before(self, path):
        locked.append(path.parent.name)
        if len(locked) == 2:  # a process starts while the folder has no lock yet, and takes it for one that is left
            DraftFolder(place)
        return lock(self, path)

    monkeypatch.setattr(LocalDisk, "lock", started_before)
    made = DraftFolder(place)
    assert locked == ["store.db.new-drafts-left"]
    assert list(tmp_path.iterdir()) == []
    path = made.path()
    assert locked[1] == locked[2] != locked[3]
    assert list(tmp_path.iterdir()) == [path]
    assert (path / "lock").exists()
    DraftFolder(place)  # one that has its name is left alone
    assert path.exists()
    made.remove()


def test_an_export_is_written_beside_the_store_and_gone_when_it_was_sent(make, tmp_path):
    service = make()
    name = service.made(minimum=1)
    service.send(name, [0])
    assert service.get(f"/collections/{name}/export", role="analyst").status == 200
    (folder,) = tmp_path.glob("discreet.db.drafts-*")
    assert [path.name for path in folder.iterdir()] == ["lock"]
    service.service.drafts.remove()
    assert list(tmp_path.iterdir()) == []
