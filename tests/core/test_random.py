"""Laws of the sources of words: fresh for people, repeatable for simulation, and no report without them."""

import copy
import json
import os
import pickle
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet import random as sources
from discreet.core.errors import InvalidInput, RandomnessFailure

KEY = bytes(range(16))
FORKED = Path(__file__).with_name("forked.py")
HELD = runpy.run_path(str(FORKED))["HELD"]


@pytest.fixture
def mechanism():
    return dc.mechanism(dc.Context.uniform(range(10), "1"))


@pytest.mark.parametrize("make", [lambda: dc.random.seeded(7), lambda: sources.Keystream(KEY)])
def test_integers_and_arrays_come_from_one_stream(make):
    whole = make().take(100)
    source = make()
    mixed = [*source.take(3), *source.fill(10).tolist(), *source.take(0), *source.fill(1).tolist(), *source.take(86)]
    assert mixed == whole
    assert all(0 <= word < 2**64 for word in whole)
    assert len(set(whole)) == 100


def test_a_seed_repeats_and_another_does_not():
    assert dc.random.seeded(1).take(4) == dc.random.seeded(1).take(4)
    assert dc.random.seeded(1).take(4) != dc.random.seeded(2).take(4)


def test_the_seeded_words_never_change_between_versions():
    assert dc.random.seeded(0).take(2) == [8697433740454182525, 7566633157014115680]


@pytest.mark.parametrize("seed", [1.0, "1", None, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(InvalidInput, match="must be a whole number"):
        dc.random.seeded(seed)


@pytest.mark.parametrize("start", [0, 1, 2, 7, 100_001])
def test_a_keystream_begins_at_any_word(start):
    assert sources.Keystream(KEY, start=start).take(5) == sources.Keystream(KEY).take(start + 5)[start:]


def test_long_fills_equal_many_short_ones():
    count = sources.CHUNK + 5
    source = sources.Keystream(KEY)
    parts = np.concatenate([source.fill(1000) for _ in range(count // 1000 + 1)])
    assert np.array_equal(sources.Keystream(KEY).fill(count), parts[:count])


def test_secure_words_never_repeat():
    one, two = dc.random.secure(), dc.random.secure()
    words = [*one.take(50), *two.take(50), *one.fill(50).tolist(), *two.fill(50).tolist()]
    assert len(set(words)) == 200
    target = np.empty(50, dtype="<u8")
    one.fill_into(target)
    assert not set(target.tolist()) & set(words)


@pytest.fixture(scope="module")
def drawn():
    """What the program `forked.py` drew, by the name of the case."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, str(FORKED)], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def distinct(parts):
    words = [word for part in parts for word in part]
    return len(words) == 4 * len(parts) and len(set(words)) == len(words)


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")


@forks
def test_four_forked_children_draw_distinct_words(drawn):
    cases = {name: words for name, words in drawn.items() if name.startswith("secure")}
    assert len(cases) == 16
    assert [name for name, words in cases.items() if len(words) != 10 or not distinct(words)] == []


@forks
def test_a_seeded_source_would_be_caught_repeating_itself_in_forks(drawn):
    """The control for the law above: a key that crosses a fork gives the same words in every process."""
    cases = {name: words for name, words in drawn.items() if name.startswith("seeded")}
    assert len(cases) == 8
    for words in cases.values():
        assert not distinct(words)
        assert words == [words[0]] * 5


@forks
def test_a_fork_is_noticed_although_its_process_id_was_used_before(drawn):
    assert len(drawn["same process id"]) == 5
    assert distinct(drawn["same process id"])


@forks
def test_a_child_forked_in_the_middle_of_a_draw_is_not_left_waiting(drawn):
    assert len(drawn["in the middle of a draw"]) == 1
    assert distinct(drawn["in the middle of a draw"])


@forks
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_worker_processes_draw_distinct_words(drawn, method):
    parts, control = drawn[f"workers, {method}"]
    assert len(parts) == 7
    assert distinct(parts)
    assert control[0] == control[1]


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda source: pickle.loads(pickle.dumps(source))}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("held", HELD)
def test_a_copy_of_a_secure_source_draws_words_of_its_own(held, way):
    source = HELD[held](dc.random.secure())
    source.fill(3)
    other, another = COPIES[way](source), COPIES[way](source)
    parts = [one.fill(4).tolist() for one in (source, other, another)]
    parts += [one.reserve(4).at(0).take(4) for one in (source, other, another)]
    assert distinct(parts)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("held", HELD)
def test_a_copy_of_a_seeded_source_goes_on_with_the_same_words(held, way):
    """Reproducible on purpose, and the control for the law above."""
    source = HELD[held](dc.random.seeded(1))
    source.fill(3)
    other = COPIES[way](source)
    assert source.fill(4).tolist() == other.fill(4).tolist() == COPIES[way](source).at(-4).take(4)
    assert other.take(5) == source.take(5)  # each keeps its own place


def test_a_pickled_source_holds_no_key():
    source = dc.random.secure()
    source.fill(1)
    for held in (source, source.reserve(10)):
        assert held._stream()._key not in pickle.dumps(held)
    assert sources.Keystream(KEY)._key in pickle.dumps(sources.Keystream(KEY))  # the control


def test_a_mechanism_never_carries_a_source(mechanism):
    source = dc.random.secure()
    mechanism.randomize(3, source)
    mechanism.randomize_many([3] * 10, source)
    mechanism.randomize_many([3] * 10, dc.random.seeded(1))

    def carried(held):
        return sources.__name__.encode() in pickle.dumps(held, protocol=0)

    assert not carried(mechanism)
    assert carried((mechanism, source))  # the control


@pytest.mark.parametrize("failure", [OSError("no entropy"), NotImplementedError("no source")])
def test_no_report_is_made_when_the_system_has_no_randomness(monkeypatch, mechanism, failure):
    def fail(count):
        raise failure

    monkeypatch.setattr(os, "urandom", fail)
    source = dc.random.secure()
    reports = []
    for _ in range(5_000):
        with pytest.raises(RandomnessFailure, match="no report was made"):
            reports.append(mechanism.randomize(3, source))
    with pytest.raises(RandomnessFailure, match="no report was made"):
        mechanism.randomize_indices([3] * 10, source)
    assert not reports


def test_no_report_is_made_when_randomness_is_short(monkeypatch, mechanism):
    monkeypatch.setattr(os, "urandom", lambda count: b"\0" * (count - 1))
    source = dc.random.secure()
    reports = []
    for _ in range(10_000):
        with pytest.raises(RandomnessFailure, match="random bytes, got 15; no report was made"):
            reports.append(mechanism.randomize(3, source))
    assert not reports


@pytest.mark.parametrize(
    "fill",
    [
        lambda count: np.zeros(count - 1, dtype=np.uint64),
        lambda count: np.zeros(count + 1, dtype=np.uint64),
        lambda count: np.zeros(count, dtype=np.uint32),
        lambda count: np.zeros((count, 1), dtype=np.uint64),
    ],
)
def test_no_report_is_made_from_a_source_of_ones_own_that_gives_other_than_asked(mechanism, fill):
    class Source:
        def fill(self, count):
            return fill(count)

        def take(self, count):
            return [0] * (count - 1)

    with pytest.raises(RandomnessFailure, match="no report was made"):
        mechanism.randomize_indices([3] * 10, Source())
    with pytest.raises(RandomnessFailure, match="no report was made"):
        mechanism.randomize(3, Source())


def test_a_cipher_that_writes_too_little_is_a_failure():
    class Short:
        def update_into(self, data, into):
            return len(into) - 1

    stream = sources.Keystream(KEY)
    stream._cipher = Short()
    with pytest.raises(RandomnessFailure, match="no report was made"):
        stream.fill(10)


def test_replayed_words_come_in_order_and_then_fail():
    source = dc.random.replay([1, 2, 3, 2**64 - 1])
    assert source.take(2) == [1, 2]
    assert source.fill(2).tolist() == [3, 2**64 - 1]
    with pytest.raises(RandomnessFailure, match="asked for 1 words, got 0"):
        source.take(1)


def test_the_bulk_source_is_close_to_fair_bits():
    """Every bit of 10**5 words: |ones - half| < 6 standard deviations; false alarm 64 * 2e-9 = 1.3e-7."""
    words = sources.Keystream(KEY).fill(100_000)
    ones = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64)
    limit = 6 * np.sqrt(100_000) / 2
    assert np.abs(ones - 50_000).max() < limit
    biased = words | (words >> np.uint64(1))  # the control: three ones in four
    assert (
        np.abs(np.unpackbits(biased.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64) - 50_000).max()
        > limit
    )


def test_one_report_needs_no_numpy():
    code = (
        "import sys, discreet as dc\n"
        "c = dc.Context.high_low(range(100), range(10), '1')\n"
        "from discreet.mechanisms.mechanism import Mechanism\n"
        "from discreet.mechanisms.composed.high_low import HighLowResponse\n"
        "from discreet.mechanisms.uniform.subset import Subset\n"
        "m = Mechanism(c, HighLowResponse(100, c.sensitive, Subset(10, c.level), c.level))\n"
        "m.randomize(3, dc.random.secure())\n"
        "assert 'numpy' not in sys.modules\n"
    )
    source = os.path.dirname(os.path.dirname(dc.__file__))
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": source}, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("before", [0, 1, 2, 5])
def test_reserved_words_are_the_next_ones_and_the_source_goes_on_after_them(before):
    words = sources.Keystream(KEY).take(100)
    source = sources.Keystream(KEY)
    source.take(before)
    reserved = source.reserve(20)
    assert source.take(3) == words[before + 20 : before + 23]
    for start in (0, 1, 7, 19):
        assert reserved.at(start).take(20 - start) == words[before + start : before + 20]
    assert reserved.fill(20).tolist() == words[before : before + 20]


@pytest.mark.parametrize("make", [dc.random.secure, lambda: dc.random.seeded(1)])
def test_reserved_words_end_where_those_of_others_begin(make):
    source = make()
    reserved = source.reserve(20)
    held = [reserved, reserved.at(0), reserved.at(20), reserved.at(3).reserve(17)]
    for draw in (
        lambda one: one.take(21),
        lambda one: one.fill(21),
        lambda one: one.reserve(21),
        lambda one: one.at(21),
    ):
        for one in held:
            with pytest.raises(RandomnessFailure, match="reserved words; no report was made"):
                draw(one)
    assert [len(one.take(count)) for one, count in zip(held, [20, 20, 0, 17], strict=True)] == [20, 20, 0, 17]


def test_secure_words_can_be_reserved_and_are_never_given_twice():
    source = dc.random.secure()
    first, second = source.reserve(1000), source.reserve(1000)
    words = [*first.take(1000), *second.take(1000), *source.fill(1000).tolist()]
    assert len(set(words)) == 3000


def test_threads_that_reserve_at_once_get_words_of_their_own():
    source = sources.Keystream(KEY)
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda _: source.reserve(50).take(50), range(100)))
    assert sorted(word for part in parts for word in part) == sorted(sources.Keystream(KEY).take(5000))


def test_an_array_without_room_takes_no_words():
    source = sources.Keystream(KEY)
    source.fill_into(np.empty(0, dtype=np.uint64))
    assert source.take(1) == sources.Keystream(KEY).take(1)
