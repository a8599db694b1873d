"""The client for asyncio: the same answers, without standing in the way of others."""

import asyncio

import pytest

import discreet as dc
from discreet.core.errors import Overspent, Refused


def test_the_same_methods_are_awaited(make_client, collector, url, Reply):
    async def take_part():
        client = make_client(kind=dc.client.AsyncClient)
        collection = await client.open(url)
        assert (collection.title, collection.epsilon) == ("Health survey", 1)
        collector.replies["/survey/reports"] = [Reply(503)]
        first = await collection.answer(7)
        assert (first.state, len(client.queued), client.ledger.spent) == ("queued", 1, 1)
        del collector.replies["/survey/reports"]
        (second,) = await client.flush()
        assert (second.state, second.upload) == ("accepted", first.upload)

    asyncio.run(take_part())
    assert len(collector.uploads) == 1


def test_answers_at_the_same_time_spend_one_budget(make_client, survey, Collector):
    collectors = [Collector(survey) for _ in range(6)]

    async def take_part(urls):
        client = make_client(kind=dc.client.AsyncClient, cap="4")
        opened = await asyncio.gather(*map(client.open, urls))
        return await asyncio.gather(*(one.answer(value) for value, one in enumerate(opened)), return_exceptions=True)

    from contextlib import ExitStack

    with ExitStack() as stack:
        found = asyncio.run(take_part([stack.enter_context(collector.serving()) for collector in collectors]))
    assert sorted(isinstance(receipt, Overspent) for receipt in found) == [False] * 4 + [True] * 2
    assert sum(len(collector.uploads) for collector in collectors) == 4


def test_others_go_on_while_a_collector_is_slow(make_client, collector, url, Reply):
    collector.replies["/survey"] = [Reply(302, wait=0.3)]

    async def take_part():
        client = make_client(kind=dc.client.AsyncClient)
        task = asyncio.create_task(client.open(url))
        turns = 0
        while not task.done():
            await asyncio.sleep(0.001)
            turns += 1
        with pytest.raises(Refused):
            await task
        return turns

    assert asyncio.run(take_part()) > 10
