"""Words are a function of their address: key, record, value and place, and of nothing else."""

import hmac
import pickle

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import discreet as dc
from discreet.engines import prf
from discreet.engines.prf import BlockCipher, CollectionKey, randomize_records
from discreet.errors import InvalidInput, RandomnessFailure

SECRET = bytes(range(32))
IDS = np.array([0, 1, 2**63, 2**64 - 1, 77], dtype=np.uint64)
VALUES = np.array([0, 1, 2, 2, 4])


def key(secret=SECRET, fingerprint="f" * 64, collection="place"):
    return CollectionKey(secret, fingerprint=fingerprint, collection=collection)


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
    drawn = key().words(np.array([5]), np.array([3]), 3).take(3)
    assert [f"{word:016x}" for word in drawn] == ["38774234a74dce7c", "1eaa93f2ae6ea7e0", "6a7145b4b2b7e34b"]
    pseudorandom = hmac.digest(b"discreet addressed words 1", SECRET, "sha256")  # the same by RFC 5869, by hand
    derived = hmac.digest(pseudorandom, b"64:" + b"f" * 64 + b"place" + b"\x01", "sha256")
    assert drawn == words_by_hand(derived[:16], 5, 3, 3)


def test_one_at_a_time_in_pieces_and_at_once_are_the_same(monkeypatch):
    ids, values = np.arange(1000), np.arange(1000) % 7
    whole = key().words(ids, values, 3).fill(3000)
    pieces = key().words(ids, values, 3)
    monkeypatch.setattr(prf, "BLOCKS", 64)
    assert np.concatenate([pieces.fill(3 * part) for part in (1, 0, 500, 499)]).tolist() == whole.tolist()
    single = key().words(ids, values, 3)
    assert [word for _ in range(1000) for word in single.take(3)] == whole.tolist()


@pytest.mark.parametrize(
    "other",
    [
        key(secret=bytes(32)),
        key(fingerprint="e" * 64),
        key(collection="home"),
        key(fingerprint="f" * 63, collection="fplace"),
    ],
)
def test_another_secret_mechanism_or_collection_draws_other_words(other):
    first = set(key().words(IDS, VALUES, 4).take(20))
    assert first == set(key().words(IDS, VALUES, 4).take(20))
    assert not first & set(other.words(IDS, VALUES, 4).take(20))


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
        made = randomize_records(mechanism, values, ids=ids, key=key())
        assert made.tolist() == [
            mechanism.randomize_index(int(x), key().words(ids[[i]], values[[i]], mechanism.randomizer.words))
            for i, x in enumerate(values)
        ]


def test_order_and_split_do_not_matter():
    mechanism = dc.mechanism(dc.Context.uniform(range(50), epsilon="1"), "hadamard")
    rng = np.random.default_rng(1)
    ids, values = rng.permutation(2000), rng.integers(0, 50, 2000)
    whole = randomize_records(mechanism, values, ids=ids, key=key())
    order = rng.permutation(2000)
    moved = randomize_records(mechanism, values[order], ids=ids[order], key=key())
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
