from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction

import pytest

import discreet as dc
from discreet.contexts import Blocks, Metric
from discreet.contexts.structure.entrywise import EntryWise
from discreet.core.domain import Domain
from discreet.core.errors import InvalidInput, InvalidSpec
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.tables.table import Table
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
    "metric of points": Metric.from_points(Domain(LETTERS), [[x, -x / 4] for x in range(6)], "l1", "0.5"),
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
    "tight": ("metric of points", "tight", {"prior": [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]}),
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
        words = list(range(1, 1 << 63, (1 << 63) // 500))[: 3 * mechanism.sampler.words]
        for x in {0, mechanism.context.size - 1}:
            assert back.mechanism.randomize_index(x, dc.random.replay(words)) == mechanism.randomize_index(
                x, dc.random.replay(words)
            )
        assert list(tmp_path.iterdir()) == [file]

    @pytest.mark.parametrize("suffix", ["toml", "json"])
    def test_of_its_resolved_spec_keeps_the_fingerprint_and_the_channel(self, mechanism, suffix, tmp_path):
        pinned = Spec(mechanism.context).with_mechanism(mechanism).resolved()
        pinned.write(tmp_path / f"spec.{suffix}")
        back = Spec.read(tmp_path / f"spec.{suffix}")
        assert back.mechanism.fingerprint == mechanism.fingerprint == back.fingerprint
        assert back.mechanism.law() == mechanism.law()
        assert back.choice["name"] == "law"
        assert mechanism.name in back.note


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
        Metric.from_points(Domain(range(3)), [[0, 0], [3, 4], ["-1.5", "0.5"]], "l2", 1),
    ),
    "a range of values": (
        '[domain]\nvalues = {from = 18, to = 24, step = 2}\n[context]\nform = "uniform"\nepsilon = 1',
        dc.Context.uniform([18, 20, 22, 24], 1),
    ),
    "ranges in blocks": (
        '[context]\nform = "blocks"\nepsilons = {young = 1, old = "0.5"}\n[context.blocks]\n'
        "young = {from = 0, to = 2}\nold = {from = 3, to = 4}",
        dc.Context.blocks({"young": range(3), "old": [3, 4]}, {"young": 1, "old": "0.5"}),
    ),
    "a range of sensitive values": (
        '[domain]\nsize = 5\n[context]\nform = "high_low"\nsensitive = {from = 1, to = 3}\nepsilon = 1',
        dc.Context.high_low(range(5), [1, 2, 3], 1),
    ),
    "points on a line": (
        '[domain]\nsize = 3\n[context]\nform = "metric"\npoints = [-1, 0.5, "3"]\nepsilon = 1',
        Metric.from_points(Domain(range(3)), [[-1], ["0.5"], [3]], "l2", 1),
    ),
    "a range of points": (
        '[domain]\nvalues = {from = 18, to = 20}\n[context]\nform = "metric"\npoints = {from = 18, to = 20}\n'
        "epsilon = 1",
        dc.Context.metric([18, 19, 20], lambda x, z: abs(x - z), 1),
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
    assert MECHANISMS["high-low of two sizes"].sampler.name == "mixture"


def test_auto_is_written_as_what_it_chose():
    spec = Spec(dc.Context.uniform(range(100), 1))
    assert spec.choice == {"name": "auto"}
    assert spec.as_dict()["mechanism"]["name"] == spec.mechanism.sampler.describe()["name"] != "auto"


def test_a_spec_is_settled_only_by_a_mechanism_for_its_own_context():
    one, two = (Spec(dc.Context.uniform(range(3), epsilon)) for epsilon in (1, 2))
    assert one.with_mechanism(one.mechanism).mechanism is one.mechanism
    with pytest.raises(InvalidSpec, match="must be for the context of the spec"):
        one.with_mechanism(two.mechanism)


def test_a_comparison_is_made_only_for_auto():
    assert Spec(dc.Context.uniform(range(3), 1)).compare().chosen.context.size == 3
    with pytest.raises(InvalidSpec, match=r"mechanism\.name='hadamard' must be auto"):
        Spec(dc.Context.uniform(range(3), 1), {"name": "hadamard"}).compare()


def test_values_that_files_do_not_keep_cannot_be_resolved():
    with pytest.raises(InvalidSpec, match=r"values\[1\]=\(1, 0.5\).tuple\[1\] must be text or a whole number"):
        Spec(dc.Context.uniform(["a", (1, 0.5)], 1)).resolved()


def test_auto_takes_a_limit_on_bits_and_a_prior():
    domain, context = {"values": LETTERS}, {"form": "high_low", "sensitive": ["a", "b", "c"], "epsilon": 1}
    for choice in (
        {"bits": 3},
        {"name": "auto", "prior": [0.5, "0.1", 0.1, 0.1, 0.1, "1/10"]},
        {"prior": {"a": 0.5, "d": "1/2"}},
    ):
        made = Spec.of({"domain": domain, "context": context, "mechanism": choice}).mechanism
        assert made.bits <= choice.get("bits", 64)


def test_assumed_shares_by_value_find_whole_numbers_too():
    entries = {"domain": {"values": {"from": 18, "to": 20}}, "context": {"form": "uniform", "epsilon": 1}}
    spec = Spec.of(entries | {"mechanism": {"prior": {"18": "1/2", "20": 0.5}}})
    assert spec.prior == {18: 0.5, 20: 0.5}
    assert spec.mechanism.context.size == 3
    assert Spec.of(entries).prior is None
    with pytest.raises(InvalidInput, match="must be one of the 3 values"):
        _ = Spec.of(entries | {"mechanism": {"prior": {"17": 1}}}).mechanism


def test_a_spec_says_what_its_mechanism_is_chosen_by():
    entries = {"domain": {"size": 12}, "context": {"form": "metric", "points": list(range(12)), "epsilon": 1}}
    asked = [
        ({"query": "mean"}, {"query": "mean"}),
        ({"name": "auto", "query": ["mean", "shares"], "worst": True}, {"query": ["mean", "shares"], "worst": True}),
        ({"query": {"0": 1, "11": "-1/2"}}, {"query": {0: 1, 11: -0.5}}),
        ({"query": ["1/2", *[0] * 11]}, {"query": [0.5, *[0] * 11]}),
        ({"query": [{"3": 1}, "cumulative"]}, {"query": [{3: 1}, "cumulative"]}),
        ({"worst": False}, {}),
    ]
    for choice, meant in asked:
        spec = Spec.of(entries | {"mechanism": choice})
        assert spec.mechanism.fingerprint == dc.mechanism(spec.context, **meant).fingerprint
        assert spec.compare().objective.name == dc.explain(spec.context, **meant).objective.name
        assert spec.query == meant.get("query")
        assert Spec.of(json.loads(spec.to_json())).mechanism.fingerprint == spec.mechanism.fingerprint


def test_a_mixture_for_the_worst_case_keeps_the_shares_that_weigh_its_estimates():
    entries = {"domain": {"size": 20}, "context": {"form": "high_low", "sensitive": [0, 1, 2], "epsilon": 1}}
    for choice in ({"worst": True}, {"worst": True, "prior": [0.05] * 20}):
        spec = Spec.of(entries | {"mechanism": choice})
        chosen = spec.mechanism.sampler
        assert chosen.name == "mixture"
        for again in (spec.resolved(), Spec.of(json.loads(spec.resolved().to_json())), Spec.of(spec.as_dict())):
            assert again.mechanism.fingerprint == spec.mechanism.fingerprint
            assert again.mechanism.sampler.prior == pytest.approx(chosen.prior, rel=1e-12)


def test_the_name_is_no_part_of_the_fingerprint():
    mechanism = MECHANISMS["blocks"]
    named = Spec.of_mechanism(mechanism, name="one")
    assert named.as_dict()["name"] == "one"
    assert "name" not in Spec.of_mechanism(mechanism).as_dict()
    assert named.mechanism.fingerprint == mechanism.fingerprint


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("d.txt", "a\nb\n\n", r"d\.txt, entry 3: is blank; an empty value can be given in values only"),
        ("d.csv", "cell\n\na\n", r"d\.csv, entry 1: is blank"),
        ("d.jsonl", '"a"\nnull\n', r"d\.jsonl, entry 2: there must be text or a whole number"),
        ("d.jsonl", "true\nfalse\n", r"d\.jsonl, entry 1: there must be text or a whole number"),
        ("d.xlsx", "a\n", r"d\.xlsx: the name must end in \.txt"),
    ],
)
def test_a_file_of_values_has_one_in_every_line(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    (tmp_path / "s.toml").write_text(f'[domain]\nfile = "{name}"\n[context]\nform = "uniform"\nepsilon = 1\n')
    with pytest.raises(InvalidInput, match=said):
        Spec.read(tmp_path / "s.toml")


def test_a_domain_file_is_found_beside_the_spec(tmp_path):
    (tmp_path / "cells.csv").write_text("cell,people\nb,2\na,1\n")
    (tmp_path / "only.txt").write_text("b\na\n")
    for entries in ('file = "cells.csv"\ncolumn = "cell"', 'file = "only.txt"'):
        (tmp_path / "spec.toml").write_text(f'[domain]\n{entries}\n[context]\nform = "uniform"\nepsilon = 1\n')
        assert list(Spec.read(tmp_path / "spec.toml").context.values) == ["b", "a"]
    with pytest.raises(InvalidSpec, match="itself a file"):
        Spec.of({"domain": {"file": "cells.csv"}, "context": {"form": "uniform", "epsilon": 1}})


def test_what_a_file_cannot_say_is_not_written(tmp_path):
    halves = dc.mechanism(dc.Context.uniform([0.5, 1.5], 1))
    with pytest.raises(InvalidSpec, match=re.escape("values[0]=0.5 must be text or a whole number")):
        Spec.of_mechanism(halves)
    letters = (
        dc.Context.high_low(list("abcd"), list("bd"), 1),
        Blocks(Domain(list("abcd")), [1, 0, 1, 0], "xy", [Fraction(1)] * 2),
    )
    other_order = dc.mechanism(
        EntryWise(letters, sum, closed=True), "hadamard"
    )  # a matrix read back numbers its blocks anew
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
