from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from asking import Asker
from memory import MemoryStore, MemoryWriter


@pytest.fixture
def make():
    """Services by their settings, stopped in the end."""
    made = []

    def start(**settings):
        store = MemoryStore()
        made.append(Asker(store, MemoryWriter(store), **settings))
        return made[-1]

    yield start
    for asker in made:
        asker.stop()


@pytest.fixture
def service(make):
    return make()


@pytest.fixture
def name(service):
    """The id of an open collection."""
    return service.made()
