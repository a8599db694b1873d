"""What a spec is refused for, and the words it is refused with."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from discreet.core.errors import (
    BeyondLimits,
    InvalidContext,
    InvalidEpsilon,
    InvalidInput,
    InvalidSpec,
    NotServed,
    PrivacyViolation,
)
from discreet.wire import Spec

UNIFORM = {"form": "uniform", "epsilon": "1"}
SIX = {"size": 6}
MIXED = {"name": "mixed", "inner": [{"name": "hadamard"}, {"name": "subset", "d": 1}]}
TWO_BLOCKS = {"form": "blocks", "sizes": [3, 3], "epsilon": 1}


def spec(context=UNIFORM, domain=SIX, **more):
    return {"domain": domain, "context": context, **more}


BAD = {
    "no table": (5, InvalidSpec, "the spec must be a table, not a whole number"),
    "no context": ({"domain": SIX}, InvalidSpec, "context is missing"),
    "no domain": ({"context": UNIFORM}, InvalidSpec, "domain is missing"),
    "an extra entry": (spec(colour="red"), InvalidSpec, "colour is not a known entry; the entries are context, domain"),
    "an extra entry in a table": (spec(UNIFORM | {"delta": 0}), InvalidSpec, "context.delta is not a known entry"),
    "an extra entry in the domain": (
        spec(domain=SIX | {"column": "x"}),
        InvalidSpec,
        "domain.column is not a known entry",
    ),
    "a name that is no text": (spec(name=5), InvalidSpec, "name must be text, not a whole number"),
    "another version": (spec(version=2), InvalidSpec, "version=2 must be 1"),
    "a version that is no number": (spec(version="1"), InvalidSpec, "version must be a whole number, not text"),
    "other words": (spec(word_bits=8), InvalidSpec, "word_bits=8 must be 64"),
    "domain no table": (spec(domain=[1]), InvalidSpec, "domain must be a table, not a list"),
    "domain empty": (spec(domain={}), InvalidSpec, "domain must give exactly one of values, size and file"),
    "domain twice": (spec(domain={"size": 2, "values": [1]}), InvalidSpec, "exactly one of values, size and file"),
    "no values": (spec(domain={"values": []}), InvalidContext, "must hold at least one value"),
    "a value twice": (spec(domain={"values": ["a", "a"]}), InvalidContext, "'a' appears twice"),
    "values alike as text": (spec(domain={"values": [1, "1"]}), InvalidSpec, "1 and '1' are written alike"),
    "a value that is no text": (
        spec(domain={"values": [1.5]}),
        InvalidSpec,
        "domain.values[0] must be text or a whole",
    ),
    "a truth value": (spec(domain={"values": [True]}), InvalidSpec, "not true or false"),
    "values no list": (spec(domain={"values": "abc"}), InvalidSpec, "domain.values must be a list, not text"),
    "size zero": (spec(domain={"size": 0}), InvalidSpec, "domain.size=0 must be at least 1"),
    "size huge": (spec(domain={"size": 10**12}), BeyondLimits, "domain.size: values=1000000000000 is beyond the limit"),
    "size no number": (spec(domain={"size": "6"}), InvalidSpec, "domain.size must be a whole number, not text"),
    "context no table": (spec("uniform"), InvalidSpec, "context must be a table, not text"),
    "no form": (spec({"epsilon": 1}), InvalidSpec, "context.form is missing"),
    "an unknown form": (spec({"form": "ring"}), InvalidSpec, "context.form='ring' must be one of uniform, blocks"),
    "no epsilon": (spec({"form": "uniform"}), InvalidSpec, "context.epsilon is missing"),
    "epsilon negative": (spec({"form": "uniform", "epsilon": -1}), InvalidEpsilon, "epsilon=-1 must be"),
    "epsilon zero": (spec({"form": "uniform", "epsilon": "0"}), InvalidEpsilon, "must be positive and finite"),
    "epsilon infinite": (spec({"form": "uniform", "epsilon": "inf"}), InvalidEpsilon, "must be positive and finite"),
    "epsilon nan": (spec({"form": "uniform", "epsilon": Decimal("nan")}), InvalidEpsilon, "epsilon='NaN' must be"),
    "epsilon a word": (spec({"form": "uniform", "epsilon": "much"}), InvalidEpsilon, "epsilon='much' must be"),
    "epsilon a bad fraction": (spec({"form": "uniform", "epsilon": "1/0"}), InvalidSpec, "context.epsilon='1/0' must"),
    "epsilon a list": (spec({"form": "uniform", "epsilon": [1]}), InvalidSpec, "must be a number or text, not a list"),
    "epsilon a table": (spec({"form": "uniform", "epsilon": {}}), InvalidSpec, "must be a number or text, not a table"),
    "epsilon true": (spec({"form": "uniform", "epsilon": True}), InvalidSpec, "not true or false"),
    "epsilon beyond the words": (
        spec({"form": "uniform", "epsilon": 60}, mechanism={"name": "hadamard"}),
        InvalidEpsilon,
        "epsilon=60 is beyond what words of 64 bits can certify",
    ),
    "blocks without blocks": (spec({"form": "blocks", "epsilon": 1}), InvalidSpec, "one of sizes, block_of and blocks"),
    "blocks without a domain": ({"context": TWO_BLOCKS}, InvalidSpec, "domain is missing"),
    "sizes that do not add up": (
        spec({"form": "blocks", "epsilon": 1, "sizes": [1, 2]}),
        InvalidContext,
        "sizes add up to 3; they must add up to the 6 values",
    ),
    "a size that is text": (spec(TWO_BLOCKS | {"sizes": ["3", 3]}), InvalidSpec, "context.sizes[0] must be a whole"),
    "an empty block": (spec(TWO_BLOCKS | {"sizes": [0, 6]}), InvalidContext, "must be positive whole numbers"),
    "both epsilons": (spec(TWO_BLOCKS | {"epsilons": [1, 2]}), InvalidSpec, "one of epsilon and epsilons, not both"),
    "too few epsilons": (
        spec({"form": "blocks", "sizes": [3, 3], "epsilons": [1]}),
        InvalidContext,
        "must be one per block, 2",
    ),
    "an epsilon for no block": (
        spec({"form": "blocks", "sizes": [3, 3], "epsilons": {"0": 1, "1": 1, "2": 1}}),
        InvalidContext,
        "epsilon: '2' must be among the blocks, which are 0, 1",
    ),
    "block_of too short": (
        spec({"form": "blocks", "block_of": [0, 1], "epsilon": 1}),
        InvalidContext,
        "it must have one per value, 6",
    ),
    "block_of beyond": (
        spec({"form": "blocks", "block_of": [0, 0, 0, 0, 0, 10**9], "epsilon": 1}),
        InvalidSpec,
        "block 1000000000 must be from 0 to 5",
    ),
    "block_of negative": (
        spec({"form": "blocks", "block_of": [0, 0, 0, 0, 0, -1], "epsilon": 1}),
        InvalidContext,
        "block -1 must be",
    ),
    "block_of with a gap": (
        spec({"form": "blocks", "block_of": [0, 0, 0, 0, 0, 2], "epsilon": 1}),
        InvalidContext,
        "block 1 must hold at least one value",
    ),
    "block_of with too few names": (
        spec({"form": "blocks", "block_of": [0, 0, 0, 1, 1, 1], "names": ["a"], "epsilon": 1}),
        InvalidContext,
        "block 1 must be from 0 to 0",
    ),
    "blocks no table": (
        spec({"form": "blocks", "blocks": [1], "epsilon": 1}),
        InvalidSpec,
        "context.blocks must map each block's name",
    ),
    "blocks with a value twice": (
        {"context": {"form": "blocks", "epsilon": 1, "blocks": {"a": ["x"], "b": ["x"]}}},
        InvalidContext,
        "'x' appears twice",
    ),
    "blocks with values alike": (
        {"context": {"form": "blocks", "epsilon": 1, "blocks": {"a": ["1"], "b": [1]}}},
        InvalidSpec,
        "'1' and 1 are written alike",
    ),
    "blocks with a value outside": (
        spec({"form": "blocks", "epsilon": 1, "blocks": {"a": [0, 1, 2, 3, 4, 5, 6]}}),
        InvalidSpec,
        "6 must be one of the 6 values",
    ),
    "blocks that leave a value out": (
        spec({"form": "blocks", "epsilon": 1, "blocks": {"a": [0, 1, 2, 3, 4]}}),
        InvalidSpec,
        "the value 5 must be in a block",
    ),
    "sensitive outside": (
        spec({"form": "high_low", "sensitive": [6], "epsilon": 1}),
        InvalidContext,
        "sensitive: 6 must be one of the 6 values",
    ),
    "nothing sensitive": (spec({"form": "high_low", "sensitive": [], "epsilon": 1}), InvalidContext, "at least one"),
    "no sensitive": (spec({"form": "high_low", "epsilon": 1}), InvalidSpec, "context.sensitive is missing"),
    "binary of six": (spec({"form": "binary", "epsilon": [1, 1]}), InvalidContext, "must have exactly two"),
    "binary with one epsilon": (
        spec({"form": "binary", "epsilon": 1}, {"size": 2}),
        InvalidSpec,
        "context.epsilon must be a list",
    ),
    "binary with three": (spec({"form": "binary", "epsilon": [1, 2, 3]}, {"size": 2}), InvalidContext, "a pair"),
    "too few points": (spec({"form": "metric", "points": [[0]], "epsilon": 1}), InvalidContext, "one per value"),
    "an infinite point": (
        spec({"form": "metric", "points": [["inf"]], "epsilon": 1}, {"size": 1}),
        InvalidContext,
        "must be a finite decimal",
    ),
    "a point that is no number": (
        spec({"form": "metric", "points": [1, True], "epsilon": 1}, {"size": 2}),
        InvalidSpec,
        "context.points[1] must be a number or text, not true or false",
    ),
    "points on a line and in the plane": (
        spec({"form": "metric", "points": [1, [2, 3]], "epsilon": 1}, {"size": 2}),
        InvalidContext,
        "all with the same number of coordinates",
    ),
    "epsilon by name": (
        spec({"form": "blocks", "sizes": [3, 3], "epsilon": {"0": 1, "1": 2}}),
        InvalidSpec,
        "context.epsilon must be one number for all blocks; epsilons has one for each",
    ),
    "epsilons that leave a block out": (
        {"context": {"form": "blocks", "blocks": {"boston": ["b"], "nyc": ["n"]}, "epsilons": {"boston": 1}}},
        InvalidContext,
        "epsilon: every block must have one; missing: 'nyc'",
    ),
    "an epsilon for a block that is misspelt": (
        {"context": {"form": "blocks", "blocks": {"boston": ["b"]}, "epsilons": {"boston": 1, "bostn": 1}}},
        InvalidContext,
        "epsilon: 'bostn' must be among the blocks, which are 'boston'",
    ),
    "a fingerprint that is none": (spec(fingerprint="abc"), InvalidSpec, "fingerprint must be the 64 hexadecimal"),
    "another fingerprint": (spec(fingerprint="0" * 64), InvalidSpec, "fingerprint=000000000000... must be that of"),
    "a note that is no text": (spec(note=1), InvalidSpec, "note must be text"),
    "an unknown norm": (
        spec({"form": "metric", "points": [[0], [1]], "epsilon": 1, "norm": "l3"}, {"size": 2}),
        InvalidContext,
        "norm='l3' must be one of l1, l2, linf",
    ),
    "E of another size": (spec({"form": "matrix", "E": [["0"]]}), InvalidContext, "E must be 6 x 6"),
    "E with a diagonal": (spec({"form": "matrix", "E": [[1]]}, {"size": 1}), InvalidContext, "must be 0"),
    "E with no rows": (spec({"form": "matrix", "E": "0"}), InvalidSpec, "context.E must be a list"),
    "mechanism no table": (spec(mechanism="auto"), InvalidSpec, "mechanism must be a table, not text"),
    "mechanism name no text": (spec(mechanism={"name": 1}), InvalidSpec, "mechanism.name must be text"),
    "an unknown mechanism": (spec(mechanism={"name": "magic"}), NotServed, "mechanism='magic' must be one of"),
    "a parameter of no use": (
        spec(mechanism={"name": "hadamard", "d": 2}),
        InvalidInput,
        "hadamard takes no parameter d",
    ),
    "a parameter of auto": (spec(mechanism={"d": 2}), InvalidInput, "d must go with a named mechanism"),
    "bits of a named one": (
        spec(mechanism={"name": "hadamard", "bits": 2}),
        InvalidSpec,
        'mechanism.bits must go with name = "auto"',
    ),
    "bits too few": (spec(mechanism={"bits": 0}), InvalidSpec, "mechanism.bits=0 must be at least 1"),
    "bits no number": (spec(mechanism={"bits": "8"}), InvalidSpec, "mechanism.bits must be a whole number"),
    "word bits": (
        spec(mechanism={"name": "hadamard", "word_bits": 8}),
        InvalidSpec,
        "mechanism.word_bits is not a known entry",
    ),
    "a prior of words": (spec(mechanism={"prior": ["x"] * 6}), InvalidSpec, "mechanism.prior[0]='x' must be an exact"),
    "a prior too short": (spec(mechanism={"prior": [1]}), InvalidInput, "prior must be 6 non-negative shares"),
    "a query of a named one": (
        spec(mechanism={"name": "hadamard", "query": "shares"}),
        InvalidSpec,
        'mechanism.query must go with name = "auto"',
    ),
    "the worst case of a named one": (
        spec(mechanism={"name": "hadamard", "worst": False}),
        InvalidSpec,
        'mechanism.worst must go with name = "auto"',
    ),
    "worst no truth": (spec(mechanism={"worst": 1}), InvalidSpec, "mechanism.worst must be true or false, not a whole"),
    "a query unknown": (spec(mechanism={"query": "mode"}), InvalidSpec, "mechanism: query='mode' must be"),
    "a query of nothing": (spec(mechanism={"query": []}), InvalidSpec, "mechanism: query=[] must name"),
    "a query too short": (spec(mechanism={"query": [1, 2]}), InvalidSpec, "mechanism: query of shape (2,) must be 6"),
    "a query true": (spec(mechanism={"query": True}), InvalidSpec, "mechanism.query must be a number or text"),
    "a query of a number": (spec(mechanism={"query": 3}), InvalidSpec, "mechanism: query=3.0 must be"),
    "a query too large": (
        spec(mechanism={"query": ["1e500", 0, 0, 0, 0, 0]}),
        InvalidSpec,
        "mechanism.query[0] must be a number of ordinary size",
    ),
    "d too large": (spec(mechanism={"name": "subset", "d": 6}), InvalidInput, "d=6 must be a whole number from 1 to 5"),
    "d unknown": (spec(mechanism={"name": "subset", "d": "k_best"}), InvalidInput, "d='k_best' must be"),
    "table without rows": (spec(mechanism={"name": "table"}), InvalidInput, "table needs rows"),
    "rows no list": (spec(mechanism={"name": "table", "rows": 5}), InvalidSpec, "mechanism.rows must be a list"),
    "rows empty": (spec(mechanism={"name": "table", "rows": [[]]}), InvalidSpec, "mechanism.rows[0] must not be empty"),
    "rows of words": (
        spec(mechanism={"name": "table", "rows": [["half", "half"]]}),
        InvalidSpec,
        "mechanism.rows[0][0]='half' must be an exact number",
    ),
    "a table that leaks": (
        spec(UNIFORM, {"size": 2}, mechanism={"name": "table", "rows": [["0.9", "0.1"], ["0.1", "0.9"]]}),
        PrivacyViolation,
        "leaks",
    ),
    "binary for six": (spec(mechanism={"name": "binary"}), NotServed, "needs exactly two values"),
    "inner without blocks": (spec(mechanism=MIXED), InvalidSpec, "mechanism: inner needs a context with blocks"),
    "inner too short": (
        spec(TWO_BLOCKS, mechanism={"inner": [{"name": "hadamard"}]}),
        InvalidSpec,
        "mechanism: inner has 1 entries; it must have one per block, 2",
    ),
    "inner without a name": (
        spec(TWO_BLOCKS, mechanism={"inner": [{"d": 1}, {"d": 1}]}),
        InvalidSpec,
        "mechanism.inner[0].name is missing",
    ),
    "inner with words": (
        spec(TWO_BLOCKS, mechanism={"inner": [{"name": "hadamard", "word_bits": 8}] * 2}),
        InvalidSpec,
        "mechanism.inner[0].word_bits is not a known entry",
    ),
    "a mixture without parts": (spec(mechanism={"name": "mixture"}), InvalidSpec, "mechanism.parts is missing"),
    "a mixture of nothing": (
        spec(mechanism={"name": "mixture", "parts": [], "units": [], "prior": [1] * 6}),
        InvalidSpec,
        "mechanism: prior must be 6 non-negative shares",
    ),
    "a mixture of no names": (
        spec(mechanism={"name": "mixture", "parts": [{}], "units": [], "prior": []}),
        InvalidSpec,
        "mechanism.parts[0].name is missing",
    ),
    "a mixture of other words": (
        spec(mechanism={"name": "mixture", "parts": [{"name": "unary", "word_bits": 8}], "units": [], "prior": []}),
        InvalidSpec,
        "mechanism.parts[0].word_bits is not a known entry",
    ),
    "a mixture that does not add up": (
        spec(mechanism={"name": "mixture", "parts": [{"name": "unary"}], "units": [5], "prior": ["1/6"] * 6}),
        InvalidInput,
        "add up to 2**64",
    ),
    "inner and more": (
        spec(TWO_BLOCKS, mechanism=MIXED | {"d": 1}),
        InvalidSpec,
        "mechanism: inner must be the only parameter",
    ),
}


@pytest.mark.parametrize(("data", "error", "message"), BAD.values(), ids=BAD.keys())
def test_it_is_refused_by_name(data, error, message):
    with pytest.raises(error, match=re.escape(message)):
        _ = Spec.of(data).mechanism


def test_one_design_a_block_is_served_as_told():
    made = Spec.of(spec(TWO_BLOCKS, mechanism=MIXED)).mechanism
    assert made.sampler.describe() == MIXED
    assert [type(part).__name__ for part in made.sampler.inner] == ["Hadamard", "Subset"]
    assert made.certificate.realised <= 1


FILES = {
    "no suffix": ("spec.yaml", b"", "a spec must be a .toml or a .json file"),
    "broken toml": ("spec.toml", b"[domain", "this is not TOML: "),
    "broken json": ("spec.json", b"{", "this is not JSON: "),
    "a key twice in toml": ("spec.toml", b"a = 1\na = 2", "this is not TOML: "),
    "a key twice in json": ("spec.json", b'{"a": 1, "a": 2}', "'a' appears twice"),
    "nan": ("spec.json", b'{"a": NaN}', "NaN is not a JSON number"),
    "not text": ("spec.toml", b"\xff\xfe", "must be UTF-8 text"),
    "very deep": ("spec.json", b"[" * 100_000, "this is not JSON: "),
    "a huge number": ("spec.json", b'{"a": ' + b"9" * 5000 + b"}", "this is not JSON: "),
    "a wrong entry": (
        "spec.toml",
        b"x = 1\n[context]\nform = 'blocks'\nepsilon = 1\nblocks = {a = [1]}",
        "x is not a known entry",
    ),
}


@pytest.mark.parametrize(("name", "data", "message"), FILES.values(), ids=FILES.keys())
def test_a_file_is_refused_by_its_name(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidSpec, match=re.escape(f"{tmp_path / name}: ") + ".*" + re.escape(message)):
        Spec.read(tmp_path / name)


def test_an_error_of_the_mechanism_names_the_file_too(tmp_path):
    file = tmp_path / "spec.toml"
    file.write_text('[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "magic"\n')
    with pytest.raises(NotServed, match=re.escape(f"{file}: mechanism='magic'")):
        _ = Spec.read(file).mechanism


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Spec.read(tmp_path / "none.toml")
