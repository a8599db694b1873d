"""Simulated people who answer a real collection, and its estimate compared with their true shares."""

from __future__ import annotations

import http.client
import json
import math
import secrets
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bulk.words import secure
from ..client.addresses import Address, address_of
from ..client.collection import Collection, Document, open_collection
from ..client.ledger import Ledger, SystemDisk, Upload
from ..client.uploading import ClientSession, Request, Response
from ..core.canonical import canonical
from ..core.errors import InvalidInput, Unreachable
from ..core.exact import text_of
from ..estimation.decoders import decoder_of
from ..estimation.tally import Tally
from ..questionnaires.questions import AskedQuestion, asked_question, names_of
from ..wire.form import ONE, Form
from ..wire.form_reports import ReportPacking
from ..wire.published import Law
from ..wire.reports import report_to_json
from .catalogue import MAX_INVITATIONS

REQUEST_SECONDS = 30.0
"""How long one request may take."""


class MemoryDisk(SystemDisk):
    """The disk of one simulated person, in memory, where nothing is durable."""

    def __init__(self) -> None:
        self._files: dict[Path, bytes] = {}

    @contextmanager
    def locked(self, path: Path) -> Iterator[None]:
        yield

    def read(self, path: Path) -> bytes | None:
        return self._files.get(path)

    def create(self, path: Path, content: bytes) -> None:
        self._files[path] = content

    def append(self, path: Path, content: bytes) -> None:
        self._files[path] += content

    def cut(self, path: Path, length: int) -> None:
        self._files[path] = self._files[path][:length]

    def rename(self, old: Path, new: Path) -> None:
        self._files[new] = self._files.pop(old)

    def sync(self, path: Path) -> None:
        pass

    def sync_folder(self, path: Path) -> None:
        pass


class KeepAliveTransport:
    """HTTP/1.1 over one connection for each thread, which many people share as if a proxy stood before them."""

    def __init__(self) -> None:
        self._threads = threading.local()

    def send(self, request: Request, *, limit: int) -> Response:
        """The answer, with at most `limit` bytes of its body read; `Unreachable` if there is none."""
        try:
            return self._exchange(request, limit)
        except (OSError, http.client.HTTPException) as problem:
            self._connection(request.address).close()
            raise Unreachable(f"{request.address.origin} could not be reached: {type(problem).__name__}") from None

    def _exchange(self, request: Request, limit: int) -> Response:
        connection = self._connection(request.address)
        connection.request(request.method, request.address.target, request.body, dict(request.headers))
        with connection.getresponse() as answer:
            body = answer.read()
            headers = {name.lower(): text for name, text in answer.getheaders()}
            return Response(answer.status, headers, body[:limit], len(body) <= limit)

    def _connection(self, address: Address) -> http.client.HTTPConnection:
        connections: dict[str, http.client.HTTPConnection] = self._threads.__dict__.setdefault("connections", {})
        if address.origin not in connections:
            kind = http.client.HTTPConnection if address.scheme == "http" else http.client.HTTPSConnection
            connections[address.origin] = kind(address.host.strip("[]"), address.port, timeout=REQUEST_SECONDS)
        return connections[address.origin]


class People:
    """Makes people who may answer one collection; its law is fetched and certified once for all of them."""

    def __init__(self, url: str) -> None:
        self._transport = KeepAliveTransport()
        self._first = self._session("0")
        collection = open_collection(url, self._first)
        self.law: Law = collection.law
        self.document: Document = collection.document
        self._cap = text_of(collection.epsilon)

    @property
    def questions(self) -> dict[str, AskedQuestion]:
        """The questions by name; a single one is called ``""``."""
        return {name: asked_question(self.law, name) for name in names_of(self.law) or ("",)}

    def one(self, invitation: str | None = None) -> Collection:
        """The collection as a new person sees it, who has spent nothing yet and may answer once."""
        return Collection(self.document, self.law, self._session(self._cap), invitation)

    def send(self, body: str, invitation: str | None = None) -> str:
        """What becomes of a crafted body: "accepted", "refused" or "queued"."""
        upload = Upload(secrets.token_hex(16), str(self.document.address), str(self.document.reports), body)
        return self._first.send(upload, invitation).state

    def _session(self, cap: str) -> ClientSession:
        ledger = Ledger("/ledger", cap, disk=MemoryDisk())
        return ClientSession(ledger, self._transport, time.sleep, lambda: datetime.now(UTC))


CANDIDATES = 64
"""The number of reports from which an attacker chooses the most influential one."""

MAX_ANSWER_BYTES = 1 << 28
"""The most bytes of an answer with shares."""


class Target(NamedTuple):
    """What attackers want more of: an answer, by its number, to a question."""

    question: str
    answer: int


@dataclass
class SimulationResult:
    """The true shares of simulated people, and how many of their reports were accepted, refused or queued.

    `truths` has those of every question by its name; a single one is called ``""``.
    """

    law: Law
    truths: dict[str, NDArray[np.float64]]
    target: Target | None
    states: Counter[str] = field(default_factory=Counter)
    honest: int = 0
    crafted: int = 0
    seconds: float = 0.0


def simulate(
    url: str,
    people: int,
    *,
    attackers: float = 0.0,
    labels: Sequence[str] = (),
    threads: int = 8,
    admin: str | None = None,
    progress: Callable[[int], object] = lambda more: None,
) -> SimulationResult:
    """Let people answer the collection at `url`; a share `attackers` of them send what helps one answer most.

    Every person has a ledger and goes the way of a real client, with an answer to every question; the labels named are
    given at random. Where people need invitations, the token `admin` makes them.
    """
    clients = People(url)
    invited = clients.document.access == "invitation"
    if invited and admin is None:
        raise InvalidInput("this collection needs invitations, and an admin's token must be there to make them")
    invitations: list[str | None] = [*invite(url, admin, people)] if invited and admin is not None else [None] * people
    for name in labels:
        if name not in clients.document.labels:
            raise InvalidInput(f"label {name!r} must be one that the collection declares")
    rng = np.random.default_rng()  # these people do not exist, and their reports are drawn as everybody's
    questions = clients.questions
    answers = {name: _drawn_answers(len(one.values), people, rng) for name, one in questions.items()}
    crafted = rng.random(people) < attackers
    target = None
    if attackers:
        question = str(rng.choice(list(questions)))
        target = Target(question, int(rng.integers(len(questions[question].values))))
    influential = None if target is None else most_influential_report(clients.law, target)
    honest = {name: numbers[~crafted] for name, numbers in answers.items()}
    truths = {
        name: np.bincount(honest[name], minlength=len(one.values)) / max(len(honest[name]), 1)
        for name, one in questions.items()
    }
    result = SimulationResult(clients.law, truths, target)
    result.crafted = int(crafted.sum())
    result.honest = people - result.crafted

    def answer(person: int) -> str:
        chosen = {name: secrets.choice(clients.document.labels[name]) for name in labels}
        if crafted[person]:
            body = {"version": 1, "fingerprint": clients.law.fingerprint}
            body |= {"reports": [influential], **({"labels": chosen} if chosen else {})}
            return clients.send(canonical(body), invitations[person])
        values = {name: one.values[int(answers[name][person])] for name, one in questions.items()}
        given = values if isinstance(clients.law, Form) else values[""]
        return clients.one(invitations[person]).answer(given, labels=chosen).state

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        for state in pool.map(answer, range(people), chunksize=16):
            result.states[state] += 1
            progress(1)
    result.seconds = time.perf_counter() - started
    return result


def _drawn_answers(size: int, people: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of people's answers, by shares that are drawn at random."""
    shares = rng.permutation(1 / np.arange(1, size + 1))
    return rng.choice(size, people, p=shares / shares.sum())


def most_influential_report(law: Law, target: Target) -> int | str:
    """Of some reports of people who gave the answer, the one that raises its estimated share most, as JSON data."""
    question, rng = asked_question(law, target.question), secure()
    weight = _weigher(question, target)
    if not isinstance(law, Form):
        drawn = {law.randomize_index(target.answer, rng) for _ in range(CANDIDATES)}
        return report_to_json(law, max(sorted(drawn), key=weight))
    packing = ReportPacking(law)
    others = {name: spec.context.values for name, spec in law.questions.items()}
    reports: list[dict[str, int]] = []
    while len(reports) < CANDIDATES:
        held = {name: values[secrets.randbelow(len(values))] for name, values in others.items()}
        report = law.randomize({**held, question.name: question.values[target.answer]}, rng)
        if question.part in report:
            reports.append(report)
    return packing.to_json(packing.pack(max(reports, key=lambda report: weight(report[question.part]))))


def _weigher(question: AskedQuestion, target: Target) -> Callable[[int], float]:
    """How much a report of the question's part weighs for the target."""
    decoder = decoder_of(question.mechanism)
    weights = np.zeros(question.mechanism.context.size)
    if question.is_margin:
        assert question.weights is not None
        weights = question.weights[target.answer]
    else:
        weights[target.answer] = 1.0

    def weight(report: int) -> float:
        return float(decoder.decode(Tally.of(question.mechanism, [report]).counts) @ weights)

    return weight


def read_shares(url: str, token: str) -> dict[str, dict[str, Any]]:
    """The collector's estimates from all reports, by question; `InvalidInput` with its message if it gives none."""
    answered = ask(f"{url}/shares", token)
    questions = answered.get("questions", {"": answered})
    return {name: shares["cells"][0] for name, shares in questions.items()}


def create(base: str, token: str, declaration: dict[str, Any]) -> str:
    """Create a collection with an admin's token; its address."""
    created = ask(f"{base.rstrip('/')}/collections", token, declaration)
    return str(urllib.parse.urljoin(base, created["collection"]))


def invite(url: str, token: str, people: int) -> list[str]:
    """Create invitations for so many people with an admin's token."""
    invitations: list[str] = []
    while len(invitations) < people:
        more = min(people - len(invitations), MAX_INVITATIONS)
        invitations += ask(f"{url}/invitations", token, {"count": more})["invitations"]
    return invitations


def ask(url: str, token: str | None = None, data: Any = None) -> Any:
    """The JSON that a collector answers to a request, with a token where one is given."""
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    body = None if data is None else json.dumps(data).encode()
    if body is not None:
        headers["Content-Type"] = "application/json"
    request = Request("GET" if data is None else "POST", address_of(url), headers, body)
    answer = KeepAliveTransport().send(request, limit=MAX_ANSWER_BYTES)
    if answer.status >= 500:
        raise Unreachable(f"{request.address.origin} answered with status {answer.status}")
    content = json.loads(answer.body)
    if answer.status >= 300:
        raise InvalidInput(f"the collector answered with status {answer.status}: {content.get('detail', '')}")
    return content


def verdict(simulation: SimulationResult, cells: Mapping[str, dict[str, Any]]) -> list[str]:
    """Sentences that compare the estimates of every question with the truth."""
    sent = simulation.states["accepted"]
    if all(cell["result"] is None for cell in cells.values()):
        missing = max(cell["missing"] for cell in cells.values())
        return [f"The collector gives no shares before it has {missing:,} reports."]
    counts = [cell["n"] for cell in cells.values()]
    is_one_at_random = isinstance(simulation.law, Form) and simulation.law.strategy == ONE
    total = sum(counts) if is_one_at_random else counts[0]
    others = ", others' among them" if total > sent else " to show; the rest wait until there are enough"
    lines = [f"The collector has {total:,} reports" + ("" if total == sent else others) + "."]
    for name, cell in cells.items():
        lines += [f"{name}: {line}" if name else line for line in _compared(simulation, name, cell)]
    return lines


def _compared(simulation: SimulationResult, name: str, cell: Mapping[str, Any]) -> Iterator[str]:
    """The sentences about one question."""
    result, truth = cell["result"], simulation.truths[name]
    if result is None:
        yield "Nobody whose report is shown was asked this."
        return
    shares = np.array(result["shares"], dtype=float)
    low, high = np.array(result["low"], dtype=float), np.array(result["high"], dtype=float)
    inside = int(np.sum((low <= truth) & (truth <= high)))
    worst = int(np.argmax(np.abs(shares - truth)))
    real = math.sqrt(float(np.mean((shares - truth) ** 2)))
    expected = math.sqrt(float(np.mean(np.array(result["stderr"], dtype=float) ** 2)))
    yield f"Of {len(truth):,} true shares, {inside:,} lie in their intervals of {result['confidence']:.0%} confidence."
    yield f"The error is {real:.2%} on average (root mean square), and {expected:.2%} was to be expected."
    where = result["values"][worst]
    yield f"The largest error is at {where}: {truth[worst]:.2%} in truth, {shares[worst]:.2%} estimated."
    if simulation.target is not None and simulation.target.question == name:
        reports = cell["n"] if name else simulation.states["accepted"]
        answer, bound = simulation.target.answer, simulation.crafted / max(reports, 1) * result["influence"]
        yield (
            f"{simulation.crafted:,} crafted reports wanted {result['values'][answer]}, and moved its share by "
            f"{shares[answer] - truth[answer]:+.2%}; they can move it by {bound:.2%}, beside the noise."
        )
