"""Check all laws of a collector's store in one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from ...collector.store.protocol import Store
from .keeping import (
    check_copies,
    check_forgetting,
    check_refusals,
    check_reopening,
    check_snapshots,
    check_tokens,
)
from .uploads import (
    check_batches,
    check_closing,
    check_collections,
    check_invitations,
    check_log,
    check_once,
    check_threads,
)

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
            store = make(place)
            try:
                law(store)
            finally:
                store.shut()
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
