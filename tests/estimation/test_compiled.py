"""Laws of compiling: machine operations are what they say, and nothing on disk can stop or mislead a kernel."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.estimation.arrays import compiled

WORDS = st.integers(0, 2**64 - 1)


@compiled.jit
def high_and_count(a, b):
    return compiled.multiply_high(a, b), compiled.count_bits(a)


@settings(deadline=None)
@given(a=WORDS, b=WORDS)
def test_machine_operations_are_what_they_say(a, b):
    high, bits = high_and_count(np.uint64(a), np.uint64(b))
    assert high == a * b >> 64
    assert bits == a.bit_count()


def test_kernels_compile_where_no_cache_can_be_written(monkeypatch):
    asked = []
    real = compiled.njit

    def without_a_directory(**options):
        asked.append(options.get("cache", False))
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(**options)

    monkeypatch.setattr(compiled, "njit", without_a_directory)
    assert compiled.jit(lambda a: a + 1)(2) == 3
    assert asked == [True, False]


def test_a_full_disk_does_not_stop_a_kernel(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    from numba.core import caching

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    assert compiled.jit(lambda a: a + 2)(2) == 4


def test_kernels_on_disk_serve_only_while_no_source_has_changed():
    stamp = high_and_count._cache._cache_file._source_stamp
    assert stamp[1] == compiled._sources()
    package = Path(compiled.__file__).parents[2]
    using = {str(file.relative_to(package)) for file in package.rglob("*.py") if "compiled import" in file.read_text()}
    assert {*using, "estimation/arrays/compiled.py", "bulk/packed.py"} == set(compiled.SOURCES)


def double(a):
    return a + a


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call a kernel that nothing in memory knows, its files in a folder of its own: the result, and whether read."""
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))

    def fresh():
        kernel = compiled.jit(double)
        return kernel(4), sum(kernel.stats.cache_hits.values())

    return fresh


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"\x80\x04cdiscreet.engines.packed\nNoSuchLaw\n."])
def test_files_that_cannot_be_read_are_replaced(run, tmp_path, garbage):
    assert run() == (8, 0)
    assert run() == (8, 1)  # the control: kept on disk
    files = list(tmp_path.rglob("*.nb[ic]"))
    assert {file.suffix for file in files} == {".nbi", ".nbc"}
    for file in files:
        file.write_bytes(garbage)
    assert run() == (8, 0)
    assert run() == (8, 1)


@pytest.mark.slow
def test_what_one_process_compiles_the_next_one_reads_and_garbage_stops_neither(tmp_path):
    script = (
        "import numpy as np\nfrom discreet.estimation.arrays import counting\n"
        "print(counting.histogram(np.array([1, 2, 2], dtype=np.uint8), 4).tolist(), "
        "sum(counting._count.stats.cache_hits.values()))"
    )

    def fresh():
        settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=settings)
        return done.stdout.strip()

    assert fresh() == "[0, 1, 2, 0] 0"
    assert fresh() == "[0, 1, 2, 0] 1"
    for file in tmp_path.rglob("*.nb[ic]"):
        file.write_bytes(b"garbage")
    assert fresh() == "[0, 1, 2, 0] 0"
