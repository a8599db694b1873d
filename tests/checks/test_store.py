"""Each law of a store catches the fault it is there for."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pytest

from discreet.checks import CheckFailed, check_store
from discreet.checks.store import LAWS, check_copies, check_reopening
from discreet.collector.store.protocol import UploadOutcome, UploadResult, each_alone
from discreet.collector.store.sql.checkpoints import CHAIN_START
from discreet.collector.store.sqlite.store import SQLiteStore
from discreet.core.errors import InvalidInput


class Overwriting(SQLiteStore):
    """Lets a collection be declared again."""

    def create(self, collection, *, day):
        with suppress(InvalidInput):
            super().create(collection, day=day)


class Reversed(SQLiteStore):
    def collections(self):
        return super().collections()[::-1]


class TwiceClosed(SQLiteStore):
    """Logs every closing, the second one too."""

    def close(self, collection, *, day):
        with self._change() as change:
            kept = next(each for each in self.collections() if each.id == collection)
            change.db.execute("UPDATE collection SET closed = 1 WHERE id = ?", (collection,))
            self._log(change, "closed", kept, day)


class Unchained(SQLiteStore):
    """Begins the chain of the log anew with each line."""

    def log(self, *, after=0):
        for entry in super().log(after=after):
            yield replace(entry, chain=CHAIN_START.hex())


class Doubling(SQLiteStore):
    """Gives an upload that came before another number."""

    def add(self, uploads):
        known = [
            each.upload if self.find(each.collection, each.upload) is None else f"{each.upload}+" for each in uploads
        ]
        return super().add([replace(each, upload=name) for each, name in zip(uploads, known, strict=True)])


class SilentConflict(SQLiteStore):
    """Takes other reports under the same number for a repetition."""

    def add(self, uploads):
        answers = super().add(uploads)
        return [
            replace(each, outcome=UploadOutcome.REPEATED) if each.outcome is UploadOutcome.CONFLICT else each
            for each in answers
        ]


class LastAnswer(SQLiteStore):
    """Answers a repetition with whatever it would say now."""

    def add(self, uploads):
        return [
            replace(each, answer="now") if each.outcome is UploadOutcome.REPEATED else each
            for each in super().add(uploads)
        ]


class Dropping(SQLiteStore):
    """Keeps nothing of uploads without reports."""

    def batches(self, collection, *, after=0):
        return (each for each in super().batches(collection, after=after) if each.count)


class Restless(SQLiteStore):
    """Reads from the beginning, whatever was seen."""

    def batches(self, collection, *, after=0):
        return super().batches(collection)


class Mixed(SQLiteStore):
    """Forgets which label an upload had."""

    def batches(self, collection, *, after=0):
        return (replace(each, labels=()) for each in super().batches(collection, after=after))


class Open(SQLiteStore):
    """Takes uploads for ever."""

    def _decide(self, db, upload, number, closed, kept):
        return super()._decide(db, upload, number, False, kept)


class Welcoming(SQLiteStore):
    """Takes an upload of an unknown collection for one of a closed one, and keeps the rest."""

    def add(self, uploads):
        known = {each.id for each in self.collections()}
        answers = iter(super().add([each for each in uploads if each.collection in known]))
        return [
            next(answers) if each.collection in known else UploadResult(UploadOutcome.CLOSED, None) for each in uploads
        ]


class Inviting(SQLiteStore):
    """Lets an invitation serve again and again."""

    def _decide(self, db, upload, number, closed, kept):
        return super()._decide(db, replace(upload, invitation=None), number, closed, kept)


class Reviving(SQLiteStore):
    """Makes a spent invitation good again when it is added again."""

    def invite(self, collection, hashes):
        hashes = list(hashes)
        with self._change() as change:
            for each in hashes:
                change.db.execute("DELETE FROM invitation WHERE hash = ?", (each,))
            change.changed = True
        super().invite(collection, hashes)


class Racing(SQLiteStore):
    """Looks for repetitions before the others are kept out."""

    def add(self, uploads):
        answers = []
        for each in uploads:
            known = self.find(each.collection, each.upload)
            number = len(list(self.batches(each.collection)))
            answers += super().add([each if known is None else replace(each, upload=f"{each.upload}/{number}")])
        return answers


class Adding(SQLiteStore):
    """Keeps earlier tallies sibling later ones."""

    def keep_snapshot(self, collection, snapshot):
        kept = self.snapshot(collection)
        older = {} if kept is None else dict(kept.tallies)
        super().keep_snapshot(collection, replace(snapshot, tallies={**dict(snapshot.tallies), **older}))


class Trusting(SQLiteStore):
    """Believes its tallies."""

    def check(self):
        return [line for line in super().check() if "tally" not in line]


class Overcounting(SQLiteStore):
    def refuse(self, counts):
        super().refuse(counts)
        if len(counts) == 1:
            super().refuse(counts)


class FirstToken(SQLiteStore):
    """Keeps the first token of a role."""

    def set_token(self, role, digest):
        if self.token(role) is None:
            super().set_token(role, digest)


class Keeping(SQLiteStore):
    """Says that it forgot."""

    def forget(self, *, before, groupings=each_alone):
        return sum(each.count for each in self.batches("c") if each.day < before)


class LeavingTallies(SQLiteStore):
    """Forgets reports, and puts their tallies back."""

    def forget(self, *, before, groupings=each_alone):
        kept = self.snapshot("c")
        count = super().forget(before=before, groupings=groupings)
        self.keep_snapshot("c", replace(kept, revision=self.snapshot("c").revision))
        return count


class LeavingOut(SQLiteStore):
    """Keeps no tally of a day before one that was forgotten, whatever came for it since."""

    _before = ""

    def forget(self, *, before, groupings=each_alone):
        self._before = before
        return super().forget(before=before, groupings=groupings)

    def keep_snapshot(self, collection, snapshot):
        late = {cell: counts for cell, counts in snapshot.tallies.items() if cell[1] >= self._before}
        super().keep_snapshot(collection, replace(snapshot, tallies=late))


class Tearing(SQLiteStore):
    """Forgets uploads one by one, whatever was shown together."""

    def forget(self, *, before, groupings=each_alone):
        return super().forget(before=before)


class Forgetful(SQLiteStore):
    """Keeps nothing of what was shown and is gone."""

    def snapshot(self, collection):
        return replace(super().snapshot(collection), gone=())


class Neighbouring(SQLiteStore):
    """Has positions of one collection between those of another."""

    def batches(self, collection, *, after=0):
        return (replace(each, position=2 * each.position % 121) for each in super().batches(collection, after=after))


class Credulous(SQLiteStore):
    """Takes the day of the newest upload for today, whatever clock it came by."""

    def last_day(self):
        return max((each.day for each in self.batches("c")), default=super().last_day()) if self.collections() else None


class Backdating(SQLiteStore):
    """Notes days, and stores uploads of earlier ones."""

    def batches(self, collection, *, after=0):
        return (replace(each, day=min(each.day, "2026-01-05")) for each in super().batches(collection, after=after))


class Ordered(SQLiteStore):
    """Leaves uploads in the order in which they came."""

    def mix(self, *, least=1, day=None, groupings=each_alone):
        pass


class Eager(SQLiteStore):
    """Mixes uploads whenever it is asked."""

    def mix(self, *, least=1, day=None, groupings=each_alone):
        super().mix(day=day, groupings=groupings)


class Alarming(SQLiteStore):
    def check(self):
        return ["something"]


class Volatile(SQLiteStore):
    """Counts refusals in memory."""

    def __init__(self, *given):
        self._refused = {}
        super().__init__(*given)

    def refuse(self, counts):
        self._refused.update(counts)

    def refusals(self):
        return self._refused


PLANTED = [
    (Overwriting, "collections", "a second collection of the same id"),
    (Reversed, "collections", "in the order in which they were made"),
    (TwiceClosed, "log", "what was made and closed, once"),
    (Unchained, "log", "follows from the one before"),
    (Doubling, "once", "an upload that comes again is stored once"),
    (SilentConflict, "once", "twice in one call"),
    (LastAnswer, "once", "the first answer"),
    (Dropping, "batches", "those that were acknowledged"),
    (Restless, "batches", "goes on after a position"),
    (Mixed, "batches", "those that were acknowledged"),
    (Open, "closing", "takes nothing new"),
    (Welcoming, "closing", "unknown collection is an error"),
    (Inviting, "invitations", "serves one upload"),
    (Reviving, "invitations", "stays spent"),
    (Racing, "threads", "one is stored"),
    (Adding, "snapshots", "replace earlier ones"),
    (Trusting, "snapshots", "do not count to is reported"),
    (Overcounting, "refusals", "add up"),
    (FirstToken, "tokens", "the last token"),
    (Keeping, "forgetting", "those that were acknowledged"),
    (LeavingTallies, "forgetting", "the tallies of forgotten days are gone|has no damage"),
    (LeavingOut, "forgetting", "for a day that was forgotten is counted"),
    (Tearing, "forgetting together", "whole batches are forgotten"),
    (Forgetful, "forgetting together", "how many were shown and are gone"),
    (Neighbouring, "mixing", "positions are apart by collections"),
    (Credulous, "days", "the day that was noted counts"),
    (Backdating, "days", "no upload is of a day before"),
    (Ordered, "mixing", "in another order"),
    (Eager, "mixing", "too few uploads are not mixed"),
    (Alarming, "once", "has no damage"),
]


@pytest.mark.parametrize(("kind", "law", "said"), PLANTED, ids=lambda each: getattr(each, "__name__", None))
def test_a_planted_fault_breaks_its_law(tmp_path, kind, law, said):
    store = kind(tmp_path / "store.db")
    try:
        with pytest.raises(CheckFailed, match=said):
            LAWS[law](store)
    finally:
        store.shut()


@pytest.mark.parametrize("law", LAWS)
def test_every_law_has_a_fault_that_breaks_it_and_holds_without(tmp_path, law):
    assert law in {each for _, each, _ in PLANTED}
    store = SQLiteStore(tmp_path / "store.db")
    LAWS[law](store)
    store.shut()


def test_a_store_in_memory_breaks_the_law_of_reopening(tmp_path):
    with pytest.raises(CheckFailed, match="opened again has what it had"):
        check_reopening(lambda folder: Volatile(folder / "store.db"), tmp_path)


def test_a_copy_without_the_last_upload_breaks_the_law_of_copies(tmp_path):
    class Late(SQLiteStore):
        def back_up(self, path):
            with self._change() as change:
                change.db.execute("UPDATE refusal SET count = 9")
                change.changed = True
            super().back_up(path)

    def restore(copy, folder):
        for suffix in ("", ".heads"):
            Path(f"{folder / 'store.db'}{suffix}").write_bytes(Path(f"{copy}{suffix}").read_bytes())
        return SQLiteStore(folder / "store.db")

    for name in ("store", "restored"):
        (tmp_path / name).mkdir()
    with pytest.raises(CheckFailed, match="a copy"):
        check_copies(lambda folder: Late(folder / "store.db"), restore, tmp_path)


def test_without_a_way_to_restore_all_other_laws_are_checked():
    done = check_store(lambda folder: SQLiteStore(Path(folder) / "store.db"))
    assert set(done) == {*LAWS, "reopening"}


def test_a_broken_store_fails_the_whole_suite():
    with pytest.raises(CheckFailed, match="the store breaks the law: "):
        check_store(lambda folder: Doubling(Path(mkdtemp(dir=folder)) / "store.db"))
