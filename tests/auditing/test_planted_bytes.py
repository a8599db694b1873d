"""Bugs that the bytes give away: each is found by the audit, and the honest form beside it stays quiet.

Every audit here has a joint false-alarm rate of at most 1e-6 and runs on fixed seeds.
"""

from __future__ import annotations

import math
import random
import sys

import numpy as np
import pytest

import discreet as dc
from discreet.auditing import Bulk, audit
from discreet.bulk.words import seeded
from discreet.mechanisms.uniform.subset import least_error_size

E = math.e
SAMPLES = 30_000


def uniform(k, epsilon="1"):
    return dc.Context.uniform(range(k), epsilon)


def found(subject, context, *, samples=SAMPLES, pairs=None):
    return audit(subject, context=context, samples=samples, pairs=pairs, rng=seeded(4))


# -- sets: order and independence ------------------------------------------------------------------


def sets(k, arrange, write, seed):
    """Subset selection at epsilon 1: `arrange` orders the others, the truth and x into a list, `write` sends it."""
    rng = np.random.default_rng(seed)
    d = max(2, least_error_size(k, 1.0))
    hit = d * E / (d * E + k - d)

    def many(x, n):
        keys = rng.random((n, k))
        keys[:, x] = 2.0  # x itself is never among the others
        others = np.argsort(keys, axis=1)[:, :d]
        return write(arrange(others, rng.random(n) < hit, x))

    return Bulk(many)


def first(others, truth, x):
    others[truth, 0] = x
    return others


def last(others, truth, x):
    others.sort(axis=1)
    others[truth, -1] = x
    return others


def in_order(others, truth, x):
    others[truth, 0] = x
    others.sort(axis=1)
    return others


def as_words(lists):
    return np.ascontiguousarray(lists.astype("<u2")).view(np.uint8)


def as_text(lists):
    return [str(row) for row in lists.tolist()]


@pytest.mark.parametrize("write", [as_words, as_text])
@pytest.mark.parametrize("k", [10, 100, 1000])
def test_a_set_with_the_true_value_first_is_found(k, write):
    n = {10: 12_000, 100: 8_000, 1000: 3_000}[k]
    pairs = [(0, 1), (k - 1, 2)]
    leaking = found(sets(k, first, write, 1), uniform(k), samples=n, pairs=pairs)
    assert leaking.breach
    assert leaking.epsilon_lower > 2
    assert not found(sets(k, in_order, write, 2), uniform(k), samples=n, pairs=pairs).breach


def test_a_set_with_the_true_value_last_is_found():
    assert found(sets(20, last, as_text, 3), uniform(20), pairs=[(3, 7)]).breach
    assert not found(sets(20, in_order, as_text, 4), uniform(20), pairs=[(3, 7)]).breach


def bits(own, other, seed):
    """Every value on its own: x with chance `own`, any other with chance `other`."""
    rng = np.random.default_rng(seed)

    def many(x, n):
        on = rng.random((n, 4)) < other
        on[:, x] = rng.random(n) < own
        return np.packbits(on, axis=1, bitorder="little")

    return Bulk(many)


def test_a_set_drawn_as_independent_bits_is_found():
    hit = 2 * E / (2 * E + 2)
    other = (hit + 2 * (1 - hit)) / 3  # the chances that a set of two of four has
    leaking = found(bits(hit, other, 5), uniform(4), samples=60_000)
    assert leaking.breach
    assert 1 < leaking.epsilon_lower < math.log(hit * (1 - other) / (other * (1 - hit)))  # 1.31
    half = math.sqrt(E) / (math.sqrt(E) + 1)
    assert not found(bits(half, 1 - half, 6), uniform(4), samples=60_000).breach


def test_a_bit_that_is_never_cleared_is_found():
    leaking = found(bits(1.0, 1 / (E + 1), 7), uniform(4))
    assert leaking.breach
    assert leaking.epsilon_lower > 5
    assert not found(bits(0.5, 1 / (E + 1), 8), uniform(4)).breach


# -- one value: what is written, and how ------------------------------------------------------------


def response(k, write, seed, *, redraw=False):
    """k-ary randomized response at epsilon 1; with `redraw` a lie may be the truth."""
    chance = random.Random(seed)

    def one(x):
        if chance.random() < E / (E + k - 1):
            return write(x, True)
        other = chance.randrange(k if redraw else k - 1)
        return write(other if redraw else other + (other >= x), False)

    return one


def plainly(y, truth):
    return y


def by_type(y, truth):
    return y if truth else str(y)


def by_number_type(y, truth):
    return y if truth else np.int64(y)


def by_length(y, truth):
    return f"{y}" if truth else f"{y} "


def by_case(y, truth):
    return f"value {y}" if truth else f"Value {y}"


RARELY = random.Random(0)


def sometimes_in_the_clear(y, truth):
    return f"debug: {y}" if truth and RARELY.random() < 0.1 else str(y)


@pytest.mark.parametrize("write", [by_type, by_number_type, by_length, by_case, sometimes_in_the_clear])
def test_a_truth_that_is_written_otherwise_than_a_lie_is_found(write):
    leaking = found(response(4, write, 9), uniform(4), samples=20_000)
    assert leaking.breach
    assert leaking.epsilon_lower > 3
    assert not found(response(4, plainly, 10), uniform(4), samples=20_000).breach


def test_a_miss_that_can_still_draw_the_value_is_found():
    leaking = found(response(10, plainly, 11, redraw=True), uniform(10), samples=40_000, pairs=[(0, 1), (5, 9)])
    assert leaking.breach
    assert leaking.epsilon_lower < math.log(E * 10 / 9 + 1)  # 1.39


def test_a_report_remembered_for_everybody_is_found():
    honest = response(6, plainly, 12)
    memo = {}
    leaking = found(lambda x: memo.setdefault(x, honest(x)), uniform(6), samples=6_000)
    assert len(set(memo.values())) > 1
    assert leaking.breach


def test_a_seed_set_anew_for_every_report_is_found():
    def one(x):
        return response(6, plainly, 42)(x)

    leaking = found(one, uniform(6), samples=6_000)
    assert leaking.breach
    assert leaking.epsilon_lower > 4


def two_answers(same, seed):
    """Two answers of one person, each by an additive response modulo 3 at epsilon 1, with the same noise or not."""
    rng = np.random.default_rng(seed)
    law = np.array([E, 1, 1]) / (E + 2)

    def many(value, n):
        noise = rng.choice(3, size=(n, 2), p=law)
        noise = noise[:, :1] if same else noise
        return ((np.array(divmod(value, 3)) + noise) % 3).astype(np.uint8)

    return Bulk(many)


def test_noise_used_for_two_answers_is_found():
    composed = uniform(9, "1") + uniform(9, "1")
    assert composed.smallest == 2
    leaking = found(two_answers(True, 13), composed)
    assert leaking.breach
    assert leaking.epsilon_lower > 5  # the difference of the answers is in the clear
    assert not found(two_answers(False, 14), composed).breach


# -- programs ---------------------------------------------------------------------------------------

PROGRAM = """
import math, random, sys
chance = random.Random({seed})
values = ["no", "yes", "maybe"]
for line in sys.stdin:
    x = values.index(line.strip())
    if chance.random() < math.e / (math.e + 2):
        y = x
    else:
        y = (x + chance.randrange(1, 3)) % 3
    print(values[y])
"""


def program(tmp_path, seed):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(seed=seed))
    return [sys.executable, str(file)]


def test_a_program_with_a_constant_seed_is_found(tmp_path):
    context = dc.Context.uniform(["no", "yes", "maybe"], "1")
    leaking = found(program(tmp_path, "7"), context, samples=3_000)
    assert leaking.breach
    assert leaking.epsilon_lower == math.inf
    assert "constant" in leaking.event
    assert leaking.as_dict()["epsilon_lower"] == "inf"


def test_the_same_program_with_fresh_noise_is_quiet(tmp_path):
    context = dc.Context.uniform(["no", "yes", "maybe"], "1")
    quiet = found(program(tmp_path, "random.SystemRandom().getrandbits(128)"), context, samples=3_000)
    assert not quiet.breach
    assert quiet.epsilon_lower > 0.3


def test_a_constant_seed_is_found_though_one_value_always_writes_the_same(tmp_path):
    """Mangat's form: a person who holds yes always says yes, one who holds no says yes with chance 1/e."""
    file = tmp_path / "program.py"
    file.write_text(
        "import math, random, sys\nchance = random.Random(3)\nfor line in sys.stdin:\n"
        "    print('yes' if chance.random() < (1 if line.strip() == 'yes' else 1 / math.e) else 'no')\n"
    )
    context = dc.Context.binary("no", "yes", ("inf", "1"))
    leaking = found([sys.executable, str(file)], context, samples=1_200)
    assert leaking.epsilon_lower == math.inf
    assert leaking.pair == ("yes", "no")
