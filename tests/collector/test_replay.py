"""Everything that was ever sent, sent again: nothing changes, and everyone gets the first answer."""

import pytest

from discreet.checks.store import DAY, collection, upload
from discreet.collector.store.disk import LocalDisk
from discreet.collector.store.protocol import UploadOutcome

from .stores import LONG, STORES

COUNT = 100_000 if LONG else 10_000
GROUP = 1000


@pytest.mark.slow
@pytest.mark.parametrize("kind", STORES)
def test_a_replay_of_all_uploads_changes_nothing(kind, tmp_path):
    store = STORES[kind](tmp_path)
    store.create(collection(), day=DAY)

    def send(day):
        for start in range(0, COUNT, GROUP):
            yield from store.add([upload(number, day=DAY) for number in range(start, start + GROUP)])

    assert {answer.outcome for answer in send(DAY)} == {UploadOutcome.STORED}
    before = [(batch.position, batch.reports) for batch in store.batches("c")]
    files = {path: LocalDisk().read(path) for path in tmp_path.rglob("*.heads")}
    answers = list(send(DAY))
    assert {answer.outcome for answer in answers} == {UploadOutcome.REPEATED}
    assert {answer.answer for answer in answers} == {upload(1).answer}
    assert [(batch.position, batch.reports) for batch in store.batches("c")] == before
    assert len(before) == COUNT
    assert {path: LocalDisk().read(path) for path in files} == files
    assert store.check() == []
    store.shut()
