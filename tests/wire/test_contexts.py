from __future__ import annotations

import pytest

import discreet as dc
from discreet.core.errors import DiscreetError
from discreet.wire import Spec

CELLS = "cell,people,city\nb1,5,boston\nn1,7,nyc\nb2,3,boston\n"
SPEC = """
[domain]
file = "{file}"
column = "cell"
block_column = "city"
[context]
form = "blocks"
{entries}
"""


@pytest.fixture
def read(tmp_path):
    """The spec over the cells of a file, with these entries of its context."""

    def run(entries="epsilon = 1", content=CELLS, file="cells.csv", text=SPEC):
        (tmp_path / file).write_text(content)
        (tmp_path / "spec.toml").write_text(text.format(file=file, entries=entries))
        return Spec.read(tmp_path / "spec.toml")

    return run


def test_two_columns_give_the_values_and_their_blocks(read):
    context = read('epsilons = {nyc = "0.5", boston = 1}').context
    assert list(context.values) == ["b1", "n1", "b2"]
    assert [(part.name, list(part.members), part.level) for part in context.parts] == [
        ("boston", [0, 2], 1),
        ("nyc", [1], dc.Context.uniform(["x", "y"], "0.5").epsilon("x", "y")),
    ]


def test_json_lines_serve_as_well(read):
    lines = '{"cell": "b1", "city": "boston"}\n{"cell": "n1", "city": "nyc"}\n{"cell": "b2", "city": "boston"}\n'
    assert read(content=lines, file="cells.jsonl").context == read().context


def test_blocks_of_a_file_make_the_fingerprint_of_listed_ones(read):
    listed = Spec.of(
        {
            "domain": {"values": ["b1", "n1", "b2"]},
            "context": {"form": "blocks", "block_of": ["boston", "nyc", "boston"], "epsilon": 1},
        }
    )
    assert read().mechanism.fingerprint == listed.mechanism.fingerprint
    assert read().resolved().mechanism.fingerprint == listed.mechanism.fingerprint


BAD = {
    "another form": (
        {"text": SPEC.replace('"blocks"', '"uniform"')},
        'must go with context.form = "blocks" or "nested", not',
    ),
    "blocks twice": ({"entries": "epsilon = 1\nsizes = [3]"}, "context.sizes must be left out: domain.block_column"),
    "names twice": ({"entries": 'epsilon = 1\nnames = ["a"]'}, "context.names must be left out"),
    "an entry too many": ({"entries": "epsilon = 1\ncolour = 1"}, "context.colour is not a known entry"),
    "no column of values": ({"text": SPEC.replace('column = "cell"', "", 1)}, "domain.column is missing"),
    "no file": ({"text": SPEC.replace('file = "{file}"', "size = 3")}, "domain.column is not a known entry"),
    "a column that is not there": ({"text": SPEC.replace('"city"', '"town"')}, "'town'"),
    "a column that is a number": ({"text": SPEC.replace('"city"', "3")}, "domain.block_column must be text"),
    "a value without a block": ({"content": CELLS + "x,1,\n"}, "cells.csv, entry 4: 'city' must name the block"),
    "a value twice": ({"content": CELLS + "b1,1,nyc\n"}, "'b1' appears twice"),
    "an epsilon missing": ({"entries": "epsilons = {nyc = 1}"}, "every block must have one; missing: 'boston'"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD.keys())
def test_it_is_refused_by_name(read, changes, message):
    with pytest.raises(DiscreetError) as refused:
        _ = read(**changes).mechanism
    assert message in str(refused.value)
