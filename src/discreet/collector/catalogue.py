"""The collections that are served: each with its law certified once, when it is made or when the service starts."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from ..core.limits import LIFTED, under
from ..mechanisms.mechanism import Mechanism
from ..wire.laws import parse_law
from .documents import Declared, restore
from .http.decoding import Decoder
from .store.protocol import Collection, Store

REFRESH = 1.0
"""The least seconds between two looks for collections that another process has made or closed."""


@dataclass
class Served:
    """A collection that is served; only `closed` changes."""

    id: str
    declared: Declared
    mechanism: Mechanism
    law: bytes
    document: bytes
    decoder: Decoder
    closed: bool

    @property
    def tag(self) -> str:
        """The ETag of its document."""
        return f'"{hashlib.sha256(self.document).hexdigest()}"'

    def state(self, now: datetime) -> str:
        """``waiting`` before it opens, ``open``, or ``closed``."""
        if self.closed or (self.declared.closes is not None and now >= self.declared.closes):
            return "closed"
        return "waiting" if self.declared.opens is not None and now < self.declared.opens else "open"


def serve(collection: Collection, *, prefix: str, mechanism: Mechanism | None = None) -> Served:
    """A stored collection, ready to be served."""
    if mechanism is None:
        with under(LIFTED):  # it was within the limits when it was declared
            mechanism = parse_law(collection.law)
    declared = restore(collection.declared)
    base = f"{prefix}/collections/{collection.id}"
    document = declared.document(base=base, fingerprint=mechanism.fingerprint)
    decoder = Decoder(mechanism, declared.labels)
    return Served(collection.id, declared, mechanism, collection.law.encode(), document, decoder, collection.closed)


class Catalogue:
    """All collections of a store, by id, in the order in which they were made."""

    def __init__(self, store: Store, *, prefix: str = "") -> None:
        self._store, self._prefix = store, prefix
        self._served: dict[str, Served] = {}
        self._looked = -REFRESH

    def __iter__(self) -> Iterator[Served]:
        return iter(list(self._served.values()))

    def get(self, name: str) -> Served | None:
        """The collection of this id, if it is known here."""
        return self._served.get(name)

    @property
    def stale(self) -> bool:
        """True if it is time to look for what other processes have done."""
        return time.monotonic() - self._looked >= REFRESH

    def refresh(self) -> None:
        """Look for what other processes have made or closed; it reads the store."""
        self._looked = time.monotonic()
        for collection in self._store.collections():
            known = self._served.get(collection.id)
            if known is None:
                self._served[collection.id] = serve(collection, prefix=self._prefix)
            else:
                known.closed = known.closed or collection.closed

    def create(self, name: str, declared: Declared, mechanism: Mechanism) -> Served:
        """Keep a new collection, and serve it."""
        collection = Collection(name, declared.canonical(), mechanism.published)
        self._store.create(collection, day=today())
        self._served[name] = serve(collection, prefix=self._prefix, mechanism=mechanism)
        return self._served[name]

    def close(self, served: Served) -> None:
        """Close a collection for good."""
        if not served.closed:
            self._store.close(served.id, day=today())
            served.closed = True


def today() -> str:
    """The day, in UTC: the only time that is ever kept."""
    return datetime.now(UTC).date().isoformat()
