"""Laws of the choice between compiled kernels and NumPy."""

import os
import sys

import pytest

from discreet.estimation.arrays import acceleration


@pytest.fixture
def fresh():
    acceleration.present.cache_clear()
    yield
    acceleration.present.cache_clear()


def test_kernels_are_worth_it_for_large_batches_only():
    assert not acceleration.accelerated(acceleration.MIN_COMPILED_SIZE - 1)
    assert acceleration.accelerated(acceleration.MIN_COMPILED_SIZE)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(("value", "used"), [("1", False), ("0", True), ("", True)])
def test_the_switch_of_numba_is_obeyed(monkeypatch, value, used):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", value)
    assert acceleration.present() is used


@pytest.mark.usefixtures("fresh")
def test_a_numba_that_is_absent_or_broken_is_done_without(monkeypatch):
    monkeypatch.setattr(acceleration.importlib.util, "find_spec", lambda name: None)
    assert not acceleration.present()
    monkeypatch.undo()
    acceleration.present.cache_clear()
    monkeypatch.delattr(sys.modules["discreet.estimation.arrays"], "compiled")
    monkeypatch.setitem(sys.modules, "discreet.estimation.arrays.compiled", None)  # importing it is an ImportError
    assert not acceleration.present()


def test_cores_are_those_this_process_may_use(monkeypatch):
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 4, 5})
        assert acceleration.cores() == 3
        monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert acceleration.cores() == 1
