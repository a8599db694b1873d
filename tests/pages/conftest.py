"""A collector as a process of its own, with collections and reports, and pages of it in a Chromium."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

import discreet as dc

HEALTH = {
    "title": "A health survey",
    "question": "What were you last treated for?",
    "spec": {
        "domain": {"values": ["nothing", "cold", "allergy", "HIV", "addiction"]},
        "context": {"form": "high_low", "sensitive": ["HIV", "addiction"], "epsilon": "1.5"},
        "mechanism": {"name": "randomized_response"},
    },
    "words": {"HIV": "an HIV infection"},
    "labels": {"region": ["north", "south"]},
    "minimum": 50,
    "changes": "refuse",
    "access": "open",
}
PLACES = {
    "title": "Where are you?",
    "question": "Where are you now?",
    "spec": {
        "context": {
            "form": "blocks",
            "epsilon": "2",
            "blocks": {city: [f"{city} {x}{y}" for y in (1, 2, 3) for x in "ABC"] for city in ("Aldermoor", "Dunmere")},
        },
        "mechanism": {"name": "randomized_response"},
    },
    "minimum": 50,
    "changes": "refuse",
    "access": "open",
}


class Collector:
    """A collector that listens at `url`, with its tokens."""

    def __init__(self, folder, *options):
        line = [sys.executable, "-m", "discreet", "serve", "--store", str(folder / "pages.db"), "--port", "0", *options]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = self.process.stdout.readline()
        self.url = re.search(r"http://[0-9.:]+", said)[0]
        self.tokens = {
            role: re.search(rf"{role} token, shown this once: (\S+?)(;|$)", said)[1] for role in ("admin", "analyst")
        }

    def declare(self, declaration):
        """A new collection without reports; its id."""
        return self.ask("/collections", declaration)["id"]

    @property
    def link(self):
        """What follows the address of a page to bring its tokens along."""
        return f"#admin={self.tokens['admin']}&analyst={self.tokens['analyst']}"

    def ask(self, path, data=None, role="admin", **headers):
        body = None if data is None else json.dumps(data).encode()
        headers = {"authorization": f"Bearer {self.tokens[role]}", "content-type": "application/json", **headers}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, body, headers)) as answer:
            return json.loads(answer.read())

    def begin(self, declaration, people=0, **labels):
        """A new collection, with the reports of so many made-up people; its id."""
        made = self.ask("/collections", declaration)
        mechanism = dc.Spec.of(declaration["spec"]).mechanism
        for number, (name, text) in enumerate(labels.items() or [(None, None)]):
            held = np.random.default_rng(number).integers(mechanism.context.size, size=people)
            if people:
                reports = mechanism.randomize_indices(held, dc.random.seeded(number)).tolist()
                body = {"fingerprint": mechanism.fingerprint, "reports": reports, "version": 1}
                body |= {"labels": {"region": text}} if name else {}
                number_of = {"idempotency-key": f"people-{made['id']}-{number}"}
                self.ask(f"/collections/{made['id']}/reports", body, **number_of)
        return made["id"]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.stdout.close()
        return self.process.wait(30)


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    made = Collector(tmp_path_factory.mktemp("collector"))
    yield made
    assert made.stop() == 0


@pytest.fixture(scope="module")
def health(collector):
    return collector.begin(HEALTH, 400, first="north", second="south")


@pytest.fixture(scope="module")
def places(collector):
    return collector.begin(PLACES, 600)


@pytest.fixture(params=["light", "dark"])
def theme(request):
    return request.param


@pytest.fixture
def opened(browser, collector):
    """Open a page in a browser of its own; at the end nothing was said in its console, and nobody else was asked."""
    problems, contexts = [], []

    def open_page(path, *, theme="light", width=1000, quiet=True, tokens=True, locale="en-US"):
        context = browser.new_context(
            color_scheme=theme, viewport={"width": width, "height": 900}, accept_downloads=True, locale=locale
        )
        contexts.append(context)
        page = context.new_page()
        if quiet:
            page.on(
                "console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else 0
            )
        page.on("pageerror", lambda error: problems.append(str(error)))
        strange = ("data:", "blob:", collector.url)
        page.on("request", lambda asked: None if asked.url.startswith(strange) else problems.append(asked.url))
        page.goto(f"{collector.url}{path}{collector.link if tokens else ''}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not problems
