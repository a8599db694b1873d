"""Laws as data: everything about a randomizer follows from its law, and no two laws share a fingerprint."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.arithmetic import INTEGERS
from discreet.errors import DiscreetError, InvalidInput
from discreet.mechanisms.cyclic import CyclicLaw
from discreet.mechanisms.kinds import FOLLOWERS, LAWS, law_of, randomizer_of
from discreet.mechanisms.law import Bits, Law, plain_law
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.randomized_response import RandomizedResponse
from discreet.random import seeded
from discreet.statistics.numeric import NUMERIC

UNIFORM = Context.uniform(range(7), "1")
BLOCKS = Context.blocks({"a": range(4), "b": range(4, 9), "c": [9]}, {"a": "1", "b": "0.5", "c": "1"})
HIGH_LOW = Context.high_low(range(8), [1, 2, 5], "1")
SMALL = Context.uniform(range(3), "1")
BASES = ["randomized_response", "subset", "projective", "cyclotomic", "hadamard", "unary", "optimised_unary"]
MECHANISMS = {
    **{f"{name} uniform": dc.mechanism(UNIFORM, name) for name in [*BASES, "general_hadamard"]},
    **{f"{name} blocks": dc.mechanism(BLOCKS, name) for name in BASES},
    **{f"{name} high-low": dc.mechanism(HIGH_LOW, name) for name in BASES},
    "utility rappor": dc.mechanism(HIGH_LOW, "utility_rappor"),
    "mixture": dc.mechanism(
        HIGH_LOW,
        "mixture",
        parts=[{"name": "subset", "d": 1}, {"name": "subset", "d": 2}],
        units=[1 << 62, 3 << 62],
    ),
    "binary": dc.mechanism(Context.binary("no", "yes", ("2", "1")), "binary"),
    "table": dc.mechanism(SMALL, "table", rows=[["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]),
    "exponential": dc.mechanism(Context.metric([0, 1, 2], lambda a, b: abs(a - b), "1"), "exponential"),
    "product": dc.compose(dc.mechanism(SMALL), dc.mechanism(SMALL, "hadamard")).exact(),
    "post-processed": dc.post_process(
        dc.mechanism(SMALL, "randomized_response"), [["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]]
    ),
    "many values": dc.mechanism(Context.uniform(range(5000), "2"), "projective"),
    "wide sets": dc.mechanism(Context.high_low(range(90), range(80), "1"), "subset"),
}


@pytest.fixture(params=MECHANISMS.values(), ids=MECHANISMS.keys())
def mechanism(request: pytest.FixtureRequest) -> dc.Mechanism:
    return request.param


def test_every_kind_of_law_is_among_those_tried():
    assert (
        set(LAWS) == set(FOLLOWERS) == {kind for made in MECHANISMS.values() for kind in kinds(plain_law(made.law()))}
    )


def kinds(data):
    if isinstance(data, dict):
        found = {data["kind"]} if "kind" in data else set()
        return found.union(*(kinds(entry) for entry in data.values()))
    return set().union(*(kinds(entry) for entry in data)) if isinstance(data, list) else set()


def test_a_law_is_frozen_and_holds_whole_numbers_sets_and_laws_alone(mechanism):
    law = mechanism.law()
    with pytest.raises(dataclasses.FrozenInstanceError):
        law.word_bits = 1

    def check(entry):
        assert isinstance(entry, (int, tuple, Bits, Law)) or type(entry).__name__ == "array"
        for inner in entry if isinstance(entry, tuple) else ():
            check(inner)

    for field in dataclasses.fields(law):
        check(getattr(law, field.name))


def test_a_law_read_back_is_the_same_law_and_draws_the_same_reports(mechanism):
    again = randomizer_of(law_of(plain_law(mechanism.law())))
    made = mechanism.randomizer
    assert again.law == made.law
    assert (again.size, again.words, again.outputs, again.cells) == (made.size, made.words, made.outputs, made.cells)
    source = seeded(3)
    for x in [0, made.size - 1, *range(0, made.size, max(1, made.size // 20))]:
        words = source.take(made.words)
        assert again.draw(x, words, INTEGERS) == made.draw(x, words, INTEGERS)


def test_a_certificate_and_an_estimate_follow_from_the_law_alone(mechanism):
    again = Mechanism(mechanism.context, randomizer_of(law_of(plain_law(mechanism.law()))), served=mechanism.served)
    assert again.certificate.ratio == mechanism.certificate.ratio
    assert again.fingerprint == mechanism.fingerprint
    counts = np.random.default_rng(1).integers(0, 9, mechanism.randomizer.cells)
    ours, theirs = (made.randomizer.decode(counts, NUMERIC) for made in (again, mechanism))
    assert np.allclose(ours, theirs)


def mutations(data, path=()):
    """Every whole number of a law, one at a time, one more than it is."""
    if isinstance(data, dict) and "runs" in data:
        return
    if isinstance(data, dict):
        for key, entry in data.items():
            if key not in ("kind", "bits"):
                yield from mutations(entry, (*path, key))
    elif isinstance(data, list):
        for place, entry in enumerate(data):
            yield from mutations(entry, (*path, place))
    else:
        yield path


def changed(data, path, amount):
    if not path:
        number = int(data) + amount
        return number if number < 1 << 53 else str(number)
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = changed(copy[path[0]], path[1:], amount)
    return copy


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name not in ("many values", "wide sets", "product")])
def test_one_more_in_any_number_is_refused_or_another_fingerprint(name):
    mechanism = MECHANISMS[name]
    data, seen = plain_law(mechanism.law()), {mechanism.fingerprint}
    tried = 0
    for path in mutations(data):
        for amount in (1, -1):
            tried += 1
            try:
                made = Mechanism(mechanism.context, randomizer_of(law_of(changed(data, path, amount))))
            except DiscreetError:
                continue
            assert made.fingerprint not in seen
            seen.add(made.fingerprint)
    assert tried > 3


def test_laws_that_differ_inside_differ_in_fingerprint():
    def composed(one, two):
        first, second = (dc.mechanism(Context.uniform(range(3), level), "randomized_response") for level in (one, two))
        return Mechanism(Context.uniform(range(3), "3"), dc.compose(first, second).exact().randomizer)

    def processed(level):
        inner = dc.mechanism(Context.uniform(range(3), level), "randomized_response").randomizer
        matrix = [["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]]
        return dc.post_process(Mechanism(Context.uniform(range(3), "2"), inner), matrix)

    def two(level):
        inner = dc.mechanism(Context.binary(0, 1, (level, level)), "binary").randomizer
        return Mechanism(Context.binary(0, 1, ("2", "2")), inner)

    def table(level):
        near = Context.metric(range(3), lambda a, b: abs(a - b), level)
        return Mechanism(Context.uniform(range(3), "4"), dc.mechanism(near, "exponential").randomizer)

    made = [composed("1", "2"), composed("2", "1"), composed("1.5", "1.5")]
    made += [make(level) for make in (processed, two, table) for level in ("1", "1.5")]
    assert len({one.fingerprint for one in made}) == len(made)
    one, other = (each.tally(each.randomize_many([0, 1, 2], seeded(1))) for each in made[:2])
    with pytest.raises(dc.errors.MechanismMismatch):
        one + other


def test_values_that_print_alike_do_not_share_a_fingerprint():
    one = dc.mechanism(Context.uniform([1, 2], "1"), "randomized_response")
    text = dc.mechanism(Context.uniform(["1", "2"], "1"), "randomized_response")
    pairs = dc.mechanism(Context.uniform([(1, 2), (2, 1)], "1"), "randomized_response")
    lists = dc.mechanism(Context.uniform(["(1, 2)", "(2, 1)"], "1"), "randomized_response")
    assert len({made.fingerprint for made in (one, text, pairs, lists)}) == 4


BAD = {
    "no object": 5,
    "no kind": {"size": 3},
    "another kind": {"kind": "magic"},
    "a field too many": {"kind": "unary", "size": 3, "own": 2, "other": 1, "word_bits": 2, "more": 1},
    "a field too few": {"kind": "unary", "size": 3, "own": 2, "other": 1},
    "text for a small number": {"kind": "unary", "size": "3", "own": 2, "other": 1, "word_bits": 2},
    "digits written otherwise": {"kind": "unary", "size": 3, "own": "0" * 20 + "3", "other": 1, "word_bits": 2},
    "a fraction": {"kind": "unary", "size": 3, "own": 2.0, "other": 1, "word_bits": 2},
    "a truth value": {"kind": "unary", "size": 3, "own": True, "other": 1, "word_bits": 2},
    "a list for a number": {"kind": "unary", "size": [3], "own": 3, "other": 1, "word_bits": 2},
    "a wrong set": {
        "kind": "cyclic", "size": 2, "modulus": 3, "low": 1, "high": 2, "spare": 0,
        "shifts": {"size": 3, "bits": "CA=="}, "word_bits": 2,
    },
    "no base64": {
        "kind": "cyclic", "size": 2, "modulus": 3, "low": 1, "high": 2, "spare": 0,
        "shifts": {"size": 3, "bits": "?"}, "word_bits": 2,
    },
    "no runs": {"kind": "blocks", "block_of": {"runs": 5}, "kind_of": [0], "kinds": []},
    "runs cut in two": {
        "kind": "blocks", "block_of": {"runs": [[0, 1], [0, 1]]}, "kind_of": [0],
        "kinds": [{"kind": "unary", "size": 2, "own": 3, "other": 1, "word_bits": 2}],
    },
    "runs without end": {"kind": "blocks", "block_of": {"runs": [[0, 1 << 50]]}, "kind_of": [0], "kinds": []},
}  # fmt: skip


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_a_law_written_in_any_other_way_is_refused(data):
    with pytest.raises(InvalidInput, match="law"):
        randomizer_of(law_of(data))


def test_laws_inside_laws_end_somewhere():
    law = plain_law(dc.mechanism(SMALL, "randomized_response").law())
    for _ in range(7):
        law = {"kind": "mixture", "units": [str(2**64)], "parts": [law]}
    assert law_of(law).kind == "mixture"
    with pytest.raises(InvalidInput, match="at most 8 deep in each other"):
        law_of({"kind": "mixture", "units": [str(2**64)], "parts": [law]})


def test_a_law_for_short_words_is_for_trial_only():
    short = plain_law(RandomizedResponse(3, Fraction(1), word_bits=8).law)
    assert randomizer_of(law_of(short)).word_bits == 8
    with pytest.raises(InvalidInput, match="word_bits=8 must be 64"):
        dc.mechanism(SMALL, "law", law=short)


def test_privacy_never_rests_on_a_set_being_a_difference_set():
    made = dc.mechanism(Context.uniform(range(7), "1"), "projective", family="singer", key=(2, 3))
    law = made.law()
    assert isinstance(law, CyclicLaw)
    other = dataclasses.replace(law, shifts=Bits.of([0, 1, 2], 7))  # 0, 1, 2 share more with 1, 2, 3 than with 3, 4, 5
    certified = Mechanism(made.context, randomizer_of(other))
    assert certified.certificate.ratio == made.certificate.ratio
    reports = certified.tally(certified.randomize_many([0, 1, 2], seeded(1)))
    with pytest.raises(InvalidInput, match="every non-zero difference mod 7 must occur equally often"):
        dc.estimate(reports)


def test_bits_list_their_members_in_order():
    members = [0, 3, 8, 9, 63]
    assert list(Bits.of(members, 64)) == members
    assert len(Bits.of(members, 64)) == 5
    assert list(Bits.of([], 5)) == []


def test_what_is_no_whole_number_has_no_place_in_a_law():
    @dataclasses.dataclass(frozen=True)
    class Odd(Law):
        kind = "odd"
        share: float

    with pytest.raises(TypeError, match="whole numbers, sets, rows and laws, not float"):
        plain_law(Odd(0.5))
    with pytest.raises(InvalidInput, match="law of kind 'odd' is not known"):
        randomizer_of(Odd(Fraction(1)))
