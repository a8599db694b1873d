"""The collections that a service serves, each with its law certified once."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from ..client.collection import STATES
from ..core.limits import LIFTED, under
from .declaration import Declaration, restore_declaration
from .http.response import CHUNK_BYTES
from .http.upload_decoder import UploadDecoder
from .instrument import Instrument, read_instrument
from .store.protocol import Store, StoredCollection

REFRESH_SECONDS = 1.0
"""The least time between two looks for collections that another process has created or closed."""


@dataclass
class ServedCollection:
    """A collection that is served; only `closed` changes."""

    id: str
    declaration: Declaration
    instrument: Instrument
    law: bytes
    compressed_law: bytes
    """The law by gzip, made once; nothing for one that is sent at once."""
    documents: Mapping[str, bytes]
    """What clients read of it, in each of its states."""
    decoder: UploadDecoder
    closed: bool

    def state(self, now: datetime) -> str:
        """``waiting`` before it opens, ``open``, or ``closed``."""
        if self.closed or (self.declaration.closes is not None and now >= self.declaration.closes):
            return "closed"
        return "waiting" if self.declaration.opens is not None and now < self.declaration.opens else "open"


def serve(collection: StoredCollection, *, prefix: str, instrument: Instrument | None = None) -> ServedCollection:
    """A stored collection with its question or form, its document and its decoder."""
    if instrument is None:
        with under(LIFTED):  # it was within the limits when it was declared
            instrument = read_instrument(collection.law)
    declaration = restore_declaration(collection.declared, instrument.law)
    base = f"{prefix}/collections/{collection.id}"
    documents = {
        state: declaration.document(base=base, fingerprint=instrument.fingerprint, state=state) for state in STATES
    }
    decoder = UploadDecoder(instrument, declaration.labels)
    law = collection.law.encode()
    compressed = gzip.compress(law, mtime=0) if len(law) > CHUNK_BYTES else b""
    return ServedCollection(
        collection.id, declaration, instrument, law, compressed, documents, decoder, collection.closed
    )


class Catalogue:
    """All collections of a store by id, in the order in which they were created."""

    def __init__(self, store: Store, *, prefix: str = "") -> None:
        self._store, self._prefix = store, prefix
        self._served: dict[str, ServedCollection] = {}
        self._refreshed = -REFRESH_SECONDS

    def __iter__(self) -> Iterator[ServedCollection]:
        return iter(list(self._served.values()))

    def get(self, name: str) -> ServedCollection | None:
        """The collection of this id, if it is known here."""
        return self._served.get(name)

    @property
    def is_stale(self) -> bool:
        """True if it is time to look for what other processes have done."""
        return time.monotonic() - self._refreshed >= REFRESH_SECONDS

    def refresh(self) -> None:
        """Read from the store what other processes have created or closed."""
        self._refreshed = time.monotonic()
        for collection in self._store.collections():
            known = self._served.get(collection.id)
            if known is None:
                self._served[collection.id] = serve(collection, prefix=self._prefix)
            else:
                known.closed = known.closed or collection.closed

    def create(self, name: str, declaration: Declaration, instrument: Instrument) -> ServedCollection:
        """Store a new collection, and serve it."""
        collection = StoredCollection(name, declaration.canonical(), instrument.law.published)
        self._store.create(collection, day=today())
        self._served[name] = serve(collection, prefix=self._prefix, instrument=instrument)
        return self._served[name]

    def close(self, served: ServedCollection) -> None:
        """Close a collection for good."""
        if not served.closed:
            self._store.close(served.id, day=today())
            served.closed = True


def today() -> str:
    """Today's date in UTC: the only time that is ever stored."""
    return datetime.now(UTC).date().isoformat()


MAX_INVITATIONS = 10_000
"""The most invitations that are made at once."""
