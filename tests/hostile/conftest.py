"""A confined reader for all tests of hostile documents that run in one process."""

import importlib.util
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # memory is confined the way that Linux does it


def load(name):
    """A module that stands beside this file."""
    spec = importlib.util.spec_from_file_location(f"tests_hostile_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def corpus():
    return load("corpus")


@pytest.fixture(scope="session")
def mutants():
    return load("mutants")


@pytest.fixture(scope="session")
def confined():
    """A process that reads documents with little memory and little time."""
    reader = load("confined").Confined()
    yield reader
    reader.close()


@pytest.fixture
def hasty():
    """One that takes less time, for documents that are known to hang."""
    reader = load("confined").Confined(seconds=0.5)
    yield reader
    reader.close()
