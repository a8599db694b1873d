"""The resource contract in numbers that need no clock: bytes while a body is decoded, and bytes with the writer.

What follows from them for a running collector, its whole memory and how long honest senders wait, is measured by
`test_service_contract.py`.
"""

import asyncio
import contextlib
import tracemalloc

import pytest
import test_service_contract as contract

import discreet as dc
from discreet.collector.http.limits import TurnGate
from discreet.collector.http.response import HttpProblem
from discreet.collector.http.upload_decoder import MAX_REFUSED, PACKED, UploadDecoder
from discreet.collector.instrument import instrument_of
from discreet.collector.service import LARGE_TURN_BYTES
from discreet.collector.store.protocol import UploadOutcome, UploadResult
from discreet.core.canonical import canonical
from discreet.wire.form import Form

BODY_BYTES = 2_000_000
MAX_DECODING_BYTES = 2_500_000
"""What decoding a body may take beside it, with the packed reports that come out of it."""


def peak_bytes(function, *arguments):
    """The most bytes that Python had at once while a function ran, beyond those before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        with contextlib.suppress(HttpProblem):
            function(*arguments)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("what", [*contract.BODIES, *contract.PACKED_BODIES])
def test_decoding_a_body_takes_little_beside_it(service, name, monkeypatch, what):
    monkeypatch.setattr(contract, "BODY_BYTES", BODY_BYTES)
    made = {"fingerprint": service.mechanism(name).fingerprint}
    kind, table = (PACKED, contract.PACKED_BODIES) if what in contract.PACKED_BODIES else ("application/json", {})
    body = bytearray((table or contract.BODIES)[what][1](made))
    decode = service.service.catalogue.get(name).decoder.decode
    assert peak_bytes(decode, kind, body) < MAX_DECODING_BYTES


WIDE = {"domain": {"values": [f"v{i:03}" for i in range(800)]}, "mechanism": {"name": "unary"}}
SPECS = {
    "one question of many bits": {**WIDE, "context": {"form": "uniform", "epsilon": "1"}},
    "many questions": {
        "form": {"strategy": "each", "epsilon": "24"},
        "questions": [{"name": f"q{i}", "domain": {"size": 200}, "mechanism": {"name": "unary"}} for i in range(24)],
    },
    "one of many questions": {
        "form": {"strategy": "one at random", "epsilon": "1"},
        "questions": [{"name": f"q{i}", "domain": {"size": 99 + i}, "mechanism": {"name": "unary"}} for i in range(24)],
    },
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("end", [b"\0", b"\xff"], ids=["possible", "one that is not"])
def test_decoding_wide_reports_takes_little_beside_them(spec, end):
    """However many bits a report has, pieces have as many bytes, and what becomes of them is as small."""
    law = Form.of(spec) if "form" in spec else dc.Spec.of(spec).mechanism
    instrument = instrument_of(law)
    header = canonical({"fingerprint": instrument.fingerprint, "version": 1}).encode() + b"\n"
    whole = bytes(instrument.width) * (BODY_BYTES // instrument.width - 1)
    body = bytearray(header + whole + bytes(instrument.width - 1) + end)
    decode = UploadDecoder(instrument, {}).decode
    decode(PACKED, body)  # what a law needs once
    assert peak_bytes(decode, PACKED, body) < MAX_DECODING_BYTES


def test_the_peak_of_objects_that_are_made_at_once_is_seen():
    """A control: what a tenth of a body of lists would become."""
    assert peak_bytes(lambda: [[] for _ in range(BODY_BYTES // 30)]) > MAX_DECODING_BYTES


class CountingWriter:
    """A writer that takes everything and stores nothing until it is told to, and notes how much it was given."""

    def __init__(self):
        self.held, self.most, self.waiting = 0, 0, []

    async def add(self, upload):
        self.held += len(upload.reports)
        self.most = max(self.most, self.held)
        done = asyncio.get_running_loop().create_future()
        self.waiting.append((len(upload.reports), done))
        await done
        return UploadResult(UploadOutcome.STORED, upload.answer)

    def store_all(self):
        """Acknowledge what waits, and say how much that was."""
        stored, self.waiting = self.waiting, []
        for size, done in stored:
            self.held -= size
            done.set_result(None)
        return [size for size, _ in stored]


def test_a_small_upload_waits_for_few_bytes_of_large_ones(service, name, monkeypatch):
    writer = CountingWriter()
    monkeypatch.setattr(service.service, "writer", writer)
    fingerprint = service.mechanism(name).fingerprint
    line = canonical({"fingerprint": fingerprint, "version": 1}).encode() + b"\n"
    sizes = [400_000] * 20 + [1_000_000] * 5

    async def send(number, size):
        headers = [("content-type", PACKED), ("idempotency-key", f"large-{number}")]
        return await service._asked("POST", f"/collections/{name}/reports", line + bytes(size), headers, None, None)

    async def run():
        large = [asyncio.create_task(send(number, size)) for number, size in enumerate(sizes)]
        while len(writer.waiting) < 2:
            await asyncio.sleep(0.001)
        small = asyncio.create_task(send("small", 1))
        while all(size > 1 for size, _ in writer.waiting):
            await asyncio.sleep(0.001)
        first = writer.store_all()
        assert (await small).status == 200
        while not all(task.done() for task in large):
            writer.store_all()
            await asyncio.sleep(0.001)
        return first, [task.result().status for task in large]

    first, statuses = service.run(run())
    assert first[-1] == 1
    assert writer.most <= LARGE_TURN_BYTES + 1
    assert statuses == [200] * len(sizes)
    assert service.service.bodies._held_bytes == service.service.turns._held_bytes == 0


def test_turns_are_taken_in_order_and_given_back():
    async def run():
        gate, order, leave = TurnGate(10), [], asyncio.Event()

        async def pass_through(size):
            async with gate.turn(size):
                order.append(size)
                await leave.wait()

        tasks = [asyncio.create_task(pass_through(size)) for size in (25, 4, 3, 2, 5)]
        await asyncio.sleep(0)
        assert order == [25]  # alone, because it is larger than all may be together
        tasks[1].cancel()
        leave.set()
        await asyncio.sleep(0)
        leave.clear()
        tasks[2].cancel()  # its turn has come by now, and goes on to the next
        for _ in range(5):
            await asyncio.sleep(0)
        assert (order, gate._held_bytes) == ([25, 2, 5], 7)
        leave.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return gate._held_bytes

    assert asyncio.run(run()) == 0


def test_an_answer_with_many_refusals_is_canonical(service, name):
    upload = service.send(name, [0, *[99] * (MAX_REFUSED - 1), "x"])
    assert upload.json["accepted"] == 1
    assert upload.content == canonical(upload.json).encode()
