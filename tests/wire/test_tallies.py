from __future__ import annotations

import json
import re

import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, MechanismMismatch
from discreet.estimation.tally import parse_tally, read_tally, tally_from_json, tally_text, tally_to_json, write_tally

BLOCKS = dc.Context.blocks({"a": range(5), "b": range(5, 8), "c": [8]}, 1)
MECHANISMS = {
    "indexed": dc.mechanism(dc.Context.uniform(range(5), 1), "hadamard"),
    "sets": dc.mechanism(dc.Context.uniform(range(70), 1), "subset"),
    "blocks of sets": dc.mechanism(BLOCKS, "subset"),
    "blocks": dc.mechanism(BLOCKS, "hadamard"),
    "high-low": dc.mechanism(dc.Context.high_low(range(9), [1, 2, 3], 1), "subset", d=1),
    "table": dc.mechanism(dc.Context.binary("no", "yes", ("inf", 1))),
}


def counted(mechanism, count=200):
    numbers = [x % mechanism.context.size for x in range(count)]
    return mechanism.tally(mechanism.randomize_indices(numbers, dc.random.seeded(1)))


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())
def test_a_tally_survives_a_file(mechanism, tmp_path):
    for tally in (counted(mechanism), mechanism.tally()):
        write_tally(tally, tmp_path / "tally.json")
        assert read_tally(tmp_path / "tally.json", mechanism) == tally
        assert [file.name for file in tmp_path.iterdir()] == ["tally.json"]


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())
def test_a_report_more_or_less_is_noticed(mechanism):
    told = tally_to_json(counted(mechanism))
    for n in (told["n"] - 1, told["n"] + 1):
        with pytest.raises(InvalidInput, match=r"add up to 200 reports, but n=|must be a whole number from 0 to"):
            tally_from_json(mechanism, told | {"n": n})


def test_the_keys_that_others_rely_on_are_enough():
    tally = counted(MECHANISMS["blocks"])
    told = json.loads(tally_text(tally))
    assert list(told) == ["version", "mechanism", "fingerprint", "n", "counts"]
    assert tally_from_json(tally.mechanism, {key: told[key] for key in ("fingerprint", "n", "counts")}) == tally


INDEXED = MECHANISMS["indexed"]
TOLD = tally_to_json(counted(INDEXED))
ZEROS = [0] * len(TOLD["counts"])
BAD = {
    "no object": ([], "a tally must be a JSON object"),
    "no n": ({key: TOLD[key] for key in ("fingerprint", "counts")}, "n is missing"),
    "no counts": ({key: TOLD[key] for key in ("fingerprint", "n")}, "counts is missing"),
    "no fingerprint": ({key: TOLD[key] for key in ("n", "counts")}, "fingerprint is missing"),
    "an extra entry": (TOLD | {"who": "me"}, "who is not a known entry of a tally"),
    "another version": (TOLD | {"version": 2}, "version=2 must be 1"),
    "a version that is true": (TOLD | {"version": True}, "version=True must be 1"),
    "a name that is no text": (TOLD | {"mechanism": 5}, "mechanism must be text"),
    "n negative": (TOLD | {"n": -1}, "n=-1 must be a whole number from 0"),
    "n a fraction": (TOLD | {"n": 1.5}, "n=1.5 must be a whole number"),
    "n true": (TOLD | {"n": True}, "n=True must be a whole number"),
    "n beyond": (TOLD | {"n": 1 << 60}, f"n={1 << 60} must be a whole number from 0 to 9007199254740991"),
    "counts no list": (TOLD | {"counts": "0"}, f"counts must be a list of {len(ZEROS)} numbers"),
    "counts too short": (TOLD | {"counts": ZEROS[1:]}, f"counts must be a list of {len(ZEROS)} numbers"),
    "counts too long": (TOLD | {"counts": [*ZEROS, 0]}, f"counts must be a list of {len(ZEROS)} numbers"),
    "a negative count": (TOLD | {"counts": [-1, *ZEROS[1:]]}, "counts[0]=-1 must be a whole number from 0 to 200"),
    "a count that is text": (TOLD | {"counts": ["1", *ZEROS[1:]]}, "counts[0]='1' must be a whole number"),
    "a count beyond n": (TOLD | {"counts": [201, *ZEROS[1:]]}, "counts[0]=201 must be a whole number from 0 to 200"),
    "too few counted": (TOLD | {"counts": [199, *ZEROS[1:]]}, "counts add up to 199 reports, but n=200"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD.keys())
def test_it_is_refused(data, message, tmp_path):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        tally_from_json(INDEXED, data)
    (tmp_path / "tally.json").write_text(json.dumps(data))
    with pytest.raises(InvalidInput, match=re.escape(f"{tmp_path / 'tally.json'}: {message}")):
        read_tally(tmp_path / "tally.json", INDEXED)


def test_a_tally_of_another_mechanism_is_refused_by_both_names():
    told = tally_to_json(counted(MECHANISMS["sets"]))
    with pytest.raises(MechanismMismatch, match=r"this tally is of subset \(\w{12}\), not of hadamard \(\w{12}\)"):
        tally_from_json(INDEXED, told)


@pytest.mark.parametrize("written", [b"", b"{", b"\xff", b'{"n": 1, "n": 2}', b'{"n": NaN}', b"[" * 100_000])
def test_what_is_no_json_is_refused(written):
    with pytest.raises(InvalidInput):
        parse_tally(INDEXED, written)
