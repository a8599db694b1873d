"""Group commit: one commit for all that waits, each told what became of it, and nothing that was taken is dropped."""

import asyncio
import threading

import pytest

from discreet.checks.store import DAY, collection, conflict_with, upload
from discreet.collector.store.protocol import UploadOutcome, UploadResult
from discreet.collector.store.writer import GroupCommitWriter
from discreet.core.errors import InvalidInput, StoreFailed, StoreFull

from .stores import sqlite_in


class Slow:
    """A store that notes its calls, and waits until it is let go."""

    def __init__(self):
        self.calls, self.go, self.problem = [], threading.Event(), None

    def add(self, uploads):
        self.calls.append(list(uploads))
        self.go.wait(10)
        if self.problem is not None:
            raise self.problem(uploads)
        return [UploadResult(UploadOutcome.STORED, each.answer) for each in uploads]


async def begun(writer, store, uploads, **named):
    """So many uploads under way, the first of them in a commit of its own."""
    tasks = [asyncio.create_task(writer.add(upload(0)))]
    while not store.calls:
        await asyncio.sleep(0.001)
    tasks += [asyncio.create_task(writer.add(upload(number, **named))) for number in range(1, uploads)]
    await asyncio.sleep(0.01)
    return tasks


def test_what_gathers_during_a_commit_goes_into_the_next_one():
    async def run():
        store = Slow()
        writer = GroupCommitWriter(store)
        tasks = await begun(writer, store, 50)
        assert len(writer._queue) == 49
        store.go.set()
        answers = await asyncio.gather(*tasks)
        assert [len(call) for call in store.calls] == [1, 49]
        assert all(each.outcome is UploadOutcome.STORED for each in answers)
        assert len(writer._queue) == 0
        await writer.stop()

    asyncio.run(run())


def test_a_commit_is_bounded_in_uploads_and_bytes():
    async def run(sizes, **most):
        store = Slow()
        writer = GroupCommitWriter(store, **most)
        tasks = await begun(writer, store, 10, count=100)
        store.go.set()
        await asyncio.gather(*tasks)
        await writer.stop()
        assert [len(call) for call in store.calls] == sizes

    asyncio.run(run([1, 4, 4, 1], max_uploads=4))
    asyncio.run(run([1, 2, 2, 2, 2, 1], max_bytes=250))
    asyncio.run(run([1] * 10, max_bytes=50))  # one larger than the bound goes alone


def test_stopping_stores_what_was_taken_and_takes_no_more():
    async def run():
        store = Slow()
        writer = GroupCommitWriter(store)
        tasks = await begun(writer, store, 20)
        stopping = asyncio.create_task(writer.stop())
        await asyncio.sleep(0.01)
        with pytest.raises(StoreFailed, match="takes no more"):
            await writer.add(upload(99))
        store.go.set()
        await stopping
        answers = await asyncio.gather(*tasks)
        assert len(answers) == sum(map(len, store.calls)) == 20

    asyncio.run(run())


def test_a_sender_that_does_not_wait_has_its_upload_stored_all_the_same():
    async def run():
        store = Slow()
        writer = GroupCommitWriter(store)
        tasks = await begun(writer, store, 3)
        tasks[1].cancel()
        store.go.set()
        await writer.stop()
        assert [each.upload for call in store.calls for each in call] == [f"upload-{number}" for number in range(3)]
        assert (await tasks[2]).outcome is UploadOutcome.STORED

    asyncio.run(run())


@pytest.mark.parametrize("problem", [StoreFull, InvalidInput])
def test_one_that_cannot_be_stored_or_has_no_room_does_not_take_the_others_with_it(problem):
    async def run():
        store = Slow()
        writer = GroupCommitWriter(store)
        tasks = await begun(writer, store, 6)

        def add(uploads):
            if any(each.upload == "upload-3" for each in uploads):
                raise problem("not this one")
            return [UploadResult(UploadOutcome.STORED, each.answer) for each in uploads]

        first, store.add = store.add, add
        store.go.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(each, problem) for each in results] == [number == 3 for number in range(6)]
        assert first
        await writer.stop()

    asyncio.run(run())


def test_a_failing_store_is_told_to_every_sender_and_the_writer_goes_on():
    async def run():
        store = Slow()
        store.problem = lambda uploads: StoreFailed("no")
        writer = GroupCommitWriter(store)
        tasks = await begun(writer, store, 5)
        store.go.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(each, StoreFailed) for each in results)
        store.problem = None
        assert (await writer.add(upload(7))).outcome is UploadOutcome.STORED
        await writer.stop()

    asyncio.run(run())


def test_a_loop_that_is_gone_does_not_stop_the_writer():
    store = Slow()
    made = []

    async def leave():
        made.append(GroupCommitWriter(store))
        await begun(made[0], store, 3)

    async def later():
        assert (await made[0].add(upload(9))).outcome is UploadOutcome.STORED
        await made[0].stop()

    asyncio.run(leave())
    store.go.set()
    asyncio.run(later())


def test_many_senders_of_the_same_uploads_get_one_stored_and_the_same_answer_each(tmp_path):
    async def run(store):
        writer = GroupCommitWriter(store)
        sent = [upload(number % 100) for number in range(1000)]
        answers = await asyncio.gather(*[writer.add(each) for each in sent], writer.add(conflict_with(upload(5))))
        await writer.stop()
        return answers

    store = sqlite_in(tmp_path)
    store.create(collection(), day=DAY)
    *answers, conflict = asyncio.run(run(store))
    outcomes = [each.outcome for each in answers]
    assert (outcomes.count(UploadOutcome.STORED), outcomes.count(UploadOutcome.REPEATED)) == (100, 900)
    assert conflict.outcome is UploadOutcome.CONFLICT
    assert len(list(store.batches("c"))) == 100
    assert store.check() == []
    store.shut()
