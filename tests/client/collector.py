"""A small collector that keeps what it is sent, and can lie, fail, hang and redirect when told to."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from discreet.wire.form import Form

JSON = {"Content-Type": "application/json"}


@dataclass
class Reply:
    """An answer to give: a status, headers, a body, and seconds to wait before and between its bytes."""

    status: int = 200
    headers: dict = field(default_factory=lambda: dict(JSON))
    body: bytes = b""
    wait: float = 0.0
    dribble: float = 0.0
    cut: bool = False
    """Promise more bytes than are sent."""


@dataclass
class Seen:
    """A request as it came in."""

    method: str
    path: str
    headers: dict
    body: bytes


class Collector:
    """One collection, at ``/survey``, with its law at ``/survey/law`` and uploads to ``/survey/reports``."""

    def __init__(self, law, **more) -> None:
        self.law = law.published.encode()
        self.document = {
            "version": 1,
            "title": "Health survey",
            **_asked(law),
            "fingerprint": law.fingerprint,
            "law": "/survey/law",
            "reports": "survey/reports",
            "changes": "refuse",
            **more,
        }
        self.seen: list[Seen] = []
        self.uploads: dict[str, bytes] = {}
        """What was accepted, by the number of the upload."""
        self.replies: dict[str, list[Reply]] = {}
        """The next answers to give at a path, instead of the right one; the last one for good."""

    @property
    def reports(self) -> list:
        """Every report that was accepted."""
        return [report for body in self.uploads.values() for report in json.loads(body)["reports"]]

    def reply(self, request: Seen) -> Reply:
        waiting = self.replies.get(request.path)
        if waiting:
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if request.path == "/survey":
            return Reply(body=json.dumps(self.document).encode())
        if request.path == "/survey/law":
            return Reply(body=self.law)
        if request.path == "/survey/reports" and request.method == "POST":
            return self.take(request)
        return Reply(404)

    def take(self, request: Seen) -> Reply:
        number = request.headers["idempotency-key"]
        assert self.uploads.setdefault(number, request.body) == request.body, "one number, two bodies"
        return Reply(201)

    @contextmanager
    def serving(self, *, tls=None):
        """Serve on a port of the system's, and give the address of the collection."""
        handler = type("Handler", (_Handler,), {"collector": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http{'' if tls is None else 's'}://127.0.0.1:{server.server_port}/survey"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _asked(law) -> dict:
    """What is asked, of one law or of a form."""
    if isinstance(law, Form):
        return {"questions": [{"name": name, "question": f"What about {name}?"} for name in law.names]}
    return {"question": "Which of these have you had?"}


class _Handler(BaseHTTPRequestHandler):
    collector: Collector
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): text for name, text in self.headers.items()}
        request = Seen(self.command, self.path, headers, self.rfile.read(length))
        self.collector.seen.append(request)
        reply = self.collector.reply(request)
        time.sleep(reply.wait)
        self.close_connection = True
        try:
            self.send_response_only(reply.status)
            for name, text in reply.headers.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(reply.body) + 10 * reply.cut))
            self.end_headers()
            if reply.dribble:
                for byte in reply.body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(reply.dribble)
            else:
                self.wfile.write(reply.body)
        except OSError:
            pass  # whoever asked is gone

    do_GET = do_POST = _serve

    def log_message(self, *_: object) -> None:
        pass
