"""Laws of the small parts of the service: settings, rate limits, logs, and answers to what is no HTTP."""

import asyncio
import contextlib
import io
import json
import logging
import random
import socket
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import discreet as dc
from discreet.cli import main
from discreet.client.uploading import Response
from discreet.collector import service as service_module
from discreet.collector.http.connection import CoalescingTransport, raw_problem
from discreet.collector.http.limits import RateLimiter
from discreet.collector.logs import log_event, log_failure, set_up_logs
from discreet.collector.service import COUNT_STEP, Metrics
from discreet.collector.settings import Settings, settings_of
from discreet.collector.simulation import (
    KeepAliveTransport,
    MemoryDisk,
    SimulationResult,
    Target,
    ask,
    most_influential_report,
    verdict,
)
from discreet.collector.store.protocol import Placed
from discreet.core.errors import InvalidInput, StoreFull, Unreachable
from discreet.estimation.decoders import decoder_of


def test_flags_go_before_the_environment_and_that_before_the_file(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('port = 1\nhost = "file"\nstore = "file.db"\norigins = ["https://file.example.org"]\n')
    environment = {"DISCREET_SERVE_PORT": "2", "DISCREET_SERVE_HOST": "environment", "OTHER": "x"}
    found = settings_of({"port": 3, "host": None}, environment, file)
    assert (found.port, found.host, found.store) == (3, "environment", "file.db")
    assert found.origins == ("https://file.example.org",)
    assert found.seconds == Settings().seconds


def test_the_environment_has_lists_and_numbers():
    found = settings_of({}, {"DISCREET_SERVE_ORIGINS": "https://a.org, https://b.org", "DISCREET_SERVE_SECONDS": "3"})
    assert (found.origins, found.seconds) == (("https://a.org", "https://b.org"), 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "is not a setting"),
        ('port = "80"', "a whole number"),
        ("port = true", "a whole number"),
        ("host = 1", "must be text"),
        ('origins = "https://a.org"', "a list of texts"),
        ('origins = ["a.org"]', "an origin"),
        ('origins = ["*"]', "an origin"),
        ("port = 70000", "from 0 to 65535"),
        ("seconds = 16", "from 1 to 15"),
        ('prefix = "x"', "a path"),
        ('store = ""', "must not be empty"),
        ("port = 1\nport = 2", "not TOML"),
    ],
)
def test_settings_are_read_strictly(tmp_path, text, said):
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=said):
        settings_of({}, {}, file)


@pytest.mark.parametrize("variable", ["DISCREET_SERVE_COLOUR", "DISCREET_SERVE_PORT"])
def test_the_environment_is_read_strictly(variable):
    with pytest.raises(InvalidInput, match=variable):
        settings_of({}, {variable: "x"})


def test_a_bucket_lets_a_burst_pass_and_then_its_rate():
    clock = [0.0]
    bucket = RateLimiter(2, 4, now=lambda: clock[0])
    assert [bucket.take() for _ in range(6)] == [True] * 4 + [False] * 2
    clock[0] = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    clock[0] = 1000.0
    assert sum(bucket.take() for _ in range(100)) == 4


def test_a_rate_of_zero_lets_everything_pass():
    bucket = RateLimiter(0, 0)
    assert all(bucket.take() for _ in range(1000))


@pytest.fixture
def lines():
    """What is logged inside a test, and the loggers as they were after it."""
    names = ("discreet.collector", "uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")
    kept = {name: dict(vars(logging.getLogger(name))) for name in names}
    handlers = {name: list(logging.getLogger(name).handlers) for name in names}
    stream = io.StringIO()
    set_up_logs(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    for name in names:
        vars(logging.getLogger(name)).update(kept[name])
        logging.getLogger(name).handlers[:] = handlers[name]


def test_a_log_line_is_json_with_what_happened(lines):
    log_event("a collection was made", collection="abc")
    (line,) = lines()
    assert (line["event"], line["collection"], line["level"]) == ("a collection was made", "abc", "info")


def test_an_error_is_logged_by_its_kind_and_place_only(lines):
    try:
        raise ValueError("the value of somebody")
    except ValueError as problem:
        log_failure("a request failed", problem)
    (line,) = lines()
    assert (line["error"], line["level"]) == ("ValueError", "error")
    assert line["at"].startswith("test_service_parts.py:")
    assert "somebody" not in json.dumps(line)


def test_what_a_store_lacks_is_logged(lines):
    try:
        raise StoreFull("store.db: 4,096 bytes must be free beside it")
    except StoreFull as problem:
        log_failure("background work failed; it is tried again", problem)
    (line,) = lines()
    assert (line["error"], line["reason"]) == ("StoreFull", "store.db: 4,096 bytes must be free beside it")


def test_the_server_below_logs_no_requests(lines):
    logging.getLogger("uvicorn.access").info("127.0.0.1 GET /")
    logging.getLogger("uvicorn.error").info("a connection of 127.0.0.1")
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    assert [line["event"] for line in lines()] == ["Invalid HTTP request received."]


def test_an_answer_on_the_line_is_whole():
    head, body = raw_problem("slow", "too slow").split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    assert f"content-length: {len(body)}".encode() in head
    assert json.loads(body)["code"] == "slow"
    assert b"retry-after" in raw_problem("busy", "busy")


def test_traffic_is_logged_together_and_only_if_there_was_enough(service, name, lines):
    for number in range(COUNT_STEP - 1):  # after one request, which made the collection
        service.service._log_requests()
        service.send(name, [0] if number else [99])
        service.get("/health")  # as a proxy does, all the time: to be subtracted from nothing
    assert lines() == []
    service.service._log_requests()
    service.service._log_requests()
    assert [line["statuses"] for line in lines()] == [{"200": COUNT_STEP - 2, "201": 1, "422": 1}]


def places_of_moves(services):
    """After how many uploads the counters of some services first move."""
    seen = set()
    exact = ("discreet_start_time_seconds", "discreet_upload_seconds_sum")
    for _ in range(services):
        metrics = Metrics()
        for place in range(1, COUNT_STEP + 1):
            metrics.accepted["c"] += 1
            metrics.requests["/collections/{id}/reports", "POST", 200] += 1
            metrics.observe_upload(0.01)
            rows = [line.rsplit(" ", 1) for line in metrics.text({}).splitlines() if line.startswith("discreet_")]
            assert all(int(number) % COUNT_STEP == 0 for name, number in rows if name not in exact)
            if any("accepted" in name for name, _ in rows):
                seen.add(place)
                break
    return seen


def test_when_a_counter_moves_nobody_knows_by_which_upload(monkeypatch):
    """100 services with offsets of a fixed seed; fewer than 30 of 100 places has a probability below 1e-25."""
    monkeypatch.setattr("discreet.collector.service.secrets.randbelow", random.Random(5).randrange)
    assert len(places_of_moves(100)) >= 30
    monkeypatch.setattr("discreet.collector.service.secrets.randbelow", lambda _: 0)
    assert places_of_moves(3) == {COUNT_STEP}  # a control: without an offset it is every hundredth


def test_failures_of_the_service_are_counted_one_by_one():
    metrics = Metrics()
    metrics.requests["/collections/{id}/reports", "POST", 507] += 1
    assert 'method="POST",status="507"} 1\n' in metrics.text({})
    assert "upload_seconds_count 0\n" in metrics.text({})


def test_refusals_that_could_not_be_kept_are_kept_later(service, name, monkeypatch):
    service.send(name, [99])

    def broken(counts):
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(service.store, "refuse", broken)
        with pytest.raises(OSError):
            service.service._keep_refusals()
    service.service._keep_refusals()
    assert service.store.refusals()[name, "report_impossible"] == 1


def test_without_the_extra_the_command_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.startswith("discreet.collector.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(main, ["serve", "--port", "0"])
    assert done.exit_code == 2
    assert "pip install 'discreet[serve]'" in done.stderr


@pytest.mark.parametrize(
    ("flags", "rule"), [(["--spec", "x.toml"], "needs --admin"), (["--invited", "--admin", "x"], "needs --spec")]
)
def test_a_collection_is_made_with_a_token_and_a_spec(monkeypatch, flags, rule):
    monkeypatch.delenv("DISCREET_ADMIN", raising=False)
    done = CliRunner().invoke(main, ["simulate", "http://127.0.0.1:1", *flags])
    assert done.exit_code == 2
    assert rule in done.stderr


def test_a_simulation_says_when_there_are_too_few_reports():
    simulated = SimulationResult(
        dc.mechanism(dc.Context.uniform(range(3), "1"), "hadamard"), {"": np.ones(3) / 3}, None
    )
    (line,) = verdict(simulated, {"": {"n": 0, "missing": 6, "result": None}})
    assert "before it has 6 reports" in line


def test_a_simulation_needs_a_collector(free_port):
    done = CliRunner().invoke(main, ["simulate", f"http://127.0.0.1:{free_port}/collections/x", "--people", "2"])
    assert done.exit_code == 2
    assert "could not be reached" in done.stderr


@pytest.fixture
def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_an_attacker_s_report_is_as_heavy_as_the_influence():
    mechanism = dc.mechanism(dc.Context.uniform(range(20), "1"), "hadamard")
    report = most_influential_report(mechanism, Target("", 3))
    weight = decoder_of(mechanism.sampler).decode(mechanism.tally([report]).counts)[3]
    assert weight == pytest.approx(decoder_of(mechanism.sampler).influence())


def test_a_disk_in_memory_does_what_a_ledger_asks_of_one():
    disk, path, other = MemoryDisk(), Path("/a"), Path("/b")
    disk.create(path, b"abc")
    disk.append(path, b"def")
    disk.cut(path, 4)
    disk.rename(path, other)
    disk.sync(other)
    disk.sync_folder(other.parent)
    assert (disk.read(path), disk.read(other)) == (None, b"abcd")


@pytest.mark.parametrize(("status", "kind"), [(503, Unreachable), (404, InvalidInput)])
def test_what_a_collector_does_not_answer_is_an_error(monkeypatch, status, kind):
    monkeypatch.setattr(KeepAliveTransport, "send", lambda *_, **__: Response(status, {}, b'{"detail":"no"}'))
    with pytest.raises(kind, match=str(status)):
        ask("http://127.0.0.1:1/x", "token")


class Line:
    """A transport that notes what is written."""

    def __init__(self):
        self.sent, self.closed = [], False

    def write(self, data):
        self.sent.append(data)

    def close(self):
        self.closed = True

    def is_closing(self):
        return self.closed


def test_a_head_goes_with_its_body_and_nothing_is_kept_back():
    line = Line()
    joined = CoalescingTransport(line)
    joined.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    joined.write(b"HTTP/1.1 200 OK\r\n\r\n")
    joined.write(b"HTTP/1.1 is what this body begins with")
    joined.write(b"more")
    assert line.sent == [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 is what this body begins with",
        b"more",
    ]
    joined.write(b"HTTP/1.1 204 No Content\r\n\r\n")
    joined.flush()
    joined.flush()
    assert len(line.sent) == 4
    joined.write(b"HTTP/1.1 408 Slow\r\n\r\n")
    joined.close()
    assert (len(line.sent), joined.is_closing()) == (5, True)


def test_background_work_goes_on_after_any_error_and_says_when_it_last_went_well(service, name, lines, monkeypatch):
    work = service.service
    monkeypatch.setattr(service_module, "TICK_SECONDS", 0)
    monkeypatch.setattr(service_module, "LOG_TICKS", 10**9)
    service.send(name, [99])
    tries, tasks, loop = [], [], service.loop

    def refuse(counts):
        tries.append(dict(counts))
        if len(tries) < 3:
            raise RuntimeError("of a kind that nobody thought of")
        loop.call_soon_threadsafe(tasks[0].cancel)

    async def run():
        tasks.append(asyncio.create_task(work._work()))
        with contextlib.suppress(asyncio.CancelledError):
            await tasks[0]

    monkeypatch.setattr(service.store, "refuse", refuse)
    with monkeypatch.context() as patched:
        patched.setattr(service.store, "erase", lambda: tries.append("erased"))
        service.run(run())
    assert tries[0] == tries[2]
    assert tries[0][name, "report_impossible"] == 1
    assert tries[1] == "erased"  # what comes after the part that failed is done all the same
    assert "RuntimeError" in {line.get("error") for line in lines()}
    assert work.metrics.last_round == 0
    assert "discreet_background_round_time_seconds 0" in work.metrics.text({})


def test_uploads_are_mixed_when_a_day_has_come_after_many_and_each_hour_with_the_day_open(service, name, monkeypatch):
    work, mixed = service.service, []
    monkeypatch.setattr(service.store, "mix", lambda **how: mixed.append((how.get("least"), how.get("day"))))
    work._note_day()
    for _ in range(2):
        work._mix()
    work._mix_today()
    assert mixed == [(None, work._looked_at), (service_module.MIX_UPLOADS, None), (None, work._looked_at)]
    assert work._grouping("of another process, and gone") is None
    assert work._grouping(name)([]).add(Placed(1, (), 5, "2026-11-17")) == [1]
