"""Power loss, torn writes, failed syncs and full disks: nothing acknowledged is lost, nothing is there twice.

The store runs as it is on a file layer of SQLite (apsw) and files of checkpoints that know what was synced; see
`lossy.py`. A control runs the same with ``synchronous = NORMAL``, which loses.
"""

import errno
import os
import random
import shutil
from contextlib import suppress

import apsw
import pytest

from discreet.checks.store import DAY, collection, upload
from discreet.collector.store.opening import check_place
from discreet.collector.store.protocol import UploadOutcome
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.core.errors import StoreFailed, StoreFull

from .lossy import LossyDisk
from .stores import LONG, numbers, sqlite_in

CUTS = 100 if LONG else 25
"""Images of the disk for each kind of loss."""

INVITED = [bytes([each]) * 32 for each in range(250)]


def labelled(number, rng):
    """An upload that says its number in a label, of one of several sizes, some with an invitation."""
    invitation = INVITED[number] if number < len(INVITED) and number % 3 == 0 else None
    size = rng.choice([0, 1, 3, 3, 3, 200, 6000])
    return upload(number, labels=(("number", str(number)),), count=size, invitation=invitation)


def loaded(folder, disk, rng, *, groups, acknowledged, on_group=lambda store: None):
    """A store that takes groups of uploads, and now and then something else, and notes what was acknowledged."""
    store = sqlite_in(folder, driver=disk, disk=disk)
    store.create(collection(), day=DAY)
    store.invite("c", INVITED)
    number = 0
    for _ in range(groups):
        size = rng.choice([1, 1, 2, 10])
        group = [labelled(number + each, rng) for each in range(size)]
        on_group(store)
        answers = store.add(group)
        acknowledged.extend(number + at for at, each in enumerate(answers) if each.outcome is UploadOutcome.STORED)
        number += size
        if rng.random() < 0.05:
            store.refuse({("c", "closed"): 1})
        if rng.random() < 0.03:
            store.forget(before="2026-01-01")
    return store


def cut(folder, rng, *, pieces, synchronous="FULL"):
    """Images of the disk at random moments, each with what had been acknowledged by then."""
    disk, acknowledged, images = LossyDisk(synchronous=synchronous), [], []

    def before(kind, name):
        if acknowledged and len(images) < CUTS and rng.random() < 0.03:
            place = folder / f"image-{len(images)}"
            place.mkdir()
            disk.image(place, rng if pieces else None)
            images.append((place, len(acknowledged)))

    disk.before = before
    (folder / "running").mkdir()
    store = loaded(folder / "running", disk, rng, groups=4 * CUTS, acknowledged=acknowledged)
    store.shut()
    return [(place, acknowledged[:count]) for place, count in images]


def examine(place, acknowledged):
    """What an image lacks of what was acknowledged, what it has twice, and what its check says."""
    try:
        store = sqlite_in(place)
    except StoreFailed as problem:
        return acknowledged, [], [str(problem)]
    found = numbers(store)
    damage = store.check()
    store.shut()
    shutil.rmtree(place)
    lost = sorted(set(acknowledged) - set(found))
    return lost, [each for each in set(found) if found.count(each) > 1], damage


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [False, True], ids=["only synced bytes survive", "torn pieces of others survive"])
def test_power_loss_at_any_moment_loses_nothing_acknowledged_and_doubles_nothing(tmp_path, pieces):
    images = cut(tmp_path, random.Random(1), pieces=pieces)
    assert len(images) == CUTS
    for place, acknowledged in images:
        assert examine(place, acknowledged) == ([], [], [])


def test_the_control_with_synchronous_normal_loses_and_the_store_says_so(tmp_path):
    images = cut(tmp_path, random.Random(1), pieces=False, synchronous="NORMAL")
    results = [examine(place, acknowledged) for place, acknowledged in images]
    losing = [damage for lost, _, damage in results if lost]
    assert len(losing) > len(images) / 2
    assert all("are not in the database" in damage[0] for damage in losing)  # the checkpoints were synced, and know


def test_the_control_that_acknowledges_before_the_commit_loses(tmp_path):
    """Were an upload acknowledged when it is on its way to the disk, the same images would miss some."""
    disk, noted, lost = LossyDisk(), [], 0
    rng = random.Random(3)
    images = []

    def before(kind, name):
        if kind == "sync" and name.endswith("-wal") and len(images) < 20:
            place = tmp_path / f"image-{len(images)}"
            place.mkdir()
            disk.image(place)
            images.append((place, len(noted)))

    store = sqlite_in(tmp_path, driver=disk, disk=disk)
    store.create(collection(), day=DAY)
    disk.before = before
    for number in range(20):
        noted.append(number)  # before the store was asked
        store.add([upload(number, labels=(("number", str(number)),), count=rng.choice([1, 2000]))])
    store.shut()
    for place, count in images:
        lost += bool(examine(place, noted[:count])[0])
    assert lost == len(images) == 20


# -- syncs that fail ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["-wal", ".heads", "store.db"])
def test_after_a_failed_sync_nothing_acknowledged_is_lost_and_the_store_goes_on(tmp_path, suffix):
    rng = random.Random(5)
    disk, acknowledged, failed, images = LossyDisk(), [], [], []

    def before(kind, name):
        if kind == "sync" and name.endswith(suffix) and rng.random() < 0.2:
            failed.append(name)
            raise OSError(errno.EIO, "Input/output error")
        if failed and len(images) < CUTS and rng.random() < 0.02:
            place = tmp_path / f"image-{len(images)}"
            place.mkdir()
            disk.image(place, rng)
            images.append((place, list(acknowledged)))

    (tmp_path / "running").mkdir()
    store = sqlite_in(tmp_path / "running", driver=disk, disk=disk)
    store.create(collection(), day=DAY)
    store.invite("c", INVITED)
    disk.before = before
    said = set()
    number = 0
    while (number < 300 or len(images) < CUTS) and number < 3000:
        one = labelled(number, rng)
        for _ in range(50):
            try:
                (answer,) = store.add([one])
            except StoreFailed as problem:
                said.add(str(problem).partition(": ")[2])
                continue
            assert answer.outcome in (UploadOutcome.STORED, UploadOutcome.REPEATED)
            acknowledged.append(number)
            break
        number += 1
        if suffix == "store.db" and number % 10 == 0:
            with suppress(apsw.IOError):
                store._writer().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    disk.before = lambda kind, name: None
    assert failed
    assert said <= {"fsync failed", "Input/output error", "disk I/O error"}
    assert said or suffix == "store.db"  # that file is synced by checkpoints, which no sender waits for
    assert store.check() == []
    assert numbers(store) == acknowledged == list(range(number))
    store.shut()
    assert len(images) == CUTS
    for place, known in images:
        lost, doubled, damage = examine(place, known)
        assert (lost, doubled, damage) == ([], [], [])


# -- no room ------------------------------------------------------------------------------------------------


def test_a_full_disk_is_said_loses_nothing_and_is_gone_once_there_is_room(tmp_path):
    disk = LossyDisk()
    store = sqlite_in(tmp_path, driver=disk, disk=disk)
    store.create(collection(), day=DAY)
    acknowledged, full = [], 0
    for number in range(200):
        if number % 20 == 10:
            disk.room = random.Random(number).randrange(60_000)
        one = upload(number, labels=(("number", str(number)),), count=random.Random(number).choice([1, 3000]))
        while True:
            try:
                store.add([one])
            except StoreFull:
                full += 1
                assert store.check() == []
                assert numbers(store) in (acknowledged, [*acknowledged, number])  # its head found no room
                disk.room = None
                continue
            acknowledged.append(number)
            break
    assert full >= 8
    assert numbers(store) == acknowledged == list(range(200))
    store.shut()
    assert check_place(tmp_path / "store.db") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system")
def test_a_full_file_system_is_said_loses_nothing_and_is_gone_once_there_is_room(small):
    store = SQLiteStore(small / "store.db")
    store.create(collection(), day=DAY)
    acknowledged = []

    def send_for_ever():
        for number in range(10_000):
            store.add([upload(number, labels=(("number", str(number)),), count=5000)])
            acknowledged.append(number)

    with pytest.raises(StoreFull, match=r"full|No space"):
        send_for_ever()
    assert len(acknowledged) > 100
    assert store.check() == []
    with pytest.raises(StoreFull):
        store.add([upload(20_000, count=500_000)])
    (small / "ballast").unlink()
    retried = store.add([upload(len(acknowledged), labels=(("number", str(len(acknowledged))),), count=5000)])
    assert retried[0].outcome in (UploadOutcome.STORED, UploadOutcome.REPEATED)
    assert numbers(store) == [*acknowledged, len(acknowledged)]
    assert store.check() == []
    store.shut()


@pytest.fixture
def small(tmp_path):
    """A file system of 4 MB, an eighth of it taken by something else."""
    if os.system(f"mount -t tmpfs -o size=4m tmpfs {tmp_path} 2>/dev/null"):
        pytest.skip("no file system can be mounted here; the disk of SQLite's file layer above is full in its place")
    try:
        (tmp_path / "ballast").write_bytes(bytes(500_000))
        yield tmp_path
    finally:
        os.system(f"umount -l {tmp_path}")
