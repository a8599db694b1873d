"""The audit itself: quiet on what is private, sharp where it can be, honest about its confidence."""

from __future__ import annotations

import math
import random
import sys

import numpy as np
import pytest

import discreet as dc
from discreet.auditing import Bulk, audit
from discreet.bulk.words import seeded
from discreet.core.errors import InvalidInput

U10 = dc.Context.uniform(range(10), "1")
U100 = dc.Context.uniform(range(100), "1")
U1000 = dc.Context.uniform(range(1000), "1")
BLOCKS = dc.Context.blocks({"a": range(5), "b": range(5, 12), "c": [12]}, {"a": "1", "b": "0.5", "c": "1"})
HIGH_LOW = dc.Context.high_low(range(30), range(6), "1")
METRIC = dc.Context.metric(range(8), lambda a, b: abs(a - b), "0.5")
SUBJECTS = [
    *((U10, n) for n in ("randomized_response", "subset", "hadamard", "projective", "unary", "optimised_unary")),
    *((U100, n) for n in ("subset", "hadamard", "projective", "cyclotomic", "general_hadamard")),
    *((U1000, n) for n in ("hadamard", "projective", "cyclotomic")),
    *((BLOCKS, n) for n in ("auto", "hadamard", "subset", "unary")),
    *((HIGH_LOW, n) for n in ("auto", "hadamard", "subset", "unary", "utility_rappor")),
    *((METRIC, n) for n in ("auto", "exponential")),
    (dc.Context.binary("no", "yes", ("inf", "1")), "mangat"),
    (dc.Context.binary("no", "yes", ("0.5", "1")), "binary"),
]


@pytest.mark.parametrize(("context", "name"), SUBJECTS, ids=lambda part: part if isinstance(part, str) else part.form)
def test_no_mechanism_of_ours_is_in_breach(context, name):
    mechanism = dc.mechanism(context, name)
    found = audit(mechanism, samples=12_000, rng=seeded(1))
    assert not found.breach
    assert found.epsilon_lower <= float(found.worst.claimed)
    assert {finding.claimed for finding in found.findings} <= {context.epsilon(f.x, f.z) for f in found.findings}


@pytest.mark.parametrize("name", ["randomized_response", "subset", "hadamard", "projective", "unary"])
def test_the_bound_is_sharp(name):
    found = audit(dc.mechanism(U10, name), samples=60_000, pairs=[(0, 1)], rng=seeded(2))
    assert 0.84 < found.epsilon_lower <= 1


@pytest.mark.parametrize("name", ["hadamard", "projective"])
def test_the_bound_is_sharp_where_no_report_is_seen_twice(name):
    large = dc.mechanism(dc.Context.uniform(range(40_000), "1"), name)
    found = audit(large, samples=20_000, pairs=[(0, 39_999)], rng=seeded(3))
    assert 0.8 < found.epsilon_lower <= 1
    assert "claimed log likelihood ratio" in found.event


def test_false_alarms_are_rarer_than_stated():
    """At confidence 0.8 some 40 of 200 audits may alarm; 75 have a chance below 1e-7 then."""
    mechanism = dc.mechanism(dc.Context.uniform(range(3), "1"), "randomized_response")
    source = seeded(5)
    alarms = naive = 0
    for _ in range(200):
        found = audit(mechanism, samples=600, confidence=0.8, rng=source)
        alarms += found.breach
        naive += any(f.hits > math.e * f.others for f in found.findings)
    assert alarms < 75
    assert naive > 75  # the control: the plain ratio would alarm far more often than stated


def test_a_slight_leak_is_found_with_enough_samples():
    """Epsilon 1.2 sold as 1."""
    sold = audit(
        dc.mechanism(dc.Context.uniform(range(4), "1.2")),
        samples=10**5,
        context=dc.Context.uniform(range(4), "1"),
        rng=seeded(6),
    )
    assert sold.breach
    assert sold.epsilon_lower <= 1.2


def test_every_protected_pair_of_a_small_context_is_audited():
    found = audit(dc.mechanism(BLOCKS), samples=600, rng=seeded(7))
    assert {(f.x, f.z) for f in found.findings} == {
        (x, z) for x in range(13) for z in range(13) if x != z and BLOCKS.epsilon(x, z) != math.inf
    }
    assert found.protected == len(found.findings) == 5 * 4 + 7 * 6


def test_only_one_direction_is_audited_where_only_one_is_protected():
    found = audit(dc.mechanism(dc.Context.binary("no", "yes", ("inf", "1"))), samples=600, rng=seeded(8))
    assert [(f.x, f.z) for f in found.findings] == [("yes", "no")]


def test_of_a_large_context_some_pairs_are_audited_and_it_says_so():
    found = audit(dc.mechanism(U1000, "hadamard"), samples=600, rng=seeded(9))
    assert found.protected == 1000 * 999
    assert len(found.findings) == 16 * 15
    assert "240 of 999,000 protected pairs" in str(found)
    many = dc.Context.blocks({b: range(10 * b, 10 * b + 10) for b in range(100)}, "1")
    inside = audit(dc.mechanism(many, "hadamard"), samples=600, rng=seeded(10)).findings
    assert len({f.x // 10 for f in inside}) >= 4
    assert all(f.x // 10 == f.z // 10 for f in inside)


def test_the_same_seed_gives_the_same_audit():
    mechanism = dc.mechanism(U10)
    first, second = (audit(mechanism, samples=1200, rng=seeded(11)) for _ in range(2))
    assert first == second
    assert first != audit(mechanism, samples=1200, rng=seeded(12))


def test_an_audit_as_plain_data():
    told = audit(dc.mechanism(U10), samples=1200, pairs=[(2, 3)], rng=seeded(13)).as_dict()
    assert {"epsilon_lower", "pair", "event", "confidence", "breach"} <= set(told)
    assert told["pair"] == {"x": 2, "z": 3}
    assert told["confidence"] == 1 - 1e-6
    assert told["breach"] is False
    assert told["pairs"] == {"audited": 1, "protected": 90}
    assert 0 <= told["epsilon_lower"] <= told["claimed"] == 1.0
    assert told["hits"]["of"] == 600


def test_progress_ends_with_all_reports():
    seen = []
    audit(dc.mechanism(U10), samples=1200, rng=seeded(14), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (12_000, 12_000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_function_may_return_bytes_text_arrays_or_anything():
    chance = random.Random(15)
    rng = np.random.default_rng(15)
    ways = {
        "bytes": lambda x: bytes([chance.randrange(2)]),
        "text": lambda x: f"{chance.randrange(2)} à la carte",
        "array": lambda x: rng.integers(0, 2, size=3),
        "tuple": lambda x: (chance.randrange(2), None),
        "nothing": lambda x: b"",
    }
    for function in ways.values():
        found = audit(function, context=dc.Context.uniform([0, 1], "0.1"), samples=2000, rng=seeded(16))
        assert not found.breach
        assert found.epsilon_lower == 0


def test_reports_of_varying_length_are_told_apart_by_their_end():
    chance = random.Random(17)

    def one(x):
        return "a" * chance.randrange(300) + "xz"[x]

    found = audit(one, context=dc.Context.uniform([0, 1], "1"), samples=4000, rng=seeded(18))
    assert found.breach


def test_a_command_is_audited_through_its_lines(tmp_path):
    script = tmp_path / "echo.py"
    script.write_text("import sys\nfor line in sys.stdin:\n    print('answer', line.strip())\n")
    context = dc.Context.uniform(["a b", "ü"], "1")
    found = audit([sys.executable, str(script)], context=context, samples=600, rng=seeded(19))
    assert found.breach
    assert found.epsilon_lower > 2
    line = f'"{sys.executable}" "{script}"'
    assert audit(line, context=context, samples=600, rng=seeded(19)).breach


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit('no such survey')", "ended with 1 and said: no such survey"),
        ("import sys; sys.stdin.read(); print('one')", "wrote 1 lines"),
        ("", "wrote 0 lines"),
    ],
)
def test_a_command_that_does_not_answer_line_by_line_is_refused(code, message):
    with pytest.raises(InvalidInput, match=message):
        audit([sys.executable, "-c", code], context=U10, samples=600)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"samples": 599}, "samples=599 must be"),
        ({"samples": True}, "samples=True must be"),
        ({"samples": 1e6}, "samples=1000000.0 must be"),
        ({"confidence": 1}, "confidence=1 must be"),
        ({"pairs": [(0, 0)]}, "0 is not protected from 0"),
        ({"pairs": [(0, 99)]}, "value=99 must be one of"),
        ({"pairs": []}, "nothing to audit"),
    ],
)
def test_what_cannot_be_audited_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        audit(dc.mechanism(U10), **arguments)


def test_a_subject_that_makes_no_reports_is_refused():
    for subject, message in [
        (7, "must be a mechanism"),
        ("", "must name a program"),
        ("no-such-program-anywhere", "cannot be run"),
        (Bulk(lambda x, n: []), "0 reports instead of"),
        (lambda x: bytes(70_000), "must be at most 65536"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            audit(subject, context=U10, samples=600)
    with pytest.raises(InvalidInput, match="context must be given"):
        audit(lambda x: b"")
    with pytest.raises(InvalidInput, match="line break"):
        audit("cat", context=dc.Context.uniform(["a", "b\nc"], "1"), samples=600)


def test_a_context_that_protects_nobody_is_refused():
    open_to_all = dc.Context.matrix([0, 1], [[0, "inf"], ["inf", 0]])
    with pytest.raises(InvalidInput, match="protects no pair"):
        audit(lambda x: b"", context=open_to_all)
