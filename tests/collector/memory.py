"""A store in memory, as small as it can be: the double that the service is tested with."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

from discreet.collector.store.protocol import Batch, LogEntry, Snapshot, UploadOutcome, UploadResult
from discreet.core.canonical import canonical
from discreet.core.errors import InvalidInput, StoreFailed, StoreFull


class MemoryStore:
    """Keeps everything in plain containers; `full` and `failing` make it refuse what it is given."""

    def __init__(self):
        self._collections, self._log, self._uploads, self._batches = {}, [], {}, []
        self._snapshots, self._refusals, self._invited, self._spent, self._tokens = {}, Counter(), {}, {}, {}
        self.full = self.failing = False
        self._day = None

    def create(self, collection, *, day):
        if collection.id in self._collections:
            raise InvalidInput(f"collection {collection.id!r} is there already")
        self._collections[collection.id] = collection
        self._write("created", collection, day)

    def _write(self, kind, collection, day):
        digest = hashlib.sha256((collection.declared + collection.law).encode()).hexdigest()
        before = self._log[-1].chain if self._log else "0" * 64
        rest = {"number": len(self._log) + 1, "kind": kind, "collection": collection.id, "digest": digest, "day": day}
        chain = hashlib.sha256((before + canonical(rest)).encode()).hexdigest()
        self._log.append(LogEntry(**rest, chain=chain))

    def collections(self):
        return list(self._collections.values())

    def close(self, collection, *, day):
        self._collections[collection] = replace(self._collections[collection], closed=True)
        self._write("closed", self._collections[collection], day)

    def log(self, *, after=0):
        return iter(self._log[after:])

    def add(self, uploads):
        if self.full:
            raise StoreFull("no room")
        if self.failing:
            raise StoreFailed("broken")
        return [self._add(upload) for upload in uploads]

    def _add(self, upload):
        key = upload.collection, upload.upload
        if key in self._uploads:
            digest, answer = self._uploads[key]
            return (
                UploadResult(UploadOutcome.REPEATED, answer)
                if digest == upload.digest
                else UploadResult(UploadOutcome.CONFLICT, None)
            )
        if self._collections[upload.collection].closed:
            return UploadResult(UploadOutcome.CLOSED, None)
        if upload.invitation is not None:
            invited = self._invited.get(upload.collection, set())
            if upload.invitation not in invited or upload.invitation in self._spent.setdefault(
                upload.collection, set()
            ):
                return UploadResult(UploadOutcome.NOT_INVITED, None)
            self._spent[upload.collection].add(upload.invitation)
        self._uploads[key] = upload.digest, upload.answer
        self._batches.append((len(self._batches) + 1, upload))
        return UploadResult(UploadOutcome.STORED, upload.answer)

    def find(self, collection, upload):
        return self._uploads.get((collection, upload))

    def batches(self, collection, *, after=0):
        for position, upload in self._batches[after:]:
            if upload.collection == collection:
                yield Batch(position, upload.labels, upload.day, bytes(upload.reports), upload.count)

    def snapshot(self, collection):
        return self._snapshots.get(collection, Snapshot(0, {}))

    def keep_snapshot(self, collection, snapshot):
        self._snapshots[collection] = snapshot

    def refuse(self, counts):
        self._refusals.update(counts)

    def refusals(self):
        return dict(self._refusals)

    def invite(self, collection, hashes):
        self._invited.setdefault(collection, set()).update(hashes)

    def invitations(self, collection):
        return len(self._invited.get(collection, ())), len(self._spent.get(collection, ()))

    def set_token(self, role, digest):
        self._tokens[role] = digest

    def token(self, role):
        return self._tokens.get(role)

    def forget(self, *, before, groupings=None):
        kept = [(position, upload) for position, upload in self._batches if upload.day >= before]
        gone = sum(upload.count for _, upload in self._batches) - sum(upload.count for _, upload in kept)
        self._batches, self._snapshots = kept, {}
        return gone

    def mix(self, *, least=1, day=None, groupings=None):
        pass

    def last_day(self):
        return self._day

    def note_day(self, day):
        self._day = day

    def erase(self):
        pass

    def ready(self):
        if self.failing:
            raise StoreFailed("broken")

    def check(self):
        return []

    def back_up(self, path):
        path.write_text(repr(self._batches))

    def shut(self):
        pass


class MemoryWriter:
    """Adds every upload at once."""

    def __init__(self, store):
        self._store = store

    async def add(self, upload):
        return self._store.add([upload])[0]
