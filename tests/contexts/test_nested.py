"""Laws of nested privacy."""

import itertools
import math
import random
from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context, Spec
from discreet.contexts import TreeStructure
from discreet.core.errors import InvalidContext, InvalidEpsilon, InvalidSpec

PLACES = {"fr": {"paris": ["p1", "p2"], "lyon": ["l1"]}, "us": {"nyc": ["n1", "n2", "n3"], "paris": ["t1", "t2"]}}
STREETS = Context.nested(PLACES, epsilon=["1", "2", "4"])


def test_the_further_out_the_smallest_common_block_the_less_two_values_are_hidden():
    assert STREETS.epsilon("p1", "p2") == STREETS.epsilon("n1", "n3") == 1
    assert STREETS.epsilon("p1", "l1") == STREETS.epsilon("n1", "t1") == 2
    assert STREETS.epsilon("p1", "t1") == STREETS.epsilon("n1", "l1") == 4  # two cities called paris
    assert STREETS.closure() is STREETS
    assert STREETS.parts is None
    assert repr(STREETS) == "Context.nested(8 values in 4 in 2 blocks, epsilon=(1, 2, 4))"


def test_across_the_outermost_blocks_nothing_need_be_asked():
    apart = Context.nested(PLACES, epsilon=["1", "2", "inf"])
    assert apart.epsilon("p1", "n1") == math.inf
    assert apart.components() == [[0, 1, 2], [3, 4, 5, 6, 7]]
    assert apart.tree is None
    assert apart == Context.blocks({0: apart.values[:3], 1: apart.values[3:]}, "1") | STREETS


def test_its_tree_is_that_of_its_matrix():
    cases = [STREETS, Context.nested({0: {1: [0], 2: [1]}, 3: {4: [2]}, 5: {6: [3, 4]}}, ["1", "2", "3"])]
    for context in cases:
        plain = Context.matrix(context.values, context.matrix())
        assert context.tree == plain.tree
        assert context.exchangeable == plain.exchangeable
        assert (context.line, context.ring, context.grades) == (plain.line, plain.ring, plain.grades)
    assert STREETS.tree == TreeStructure(
        Fraction(4),
        (
            TreeStructure(Fraction(2), (TreeStructure(Fraction(1), (0, 1)), 2)),
            TreeStructure(Fraction(2), (TreeStructure(Fraction(1), (3, 4, 5)), TreeStructure(Fraction(1), (6, 7)))),
        ),
    )


def test_lone_values_that_nothing_protects_are_alike():
    apart = Context.nested({0: [0, 1], 1: [2], 2: [3], 3: [4, 5]}, ["1", "inf"])
    assert apart.exchangeable == Context.matrix(range(6), apart.matrix()).exchangeable == (0, 0, 1, 1, 2, 2)


@pytest.mark.parametrize("seed", range(10))
def test_any_ultrametric_is_a_nested_context(seed):
    rng = random.Random(seed)
    paths = [tuple(rng.choice("ab") for _ in range(3)) for _ in range(9)]
    levels = [Fraction(1, 2), Fraction(1), Fraction(3), rng.choice([Fraction(4), math.inf])]

    def entry(x, z):
        shared = next((i for i in range(3) if paths[x][i] != paths[z][i]), 3)
        return levels[3 - shared]

    made = Context.matrix(range(9), [[0 if x == z else entry(x, z) for z in range(9)] for x in range(9)])
    found = made.canonical_form()
    assert found.form in ("nested", "blocks", "uniform")
    assert found.matrix() == made.matrix()
    again = Context.nested({x: {y: {z: [0]}} for x, y, z in paths[:1]}, levels).canonical_form()
    assert again.size == 1


def test_levels_that_occur_nowhere_are_left_out_of_the_simplest_form():
    assert STREETS.canonical_form() is STREETS
    one = {"city": {"street": [1, 2, 3, 4]}}
    assert Context.nested(one, ["1", "2", "4"]).canonical_form().form == "uniform"
    assert (
        Context.nested({b: {b: [b]} for b in range(5)}, ["1", "2", "4"]).canonical_form().describe()["epsilon"] == "4"
    )
    blocks = Context.nested({0: [1, 2], 1: [3, 4]}, ["1", "inf"]).canonical_form()
    assert (blocks.form, [list(part.members) for part in blocks.parts]) == ("blocks", [[0, 1], [2, 3]])
    shorter = Context.nested(
        {0: {0: {0: [1, 2]}, 1: {1: [3]}}, 1: {2: {2: [4]}}}, ["1", "2", "3", "4"]
    ).canonical_form()
    assert shorter.describe() == {
        "form": "nested",
        "block_of": [[0, 0, 1, 2], [0, 0, 0, 1]],
        "epsilons": ["1", "3", "4"],
    }
    alone = Context.nested({b: [b] for b in range(5)}, ["1", "inf"])
    assert alone.canonical_form() is alone
    with_one = Context.nested({0: {0: [1, 2], 1: [3, 4]}}, ["1", "2", "inf"]).canonical_form()
    assert with_one.matrix() == Context.nested({0: [1, 2], 1: [3, 4]}, ["1", "2"]).matrix()


def test_uniform_and_blocks_together_are_nested():
    blocks = Context.blocks({0: [0, 1], 1: [2, 3, 4]}, "1")
    assert (Context.uniform(range(5), "4") & blocks).describe() == {
        "form": "nested",
        "block_of": [[0, 0, 1, 1, 1]],
        "epsilons": ["1", "4"],
    }
    uneven = Context.uniform(range(5), "4") & Context.blocks({0: [0, 1], 1: [2, 3, 4]}, {0: "1", 1: "2"})
    assert uneven.form == "nested"
    assert [uneven.epsilon(0, 1), uneven.epsilon(2, 3), uneven.epsilon(0, 2)] == [1, 2, 4]


BY_SIZE = {"form": "nested", "sizes": [[2, 1], [3, 2]], "epsilons": ["1", 2, "4"]}
BY_NAME = {"form": "nested", "blocks": PLACES, "epsilons": [1, 2, 4]}
COLUMNS = [["paris", "paris", "lyon", "nyc", "nyc", "nyc", "paris", "paris"], ["fr"] * 3 + ["us"] * 5]
BY_VALUE = {"form": "nested", "block_of": COLUMNS, "epsilons": [1, 2, 4]}


def read(context, values=tuple(STREETS.values)):
    return Spec.of({"domain": {"values": list(values)}, "context": context}).context


@pytest.mark.parametrize("entries", [BY_SIZE, BY_NAME, BY_VALUE, STREETS.describe()])
def test_a_spec_gives_blocks_by_size_by_name_or_value_by_value(entries):
    assert read(entries).describe() == STREETS.describe()


def test_blocks_by_name_need_no_domain_and_follow_one_that_is_given():
    assert Spec.of({"context": BY_NAME}).context.describe() == STREETS.describe()
    turned = read(BY_NAME, STREETS.values[::-1])
    assert turned.epsilon("p1", "l1") == 2
    assert turned.values[0] == "t2"
    ages = {"young": {"teens": {"from": 13, "to": 19}, "twenties": {"from": 20, "to": 29}}, "old": {"rest": [30, 31]}}
    assert Spec.of({"context": {**BY_NAME, "blocks": ages}}).context.epsilon(13, 20) == 2


def test_blocks_are_columns_of_a_file(tmp_path):
    rows = zip(STREETS.values, *COLUMNS, strict=True)
    (tmp_path / "streets.csv").write_text("street,city,country\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    (tmp_path / "spec.toml").write_text(
        '[domain]\nfile = "streets.csv"\ncolumn = "street"\nblock_column = ["city", "country"]\n'
        '[context]\nform = "nested"\nepsilons = ["1", "2", "4"]\n'
    )
    assert Spec.read(tmp_path / "spec.toml").context.describe() == STREETS.describe()


def test_a_mechanism_survives_a_round_trip_through_its_spec_and_law():
    made = dc.mechanism(STREETS)
    assert Spec.of_mechanism(made).mechanism.fingerprint == made.fingerprint
    assert dc.wire.parse_law(dc.wire.law_text(made)).fingerprint == made.fingerprint


@pytest.mark.parametrize(
    ("blocks", "epsilon", "message"),
    [
        ({"a": [1], "b": {"c": [2]}}, [1, 2], "every value must be equally deep, but 1 is in 1 blocks and 2 in 2"),
        ({"a": [1, 2]}, [1], "epsilon=[1] must be 2 of them: inside the innermost blocks, then across"),
        ({"a": [1, 2]}, "12", "epsilon='12' must be 2 of them"),
        ({"a": [1, 2]}, [2, 1], "epsilon[1]=1 must be more than epsilon[0]=2: it is for values further apart"),
        ({"a": [1, 2]}, [2, 2], "epsilon[1]=2 must be more than epsilon[0]=2"),
        ({}, [1, 2], "blocks must hold at least one block"),
        ({"a": {}}, [1, 2], "blocks['a'] must hold at least one block"),
        ({"a": []}, [1, 2], "blocks['a'] must hold at least one value"),
        ({"a": "xy"}, [1, 2], "blocks['a']='xy' must be a collection of values"),
        ([[1]], [1, 2], "blocks must map names of blocks to blocks inside them, down to values"),
        ({"a": [1, 1]}, [1, 2], "1 appears twice"),
    ],
)
def test_blocks_that_make_no_sense_are_refused(blocks, epsilon, message):
    with pytest.raises(InvalidContext) as refused:
        Context.nested(blocks, epsilon)
    assert message in str(refused.value)


@pytest.mark.parametrize("epsilon", [[0, 1], ["inf", "inf"], [-1, 1], ["x", 1], [1, "nan"]])
def test_epsilons_inside_blocks_are_positive_and_finite(epsilon):
    with pytest.raises(InvalidEpsilon, match=r"epsilon\[[01]\]"):
        Context.nested({"a": [1, 2]}, epsilon)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": [[2, 1], [3, 3]]}, "sizes must be positive and add up to the 8 values"),
        ({"sizes": [[2, 1], [3]]}, "add up to 6; they must add up to the 8 values"),
        ({"sizes": [[2, 0], [6]]}, "sizes must be positive"),
        ({"sizes": [[], [8]]}, "must hold no empty list"),
        ({"sizes": [3, [5]]}, "every value must be equally deep"),
        ({"sizes": "x"}, "context.sizes must be a list, not text"),
        ({"block_of": COLUMNS}, "must give exactly one of sizes, block_of, blocks"),
        ({"epsilons": 1}, "context.epsilons must be a list"),
        ({"epsilons": [1, 2]}, "must be 3 of them"),
        ({"epsilon": 1}, "context.epsilon is not a known entry"),
    ],
)
def test_entries_that_make_no_sense_are_refused(change, message):
    with pytest.raises(dc.errors.InvalidInput) as refused:
        read({**BY_SIZE, **change})
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"block_of": [["a"] * 8, ["b"] * 7]}, "must hold a list per level of blocks, each with one block per value"),
        ({"block_of": []}, "must hold a list per level"),
        ({"block_of": [["a"] * 7, ["b"] * 7]}, "blocks of 7 values must be those of all 8"),
        ({"blocks": {"a": {}}}, "context.blocks.a must hold at least one block"),
        ({"blocks": [1]}, "context.blocks must be a table"),
        ({"blocks": {"a": {"b": ["p1", "p1"]}}}, "'p1' must be in one block only"),
        ({"blocks": {"a": {"b": ["zz"]}}}, "'zz' must be one of the 8 values of the domain"),
        ({"blocks": {"a": {"b": ["p1"]}}}, "the value 'p2' must be in a block"),
        ({"blocks": {"a": {"b": "p1"}}}, "must be a list, not text"),
    ],
)
def test_blocks_in_a_spec_that_make_no_sense_are_refused(entries, message):
    with pytest.raises(dc.errors.InvalidInput) as refused:
        read({"form": "nested", "epsilons": [1, 2, 4], **entries})
    assert message in str(refused.value)


def test_columns_of_blocks_go_with_forms_that_have_blocks(tmp_path):
    (tmp_path / "c.csv").write_text("a,b,c\n1,x,y\n2,x,z\n")
    for form, columns, message in (
        ("uniform", ["b"], 'must go with context.form = "blocks" or "nested", not with \'uniform\''),
        ("blocks", ["b", "c"], 'must name one column for "blocks"; several are for "nested"'),
    ):
        domain = {"file": "c.csv", "column": "a", "block_column": columns}
        with pytest.raises(InvalidSpec) as refused:
            Spec.of({"domain": domain, "context": {"form": form, "epsilon": 1}}, folder=tmp_path)
        assert message in str(refused.value)


def test_every_pair_of_labels_is_met_at_its_smallest_level():
    for labels in itertools.product(range(2), repeat=5):
        context = Context.nested({0: {0: [0], 1: [1, 2]}, 1: {2: [3, 4]}}, [1, 2, 3])
        least = {}
        for x, z in itertools.permutations(range(5), 2):
            kind = labels[x], labels[z]
            least[kind] = min(context.at(x, z), least.get(kind, math.inf))
        found = {(labels[x], labels[z]): asked for x, z, asked in context.generators(labels)}
        assert found == least
