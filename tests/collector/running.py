"""A collector as users run it: the command, in a process of its own, on a port of the system's choice."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from asking import DECLARATION

COMMAND = str(Path(sys.executable).with_name("discreet"))


class Running:
    """A started collector: its address and tokens, and requests by the standard library."""

    def __init__(self, folder, *flags, tokens=None):
        self.folder = folder
        self._log = (folder / "log.jsonl").open("ab")
        self.process = subprocess.Popen(
            [COMMAND, "serve", "--port", "0", *flags],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.line = self.process.stdout.readline()
        self.address = re.search(r"http://[0-9.:]+", self.line)[0]
        self.port = int(self.address.rpartition(":")[2])
        shown = {role: re.search(rf"discreet-{role}-[0-9a-f]+", self.line) for role in ("admin", "analyst")}
        self.tokens = tokens or {role: found[0] for role, found in shown.items() if found}

    @property
    def log(self):
        return (self.folder / "log.jsonl").read_text()

    def ask(self, method, path, data=None, *, role=None, **headers):
        """The status and the body of one request."""
        given = {name.replace("_", "-"): text for name, text in headers.items()}
        body = data if data is None or isinstance(data, bytes) else json.dumps(data).encode()
        if body is not None:
            given.setdefault("content-type", "application/json")
        if role is not None:
            given["authorization"] = f"Bearer {self.tokens[role]}"
        request = urllib.request.Request(f"{self.address}{path}", body, given, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as problem:
            with problem:
                return problem.code, problem.read()

    def made(self, **changes):
        """What a new collection is told to its admin."""
        declaration = {key: entry for key, entry in {**DECLARATION, **changes}.items() if entry is not None}
        status, body = self.ask("POST", "/collections", declaration, role="admin")
        assert status == 201, body
        return json.loads(body)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.communicate(timeout=30)
        self._log.close()
        return self.process.returncode


@contextlib.contextmanager
def running(folder, *flags, tokens=None):
    """A collector that is stopped in the end."""
    started = Running(folder, *flags, tokens=tokens)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.stop()


# -- requests as bytes ------------------------------------------------------------------------------


def post(name, fingerprint, number, reports=(0,)):
    """The bytes of a whole request."""
    body = json.dumps({"fingerprint": fingerprint, "reports": list(reports), "version": 1}).encode()
    head = (
        f"POST /collections/{name}/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        f"idempotency-key: {number}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def answer_of(connection):
    """The status of the next answer, or None if the connection ends."""
    with connection.makefile("rb") as file:
        line = file.readline()
        return int(line.split()[1]) if line else None


def exchange(connection, request):
    """The status of a whole answer on a connection that goes on, or None if it ends."""
    connection.sendall(request)
    held = b""
    while b"\r\n\r\n" not in held or len(held) < held.index(b"\r\n\r\n") + 4 + _length(held):
        piece = connection.recv(65_536)
        if not piece:
            return None
        held += piece
    return int(held.split()[1])


def _length(held):
    return int(re.search(rb"content-length: ([0-9]+)", held)[1])


def slow(collector, made, count):
    """Connections that begin to send headers, or a body, and go on with a byte at a time."""
    whole = post(made["id"], made["fingerprint"], "slow")
    cut = whole.index(b"\r\n\r\n") + 4
    connections = []
    for number in range(count):
        connection = collector.connect()
        connection.sendall([b"", whole[:20], whole[:cut], whole[: cut + 10]][number % 4])
        connections.append(connection)
    return connections


def drip(connections, stop):
    """Keep slow connections from being silent."""
    while not stop.wait(0.5):
        for number, connection in enumerate(connections):
            if number % 4 in (1, 3):
                try:
                    connection.send(b"x")
                except OSError:
                    continue
