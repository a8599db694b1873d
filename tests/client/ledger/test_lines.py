"""Lines of a journal: one way to write them, and every change noticed."""

import hashlib
import json

import pytest

from discreet.client.ledger.journal import START, line, read_lines
from discreet.core.errors import DamagedLedger


def journal(*objects):
    written, chain = b"", START
    for data in objects:
        more, chain = line(chain, data)
        written += more
    return written


THREE = journal({"kind": "a", "text": "é \u2028 J*"}, {"kind": "b", "n": 1}, {"kind": "c"})


def test_the_chain_is_the_hash_of_the_chain_before_and_the_object():
    first, second, _ = THREE.decode().split("\n")[:3]
    zero = hashlib.sha256(("0" * 64 + '{"kind":"a","text":"é \u2028 J*"}').encode()).hexdigest()
    one = hashlib.sha256((zero + '{"kind":"b","n":1}').encode()).hexdigest()
    assert first == '{"chain":"' + zero + '","kind":"a","text":"é \u2028 J*"}'
    assert json.loads(second) == {"kind": "b", "n": 1, "chain": one}


def test_what_was_written_is_read_again():
    objects, length, _ = read_lines(THREE, "it")
    assert [data["kind"] for data in objects] == ["a", "b", "c"]
    assert length == len(THREE)
    assert read_lines(b"", "it")[0] == []


@pytest.mark.parametrize("more", [b"{", b'{"chain":', b"\0" * 700, b"\xff"])
def test_a_last_piece_without_an_end_is_left_out(more):
    objects, length, _ = read_lines(THREE + more, "it")
    assert (len(objects), length) == (3, len(THREE))


def test_a_line_cut_anywhere_was_never_acted_upon():
    start = THREE.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(THREE)):
        assert len(read_lines(THREE[:end], "it")[0]) == 2


def test_every_flipped_bit_is_noticed():
    for place in range(8 * len(THREE)):
        flipped = bytearray(THREE)
        flipped[place // 8] ^= 1 << place % 8
        with pytest.raises(DamagedLedger, match=r"it, line [123]"):
            read_lines(bytes(flipped), "it")


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[1:],
        lambda lines: lines[:1] + lines[2:],
        lambda lines: [lines[0], lines[2], lines[1]],
        lambda lines: [lines[0], lines[0], *lines[1:]],
        lambda lines: [lines[0], b"", *lines[1:]],
        lambda lines: [lines[0] + b" ", *lines[1:]],
        lambda lines: [lines[0].replace(b'"kind"', b'"kind" '), *lines[1:]],
        lambda lines: [b'{"a":1}', *lines],
        lambda lines: [b"[]", *lines],
    ],
)
def test_lines_taken_out_moved_or_put_in_are_noticed(change):
    lines = THREE.split(b"\n")[:-1]
    with pytest.raises(DamagedLedger):
        read_lines(b"".join(piece + b"\n" for piece in change(lines)), "it")
