"""Laws of a store about collections, uploads and invitations."""

from __future__ import annotations

from hashlib import sha256
from threading import Thread

from ...collector.store.protocol import Store, UploadOutcome, UploadRecord
from ...core.canonical import canonical
from ...core.errors import InvalidInput
from .samples import DAY, ODD, collection, conflicting, require, require_stored, upload


def check_collections(store: Store) -> None:
    """Collections are kept as declared, in order, once, and closed once."""
    declared = [collection("b"), collection("a")]
    for each in declared:
        store.create(each, day=DAY)
    require("collections are kept as declared, in the order in which they were made", store.collections() == declared)
    try:
        store.create(collection("a"), day=DAY)
    except InvalidInput:
        pass
    else:
        require("a second collection of the same id is refused", False)
    store.close("a", day=DAY)
    closed = {each.id: each.closed for each in store.collections()}
    require("a collection is closed by itself, and its id is not taken again", closed == {"b": False, "a": True})


def check_log(store: Store) -> None:
    """The log has a line for each collection made and closed, each chained to the one before."""
    kept = [collection("a"), collection("b")]
    for each in kept:
        store.create(each, day=DAY)
    store.close("a", day="2026-01-06")
    store.close("a", day="2026-01-07")
    entries = list(store.log())
    lines = [(entry.number, entry.kind, entry.collection, entry.day) for entry in entries]
    expected = [(1, "created", "a", DAY), (2, "created", "b", DAY), (3, "closed", "a", "2026-01-06")]
    require("the log says what was made and closed, once, and on which day", lines == expected)
    chain = "0" * 64
    for entry, of in zip(entries, [*kept, kept[0]], strict=True):
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
    answers = store.add([first, second, first, conflicting(second)])
    outcomes = [UploadOutcome.STORED, UploadOutcome.STORED, UploadOutcome.REPEATED, UploadOutcome.CONFLICT]
    require("an upload that comes twice in one call is stored once", [each.outcome for each in answers] == outcomes)
    require("a stored upload gets its answer", answers[0].answer == first.answer)
    again = store.add([first, third, conflicting(first)])
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
    kept = [upload(1, name="a"), upload(2, name="a", labels=()), upload(3, name="a", count=0), upload(4, name="a")]
    large = upload(5, name="a", count=3_000_000)
    store.add([kept[0], odd, kept[1]])
    store.add([kept[2], kept[3], large])
    require_stored(store, [*kept, large], name="a")
    require_stored(store, [odd], name="b")
    require("odd text comes back as it was", store.find("b", "odd") == (odd.digest, odd.answer))
    positions = [batch.position for batch in store.batches("a")]
    later = [batch.position for batch in store.batches("a", after=positions[1])]
    require("a reader goes on after a position", later == positions[2:])


def check_closing(store: Store) -> None:
    """A closed collection takes nothing new; an unknown one is an error, and nothing of the call is kept."""
    store.create(collection(), day=DAY)
    store.add([upload(1)])
    try:
        store.add([upload(2), upload(3, name="unknown")])
    except InvalidInput:
        pass
    else:
        require("an upload for an unknown collection is an error", False)
    require_stored(store, [upload(1)])
    store.close("c", day=DAY)
    outcomes = [each.outcome for each in store.add([upload(4), upload(1), conflicting(upload(1))])]
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
    results = store.add([first, upload(3, invitation=one), upload(4, invitation=three)])
    require("an invitation serves one upload, of its collection", [each.outcome for each in results] == expected)
    spare = UploadRecord(**{**vars(first), "invitation": two})
    results = store.add([first, spare, conflicting(spare)])
    expected = [UploadOutcome.REPEATED, UploadOutcome.REPEATED, UploadOutcome.CONFLICT]
    require("a repetition needs no invitation", [each.outcome for each in results] == expected)
    require("what is not stored spends no invitation", store.invitations("c") == (2, 1))
    store.invite("c", [one])
    results = store.add([upload(5, invitation=one), second])
    require(
        "a spent invitation stays spent",
        [each.outcome for each in results] == [UploadOutcome.NOT_INVITED, UploadOutcome.STORED],
    )
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
    kept = sorted(batch.reports for batch in store.batches("c"))
    require("several threads store nothing twice", kept == sorted(each.reports for each in uploads))
    require("several threads leave the chains whole", store.check() == [])
