"""Laws of a store about uploads that are shown together: how they are mixed, and how they are forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..collector.store.protocol import GoneBatch, Grouping, Labels, Placed, Snapshot, Store, UploadOutcome
from .store_samples import DAY, EARLY, LATE, collection, outcomes_of, require, require_stored, tallies, upload


class Thirties:
    """Batches of thirty uploads, as a collector shows them together."""

    def __init__(self, gone: Sequence[GoneBatch]) -> None:
        self._waiting: list[int] = []

    def add(self, upload: Placed) -> Sequence[int]:
        """Thirty positions, or none."""
        self._waiting.append(upload.position)
        if len(self._waiting) < 30:
            return ()
        batch, self._waiting = self._waiting, []
        return batch

    def rest(self) -> Iterator[Sequence[int]]:
        """Nothing: fewer than thirty are never shown."""
        return iter(())

    def period(self, labels: Labels) -> str:
        """All uploads are alike."""
        return ""


def thirties(collection: str) -> Grouping | None:
    """Collection c is shown in batches of thirty uploads, and every other one upload by upload."""
    return Thirties if collection == "c" else None


def check_mixing(store: Store) -> None:
    """Mixed uploads are all there, each once, in another order; what was tallied, shown and sent before stays so."""
    for name in ("c", "d"):
        store.create(collection(name), day=DAY)
    uploads = [replace(upload(n), reports=bytes([n % 5, n // 5 % 5, n // 25])) for n in range(60)]
    for each in uploads[:40]:
        store.add([each, replace(each, collection="d")])
    tallied = tallies(list(store.batches("d")))
    store.keep_snapshot("d", tallied)
    store.add([*uploads[40:], *(replace(each, collection="d") for each in uploads[40:])])

    def stored(name: str, after: int = 0) -> list[bytes]:
        return [each.reports for each in store.batches(name, after=after)]

    def parted(reports: list[bytes]) -> set[frozenset[bytes]]:
        return {frozenset(reports[:30]), frozenset(reports[30:])}

    before = [bytes(each.reports) for each in uploads]
    store.mix(least=10**6)
    require("too few uploads are not mixed", stored("c") == before)
    store.mix(groupings=thirties)
    found = stored("c")
    require("mixed uploads are all there, once", sorted(found) == sorted(before))
    require("mixed uploads are in another order", found != before)
    require("uploads that are shown together stay together", parted(found) == parted(before))
    require("collections are mixed apart from each other", stored("d") != found)
    first, second = ([each.position for each in store.batches(name)] for name in ("c", "d"))
    require("positions are apart by collections", max(first) < min(second) or max(second) < min(first))
    later = stored("d", store.snapshot("d").position)
    require("what was tallied stays so", sorted(later) == sorted(before[40:]))
    require("mixing is no damage", store.check() == [])
    store.keep_snapshot("d", Snapshot(0, {}))
    require("tallies that were counted before the mixing are not kept", dict(store.snapshot("d").tallies) != {})
    outcomes = outcomes_of(store, [*uploads, upload(60)])
    require("mixed uploads are known", outcomes == [UploadOutcome.REPEATED] * 60 + [UploadOutcome.STORED])
    store.mix(groupings=thirties)
    require("mixed uploads stay where they are", stored("c")[:60] == found)
    require("mixing again is no damage", store.check() == [])


def check_forgetting_together(store: Store) -> None:
    """What is shown together is forgotten together; what waits by itself; what is left is shown as before."""
    store.create(collection(), day=DAY)
    days = [EARLY] * 35 + [LATE] * 25 + [EARLY, LATE]
    store.add([upload(n, day=day) for n, day in enumerate(days)])
    store.keep_snapshot("c", tallies(list(store.batches("c"))))
    count = store.forget(before=DAY, groupings=thirties)
    require("whole batches are forgotten, and what waits", count == 3 * 31)
    require_stored(store, [upload(n, day=days[n]) for n in [*range(30, 60), 61]])
    gone = [(batch.period, batch.reports) for batch in store.snapshot("c").gone]
    require("it is known how many were shown and are gone", gone == [("", 90)])
    require("there is nothing to forget twice", store.forget(before=DAY, groupings=thirties) == 0)
    store.close("c", day=DAY)
    require("a batch goes with the newest of it", store.forget(before="2026-02-01", groupings=thirties) == 3 * 31)
    require("batches that are gone are counted together", [each[2] for each in store.snapshot("c").gone] == [180])
    require_stored(store, [])
