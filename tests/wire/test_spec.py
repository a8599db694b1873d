from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction

import pytest

import discreet as dc
from discreet.context import Blocks, Metric
from discreet.context.combine import Combined
from discreet.domain import Domain
from discreet.errors import (
    InvalidContext,
    InvalidEpsilon,
    InvalidInput,
    InvalidSpec,
    NotServed,
    PrivacyViolation,
)
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.table import Table
from discreet.wire import Spec
from discreet.wire.spec import parse_toml

LETTERS = list("abcdef")
BLOCKS = {"north": ["a", "b", "c"], "south": ["d"], "west": ["e", "f"]}
E = [["0", "1/3", "inf"], ["1/3", "0", "2"], ["inf", "2", "0"]]

CONTEXTS = {
    "uniform": dc.Context.uniform(LETTERS, "0.5"),
    "numbered": dc.Context.uniform(range(9), 2),
    "one value": dc.Context.uniform(["only"], 1),
    "blocks": dc.Context.blocks(BLOCKS, "1"),
    "blocks with an epsilon each": dc.Context.blocks(BLOCKS, {"north": "0.1", "south": "3", "west": Fraction(1, 3)}),
    "blocks of unlike sizes": dc.Context.blocks({"big": range(40), "small": [40, 41], "one": [42]}, "1"),
    "high-low": dc.Context.high_low(LETTERS, ["b", "e", "f"], "1"),
    "all sensitive": dc.Context.high_low(LETTERS, LETTERS, "1"),
    "binary": dc.Context.binary("no", "yes", ("inf", "1")),
    "binary both": dc.Context.binary("no", "yes", ("0.5", "1")),
    "metric of points": Metric.of_points(Domain(LETTERS), [[x, -x / 4] for x in range(6)], "l1", "0.5"),
    "metric by a function": dc.Context.metric(range(5), lambda x, z: abs(x - z), "0.7"),
    "many": dc.Context.uniform(range(300), 1),
    "many in blocks": dc.Context.blocks({"a": range(200), "b": range(200, 290), "c": range(290, 300)}, "2"),
    "high-low of two sizes": dc.Context.high_low(range(6), range(5), 1),
    "many sensitive": dc.Context.high_low(range(300), range(0, 300, 2), 1),
    "matrix": dc.Context.matrix(["x", "y", "z"], [[0, Fraction(1, 3), "inf"], [Fraction(1, 3), 0, 2], ["inf", 2, 0]]),
    "sum": dc.Context.blocks(BLOCKS, "1") + dc.Context.uniform(LETTERS, "1"),
    "both": dc.Context.blocks(BLOCKS, "1") & dc.Context.uniform(LETTERS, "2"),
}
NAMED = {
    "randomized response": ("uniform", "randomized_response", {}),
    "unary": ("blocks", "unary", {}),
    "optimised unary": ("high-low", "optimised_unary", {}),
    "subset of three": ("uniform", "subset", {"d": 3}),
    "subset by name": ("uniform", "subset", {"d": "k_star"}),
    "subsets in blocks": ("blocks with an epsilon each", "subset", {}),
    "hadamard": ("blocks", "hadamard", {}),
    "high-low hadamard": ("high-low", "hadamard", {}),
    "hadamard for a matrix": ("matrix", "hadamard", {}),
    "warner": ("binary both", "warner", {}),
    "mangat": ("binary", "mangat", {}),
    "exponential": ("metric of points", "exponential", {}),
    "projective": ("uniform", "projective", {}),
    "projective in blocks": ("blocks of unlike sizes", "projective", {}),
    "general hadamard": ("uniform", "general_hadamard", {}),
    "utility RAPPOR": ("high-low", "utility_rappor", {}),
    "sized for a prior": ("high-low", "subset", {"prior": [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]}),
    "table": ("binary both", "table", {"rows": [["5/8", "3/8"], ["1/2", "1/2"]]}),
}
MECHANISMS = {name: dc.mechanism(context) for name, context in CONTEXTS.items()} | {
    name: dc.mechanism(CONTEXTS[context], chosen, **parameters) for name, (context, chosen, parameters) in NAMED.items()
}


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())
class TestARoundTrip:
    def test_of_the_description_keeps_the_fingerprint(self, mechanism):
        assert Spec.of(json.loads(json.dumps(mechanism.description))).mechanism.fingerprint == mechanism.fingerprint

    @pytest.mark.parametrize("suffix", ["toml", "json"])
    def test_through_a_file_keeps_the_fingerprint_the_name_and_the_law(self, mechanism, suffix, tmp_path):
        file = tmp_path / f"spec.{suffix}"
        Spec.of_mechanism(mechanism, name='a "survey" ü').write(file)
        back = Spec.read(file)
        assert back.name == 'a "survey" ü'
        assert back.mechanism.fingerprint == mechanism.fingerprint
        assert back.mechanism.name == mechanism.name
        words = list(range(1, 1 << 63, (1 << 63) // 500))[: 3 * mechanism.randomizer.words]
        for x in {0, mechanism.context.size - 1}:
            assert back.mechanism.randomize_index(x, dc.random.replay(words)) == mechanism.randomize_index(
                x, dc.random.replay(words)
            )
        assert list(tmp_path.iterdir()) == [file]


TOML = {
    "values": (
        '[domain]\nvalues = ["a", "b", "c"]\n[context]\nform = "uniform"\nepsilon = 0.1',
        dc.Context.uniform(["a", "b", "c"], Fraction(1, 10)),
    ),
    "size": (
        '[domain]\nsize = 4\n[context]\nform = "uniform"\nepsilon = "1/3"',
        dc.Context.uniform(range(4), Fraction(1, 3)),
    ),
    "sizes": (
        '[domain]\nsize = 6\n[context]\nform = "blocks"\nsizes = [3, 1, 2]\nepsilon = 1',
        dc.Context.blocks({0: [0, 1, 2], 1: [3], 2: [4, 5]}, 1),
    ),
    "an epsilon a block": (
        '[domain]\nsize = 6\n[context]\nform = "blocks"\nsizes = [3, 1, 2]\nepsilons = ["1", 0.5, 2]',
        dc.Context.blocks({0: [0, 1, 2], 1: [3], 2: [4, 5]}, {0: 1, 1: "0.5", 2: 2}),
    ),
    "blocks by number": (
        '[domain]\nvalues = ["a", "b", "c"]\n[context]\nform = "blocks"\nblock_of = [1, 0, 1]\nepsilon = 1',
        dc.Context.matrix(["a", "b", "c"], [[0, "inf", 1], ["inf", 0, "inf"], [1, "inf", 0]]),
    ),
    "blocks by name": (
        '[domain]\nvalues = ["a", "b", "c"]\n[context]\nform = "blocks"\nblock_of = ["n", "s", "n"]\n'
        "epsilons = {s = 2, n = 1}",
        dc.Context.matrix(["a", "b", "c"], [[0, "inf", 1], ["inf", 0, "inf"], [1, "inf", 0]]),
    ),
    "blocks listed": (
        '[context]\nform = "blocks"\nepsilon = 1\n[context.blocks]\nnorth = ["a", "b"]\nsouth = ["c"]',
        dc.Context.blocks({"north": ["a", "b"], "south": ["c"]}, 1),
    ),
    "blocks listed over a domain": (
        '[domain]\nvalues = ["a", "c", "b"]\n[context]\nform = "blocks"\nepsilon = 1\n'
        '[context.blocks]\nnorth = ["a", "b"]\nsouth = ["c"]',
        dc.Context.matrix(["a", "c", "b"], [[0, "inf", 1], ["inf", 0, "inf"], [1, "inf", 0]]),
    ),
    "high-low": (
        '[domain]\nvalues = ["a", "b", 3]\n[context]\nform = "high_low"\nsensitive = ["b", 3]\nepsilon = 1',
        dc.Context.high_low(["a", "b", 3], ["b", 3], 1),
    ),
    "binary": (
        '[domain]\nvalues = ["no", "yes"]\n[context]\nform = "binary"\nepsilon = [inf, "1"]',
        dc.Context.binary("no", "yes", ("inf", 1)),
    ),
    "metric": (
        '[domain]\nsize = 3\n[context]\nform = "metric"\npoints = [[0, 0], [3, 4], ["-1.5", 0.5]]\nepsilon = 1',
        Metric.of_points(Domain(range(3)), [[0, 0], [3, 4], ["-1.5", "0.5"]], "l2", 1),
    ),
    "matrix": (
        '[domain]\nsize = 2\n[context]\nform = "matrix"\nE = [["0", "1/3"], [0.25, 0]]',
        dc.Context.matrix(range(2), [[0, Fraction(1, 3)], ["0.25", 0]]),
    ),
}


@pytest.mark.parametrize(("text", "context"), TOML.values(), ids=TOML.keys())
def test_every_form_is_read_as_the_constructor_makes_it(text, context):
    found = Spec.of(parse_toml(text)).context
    assert list(found.values) == list(context.values)
    assert found.matrix() == context.matrix()


def test_json_and_toml_say_the_same(tmp_path):
    (tmp_path / "a.toml").write_text('[domain]\nsize = 5\n[context]\nform = "uniform"\nepsilon = 0.3\n')
    (tmp_path / "a.json").write_text('{"domain": {"size": 5}, "context": {"form": "uniform", "epsilon": 0.3}}')
    one, two = (Spec.read(tmp_path / f"a.{suffix}").mechanism for suffix in ("toml", "json"))
    assert one.fingerprint == two.fingerprint
    assert one.context.epsilon(0, 1) == Fraction(3, 10)


def test_a_number_in_a_file_means_the_decimal_it_prints():
    for number in (0.1, Decimal("0.1"), "0.1"):
        spec = Spec.of({"domain": {"size": 2}, "context": {"form": "uniform", "epsilon": number}})
        assert spec.context.epsilon(0, 1) == Fraction(1, 10)


def test_a_mixture_is_among_those_that_go_round():
    assert MECHANISMS["high-low of two sizes"].randomizer.name == "mixture"


def test_auto_is_written_as_what_it_chose():
    spec = Spec(dc.Context.uniform(range(100), 1))
    assert spec.choice == {"name": "auto"}
    assert spec.as_dict()["mechanism"]["name"] == spec.mechanism.randomizer.describe()["name"] != "auto"


def test_auto_takes_a_limit_on_bits_and_a_prior():
    domain, context = {"values": LETTERS}, {"form": "high_low", "sensitive": ["a", "b", "c"], "epsilon": 1}
    for choice in (
        {"bits": 3},
        {"name": "auto", "prior": [0.5, "0.1", 0.1, 0.1, 0.1, "1/10"]},
        {"prior": {"a": 0.5, "d": "1/2"}},
    ):
        made = Spec.of({"domain": domain, "context": context, "mechanism": choice}).mechanism
        assert made.bits <= choice.get("bits", 64)


def test_the_name_is_no_part_of_the_fingerprint():
    mechanism = MECHANISMS["blocks"]
    named = Spec.of_mechanism(mechanism, name="one")
    assert named.as_dict()["name"] == "one"
    assert "name" not in Spec.of_mechanism(mechanism).as_dict()
    assert named.mechanism.fingerprint == mechanism.fingerprint


def test_a_domain_file_is_found_beside_the_spec(tmp_path):
    (tmp_path / "cells.csv").write_text("cell,people\nb,2\na,1\n")
    (tmp_path / "only.txt").write_text("b\na\n")
    for entries in ('file = "cells.csv"\ncolumn = "cell"', 'file = "only.txt"'):
        (tmp_path / "spec.toml").write_text(f'[domain]\n{entries}\n[context]\nform = "uniform"\nepsilon = 1\n')
        assert list(Spec.read(tmp_path / "spec.toml").context.values) == ["b", "a"]
    with pytest.raises(InvalidSpec, match="itself a file"):
        Spec.of({"domain": {"file": "cells.csv"}, "context": {"form": "uniform", "epsilon": 1}})


# What is refused, and the words it is refused with.

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
    "size zero": (spec(domain={"size": 0}), InvalidSpec, "domain.size=0 must be from 1"),
    "size huge": (spec(domain={"size": 10**12}), InvalidSpec, "must be from 1 to"),
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
        "'2' is not a block",
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
    "a point that is no list": (
        spec({"form": "metric", "points": [1, 2], "epsilon": 1}, {"size": 2}),
        InvalidSpec,
        "context.points[0] must be a list",
    ),
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
    assert made.randomizer.describe() == MIXED
    assert [type(part).__name__ for part in made.randomizer.inner] == ["Hadamard", "Subset"]
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


def test_what_a_file_cannot_say_is_not_written(tmp_path):
    tuples = dc.mechanism(dc.Context.uniform([(0, 1), (1, 0)], 1))
    with pytest.raises(InvalidSpec, match=re.escape("values[0]=(0, 1) must be text or a whole number")):
        Spec.of_mechanism(tuples)
    letters = (
        dc.Context.high_low(list("abcd"), list("bd"), 1),
        Blocks(Domain(list("abcd")), [1, 0, 1, 0], "xy", [Fraction(1)] * 2),
    )
    other_order = dc.mechanism(Combined(*letters, "sum"), "hadamard")  # a matrix read back numbers its blocks anew
    assert Spec.of_mechanism(other_order).choice["name"] == "law"
    assert Spec.of_mechanism(other_order).mechanism.fingerprint == other_order.fingerprint
    with pytest.raises(InvalidSpec, match=r"must be a \.toml or a \.json file"):
        Spec.of_mechanism(MECHANISMS["blocks"]).write(tmp_path / "spec.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_told_with_its_rows():
    table = Mechanism(CONTEXTS["binary both"], Table([[1 << 63, 1 << 63]] * 2))
    assert Spec.of_mechanism(table).mechanism.fingerprint == table.fingerprint
    assert table.fingerprint != dc.mechanism(CONTEXTS["binary both"]).fingerprint


def test_toml_keeps_every_character_of_a_value():
    awkward = ['"', "\\", "\n", "\t", "\x7f", "\x01", "é", "漢", "", " a ", "a=b", "#", "'"]
    mechanism = dc.mechanism(dc.Context.blocks({"a b": awkward, "": ["x"], "c.d": ["y"]}, 1))
    text = Spec.of_mechanism(mechanism).to_toml()
    assert list(Spec.of(parse_toml(text)).context.values) == [*awkward, "x", "y"]
