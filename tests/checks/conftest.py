"""Smaller word spaces than by default, so that the whole table of mechanisms is run in seconds."""

import pytest

from discreet.checks import execution, law


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(execution, "DRAWS", 1 << 16)
    monkeypatch.setattr(execution, "LARGEST", 16)
    monkeypatch.setattr(law, "ENTRIES", 1 << 10)
