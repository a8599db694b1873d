"""What tests of the client share: a collector, a clock, and clients that do not wait."""

import importlib.util
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import discreet as dc


def load(path):
    """A module of the tests, by its place."""
    name = "tests_" + "_".join(path.with_suffix("").parts[-2:])
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


HERE = Path(__file__).parent
COLLECTOR = load(HERE / "collector.py")
LOSSY = load(HERE / "ledger" / "lossy.py")
SURVEY = dc.mechanism(dc.Context.uniform(range(40), "1"), "unary")
"""Reports of 40 bits: two draws are hardly ever the same."""


@pytest.fixture
def survey():
    return SURVEY


@pytest.fixture
def lossy():
    return LOSSY


@pytest.fixture
def Reply():
    return COLLECTOR.Reply


@pytest.fixture
def Collector():
    return COLLECTOR.Collector


@pytest.fixture
def collector():
    return COLLECTOR.Collector(SURVEY)


@pytest.fixture
def url(collector):
    with collector.serving() as address:
        yield address


@pytest.fixture
def waits():
    """The seconds that clients would have waited."""
    return []


NOW = datetime(2026, 11, 17, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def make_client(tmp_path, waits):
    """A client with a ledger in the folder of the test, which notes how long it would wait."""

    def make(*, cap="4", seconds=5.0, kind=dc.client.Client, now=lambda: NOW, **more):
        way = more.pop("transport", None) or dc.client.HttpTransport(seconds=seconds, **more)
        return kind(ledger=tmp_path / "ledger.jsonl", cap=cap, transport=way, sleep=waits.append, now=now)

    return make


@pytest.fixture
def client(make_client):
    return make_client()
