"""Words are a function of their address: key, record, value and place, and of nothing else."""

import hmac
import pickle
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import discreet as dc
from discreet.bulk import prf
from discreet.bulk.prf import BlockCipher, CollectionKey, randomize_records
from discreet.core.errors import InvalidInput, RandomnessFailure
from discreet.mechanisms.law import plain_law
from discreet.mechanisms.laws import FOLLOWERS, law_of
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.hadamard import Hadamard, HadamardLaw
from discreet.wire import law_text, parse_law

MASK = (1 << 64) - 1

SECRET = bytes(range(32))
IDS = np.array([0, 1, 2**63, 2**64 - 1, 77], dtype=np.uint64)
VALUES = np.array([0, 1, 2, 2, 4])


HADAMARD = dc.mechanism(dc.Context.uniform(range(5), epsilon="1"), "hadamard")


def key(mechanism=HADAMARD, *, secret=SECRET, collection="place"):
    return CollectionKey(secret, mechanism, collection=collection)


def words_by_hand(secret_key, record, value, count):
    """The definition, one block at a time."""
    cipher = Cipher(algorithms.AES(secret_key), modes.ECB()).encryptor()
    stream = b"".join(
        cipher.update(int(record).to_bytes(8, "little") + int(value).to_bytes(4, "little") + c.to_bytes(4, "little"))
        for c in range(-(-count // 2))
    )
    return [int.from_bytes(stream[8 * i : 8 * i + 8], "little") for i in range(count)]


@pytest.mark.parametrize("width", [1, 2, 3, 8, 9])
def test_words_are_the_cipher_of_their_address(width):
    made = key()
    drawn = made.words(IDS, VALUES, width).fill(len(IDS) * width).reshape(len(IDS), width)
    for row, record, value in zip(drawn.tolist(), IDS, VALUES, strict=True):
        assert row == words_by_hand(made._words, record, value, width)


def test_the_known_answers_stay():
    """A release that changed these would give everyone a second, independent report."""
    law = (
        '{"context":{"epsilon":"1","form":"uniform"},"domain":{"size":5},'
        '"law":{"kind":"hadamard","size":5,"true":"1685706312859696345","word_bits":64},"version":2}'
    )
    assert law_text(HADAMARD) == law
    drawn = key().words(np.array([5]), np.array([3]), 3).take(3)
    assert [f"{word:016x}" for word in drawn] == ["a6e2c3d4e57a0756", "09c9cf3f19200e65", "04d7bbb0100b42db"]
    pseudorandom = hmac.digest(b"discreet addressed words 2", SECRET, "sha256")  # the same by RFC 5869, by hand
    derived = hmac.digest(pseudorandom, f"{len(law)}:{law}place\x01".encode(), "sha256")
    assert drawn == words_by_hand(derived[:16], 5, 3, 3)


def test_one_at_a_time_in_pieces_and_at_once_are_the_same(monkeypatch):
    ids, values = np.arange(1000), np.arange(1000) % 7
    whole = key().words(ids, values, 3).fill(3000)
    pieces = key().words(ids, values, 3)
    monkeypatch.setattr(prf, "BLOCKS_AT_ONCE", 64)
    assert np.concatenate([pieces.fill(3 * part) for part in (1, 0, 500, 499)]).tolist() == whole.tolist()
    single = key().words(ids, values, 3)
    assert [word for _ in range(1000) for word in single.take(3)] == whole.tolist()


@pytest.mark.parametrize("other", [key(secret=bytes(32)), key(collection="home")])
def test_another_secret_or_collection_draws_other_words(other):
    first = set(key().words(IDS, VALUES, 4).take(20))
    assert first == set(key().words(IDS, VALUES, 4).take(20))
    assert not first & set(other.words(IDS, VALUES, 4).take(20))


def test_a_law_and_a_name_cannot_pass_for_another_law_and_name(monkeypatch):
    texts = {1: "ab", 2: "a"}
    monkeypatch.setattr(prf, "canonical", texts.get)
    one, other = (
        CollectionKey(SECRET, SimpleNamespace(description=number), collection=name)
        for number, name in ((1, "c"), (2, "bc"))
    )
    assert one._words != other._words


def neighbours(law):
    """The law with one whole number changed by one, or two exchanged, each in turn."""

    def of(data):
        if isinstance(data, dict):
            for name, entry in data.items():
                yield from ({**data, name: inner} for inner in of(entry))
            whole = [name for name, entry in data.items() if isinstance(entry, (int, str)) and name != "kind"]
            for one, two in combinations(whole, 2):
                yield {**data, one: data[two], two: data[one]}
        elif isinstance(data, list):
            for place, entry in enumerate(data):
                yield from ([*data[:place], inner, *data[place + 1 :]] for inner in of(entry))
            yield data[::-1]
        elif isinstance(data, int):
            yield from (data - 1, data + 1)
        elif data.isdigit():
            yield from (str(int(data) - 1), str(int(data) + 1))

    for data in of(plain_law(law)):
        try:
            if (made := law_of(data)) != law:
                yield made
        except InvalidInput:
            continue


SMALL = dc.Context.uniform(range(3), "1")
HIGH_LOW = dc.Context.high_low(range(7), [1, 2, 5], "1")
UNIFORM = ["hadamard", "general_hadamard", "randomized_response", "subset", "projective", "cyclotomic", "unary"]
CLASSES = dc.Context.uniform(range(7), "2") & HIGH_LOW
LAWS = {
    **{name: dc.mechanism(dc.Context.uniform(range(7), "1"), name) for name in UNIFORM},
    "types": next(one.mechanism for one in dc.explain(CLASSES).candidates if one.name == "types"),
    "graded_unary": dc.mechanism(CLASSES, "graded_unary"),
    "geometric": dc.mechanism(dc.Context.metric(range(7), "line", "1"), "geometric"),
    "ring": dc.mechanism(dc.Context.metric(range(7), "ring", "1"), "ring"),
    "torus": dc.mechanism(dc.Context.metric([(x, y) for x in range(3) for y in range(3)], "l1", "1"), "torus"),
    "nested": dc.mechanism(dc.Context.nested({"a": range(3), "b": range(3, 7)}, ["1", "3"]), "nested"),
    "levels": dc.mechanism(dc.Context.nested({"a": range(3), "b": range(3, 7)}, ["1", "2"]), "levels"),
    "paired": dc.mechanism(SMALL * SMALL, "paired", first={"name": "randomized_response"}, second={"name": "hadamard"}),
    "blocks": dc.mechanism(dc.Context.blocks({"a": range(4), "b": range(4, 7)}, {"a": "1", "b": "2"}), "hadamard"),
    "high-low": dc.mechanism(HIGH_LOW, "subset"),
    "utility_rappor": dc.mechanism(HIGH_LOW, "utility_rappor"),
    "mixture": dc.mechanism(
        HIGH_LOW, "mixture", parts=[{"name": "subset", "d": 1}, {"name": "subset", "d": 2}], units=[1 << 62, 3 << 62]
    ),
    "table": dc.mechanism(SMALL, "table", rows=[["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]),
    "adaptive": dc.adaptive(
        dc.mechanism(SMALL, "randomized_response"),
        lambda y: dc.mechanism(SMALL, "hadamard" if y else "randomized_response"),
    ),
    "product": dc.compose(dc.mechanism(SMALL), dc.mechanism(SMALL, "hadamard")).exact(),
    "post-processed": dc.post_process(
        dc.mechanism(SMALL, "randomized_response"), [["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]]
    ),
}


def test_every_kind_of_law_is_among_those_changed():
    assert {made.law().kind for made in LAWS.values()} | {"cyclic", "response"} == set(FOLLOWERS)


@pytest.mark.parametrize("name", LAWS)
def test_every_change_of_a_law_changes_the_words(name):
    """Each whole number of the law one less, one more, or exchanged with another, with nothing else changed."""
    mechanism = LAWS[name]
    first = set(key(mechanism).words(IDS, VALUES, 4).take(20))
    again = parse_law(law_text(mechanism))
    assert first == set(key(again).words(IDS, VALUES, 4).take(20))  # the control: the same law, made elsewhere
    tried = 0
    for law in neighbours(mechanism.law()):
        description = {**mechanism.description, "law": plain_law(law)}
        other = key(SimpleNamespace(description=description))
        assert not first & set(other.words(IDS, VALUES, 4).take(20)), law
        tried += 1
    assert tried > 4


@pytest.mark.parametrize(
    "other",
    [
        dc.Context.uniform(["b", "a", "c"], "1"),
        dc.Context.uniform(["a", "b", "d"], "1"),
        dc.Context.high_low(["a", "b", "c"], ["a", "b", "c"], "1"),
        dc.Context.uniform(["a", "b", "c"], "1.0000000000000000000001"),
    ],
)
def test_other_values_another_order_or_another_promise_draw_other_words(other):
    one, two = (dc.mechanism(context, "hadamard") for context in (dc.Context.uniform(["a", "b", "c"], "1"), other))
    assert not set(key(one).words(IDS, VALUES, 4).take(20)) & set(key(two).words(IDS, VALUES, 4).take(20))


def test_a_key_serves_the_mechanism_it_was_made_for_alone():
    other = dc.mechanism(dc.Context.uniform(range(5), epsilon="2"), "hadamard")
    assert randomize_records(HADAMARD, VALUES, ids=IDS, key=key()).size == len(IDS)
    with pytest.raises(InvalidInput, match="words of one law may not be used for another"):
        randomize_records(other, VALUES, ids=IDS, key=key())


def test_mechanisms_of_one_fingerprint_draw_alike_whatever_their_classes():
    class Mirrored(Hadamard):
        def draw(self, x, words, ops):
            return super().draw(x, [MASK - word for word in words], ops)

    mirrored = Mechanism(HADAMARD.context, Mirrored(5, Fraction(1)))
    assert mirrored.fingerprint == HADAMARD.fingerprint
    words = key().words(IDS, VALUES, 1)
    alone = [mirrored.randomize_index(int(x), words) for x in VALUES]
    expected = randomize_records(HADAMARD, VALUES, ids=IDS, key=key()).tolist()
    assert alone != expected  # the control: by itself it draws otherwise
    assert randomize_records(mirrored, VALUES, ids=IDS, key=key(mirrored)).tolist() == expected


def test_a_law_of_an_unknown_kind_has_no_words():
    @dataclass(frozen=True)
    class Own(HadamardLaw):
        kind = "my own"

    own = Mechanism(HADAMARD.context, Hadamard.from_law(Own(5, HADAMARD.law().true, 64)))
    with pytest.raises(InvalidInput, match="law of kind 'my own' is not known"):
        randomize_records(own, VALUES, ids=IDS, key=key(own))


def test_a_changed_value_or_record_shares_no_word():
    one = key().words(np.array([9, 9, 10]), np.array([0, 1, 0]), 50).fill(150).reshape(3, 50)
    assert len(np.unique(one)) == 150
    again = key().words(np.array([9, 9]), np.array([1, 1]), 50).fill(100).reshape(2, 50)
    assert (again[0] == again[1]).all()  # the control: the same address repeats its words
    assert (again[0] == one[1]).all()


def test_reports_are_those_of_the_reference_engine_record_by_record():
    context = dc.Context.blocks({"a": range(5), "b": range(5, 25), "c": [25]}, epsilon="1")
    ids, values = np.arange(26) ** 9, np.arange(26)
    for name in ("hadamard", "randomized_response", "subset"):
        mechanism = dc.mechanism(context, name)
        made = randomize_records(mechanism, values, ids=ids, key=key(mechanism))
        assert made.tolist() == [
            mechanism.randomize_index(int(x), key(mechanism).words(ids[[i]], values[[i]], mechanism.sampler.words))
            for i, x in enumerate(values)
        ]


def test_order_and_split_do_not_matter():
    mechanism = dc.mechanism(dc.Context.uniform(range(50), epsilon="1"), "hadamard")
    rng = np.random.default_rng(1)
    ids, values = rng.permutation(2000), rng.integers(0, 50, 2000)
    whole = randomize_records(mechanism, values, ids=ids, key=key(mechanism))
    order = rng.permutation(2000)
    moved = randomize_records(mechanism, values[order], ids=ids[order], key=key(mechanism))
    assert (moved == whole[order]).all()
    assert (moved != whole).any()  # the control: the order did change


def test_words_look_uniform():
    """Bit balance over 2**18 bits: 6.5 standard deviations, false alarm below 1e-10; a counter fails it."""
    drawn = key().words(np.arange(4096), np.zeros(4096, dtype=int), 1).fill(4096)
    ones = int(np.bitwise_count(drawn).sum())
    assert abs(ones - 2**17) < 6.5 * 2**8
    assert not abs(int(np.bitwise_count(np.arange(4096, dtype=np.uint64)).sum()) - 2**17) < 6.5 * 2**8


@pytest.mark.parametrize("secret", [b"", b"fifteen bytes!!", "text that is long enough", None, 2**200])
def test_a_short_or_textual_secret_is_refused_and_not_shown(secret):
    with pytest.raises(InvalidInput, match="at least 16 secret bytes") as said:
        key(secret=secret)
    assert "fifteen" not in str(said.value)
    assert "long enough" not in str(said.value)


def test_a_key_shows_nothing_of_itself_and_travels():
    made = key()
    assert repr(made) == "<collection key>"
    assert SECRET not in pickle.dumps(made)  # only what is derived from it goes along
    copy = pickle.loads(pickle.dumps(made))
    assert copy.words(IDS, VALUES, 2).take(10) == made.words(IDS, VALUES, 2).take(10)


def test_more_words_than_records_or_parts_of_a_report_are_refused():
    with pytest.raises(RandomnessFailure, match="5 records"):
        key().words(IDS, VALUES, 2).fill(12)
    with pytest.raises(RandomnessFailure, match="asked for 3 words"):
        key().words(IDS, VALUES, 2).fill(3)


def test_a_cipher_that_falls_short_makes_no_report():
    class Short:
        def update_into(self, data, out):
            return len(data) - 1

    cipher = BlockCipher(bytes(16))
    cipher._cipher = Short()
    with pytest.raises(RandomnessFailure, match="no report was made"):
        cipher.encrypt(np.zeros(4, dtype=np.uint64))


@pytest.mark.parametrize(
    ("ids", "values", "said"),
    [
        ([1, 2], [1], "one per value"),
        ([[1]], [[1]], "one per value"),
        ([1.5], [1], "whole numbers"),
        ([1], [-1], "from 0 to"),
        ([1], [2**32], "from 0 to"),
    ],
)
def test_addresses_that_do_not_fit_are_refused(ids, values, said):
    with pytest.raises(InvalidInput, match=said):
        key().words(np.array(ids), np.array(values), 1)


def test_no_records_need_no_words():
    assert key().words(np.zeros(0), np.zeros(0), 3).fill(0).tolist() == []
