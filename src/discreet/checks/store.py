"""Check all laws of a collector's store in one call: what it keeps, refuses, counts, forgets and restores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from ..collector.store.protocol import Snapshot, Store, StoredCollection, UploadOutcome, UploadRecord
from ..core.canonical import canonical
from ..core.errors import InvalidInput
from .execution import must_refuse
from .store_batches import check_forgetting_together, check_mixing
from .store_samples import DAY as DAY
from .store_samples import EARLY, LATE, ODD, conflict_with, outcomes_of, require, require_stored, shut_after
from .store_samples import RESPONSE as RESPONSE
from .store_samples import collection as collection
from .store_samples import tallies as tallies
from .store_samples import upload as upload


def check_snapshots(store: Store) -> None:
    """The last tallies are kept; those that the reports do not count to are reported."""
    store.create(collection(), day=DAY)
    require("there are no tallies before any were kept", store.snapshot("c") == Snapshot(0, {}))
    store.add([upload(1), upload(2, labels=())])
    first = tallies(list(store.batches("c")))
    store.keep_snapshot("c", first)
    require("tallies are kept", store.snapshot("c") == first)
    store.add([upload(3, day=LATE), upload(4)])
    second = tallies(list(store.batches("c")))
    store.keep_snapshot("c", second)
    require("later tallies replace earlier ones", store.snapshot("c") == second)
    require("true tallies are no damage", store.check() == [])
    cell, counts = next(iter(second.tallies.items()))
    store.keep_snapshot("c", Snapshot(second.position, {**second.tallies, cell: counts[::-1]}))
    require("a tally that its reports do not count to is reported", store.check() != [])
    store.keep_snapshot("c", first)
    require("tallies can be put right", store.check() == [] and store.snapshot("c") == first)


def check_refusals(store: Store) -> None:
    """Refusals add up by collection and reason."""
    store.refuse({("c", "closed"): 2, ("", "too_large"): 1})
    store.refuse({("c", "closed"): 3})
    store.refuse({})
    require("refusals add up", store.refusals() == {("c", "closed"): 5, ("", "too_large"): 1})


def check_tokens(store: Store) -> None:
    """The hash of a role's token is kept, and replaced."""
    require("there is no token before one was set", store.token("admin") is None)
    store.set_token("admin", bytes(32))
    store.set_token("analyst", bytes([1]) * 32)
    store.set_token("admin", bytes([2]) * 32)
    tokens = store.token("admin"), store.token("analyst")
    require("the last token of each role counts", tokens == (bytes([2]) * 32, bytes([1]) * 32))


def check_forgetting(store: Store) -> None:
    """What is forgotten is gone with its tallies; the rest, the log and the chains stay whole."""
    store.create(collection(), day=DAY)
    old = [upload(number, day=EARLY) for number in range(5)]
    new = [upload(number, day=LATE) for number in range(5, 8)]
    store.add([old[0], new[0], *old[1:4]])
    store.add([new[1], old[4], new[2]])
    snapshot = tallies(list(store.batches("c")))
    store.keep_snapshot("c", snapshot)
    log = list(store.log())
    require("forgetting says how many reports it deleted", store.forget(before=DAY) == sum(each.count for each in old))
    require_stored(store, new)
    require("a forgotten upload is not found", store.find("c", old[0].upload) is None)
    left = {cell: counts for cell, counts in snapshot.tallies.items() if cell[1] == LATE}
    require("the tallies of forgotten days are gone", dict(store.snapshot("c").tallies) == left)
    require("the log stays whole", list(store.log()) == log)
    store.keep_snapshot("c", snapshot)
    require("tallies of forgotten days do not come back", dict(store.snapshot("c").tallies) == left)
    require("there is nothing to forget twice", store.forget(before=DAY) == 0)
    more = upload(9, day=LATE)
    require("a store goes on after it forgot", outcomes_of(store, [more]) == [UploadOutcome.STORED])
    require_stored(store, [*new, more])
    late = upload(10, day=EARLY)
    store.add([late])
    counted = tallies(list(store.batches("c")), store.snapshot("c").revision)
    store.keep_snapshot("c", counted)
    require("what comes for a day that was forgotten is counted", store.snapshot("c") == counted)
    require_stored(store, [*new, more, late])


def check_days(store: Store) -> None:
    """The day that was noted last is kept; before any was, the newest of the log and the uploads is known."""
    require("a store in which nothing happened knows no day", store.last_day() is None)
    store.create(collection(), day=EARLY)
    require("the log tells a day", store.last_day() == EARLY)
    store.add([upload(1)])
    require("an upload tells a day", store.last_day() == DAY)
    store.note_day(EARLY)
    store.add([upload(2, day=LATE)])
    require("the day that was noted counts", store.last_day() == EARLY)
    store.note_day(LATE)
    store.add([upload(3)])
    require("no upload is of a day before the one noted last", [each.day for each in store.batches("c")][-1] == LATE)


def check_reopening(make: Callable[[Path], Store], folder: Path) -> None:
    """Whatever a call has stored is there when the store is opened again."""
    with shut_after(make(folder)) as store:
        fill(store)
        before = everything(store)
    with shut_after(make(folder)) as store:
        require("a store that is opened again has what it had", everything(store) == before)
        require("a store that is opened again has no damage", store.check() == [])
        outcomes = outcomes_of(store, [upload(2), upload(7)])
        expected = [UploadOutcome.REPEATED, UploadOutcome.STORED]
        require("a store that is opened again knows its uploads", outcomes == expected)
        require("a store that is opened again goes on without damage", store.check() == [])


def check_copies(make: Callable[[Path], Store], restore: Callable[[Path, Path], Store], folder: Path) -> None:
    """A copy that is restored has what the store had when it was made."""
    with shut_after(make(folder / "store")) as store:
        fill(store)
        before = everything(store)
        store.back_up(folder / "copy")
        store.add([upload(8)])
        require("a copy leaves the store as it is", everything(store) != before and store.check() == [])
    with shut_after(restore(folder / "copy", folder / "restored")) as copy:
        require("a copy has what the store had", everything(copy) == before)
        require("a copy has no damage", copy.check() == [])
        require("a copy goes on", outcomes_of(copy, [upload(8)]) == [UploadOutcome.STORED])
        require("a copy goes on without damage", copy.check() == [])


def fill(store: Store) -> None:
    """Write something of every kind into a store."""
    store.create(collection(), day=DAY)
    store.create(StoredCollection("closed", "{}", "no law"), day=DAY)
    store.close("closed", day=DAY)
    store.invite("c", [bytes([each]) * 32 for each in range(4)])
    store.add([upload(1, day=EARLY), upload(2, invitation=bytes(32))])
    store.keep_snapshot("c", tallies(list(store.batches("c"))))
    store.forget(before=DAY)
    store.add([upload(3)])
    store.refuse({("c", "label"): 1})
    store.set_token("admin", bytes(32))


def everything(store: Store) -> list[object]:
    """All that can be read from a store."""
    return [
        store.collections(),
        list(store.log()),
        list(store.batches("c")),
        [store.find("c", f"upload-{number}") for number in range(10)],
        store.snapshot("c"),
        store.refusals(),
        store.invitations("c"),
        store.token("admin"),
    ]


def check_collections(store: Store) -> None:
    """Collections are kept as declared, in order, once, and closed once."""
    declared = [collection("b"), collection("a")]
    for each in declared:
        store.create(each, day=DAY)
    require("collections are kept as declared, in the order in which they were made", store.collections() == declared)
    must_refuse(
        lambda: store.create(collection("a"), day=DAY),
        InvalidInput,
        "the store breaks the law: a second collection of the same id is refused",
    )
    store.close("a", day=DAY)
    closed = {each.id: each.closed for each in store.collections()}
    require("a collection is closed by itself, and its id is not taken again", closed == {"b": False, "a": True})


def check_log(store: Store) -> None:
    """The log has a line for each collection made and closed, each chained to the one before."""
    declared = [collection("a"), collection("b")]
    for each in declared:
        store.create(each, day=DAY)
    store.close("a", day="2026-01-06")
    store.close("a", day="2026-01-07")
    entries = list(store.log())
    lines = [(entry.number, entry.kind, entry.collection, entry.day) for entry in entries]
    expected = [(1, "created", "a", DAY), (2, "created", "b", DAY), (3, "closed", "a", "2026-01-06")]
    require("the log says what was made and closed, once, and on which day", lines == expected)
    chain = "0" * 64
    for entry, of in zip(entries, [*declared, declared[0]], strict=True):
        digest = sha256(canonical([of.declared, of.law]).encode()).hexdigest()
        require("the log has the digest of what was declared and of the law", entry.digest == digest)
        rest = {name: getattr(entry, name) for name in ("collection", "day", "digest", "kind", "number")}
        chain = sha256((chain + canonical(rest)).encode()).hexdigest()
        require("every line of the log follows from the one before", entry.chain == chain)
    require("the log is read on after a line", list(store.log(after=2)) == entries[2:])


def check_once(store: Store) -> None:
    """An upload is stored once, whenever and however often it comes."""
    store.create(collection(), day=DAY)
    first, second, third = (upload(number) for number in range(3))
    answers = store.add([first, second, first, conflict_with(second)])
    outcomes = [UploadOutcome.STORED, UploadOutcome.STORED, UploadOutcome.REPEATED, UploadOutcome.CONFLICT]
    require("an upload that comes twice in one call is stored once", [each.outcome for each in answers] == outcomes)
    require("a stored upload gets its answer", answers[0].answer == first.answer)
    again = store.add([first, third, conflict_with(first)])
    outcomes = [UploadOutcome.REPEATED, UploadOutcome.STORED, UploadOutcome.CONFLICT]
    require("an upload that comes again is stored once", [each.outcome for each in again] == outcomes)
    require("a repetition gets the first answer", again[0].answer == first.answer)
    require("what conflicts gets no answer that was not its own", again[2].answer is None)
    require_stored(store, [first, second, third])
    require("a stored upload is found", store.find("c", first.upload) == (first.digest, first.answer))
    require("an upload that never came is not found", store.find("c", "upload-9") is None)


def check_batches(store: Store) -> None:
    """Reports come back byte for byte, by collection, in parts."""
    store.create(collection("a"), day=DAY)
    store.create(collection("b"), day=DAY)
    odd = UploadRecord(
        "b", "odd", bytes(32), DAY, (("app", ODD), ("week", "1")), b"\x00\x01\x02", 3, f'{{"said":"{ODD}"}}'
    )
    small = [upload(1, name="a"), upload(2, name="a", labels=()), upload(3, name="a", count=0), upload(4, name="a")]
    large = upload(5, name="a", count=3_000_000)
    store.add([small[0], odd, small[1]])
    store.add([small[2], small[3], large])
    require_stored(store, [*small, large], name="a")
    require_stored(store, [odd], name="b")
    require("odd text comes back as it was", store.find("b", "odd") == (odd.digest, odd.answer))
    positions = [batch.position for batch in store.batches("a")]
    later = [batch.position for batch in store.batches("a", after=positions[1])]
    require("a reader goes on after a position", later == positions[2:])


def check_closing(store: Store) -> None:
    """A closed collection takes nothing new; an unknown one is an error, and nothing of the call is kept."""
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    must_refuse(
        lambda: store.add([upload(2), upload(3, name="unknown")]),
        InvalidInput,
        "the store breaks the law: an upload for an unknown collection is an error",
    )
    require_stored(store, [upload(1)])
    store.close("c", day=DAY)
    outcomes = outcomes_of(store, [upload(4), upload(1), conflict_with(upload(1))])
    expected = [UploadOutcome.CLOSED, UploadOutcome.REPEATED, UploadOutcome.CONFLICT]
    require("a closed collection takes nothing new, and still answers what it took", outcomes == expected)
    require_stored(store, [upload(1)])


def check_invitations(store: Store) -> None:
    """An invitation serves one upload of its collection, and only one that is stored."""
    store.create(collection(), day=DAY)
    store.create(collection("other"), day=DAY)
    one, two, three = (sha256(bytes([each])).digest() for each in range(3))
    store.invite("c", [one, two, one])
    store.invite("other", [three])
    require("invitations are counted once", store.invitations("c") == (2, 0))
    first, second = upload(1, invitation=one), upload(2, invitation=two)
    expected = [UploadOutcome.STORED, UploadOutcome.NOT_INVITED, UploadOutcome.NOT_INVITED]
    outcomes = outcomes_of(store, [first, upload(3, invitation=one), upload(4, invitation=three)])
    require("an invitation serves one upload, of its collection", outcomes == expected)
    spare = replace(first, invitation=two)
    outcomes = outcomes_of(store, [first, spare, conflict_with(spare)])
    expected = [UploadOutcome.REPEATED, UploadOutcome.REPEATED, UploadOutcome.CONFLICT]
    require("a repetition needs no invitation", outcomes == expected)
    require("what is not stored spends no invitation", store.invitations("c") == (2, 1))
    store.invite("c", [one])
    outcomes = outcomes_of(store, [upload(5, invitation=one), second])
    require("a spent invitation stays spent", outcomes == [UploadOutcome.NOT_INVITED, UploadOutcome.STORED])
    require_stored(store, [first, second])
    require("spent invitations are counted", store.invitations("c") == (2, 2))


def check_threads(store: Store) -> None:
    """Uploads that come to several threads at once are stored once each, whatever is read meanwhile."""
    store.create(collection(), day=DAY)
    outcomes: list[UploadOutcome] = []
    uploads = [upload(number) for number in range(20)]

    def send(start: int) -> None:
        for at in range(0, 20, 4):
            group = [uploads[(start + at + each) % 20] for each in range(4)]
            outcomes.extend(answer.outcome for answer in store.add(group))
            list(store.batches("c"))

    threads = [Thread(target=send, args=(start,)) for start in (0, 2, 10)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    stored = outcomes.count(UploadOutcome.STORED)
    repeated = outcomes.count(UploadOutcome.REPEATED)
    require("of one upload to several threads one is stored, and all are answered", (stored, repeated) == (20, 40))
    stored_reports = sorted(bytes(batch.reports) for batch in store.batches("c"))
    require("several threads store nothing twice", stored_reports == sorted(bytes(each.reports) for each in uploads))
    require("several threads leave the chains whole", store.check() == [])


LAWS: dict[str, Callable[[Store], None]] = {
    "collections": check_collections,
    "log": check_log,
    "once": check_once,
    "batches": check_batches,
    "closing": check_closing,
    "invitations": check_invitations,
    "threads": check_threads,
    "snapshots": check_snapshots,
    "refusals": check_refusals,
    "tokens": check_tokens,
    "forgetting": check_forgetting,
    "days": check_days,
    "mixing": check_mixing,
    "forgetting together": check_forgetting_together,
}
"""Laws that are checked on a new store each."""


def check_store(
    make: Callable[[Path], Store], *, restore: Callable[[Path, Path], Store] | None = None
) -> tuple[str, ...]:
    """Check every law that a collector's store must obey; `CheckFailed` says in one sentence which is broken first.

    ``make(folder)`` opens the store of a folder: a new one, or the one that was made there before and shut.
    ``restore(copy, folder)`` opens what `Store.back_up` wrote as the store of another folder. The names of the laws
    that were checked are returned; that what returned survives the loss of power is another matter
    (docs/reference/stores.md).
    """
    done = []
    with TemporaryDirectory() as folder:
        for name, law in LAWS.items():
            (place := Path(folder) / name).mkdir()
            with shut_after(make(place)) as store:
                law(store)
            done.append(name)
        (place := Path(folder) / "reopening").mkdir()
        check_reopening(make, place)
        done.append("reopening")
        if restore is not None:
            for part in ("store", "restored"):
                (Path(folder) / "copies" / part).mkdir(parents=True)
            check_copies(make, restore, Path(folder) / "copies")
            done.append("copies")
    return tuple(done)
