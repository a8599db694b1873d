"""Laws as data: everything about a sampler follows from its law, and no two laws share a fingerprint."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.bulk.words import seeded
from discreet.checks.execution import is_identifiable
from discreet.checks.vectors.laws import small_examples
from discreet.core.arithmetic import INTEGERS
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.build import BASES, OTHERS
from discreet.mechanisms.law import Bits, Law, Row, plain_law
from discreet.mechanisms.laws import FOLLOWERS, law_of, sampler_of
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.cyclic import CyclicLaw
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse

UNIFORM = Context.uniform(range(7), "1")
BLOCKS = Context.blocks({"a": range(4), "b": range(4, 9), "c": [9]}, {"a": "1", "b": "0.5", "c": "1"})
HIGH_LOW = Context.high_low(range(8), [1, 2, 5], "1")
SMALL = Context.uniform(range(3), "1")
MECHANISMS = {
    **{f"{name} uniform": dc.mechanism(UNIFORM, name) for name in [*BASES, *OTHERS]},
    **{f"{name} blocks": dc.mechanism(BLOCKS, name) for name in BASES},
    **{f"{name} high-low": dc.mechanism(HIGH_LOW, name) for name in BASES},
    **{f"{name} {place}": made for name, of in small_examples().items() for place, made in enumerate(of)},
    "many values": dc.mechanism(Context.uniform(range(5000), "2"), "projective"),
    "wide sets": dc.mechanism(Context.high_low(range(90), range(80), "1"), "subset"),
}


@pytest.fixture(params=MECHANISMS.values(), ids=MECHANISMS.keys())
def mechanism(request: pytest.FixtureRequest) -> dc.Mechanism:
    return request.param


def test_every_kind_of_law_is_among_those_tried():
    tried = {kind for made in MECHANISMS.values() for kind in kinds(plain_law(made.law()))}
    assert {kind: follower.follows.kind for kind, follower in FOLLOWERS.items()} == {kind: kind for kind in tried}


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
        assert isinstance(entry, (int, tuple, Bits, Row, Law))
        for inner in entry if isinstance(entry, tuple) else ():
            check(inner)

    for field in dataclasses.fields(law):
        check(getattr(law, field.name))


def test_a_law_read_back_is_the_same_law_and_draws_the_same_reports(mechanism):
    again = sampler_of(law_of(plain_law(mechanism.law())))
    made = mechanism.sampler
    assert again.law == made.law
    assert (again.size, again.words, again.outputs) == (made.size, made.words, made.outputs)
    assert decoder_of(again).cells == decoder_of(made).cells
    source = seeded(3)
    for x in [0, made.size - 1, *range(0, made.size, max(1, made.size // 20))]:
        words = source.take(made.words)
        assert again.draw(x, words, INTEGERS) == made.draw(x, words, INTEGERS)


def test_a_certificate_follows_from_the_law_alone_and_with_an_even_prior_the_estimate(mechanism):
    again = Mechanism(mechanism.context, sampler_of(law_of(plain_law(mechanism.law()))), served=mechanism.served)
    assert again.certificate.ratio == mechanism.certificate.ratio
    assert again.fingerprint == mechanism.fingerprint
    if not is_identifiable(mechanism.sampler):
        return
    counts = np.random.default_rng(1).integers(0, 9, decoder_of(mechanism).cells)
    ours, theirs = (decoder_of(made).decode(counts) for made in (again, mechanism))
    assert np.allclose(ours, theirs)


def places(data, path=()):
    """The path to every number and every list of a law."""
    if isinstance(data, dict):
        for key, entry in data.items():
            if key not in ("kind", "bits"):
                yield from places(entry, (*path, key))
        return
    yield path
    if isinstance(data, list):
        for place, entry in enumerate(data[:4]):
            yield from places(entry, (*path, place))


def changed(data, path, change):
    if not path:
        return change(data)
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = changed(copy[path[0]], path[1:], change)
    return copy


def number(change):
    def of(data):
        if isinstance(data, list):
            return data
        found = change(int(data))
        return found if -(1 << 53) < found < 1 << 53 else str(found)

    return of


def listed(change):
    return lambda data: change(data) if isinstance(data, list) else data


CHANGES = [
    *map(number, (lambda i: i + 1, lambda i: i - 1, lambda i: i // 2, lambda i: 2 * i, lambda i: -i)),
    *map(number, (lambda i: 0, lambda i: 1, lambda i: 1 << 63, lambda i: (1 << 64) - i)),
    *map(listed, (lambda row: row[1:], lambda row: [*row, *row[-1:]], lambda row: [], lambda row: row[::-1])),
]


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name not in ("many values", "wide sets", "product")])
def test_a_law_with_any_number_changed_is_refused_or_private_and_another(name):
    """Every number and list of every kind of law, changed in thirteen ways: what is accepted is certified in full."""
    mechanism = MECHANISMS[name]
    data, context = plain_law(mechanism.law()), mechanism.context
    tried = accepted = 0
    for path in places(data):
        for change in CHANGES:
            forged = changed(data, path, change)
            tried += forged != data
            try:
                made = Mechanism(context, sampler_of(law_of(forged)))
            except DiscreetError:
                continue
            accepted += forged != data
            assert (made.fingerprint == mechanism.fingerprint) == (forged == data)
            assert made.certificate.realised >= 0
            if made.sampler.outputs <= 1 << 8:
                assert dc.verify(made.channel(), context=context).realised <= made.certificate.realised + 1e-9
            drawn = made.randomize_index(0, seeded(1))
            assert made.sampler.is_report(drawn)
    assert tried > 20
    assert accepted < tried / 2


LIES = {
    "a subset without its own value": {
        "kind": "subset", "size": 5, "d": 1, "true": 1, "steps": [[1, 1]], "word_bits": 64,
    },
    "a response that never tells the truth": {
        "kind": "response", "size": 3, "low": str(2**63 - 1), "high": 2, "spare": 0, "word_bits": 64,
    },
}  # fmt: skip


@pytest.mark.parametrize("data", LIES.values(), ids=LIES.keys())
def test_a_law_whose_own_value_is_not_the_likeliest_is_refused(data):
    with pytest.raises(InvalidInput, match="law of kind"):
        sampler_of(law_of(data))


@pytest.mark.parametrize("steps", [[], [[1, -1]], [[2**40, 1]], [[1, 1], [1, 1]], [[1]], [[0, 1], [1, 1]]])
def test_neutral_sets_that_cannot_be_drawn_as_planned_are_refused(steps):
    data = plain_law(dc.mechanism(Context.high_low(range(5), [0, 1, 2], "1"), "subset", d=1).law())
    with pytest.raises(InvalidInput, match="law"):
        sampler_of(law_of({**data, "steps": steps}))
    other = plain_law(dc.mechanism(Context.high_low(range(5), [0, 1, 2], "1"), "randomized_response").law())
    with pytest.raises(InvalidInput, match="law"):
        sampler_of(law_of({**other, "steps": [[1, 1]]}))


@pytest.mark.parametrize("values", [3, 5])
def test_a_law_for_another_number_of_values_is_refused(values):
    """Also where the estimate of its parts is weighted by shares, one for each value of the context."""
    law = plain_law(dc.mechanism(Context.blocks({"a": range(3), "b": [3]}, "1"), "subset").law())
    with pytest.raises(InvalidInput, match="values"):
        dc.mechanism(Context.uniform(range(values), "1"), "law", law=law)


def test_a_ratio_below_one_is_not_believed():
    class Boastful(RandomizedResponse):
        def follow(self, law):
            super().follow(law)
            self.ratio = Fraction(1, 2)

    with pytest.raises(dc.errors.PrivacyViolation, match="below 1 is not that of any channel"):
        Mechanism(SMALL, Boastful(3, Fraction(1)))


def test_the_row_of_a_law_cannot_be_changed_from_outside():
    made = dc.mechanism(BLOCKS, "hadamard")
    numbers = made.law().block_of.numbers()
    numbers[0] = 1
    assert next(iter(made.law().block_of)) == 0
    assert len(made.law().block_of) == 10


def test_laws_that_differ_inside_differ_in_fingerprint():
    def composed(one, two):
        first, second = (dc.mechanism(Context.uniform(range(3), level), "randomized_response") for level in (one, two))
        return Mechanism(Context.uniform(range(3), "3"), dc.compose(first, second).exact().sampler)

    def processed(level):
        inner = dc.mechanism(Context.uniform(range(3), level), "randomized_response").sampler
        matrix = [["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]]
        return dc.post_process(Mechanism(Context.uniform(range(3), "2"), inner), matrix)

    def two(level):
        inner = dc.mechanism(Context.binary(0, 1, (level, level)), "binary").sampler
        return Mechanism(Context.binary(0, 1, ("2", "2")), inner)

    def table(level):
        near = Context.metric(range(3), lambda a, b: abs(a - b), level)
        return Mechanism(Context.uniform(range(3), "4"), dc.mechanism(near, "exponential").sampler)

    made = [composed("1", "2"), composed("2", "1"), composed("1.5", "1.5")]
    made += [make(level) for make in (processed, two, table) for level in ("1", "1.5")]
    assert len({one.fingerprint for one in made}) == len(made)
    one, other = (each.tally(each.randomize_indices([0, 1, 2], seeded(1))) for each in made[:2])
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
        sampler_of(law_of(data))


def test_laws_inside_laws_end_somewhere():
    law = plain_law(dc.mechanism(SMALL, "randomized_response").law())
    for _ in range(7):
        law = {"kind": "mixture", "units": [str(2**64)], "parts": [law]}
    assert law_of(law).kind == "mixture"
    with pytest.raises(InvalidInput, match="at most 8 deep in each other"):
        law_of({"kind": "mixture", "units": [str(2**64)], "parts": [law]})


def test_a_law_for_short_words_is_for_trial_only():
    short = plain_law(RandomizedResponse(3, Fraction(1), word_bits=8).law)
    assert sampler_of(law_of(short)).word_bits == 8
    with pytest.raises(InvalidInput, match="word_bits=8 must be 64"):
        dc.mechanism(SMALL, "law", law=short)


def test_privacy_never_rests_on_a_set_being_a_difference_set():
    made = dc.mechanism(Context.uniform(range(7), "1"), "projective", family="singer", key=(2, 3))
    law = made.law()
    assert isinstance(law, CyclicLaw)
    other = dataclasses.replace(law, shifts=Bits.of([0, 1, 2], 7))  # 0, 1, 2 share more with 1, 2, 3 than with 3, 4, 5
    certified = Mechanism(made.context, sampler_of(other))
    assert certified.certificate.ratio == made.certificate.ratio
    reports = certified.tally(certified.randomize_indices([0, 1, 2] * 1000, seeded(1)))
    shares = dc.estimate(reports).shares  # nor does a right estimate
    assert shares == pytest.approx([1 / 3] * 3 + [0] * 4, abs=0.2)


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
        sampler_of(Odd(Fraction(1)))


def test_a_law_that_tells_nothing_is_certified_and_not_estimated():
    context = Context.high_low(range(4), [0, 1], "1")
    data = plain_law(dc.mechanism(context, "randomized_response").law())
    never = {**data, "neutral": str(2**63)}
    cycle = {
        "kind": "cyclic", "size": 2, "modulus": 2, "low": 2**61, "high": 3 * 2**61, "spare": 0,
        "shifts": {"size": 4, "bits": "Aw=="}, "word_bits": 64,
    }  # fmt: skip
    cycle |= {"low": str(2**61), "high": str(3 * 2**61)}
    for wanted, law in ((context, never), (Context.uniform(range(2), "2"), cycle)):
        made = dc.mechanism(wanted, "law", law=law)
        with pytest.raises(dc.errors.NotIdentifiable):
            dc.estimate(made.tally(made.randomize_indices([0, 1], seeded(1))))


def test_sets_of_too_many_draws_are_not_written_out():
    wide = plain_law(dc.mechanism(Context.uniform(range(16), "1"), "subset", d=15).law())
    table = plain_law(dc.mechanism(Context.uniform(range(16), "1"), "table", rows=[[1]] * 16).law())
    with pytest.raises(InvalidInput, match="too many to write out"):
        sampler_of(law_of({"kind": "product", "first": wide, "second": table}))
