"""Published laws with a few numbers changed: whatever leaks, the client refuses as Python does."""

import json
import random
from pathlib import Path

import pytest

from discreet.core.canonical import EXACT
from discreet.core.errors import DiscreetError, PrivacyViolation
from discreet.wire import parse_law

SMALL = Path(__file__).parents[2] / "client" / "vectors.small.jsonl"
EACH = 40
"""Changed forms of every law."""

ACCURACY = (
    "must be in different cells",
    "its grades must be numbered from 0",
    "use each of its inner laws",
    "it must show each of its inner laws",
    "its values must be different leaves",
    "in another order, or none",
)
"""Why Python refuses laws that are private but that nobody would write: the client need not know."""


def places(data, at=()):
    """The path to every entry."""
    yield at
    if isinstance(data, (dict, list)):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*at, key))


def found(data, at):
    for key in at:
        data = data[key]
    return data


def with_entry(data, at, entry):
    if not at:
        return entry
    copied = data.copy()
    copied[at[0]] = with_entry(copied[at[0]], at[1:], entry)
    return copied


def is_number(entry):
    return (isinstance(entry, int) and not isinstance(entry, bool)) or (isinstance(entry, str) and entry.isdigit())


def as_number(number):
    return number if number < EXACT else str(number)


def moved(data, at, by):
    """The data with a number changed."""
    return with_entry(data, at, as_number(max(0, int(found(data, at)) + by)))


def siblings(law, at):
    """The numbers beside this one in its list, or those of all the law if it stands alone."""
    return [(*at[:-1], i) for i in range(len(found(law, at[:-1])))] if isinstance(at[-1], int) else [at]


def changed(rng, data):
    """A law with a few changes: of numbers, of numbers in a row whose sum stays, and of what is claimed."""
    law, context = data["law"], data["context"]
    numbers = [at for at in places(law) if is_number(found(law, at)) and "word_bits" not in at]
    levels = [at for at in places(context) if at and at[0] in ("epsilon", "epsilons", "E")]
    levels = [at for at in levels if isinstance(found(context, at), str)]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        by = rng.choice([1, 1, 2, 1 << 20, 1 << 40, 1 << 58, 1 << 61])
        one = rng.choice(numbers)
        kind = rng.randrange(5)
        if kind == 0:
            law = moved(law, one, rng.choice([by, -by]))
        elif kind == 1:
            law = with_entry(law, one, found(law, rng.choice(numbers)))
        elif kind == 2 and levels:
            context = with_entry(context, rng.choice(levels), rng.choice(["0.9", "0.999999", "1/3", "3", "inf"]))
        else:
            other = rng.choice([at for at in siblings(law, one) if is_number(found(law, at))])
            by = min(by, int(found(law, other)))
            law = moved(moved(law, one, by), other, -by)
    return {**data, "law": law, "context": context}


def canonical(data):
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def forged(seed=1, each=EACH):
    """The laws of the small file and changed forms of them, each once."""
    rng = random.Random(seed)
    texts = {}
    for line in SMALL.read_text(encoding="ascii").splitlines():
        if line.startswith('{"fingerprint"'):
            law = json.loads(line)["law"]
            texts[law] = None
            for _ in range(each):
                texts[canonical(changed(rng, json.loads(law)))] = None
    return list(texts)


def verdict(text):
    """None if Python accepts a law, else the error."""
    try:
        parse_law(text)
    except DiscreetError as problem:
        return problem
    return None


@pytest.fixture(scope="module")
def verdicts(node, tmp_path_factory):
    """Every changed law with what Python and the client say of it."""
    texts = forged()
    file = tmp_path_factory.mktemp("laws") / "laws.jsonl"
    file.write_text("".join(f"{json.dumps(text)}\n" for text in texts), encoding="ascii")
    done = node.run("tests/changed_laws.mjs", file)
    assert done.returncode == 0, done.stderr
    theirs = [json.loads(line) for line in done.stdout.splitlines()]
    return [(text, verdict(text), said) for text, said in zip(texts, theirs, strict=True)]


@pytest.mark.slow
def test_every_law_that_leaks_is_refused_by_the_client(verdicts):
    leaks = [(text, said) for text, ours, said in verdicts if isinstance(ours, PrivacyViolation)]
    assert len(leaks) > 400
    assert [text for text, said in leaks if said is None] == []


@pytest.mark.slow
def test_what_else_python_refuses_is_refused_unless_it_is_about_accuracy_alone(verdicts):
    accepted = [str(ours) for _, ours, said in verdicts if ours is not None and said is None]
    assert [reason for reason in accepted if not any(about in reason for about in ACCURACY)] == []


@pytest.mark.slow
def test_hardly_a_law_that_python_accepts_is_refused(verdicts):
    accepted = [said for _, ours, said in verdicts if ours is None]
    assert len(accepted) > 300
    assert sum(said is not None for said in accepted) <= len(accepted) / 100
