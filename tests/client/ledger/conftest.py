"""What these tests share: a disk that loses what was not synced."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def load(name):
    """A module that stands beside this file."""
    spec = importlib.util.spec_from_file_location(f"tests_ledger_{name}", Path(__file__).with_name(f"{name}.py"))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def lossy():
    return load("lossy")


@pytest.fixture(scope="session")
def histories():
    return load("histories")
