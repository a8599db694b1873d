from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from asking import Asker
from memory import MemoryStore, MemoryWriter


@pytest.fixture
def make(tmp_path):
    """Services by their settings, stopped in the end; what they write goes to the folder of the test."""
    made = []

    def start(**settings):
        store = MemoryStore()
        made.append(Asker(store, MemoryWriter(store), tmp_path, **settings))
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
