"""Laws of bulk randomization: the same reports however the work is cut, in bounded memory, or none at all."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import discreet as dc
from discreet.bulk import randomizing as bulk
from discreet.bulk.randomizing import randomize_indices, report_type
from discreet.bulk.words import replay, seeded
from discreet.checks import check_engine
from discreet.core.errors import InvalidInput, MissingExtra, RandomnessFailure, UnknownValue
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.subset import Subset

ENGINES = ["numpy", "numba"]


def uniform(k, name, epsilon="1", **parameters):
    return dc.mechanism(dc.Context.uniform(range(k), epsilon), name, **parameters)


@pytest.fixture
def mechanism():
    return uniform(300, "hadamard")


@pytest.fixture
def small_pieces(monkeypatch):
    """Work cut so small that a few thousand reports take many tasks."""
    monkeypatch.setattr(bulk, "BUFFER", 64)
    monkeypatch.setattr(bulk, "SLAB", 30_000)
    monkeypatch.setattr(bulk, "TASK", 200)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["hadamard", "subset", "unary"])
@pytest.mark.usefixtures("small_pieces")
def test_every_engine_and_any_number_of_threads_keep_the_conformance_suite(name, engine, threads):
    def run(sampler, indices, rng):
        return randomize_indices(sampler, indices, rng, engine=engine, threads=threads)

    check_engine(run, uniform(70, name))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.usefixtures("small_pieces")
def test_any_split_of_the_work_takes_the_same_words(mechanism, engine):
    x = np.arange(5000) % 300
    whole, rng = randomize_indices(mechanism.sampler, x, seeded(1), engine=engine), seeded(1)
    parts = [randomize_indices(mechanism.sampler, part, rng, engine=engine) for part in np.split(x, [1, 2, 777])]
    assert np.array_equal(np.concatenate(parts), whole)
    assert rng.take(1) == seeded(1).take(5001)[-1:]  # the source has moved on by exactly the words used


@pytest.mark.parametrize("engine", ENGINES)
def test_a_source_that_only_goes_on_gives_the_same_reports(mechanism, engine):
    x = np.arange(1000) % 300
    expected = randomize_indices(mechanism.sampler, x, seeded(2), engine=engine)
    found = randomize_indices(mechanism.sampler, x, replay(seeded(2).take(1000)), engine=engine)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["i1", "u1", "i2", ">i2", "u4", "i8", ">u8", "u8"])
def test_indices_of_any_whole_type_give_the_same_reports(engine, kind):
    sampler = Hadamard(100, dc.Context.uniform(range(2), "1").level)
    x = np.arange(500) % 100
    expected = randomize_indices(sampler, x, seeded(3), engine="numpy")
    assert np.array_equal(randomize_indices(sampler, x.astype(kind), seeded(3), engine=engine), expected)
    every_other = np.repeat(x, 2).astype(kind)[::2]
    assert np.array_equal(randomize_indices(sampler, every_other, seeded(3), engine=engine), expected)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("wrong", [-1, 300, 2**40])
@pytest.mark.usefixtures("small_pieces")
def test_one_index_outside_the_domain_stops_everything(mechanism, engine, threads, wrong):
    x = np.zeros(3000, dtype=np.int64)
    x[2500] = wrong
    with pytest.raises(UnknownValue, match=r"^row 2501: an index must be from 0 to 299$"):
        randomize_indices(mechanism.sampler, x, seeded(1), engine=engine, threads=threads)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8"])
def test_a_negative_index_is_not_a_large_one(mechanism, engine, kind):
    """-1 in one byte has the bits of 255, which is one of 300 values."""
    with pytest.raises(UnknownValue, match=r"^row 2: an index must be from 0 to 299$"):
        randomize_indices(mechanism.sampler, np.array([5, -1], dtype=kind), seeded(1), engine=engine)
    good = np.array([5, 100], dtype=kind)
    expected = randomize_indices(mechanism.sampler, [5, 100], seeded(1), engine=engine)
    assert np.array_equal(randomize_indices(mechanism.sampler, good, seeded(1), engine=engine), expected)


@pytest.mark.parametrize("wrong", [[0.5], [True], ["1"], [[1]], [2**70], 3, np.ma.masked_array([1, 2], [0, 1])])
def test_indices_are_one_row_of_whole_numbers(mechanism, wrong):
    with pytest.raises(UnknownValue, match="must be one row of whole numbers"):
        mechanism.randomize_indices(wrong, seeded(1))


@pytest.mark.parametrize("engine", ENGINES)
def test_no_values_give_no_reports(mechanism, engine):
    found = randomize_indices(mechanism.sampler, [], seeded(1), engine=engine)
    assert found.shape == (0,)
    assert found.dtype == np.uint16


def test_reports_take_the_smallest_type():
    assert [report_type(bits) for bits in (1, 8, 9, 16, 17, 32, 33, 64, 65)] == ["u1"] * 2 + ["u2"] * 2 + ["u4"] * 2 + [
        "u8"
    ] * 3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_source_that_runs_dry_leaves_no_report(mechanism, engine):
    with pytest.raises(RandomnessFailure, match="no report was made"):
        randomize_indices(mechanism.sampler, [1, 2, 3], replay([5, 6]), engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("make", [lambda e: Hadamard(43_750, e), lambda e: Subset(1000, e)])
def test_memory_beside_values_and_reports_is_bounded_whatever_their_number(engine, make):
    sampler = make(dc.Context.uniform(range(2), "1").level)
    room = []
    for n in (1 << 18, 1 << 20) if sampler.words == 1 else (500, 2000):
        x = np.zeros(n, dtype=np.uint16)
        randomize_indices(sampler, x[:10], seeded(1), engine=engine)  # tables and compiled code are made once
        tracemalloc.start()
        reports = randomize_indices(sampler, x, seeded(1), engine=engine, threads=2)
        room.append(tracemalloc.get_traced_memory()[1] - reports.nbytes)
        tracemalloc.stop()
    assert max(room) < 32 << 20
    assert room[1] < 1.5 * room[0] + (1 << 20)


def test_an_engine_is_one_of_those_there_are(mechanism, monkeypatch):
    with pytest.raises(InvalidInput, match="engine='cuda' must be auto, numpy or numba"):
        randomize_indices(mechanism.sampler, [1], seeded(1), engine="cuda")
    monkeypatch.setattr(bulk, "present", lambda: False)
    with pytest.raises(MissingExtra, match=r"discreet\[fast\]"):
        randomize_indices(mechanism.sampler, [1], seeded(1), engine="numba")


def printed(code):
    script = f"import sys, discreet as dc\nm = dc.mechanism(dc.Context.uniform(range(9), '1'), 'hadamard')\n{code}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_small_calls_do_not_wait_for_the_compiler():
    run = "m.tally(m.randomize_indices([1] * {n}, dc.random.secure()))\nprint('numba' in sys.modules)"
    assert printed(run.format(n=1000)) == ["False"]
    assert printed(run.format(n=200_000)) == ["True"]  # the control: large ones use it


def test_a_compiler_switched_off_is_not_used():
    off = "import os\nos.environ['NUMBA_DISABLE_JIT'] = '1'\n"
    run = "print(len(m.randomize_indices([1] * 200_000, dc.random.secure())), 'numba' in sys.modules)"
    assert printed(off + run) == ["200000", "False"]
