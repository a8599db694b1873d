"""Senders, retries, crashes, failing disks and a jumping clock, by seed: the store holds what its model holds."""

from dataclasses import replace

import pytest

from discreet.collector.store.protocol import UploadOutcome, UploadResult
from discreet.collector.store.sqlite.store import SQLiteStore

from .simulation import events_of, fails, shrunk, simulate
from .stores import LONG

SEEDS = 500 if LONG else 25


class Hasty(SQLiteStore):
    """Acknowledges small groups before they are stored, and stores them with the next."""

    def __init__(self, *given, **named):
        self._late = []
        super().__init__(*given, **named)

    def add(self, uploads):
        if len(uploads) == 1:
            self._late += uploads
            return [UploadResult(UploadOutcome.STORED, uploads[0].answer)]
        late, self._late = self._late, []
        return super().add([*late, *uploads])[len(late) :]


class Daily(SQLiteStore):
    """Takes an upload that comes again on another day for another upload."""

    def add(self, uploads):
        return super().add([replace(each, upload=f"{each.upload}-{each.day}") for each in uploads])


class Generous(SQLiteStore):
    """Spends an invitation in a transaction of its own."""

    def _decide(self, db, upload, number, closed, kept):
        answer = super()._decide(db, upload, number, closed, kept)
        if upload.invitation is not None and answer.outcome is UploadOutcome.STORED:
            db.execute("COMMIT")
            db.execute("BEGIN IMMEDIATE").fetchall()
        return answer


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_in_every_simulated_world_the_store_holds_what_was_acknowledged(tmp_path, part):
    for seed in range(part, SEEDS, 5):
        problem = fails(events_of(seed), tmp_path / "world", SQLiteStore)
        if problem:
            events, again = shrunk(events_of(seed), tmp_path / "world", SQLiteStore)
            pytest.fail(f"seed {seed}: {problem}; {len(events)} events are enough: {events}: {again}")


@pytest.mark.parametrize(("kind", "said"), [(Hasty, "lost"), (Generous, "invitation"), (Daily, "STORED")])
def test_a_planted_fault_is_found_by_a_seed_and_shrunk_to_a_few_events(tmp_path, kind, said):
    for seed in range(60):
        if fails(events_of(seed), tmp_path / "world", kind):
            break
    events, problem = shrunk(events_of(seed), tmp_path / "world", kind)
    assert said in problem
    assert 0 < len(events) <= 8
    assert fails(events, tmp_path / "world", kind) == problem  # the same each time
    simulate(events, tmp_path / "world")  # and it is the fault that fails, not the events
