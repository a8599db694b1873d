"""What a collector takes: single reports, packed uploads, waiting at half load, and an estimate of 10^8 reports.

    python bench/collector.py [--quick] [--json FILE]

Single reports, each in an upload of its own and on the disk before it is acknowledged (SQLite), are compared in one run
with a bare Starlette endpoint on the same server that decodes the same bodies and stores nothing. Both are one process;
the load comes from another, in rounds that take turns, and the best round of each counts. Rates of a machine that has
other things to do say little; the processor time that each server spends on a request says more, and is given too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from load import Load, load

from discreet.bulk.report_files import reports_to_bytes
from discreet.bulk.words import seeded
from discreet.collector.http.server import loop_factory
from discreet.collector.store.opening import open_store
from discreet.collector.store.protocol import UploadRecord
from discreet.collector.store.tallies import count_reports
from discreet.core.canonical import canonical
from discreet.estimation.results.unbiased import estimate
from discreet.wire import parse_law

SPEC = '[domain]\nsize = 1000\n[context]\nform = "uniform"\nepsilon = "1"\n[mechanism]\nname = "hadamard"\n'
DECLARATION = {"spec": SPEC, "title": "t", "question": "q", "minimum": 1, "changes": "refuse", "access": "open"}
CONNECTIONS = 256
MANY = 1000
BARE = """
import msgspec, uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

async def take(request: Request) -> Response:
    msgspec.json.decode(await request.body())
    answer = b'{"accepted":1,"refused":[],"upload":"00000000000000000000000000000000"}'
    return Response(answer, media_type="application/json")

app = Starlette(routes=[Route("/collections/{id}/reports", take, methods=["POST"])])
uvicorn.run(app, port=PORT, log_level="error", access_log=False, http="httptools", loop="LOOP")
"""


class Collector:
    """A collector in a folder of its own, with one collection."""

    def __init__(self, folder: str) -> None:
        command = [str(Path(sys.executable).with_name("discreet")), "serve", "--port", "0"]
        environment = {**os.environ, "DISCREET_SERVE_UPLOADS_PER_SECOND": "0"}
        self.folder = Path(folder)
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.address = re.findall(r"http://[0-9.:]+[0-9]", line)[0]
        self.port = int(self.address.rpartition(":")[2])
        self.tokens = dict(re.findall(r"(admin|analyst) token, shown this once: (\S+?)(?:;|$)", line))
        self.made = self.ask("/collections", "admin", DECLARATION)

    def ask(self, path: str, role: str, data: Any = None) -> Any:
        """What it answers."""
        headers = {"authorization": f"Bearer {self.tokens[role]}", "content-type": "application/json"}
        body = None if data is None else json.dumps(data).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.address}{path}", body, headers)) as answer:
            return json.load(answer)

    def stop(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait()


def request(path: str, kind: str, body: bytes) -> bytes:
    """An upload as it goes over the line."""
    head = (
        f"POST {path}/reports HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\n"
        f"idempotency-key: {secrets.token_hex(16)}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def singles(made: dict[str, Any], count: int) -> Iterator[bytes]:
    """Uploads of one report each."""
    for number in range(count):
        body = canonical({"fingerprint": made["fingerprint"], "reports": [number % 1024], "version": 1}).encode()
        yield request(made["collection"], "application/json", body)


def packed(made: dict[str, Any], reports: bytes, count: int) -> Iterator[bytes]:
    """Uploads of many packed reports each."""
    line = canonical({"fingerprint": made["fingerprint"], "version": 1}).encode() + b"\n"
    for _ in range(count):
        yield request(made["collection"], "application/vnd.discreet.reports", line + reports)


def run(port: int, requests: Iterator[bytes], *, connections: int = CONNECTIONS, rate: float = 0.0) -> Load:
    """The load, in an event loop of its own."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(load(port, requests, connections=connections, rate=rate))


def processor(process: subprocess.Popen[Any]) -> float:
    """The seconds of processor time that a process has taken, where the system says so."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compare_single_uploads(
    collector: Collector, bare: subprocess.Popen[Any], port: int, count: int, rounds: int, *, connections: int
) -> dict[str, float]:
    """Single reports, stored durably, beside a bare endpoint, from so many senders at once."""
    servers = {"bare": (bare, port), "stored": (collector.process, collector.port)}
    best = dict.fromkeys(servers, 0.0)
    spent = dict.fromkeys(servers, 0.0)
    for number in range(rounds + 1):
        for name, (process, where) in servers.items():
            before = processor(process)
            uploads = singles(collector.made, count // 10 if number == 0 else count)
            measured = run(where, uploads, connections=connections)
            assert measured.bad == 0, f"{name}: {measured.bad} requests failed"
            if number:  # the first round is for warming up
                best[name] = max(best[name], measured.rate)
                spent[name] += (processor(process) - before) / (rounds * count)
    return {
        "bare endpoint, requests/s": best["bare"],
        "single reports stored, reports/s": best["stored"],
        "ratio of rates": best["stored"] / best["bare"],
        "bare endpoint, us of processor": 1e6 * spent["bare"],
        "single reports, us of processor": 1e6 * spent["stored"],
        "ratio of processor times": spent["bare"] / spent["stored"],
    }


def measure_half_load(collector: Collector, rate: float, seconds: float) -> dict[str, float]:
    """How long uploads wait at half of the rate that was reached."""
    measured = run(collector.port, singles(collector.made, int(rate * seconds)), connections=64, rate=rate)
    return {
        "half load, reports/s": measured.rate,
        "half load, p50 in ms": 1e3 * measured.quantile(0.5),
        "half load, p99 in ms": 1e3 * measured.quantile(0.99),
    }


def measure_packed_uploads(collector: Collector, reports: bytes, uploads: int) -> dict[str, float]:
    """Packed uploads of 10^5 reports each."""
    size = len(reports) // 2
    measured = run(collector.port, packed(collector.made, reports, uploads), connections=4)
    assert measured.bad == 0
    return {"packed reports stored, reports/s": measured.good * size / measured.seconds}


def measure_estimate(folder: Path, made: dict[str, Any], reports: bytes, total: int) -> dict[str, float]:
    """How long an estimate takes with so many stored reports, planted through the store."""
    store = open_store(folder / "discreet.db")
    try:
        size = len(reports) // 2
        (collection,) = store.collections()
        mechanism = parse_law(collection.law)
        for number in range(0, total, 10 * size):
            uploads = [
                UploadRecord(made["id"], f"planted-{number}-{i}", b"", "2026-11-17", (), reports, size, "{}")
                for i in range(10)
            ]
            store.add(uploads)
        times = []
        for _ in range(2):  # the first makes the snapshot, as a collector does while reports come
            started = time.perf_counter()
            counts = count_reports(store, made["id"], mechanism)
            estimate(counts.tally()).interval()
            times.append(time.perf_counter() - started)
        return {
            "stored reports": float(counts.tally().n),
            "first count of all, s": times[0],
            "estimate with a snapshot, s": times[1],
        }
    finally:
        store.shut()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a minute instead of several")
    parser.add_argument("--json", type=Path, help="where the numbers go as JSON")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        collector = Collector(folder)
        port = free_port()
        loop = "uvloop" if loop_factory() else "asyncio"
        bare = subprocess.Popen([sys.executable, "-c", BARE.replace("PORT", str(port)).replace("LOOP", loop)])
        try:
            time.sleep(2)
            size, rounds = (5_000, 2) if options.quick else (20_000, 5)
            figures |= compare_single_uploads(collector, bare, port, size, rounds, connections=CONNECTIONS)
            many = compare_single_uploads(collector, bare, port, size, rounds, connections=MANY)
            figures |= {f"{name}, {MANY} senders": number for name, number in many.items()}
            figures |= measure_half_load(
                collector, figures["single reports stored, reports/s"] / 2, 3 if options.quick else 10
            )
            mechanism = parse_law(open_law(collector))
            values = np.arange(100_000) % 1000
            reports = reports_to_bytes(mechanism, mechanism.randomize_indices(values, seeded(1)))
            figures |= measure_packed_uploads(collector, reports, 20 if options.quick else 100)
        finally:
            bare.terminate()
            collector.stop()
            bare.wait()
        figures |= measure_estimate(collector.folder, collector.made, reports, 10**7 if options.quick else 10**8)
    for name, number in figures.items():
        print(f"{name:50} {number:>14,.3f}" if number < 1000 else f"{name:50} {number:>14,.0f}")
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def open_law(collector: Collector) -> str:
    """The published law of the collection."""
    with urllib.request.urlopen(f"{collector.address}{collector.made['collection']}/law") as answer:
        return str(answer.read().decode())


if __name__ == "__main__":
    main()
