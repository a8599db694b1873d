"""Laws of a running collector: real clients, slow ones, a stop under load, and what it keeps of anybody."""

import contextlib
import json
import random
import re
import socket
import subprocess
import threading
import time

import pytest
from asking import SPEC
from click.testing import CliRunner
from running import COMMAND, answer_of, drip, exchange, post, running, slow

import discreet as dc
from discreet.bulk.report_files import reports_from_bytes
from discreet.cli import main
from discreet.client import Client
from discreet.collector.store.opening import open_store

AGENT = "Mozilla/5.0 (a browser that nobody else has; 7f3a)"


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    with running(tmp_path_factory.mktemp("collector")) as started:
        yield started


def test_people_answer_and_the_analyst_reads_shares_by_label(collector, tmp_path):
    made = collector.made(minimum=1)
    url = collector.address + made["collection"]
    held = {"1": [], "2": []}
    for person in range(12):
        client = Client(ledger=tmp_path / f"ledger-{person}.jsonl", cap="1")
        week = str(1 + person % 2)
        receipt = client.open(url).answer(["n1", "n2", "s1"][person % 3], labels={"week": week})
        assert (receipt.state, receipt.status) == ("accepted", 200)
        held[week] += json.loads(receipt.sent)["reports"]
        assert client.open(url).answer(["n1", "n2", "s1"][person % 3], labels={"week": week}).state == "accepted"
    status, body = collector.ask("GET", f"{made['collection']}/shares?by=week", role="analyst")
    assert status == 200
    mechanism = Client(ledger=tmp_path / "other.jsonl", cap="1").open(url).mechanism
    for cell in json.loads(body)["cells"][:2]:  # nobody is of the third week
        expected = dc.estimate(mechanism.tally(held[cell["labels"]["week"]]))
        assert cell["result"]["shares"] == expected.shares.tolist()
        assert cell["n"] == 6


def test_simulated_people_are_answered_with_the_truth_they_drew(collector, tmp_path):
    (tmp_path / "survey.toml").write_text(SPEC)
    tokens = ["--admin", collector.tokens["admin"], "--analyst", collector.tokens["analyst"]]
    flags = ["--people", "300", "--attackers", "0.1", "--labels", "week", "--threads", "4", "--quiet"]
    done = subprocess.run(
        [COMMAND, "simulate", collector.address, *flags, *tokens, "--spec", "survey.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "300 accepted." in done.stdout
    assert "The collector has 300 reports." in done.stdout
    assert re.search(r"Of 5 true shares, [0-5] lie in their intervals", done.stdout)
    assert "crafted reports wanted" in done.stdout


def test_simulated_people_get_invitations_where_they_need_them(collector, tmp_path, monkeypatch):
    for name in ("DISCREET_ADMIN", "DISCREET_ANALYST"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "survey.toml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    flags = ["--people", "12", "--attackers", "0.5", "--threads", "2", "--quiet"]
    token = ["--admin", collector.tokens["admin"]]
    done = CliRunner().invoke(
        main, ["simulate", collector.address, *flags, *token, "--spec", "survey.toml", "--invited"]
    )
    assert done.exit_code == 0, done.stderr
    assert "12 accepted." in done.stdout
    (url,) = re.findall(r"http://\S+/collections/\S+", done.stdout)
    _, body = collector.ask("GET", f"{url.removeprefix(collector.address)}/progress", role="analyst")
    assert json.loads(body)["invitations"] == {"made": 12, "spent": 12}
    done = CliRunner().invoke(main, ["simulate", url, *flags])
    assert done.exit_code == 2
    assert "this collection needs invitations" in done.stderr
    assert "12 accepted." in CliRunner().invoke(main, ["simulate", url, *flags, *token]).stdout


def test_nothing_of_anybody_is_in_the_database_the_logs_or_the_metrics(tmp_path):
    with running(tmp_path) as collector:
        made = collector.made(access="invitation", minimum=1)
        name, fingerprint = made["id"], made["fingerprint"]
        _, body = collector.ask("POST", f"{made['collection']}/invitations", {"count": 3}, role="admin")
        invitations = json.loads(body)["invitations"]
        ports = []
        for number, invitation in enumerate([*invitations, "not-an-invitation-4711"]):
            with collector.connect() as connection:
                ports.append(connection.getsockname()[1])
                head = f"user-agent: {AGENT}\r\ncookie: c=cookie-of-somebody\r\nx-forwarded-for: 203.0.113.9\r\n"
                head += f"invitation: {invitation}\r\nreferer: https://somewhere.example.org/\r\n"
                request = post(name, fingerprint, f"upload-{number}").replace(
                    b"host: x\r\n", f"host: x\r\n{head}".encode()
                )
                connection.sendall(request)
                assert answer_of(connection) == (200 if number < 3 else 403)
        collector.ask("GET", "/nowhere?who=somebody-4711", user_agent=AGENT)
        collector.ask("GET", "/overview", role="admin", user_agent=AGENT)
        with collector.connect() as connection:
            connection.sendall(b"this is not http; somebody-4711\r\n\r\n")
            assert answer_of(connection) == 400
        time.sleep(1.2)
        _, metrics = collector.ask("GET", "/metrics", role="analyst")
        during = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        tokens = [*collector.tokens.values(), *invitations]
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    secrets = ["127.0.0.1", "203.0.113.9", AGENT, "cookie-of-somebody", "somewhere.example.org", "4711", *tokens]
    for where, content in [("metrics", metrics), *during.items(), *after.items()]:
        for secret in secrets:
            assert secret.encode() not in content, (where, secret)
    for port in ports:
        assert f":{port}".encode() not in after["log.jsonl"]
    assert not re.search(rb"[0-9]{2}:[0-9]{2}", after["discreet.db"])  # no time of day
    for line in after["log.jsonl"].splitlines():
        assert {"time", "level", "event"} <= set(json.loads(line))


def test_the_store_is_as_private_as_a_file_can_be(collector):
    for path in collector.folder.glob("discreet.db*"):
        assert path.stat().st_mode & 0o077 == 0


# -- slow clients -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_slow_clients_are_closed_and_do_not_keep_others_waiting(tmp_path):
    (tmp_path / "settings.toml").write_text("seconds = 3\n")  # `make soak` waits for as long as is usual
    with running(tmp_path, "--settings", "settings.toml") as collector:
        made = collector.made()
        started = time.monotonic()
        connections = slow(collector, made, 50)
        stop = threading.Event()
        dripping = threading.Thread(target=drip, args=(connections, stop))
        dripping.start()
        try:
            for number in range(100):
                with collector.connect() as good:
                    good.sendall(post(made["id"], made["fingerprint"], f"good-{number}"))
                    assert answer_of(good) == 200
            ends = []
            for connection in connections:
                connection.settimeout(20)
                try:
                    ends.append(answer_of(connection))
                except ConnectionError:
                    ends.append(None)
            assert time.monotonic() - started < 15
            assert set(ends) <= {408, None}
            assert 408 in ends
        finally:
            stop.set()
            dripping.join()
            for connection in connections:
                connection.close()


def test_connections_that_are_used_again_are_slow_in_the_same_way(tmp_path):
    (tmp_path / "settings.toml").write_text("seconds = 1\n")
    with running(tmp_path, "--settings", "settings.toml") as collector:
        made = collector.made()
        with collector.connect() as connection:
            for number in range(3):
                assert exchange(connection, post(made["id"], made["fingerprint"], f"again-{number}")) == 200
            connection.sendall(post(made["id"], made["fingerprint"], "late")[:-5])
            started = time.monotonic()
            assert answer_of(connection) == 408
            assert time.monotonic() - started < 10


def test_endless_headers_are_refused(collector):
    with collector.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\n")
        with _until_closed():
            for _ in range(200):
                connection.sendall(b"x-header: " + b"y" * 1000 + b"\r\n")
        assert answer_of(connection) in (431, None)


class _until_closed:
    """Lets the end of a connection pass."""

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        return kind is not None and issubclass(kind, OSError)


def test_too_many_connections_are_told_to_come_later(tmp_path):
    (tmp_path / "settings.toml").write_text("connections = 3\n")
    with running(tmp_path, "--settings", "settings.toml") as collector:
        held = [collector.connect() for _ in range(3)]
        time.sleep(0.2)
        with collector.connect() as extra:
            assert answer_of(extra) == 503
        for connection in held:
            connection.close()


def test_a_reader_who_takes_nothing_is_closed(tmp_path):
    (tmp_path / "settings.toml").write_text("seconds = 1\n")
    with running(tmp_path, "--settings", "settings.toml") as collector:
        spec = {
            "domain": {"values": [f"value {i}" for i in range(50_000)]},
            "context": {"form": "uniform", "epsilon": "1"},
        }
        made = collector.made(spec={**spec, "mechanism": {"name": "hadamard"}}, words=None, labels=None)
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", collector.port))
        with connection:
            connection.sendall(f"GET {made['collection']}/law HTTP/1.1\r\nhost: x\r\n\r\n".encode() * 20)
            time.sleep(4)
            got = 0
            connection.settimeout(5)
            with _until_closed():
                while piece := connection.recv(1 << 20):
                    got += len(piece)
            assert got < 20 * 700_000


# -- starting and stopping --------------------------------------------------------------------------


def test_a_stop_commits_what_was_acknowledged(tmp_path):
    acknowledged, lock = set(), threading.Lock()
    with running(tmp_path) as collector:
        made = collector.made(minimum=1)

        def send(worker):
            try:
                with collector.connect() as connection:
                    for number in range(100_000):
                        name = f"{worker}-{number}"
                        if exchange(connection, post(made["id"], made["fingerprint"], name)) != 200:
                            return
                        with lock:
                            acknowledged.add(name)
            except OSError:
                return

        workers = [threading.Thread(target=send, args=(worker,), daemon=True) for worker in range(4)]
        for worker in workers:
            worker.start()
        while len(acknowledged) < 50:
            time.sleep(0.05)
        assert collector.stop() == 0
        for worker in workers:
            worker.join()
    store = open_store(tmp_path / "discreet.db")
    try:
        assert all(store.find(made["id"], name) for name in acknowledged)
        stored = sum(batch.count for batch in store.batches(made["id"]))
        assert stored >= len(acknowledged)
    finally:
        store.shut()


def test_a_collector_goes_on_where_it_stopped(tmp_path):
    with running(tmp_path) as first:
        made = first.made(minimum=1)
        with first.connect() as connection:
            connection.sendall(post(made["id"], made["fingerprint"], "one", [0, 1, 2]))
            assert answer_of(connection) == 200
        tokens = first.tokens
    with running(tmp_path, tokens=tokens) as second:
        assert "token" not in second.line
        status, body = second.ask("GET", f"{made['collection']}/progress", role="analyst")
        assert (status, json.loads(body)["n"]) == (200, 3)
        with second.connect() as connection:
            connection.sendall(post(made["id"], made["fingerprint"], "one", [0, 1, 2]))
            assert answer_of(connection) == 200
        _, body = second.ask("GET", f"{made['collection']}/tally", role="analyst")
        assert json.loads(body)["n"] == 3


def run(folder, *flags):
    """The command, in this process, which is another one than the collector's."""
    with contextlib.chdir(folder):
        return CliRunner().invoke(main, ["serve", *flags])


def test_a_store_is_checked_copied_and_its_tokens_rotated(tmp_path):
    with running(tmp_path) as collector:
        made = collector.made(minimum=1)
        with collector.connect() as connection:
            connection.sendall(post(made["id"], made["fingerprint"], "one", [0, 1, 2]))
            assert answer_of(connection) == 200
        assert run(tmp_path, "--check").exit_code == 0  # while it runs
        assert run(tmp_path, "--backup", "copy.db").exit_code == 0
        assert run(tmp_path, "--backup", "copy.db").exit_code == 2  # a copy replaces nothing
        assert run(tmp_path, "--rotate", "admin").exit_code == 2  # another process has it
        old = collector.tokens
    copy = open_store(tmp_path / "copy.db")
    (batch,) = copy.batches(made["id"])
    mechanism = dc.Spec.of(json.loads(next(iter(copy.collections())).law)).mechanism
    copy.shut()
    assert reports_from_bytes(mechanism, batch.reports).tolist() == [0, 1, 2]
    done = run(tmp_path, "--rotate", "admin")
    assert done.exit_code == 0
    new = re.search(r"discreet-admin-[0-9a-f]+", done.stdout)[0]
    with running(tmp_path, tokens={**old, "admin": new}) as collector:
        assert collector.ask("GET", "/overview", role="admin")[0] == 200
        assert collector.ask("GET", "/overview", authorization=f"Bearer {old['admin']}")[0] == 401
    damaged = bytearray((tmp_path / "discreet.db").read_bytes())
    place = damaged.index(b'"accepted":3')
    damaged[place + 11] ^= 1
    (tmp_path / "discreet.db").write_bytes(damaged)
    done = run(tmp_path, "--check")
    assert done.exit_code == 1
    assert done.stdout


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--check", "--rotate", "admin"], "one at a time"),
        (["--settings", "missing.toml"], "missing.toml"),
        (["--origin", "example.org"], "origins"),
        (["--prefix", "survey"], "prefix"),
        (["--check"], "no such file"),
        (["--backup", "x.db"], "no such file"),
    ],
)
def test_bad_flags_are_said_in_one_line(tmp_path, flags, said):
    done = run(tmp_path, *flags)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_random_bytes_on_the_line_do_no_harm(collector):
    """300 connections of random bytes; the seed is fixed."""
    chance = random.Random(5)
    for _ in range(300):
        with collector.connect() as connection, _until_closed():
            connection.sendall(chance.randbytes(chance.randrange(1, 200)))
    assert collector.ask("GET", "/health")[0] == 200


def test_answers_without_a_body_arrive_too(collector):
    made = collector.made()
    with collector.connect() as connection:
        for method in ("HEAD", "OPTIONS"):
            connection.sendall(f"{method} {made['collection']} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
            assert connection.recv(65_536).startswith(b"HTTP/1.1 20")
        connection.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert answer_of(connection) == 200
