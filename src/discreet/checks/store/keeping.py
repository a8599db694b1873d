"""Laws of a store about what is derived, counted, forgotten, and there again after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...collector.store.protocol import Snapshot, Store, StoredCollection, UploadOutcome
from .samples import DAY, collection, require, require_stored, tallies, upload

EARLY, LATE = "2026-01-02", "2026-01-09"


def check_snapshots(store: Store) -> None:
    """The last tallies are kept; those that the reports do not count to are reported."""
    store.create(collection(), day=DAY)
    require("there are no tallies before any were kept", store.snapshot("c") is None)
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
    kept = store.snapshot("c")
    require("the tallies of forgotten days are gone", kept is not None and dict(kept.tallies) == left)
    require("the log stays whole", list(store.log()) == log)
    store.keep_snapshot("c", snapshot)
    kept = store.snapshot("c")
    require("tallies of forgotten days do not come back", kept is not None and dict(kept.tallies) == left)
    require("there is nothing to forget twice", store.forget(before=DAY) == 0)
    more = upload(9, day=LATE)
    require("a store goes on after it forgot", [each.outcome for each in store.add([more])] == [UploadOutcome.STORED])
    require_stored(store, [*new, more])


def check_reopening(make: Callable[[Path], Store], folder: Path) -> None:
    """Whatever returned is there when the store is opened again."""
    store = make(folder)
    fill(store)
    before = everything(store)
    store.shut()
    store = make(folder)
    try:
        require("a store that is opened again has what it had", everything(store) == before)
        require("a store that is opened again has no damage", store.check() == [])
        answers = [each.outcome for each in store.add([upload(2), upload(7)])]
        require(
            "a store that is opened again knows its uploads", answers == [UploadOutcome.REPEATED, UploadOutcome.STORED]
        )
        require("a store that is opened again goes on without damage", store.check() == [])
    finally:
        store.shut()


def check_copies(make: Callable[[Path], Store], restore: Callable[[Path, Path], Store], folder: Path) -> None:
    """A copy that is restored has what the store had when it was made."""
    store = make(folder / "store")
    try:
        fill(store)
        before = everything(store)
        store.back_up(folder / "copy")
        store.add([upload(8)])
        require("a copy leaves the store as it is", everything(store) != before and store.check() == [])
    finally:
        store.shut()
    copy = restore(folder / "copy", folder / "restored")
    try:
        require("a copy has what the store had", everything(copy) == before)
        require("a copy has no damage", copy.check() == [])
        require("a copy goes on", [each.outcome for each in copy.add([upload(8)])] == [UploadOutcome.STORED])
        require("a copy goes on without damage", copy.check() == [])
    finally:
        copy.shut()


def fill(store: Store) -> None:
    """Something of everything."""
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
    """All that a store says."""
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
