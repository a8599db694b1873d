"""A world of senders, retries, crashes, failing disks and a clock that jumps, drawn from a seed and run step by step.

`simulate(events, folder)` runs a list of events against the store on a disk that loses, and holds it against a model: a
dictionary of what was acknowledged. `shrunk` finds the few events of a failing run that fail as well.
"""

import errno
import random
import shutil
from datetime import date, timedelta
from pathlib import Path

from discreet.checks.store import DAY, collection, upload
from discreet.collector.store.protocol import UploadOutcome
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.core.errors import StoreFailed

from .lossy import LossyDisk

START = date.fromisoformat(DAY)
INVITED = [bytes([each]) * 32 for each in range(100)]


def events_of(seed, length=60):
    """What happens, from a seed."""
    rng = random.Random(seed)
    kinds = (
        ["send"] * 12
        + ["again"] * 5
        + ["crash"] * 3
        + ["cut"] * 3
        + ["clock"] * 2
        + ["sync", "full", "forget", "close", "mix"]
    )
    return [(rng.choice(kinds), rng.randrange(1 << 30)) for _ in range(length)]


class World:
    """The store as it runs, the senders, the clock, and what the store must hold."""

    def __init__(self, folder, kind):
        self.folder, self.kind, self.lives = Path(folder), kind, 0
        self.today, self.sent, self.unsure = START, 0, {}
        self.kept, self.forgotten, self.gone = {}, {}, set()
        self.start(None)
        self.store.create(collection(), day=DAY)
        self.store.invite("c", INVITED)

    def start(self, image):
        """The store on what is left of the disk."""
        self.lives += 1
        place = self.folder / f"life-{self.lives}"
        place.mkdir()
        if image is not None:
            for path in image.iterdir():
                shutil.copy(path, place)
        self.disk = LossyDisk()
        self.disk.adopt(place)
        self.place, self.image = place, None
        self.store = self.kind(place / "store.db", driver=self.disk, disk=self.disk)

    def upload(self, number):
        invitation = INVITED[number] if number % 4 == 0 and number < len(INVITED) else None
        size = [1, 3, 700][number % 3]
        labels = (("number", str(number)),)
        fixed = upload(number, labels=labels, count=size, invitation=invitation)
        return type(fixed)(**{**vars(fixed), "day": self.today.isoformat()})

    # -- events -----------------------------------------------------------------------------------------

    def send(self, draw):
        count = 1 + draw % 5
        self.deliver(range(self.sent, self.sent + count))
        self.sent += count

    def again(self, draw):
        if self.sent:
            self.deliver([draw % self.sent, draw // 7 % self.sent, draw // 31 % self.sent])

    def deliver(self, numbers):
        """Send uploads; what is acknowledged is noted, and what is not may be there or not."""
        uploads = [self.upload(number) for number in dict.fromkeys(numbers)]
        numbers = list(dict.fromkeys(numbers))
        self.gone -= set(numbers)
        try:
            answers = self.store.add(uploads)
        except StoreFailed:
            answers = [None] * len(uploads)
        for number, one, answer in zip(numbers, uploads, answers, strict=True):
            if answer is None or self.image is not None:
                self.unsure.setdefault(number, set()).add(one.day)
                continue
            if answer.outcome is UploadOutcome.CLOSED:
                assert self.closed, "closed without having been closed"
                continue
            known = number in self.kept
            allowed = {UploadOutcome.REPEATED} if known else {UploadOutcome.STORED, UploadOutcome.REPEATED}
            if number in self.unsure or number in self.forgotten:
                allowed = {UploadOutcome.STORED, UploadOutcome.REPEATED, UploadOutcome.NOT_INVITED}
            assert answer.outcome in allowed, f"upload {number}: {answer.outcome}"
            if answer.outcome is not UploadOutcome.NOT_INVITED and not known:
                assert answer.outcome is UploadOutcome.STORED or number in self.unsure, (
                    f"upload {number} was never stored"
                )
                self.kept[number] = {one.day} if answer.outcome is UploadOutcome.STORED else self.unsure[number]

    closed = False

    def crash(self, draw):
        """The power goes between two steps."""
        rng = random.Random(draw)
        self.lose(rng)
        self.restart()

    def cut(self, draw):
        """The power goes in the middle of what comes next."""
        rng = random.Random(draw)
        wait = [draw % 40]

        def before(kind, name):
            wait[0] -= 1
            if wait[0] == 0 and self.image is None:
                self.lose(rng)

        self.disk.before = before
        self.send(draw)
        if draw % 3 == 0:
            self.forget(draw)
        if draw % 3 == 1:
            self.mix(draw)
        self.again(draw)
        if self.image is None:
            self.lose(rng)
        self.restart()

    def lose(self, rng):
        self.image = self.folder / f"image-{self.lives}"
        self.image.mkdir()
        self.disk.image(self.image, rng if rng.random() < 0.7 else None)

    def restart(self):
        self.disk.before = lambda kind, name: None
        self.store.shut()
        self.start(self.image)
        self.examine()

    def clock(self, draw):
        self.today += timedelta(days=draw % 9 - 4)

    def sync(self, draw):
        """A sync fails, once."""
        wait = [draw % 4]

        def before(kind, name):
            if kind == "sync":
                wait[0] -= 1
                if wait[0] == 0:
                    raise OSError(errno.EIO, "Input/output error")

        self.disk.before = before
        self.send(draw)
        self.disk.before = lambda kind, name: None

    def full(self, draw):
        self.disk.room = draw % 30_000
        self.send(draw)
        self.disk.room = None

    def forget(self, draw):
        before = (self.today - timedelta(days=draw % 6)).isoformat()
        self.store.forget(before=before)
        for number, days in list(self.kept.items()):
            if min(days) < before:
                self.forgotten[number] = self.kept.pop(number)
                if max(days) >= before or self.image is not None:  # it may be there still
                    self.unsure.setdefault(number, set()).update(days)
                elif number not in self.unsure:
                    self.gone.add(number)
        for number in self.unsure:
            self.forgotten.setdefault(number, self.unsure[number])

    def mix(self, draw):
        self.store.mix()

    def close(self, draw):
        if draw % 8 == 0:
            self.store.close("c", day=DAY)
            self.closed = True

    # -- the law ----------------------------------------------------------------------------------------

    def examine(self):
        """The store holds what the model says, once, on a day it was sent, and nothing that was never sent."""
        assert self.store.check() == []
        found = {}
        for batch in self.store.batches("c"):
            number = int(batch.labels[0][1])
            assert number not in found, f"upload {number} is there twice"
            assert batch.reports == self.upload(number).reports, f"upload {number} has other reports"
            found[number] = batch.day
        for number, days in self.kept.items():
            assert number in found, f"upload {number} was acknowledged and is lost"
            assert found[number] in days, f"upload {number} is of {found[number]}"
        extra = found.keys() - self.kept.keys() - self.unsure.keys() - self.forgotten.keys()
        assert not extra, f"uploads {sorted(extra)} were never acknowledged nor unsure"
        assert not self.gone & found.keys(), f"uploads {sorted(self.gone & found.keys())} were forgotten and are there"
        total, spent = self.store.invitations("c")
        invited = [number for number in found if number % 4 == 0 and number < len(INVITED)]
        assert total == len(INVITED)
        assert spent >= len(invited)
        assert self.forgotten or spent == len(invited), "an invitation was spent without its upload"


def simulate(events, folder, kind=SQLiteStore):
    """Run events; `AssertionError` says what broke."""
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    world = World(folder, kind)
    try:
        for name, draw in events:
            getattr(world, name)(draw)
        world.examine()
    finally:
        world.store.shut()
        shutil.rmtree(folder, ignore_errors=True)


def fails(events, folder, kind):
    try:
        simulate(events, folder, kind)
    except AssertionError as problem:
        return str(problem).partition("\n")[0]
    return None


def shrunk(events, folder, kind):
    """A short list of the events that fails too, and how."""
    events, size = list(events), len(events) // 2
    while size:
        at = 0
        while at < len(events):
            fewer = events[:at] + events[at + size :]
            if fails(fewer, folder, kind):
                events = fewer
            else:
                at += size
        size //= 2
    return events, fails(events, folder, kind)
