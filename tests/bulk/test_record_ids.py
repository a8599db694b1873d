"""Text becomes a record id by a keyed hash, the same one by one and many at once."""

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from discreet.bulk.prf import BlockCipher, hash_record_ids

KEY = bytes(range(16))


def by_hand(text: bytes) -> int:
    """CBC-MAC of the length block and the text padded with zeros, by the library's own CBC mode."""
    padded = len(text).to_bytes(16, "little") + text + bytes(-len(text) % 16)
    cipher = Cipher(algorithms.AES(KEY), modes.CBC(bytes(16))).encryptor()
    return int.from_bytes(cipher.update(padded)[-16:-8], "little")


def together(texts: list[bytes], key: bytes = KEY) -> list[int]:
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return hash_record_ids(BlockCipher(key), offsets, np.frombuffer(b"".join(texts), dtype=np.uint8)).tolist()


TEXTS = [b"", b"a", b"ab", bytes(15), bytes(16), bytes(17), b"x" * 31, b"x" * 32, b"x" * 33, b"y" * 200, "é".encode()]


def test_many_at_once_are_the_definition_one_by_one():
    assert together(TEXTS) == [by_hand(text) for text in TEXTS]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_texts_work_too(count):
    assert together(TEXTS[:count]) == [by_hand(text) for text in TEXTS[:count]]


def test_texts_that_differ_only_by_padding_or_split_have_different_ids():
    ids = together([b"a", b"a\0", b"a" + bytes(15), b"a" + bytes(16), b"\0a"])
    assert len(set(ids)) == 5
    assert together([b"ab", b"c"]) != together([b"a", b"bc"])


def test_the_neighbours_of_a_text_do_not_matter():
    alone = together([b"person-12345"])
    assert together([b"something longer than a block", b"person-12345", b"z"])[1:2] == alone


def test_without_the_key_ids_cannot_be_foretold():
    assert not set(together(TEXTS)) & set(together(TEXTS, key=bytes(16)))


def test_a_hundred_thousand_texts_have_as_many_ids():
    """Chance of a collision: 1e10 / 2**65, below 3e-10."""
    texts = [f"person-{number}".encode() for number in range(100_000)]
    assert len(set(together(texts))) == len(texts)
