"""Smaller word spaces than by default, so that the whole table of mechanisms is run in seconds."""

import pytest

from discreet.checks import execution, law


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(execution, "MAX_DRAWS", 1 << 16)
    monkeypatch.setattr(execution, "MAX_BITS", 16)
    monkeypatch.setattr(law, "MAX_ENTRIES", 1 << 10)
