"""Laws of block-structured privacy."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet import Context
from discreet.contexts import Blocks
from discreet.core.canonical import canonical
from discreet.core.domain import Domain
from discreet.core.errors import InvalidContext, InvalidInput
from discreet.wire.spec import parse_law

CITIES = {"boston": ["b1", "b2"], "nyc": ["n1"]}


def test_the_block_is_not_hidden_and_what_is_inside_is():
    context = Context.blocks(CITIES, {"boston": "1", "nyc": "0.5"})
    assert context.epsilon("b1", "b2") == 1
    assert context.epsilon("b1", "n1") == math.inf
    assert context.names == ("boston", "nyc")
    assert context.levels == (Fraction(1), Fraction(1, 2))


def test_blocks_are_given_by_name_by_size_or_by_number():
    by_size = Blocks.from_sizes(Domain(["b1", "b2", "n1"]), [2, 1], "1")
    by_number = Blocks(Domain(["b1", "b2", "n1"]), [0, 0, 1], ["boston", "nyc"], [Fraction(1)] * 2)
    assert by_size == by_number == Context.blocks(CITIES, "1")


def test_blocks_tell_their_spec_exactly():
    assert Context.blocks(CITIES, "1").describe() == {
        "form": "blocks",
        "block_of": [0, 0, 1],
        "names": ["boston", "nyc"],
        "epsilon": "1",
    }
    told = Blocks.from_sizes(Domain(range(3)), [2, 1], ["1", "0.5"]).describe()
    assert told == {"form": "blocks", "block_of": [0, 0, 1], "epsilons": ["1", "0.5"]}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Context.blocks({}, 1), "blocks must map each block's name to its values"),
        (lambda: Context.blocks(["a"], 1), "blocks must map each block's name to its values"),
        (lambda: Context.blocks({"u": ["a"], "v": []}, 1), "block 'v' must hold at least one value"),
        (lambda: Context.blocks({"u": ["a"], "v": ["a"]}, 1), "'a' appears twice"),
        (lambda: Context.blocks({"u": ["a"]}, {}), "every block must have one; missing: 'u'"),
        (
            lambda: Context.blocks({"u": ["a"]}, {"u": 1, "v": 1}),
            "epsilon: 'v' must be among the blocks, which are 'u'",
        ),
        (lambda: Context.blocks({"u": ["a"]}, [1, 2]), "epsilons=2 entries must be one per block, 1"),
        (lambda: Blocks.from_sizes(Domain(range(3)), [1, 1], 1), "sizes add up to 2; they must add up to the 3 values"),
        (lambda: Blocks.from_sizes(Domain(range(3)), [3, 0], 1), "must be positive whole numbers"),
        (lambda: Blocks.from_sizes(Domain(range(3)), [1.5, 1.5], 1), "must be positive whole numbers"),
        (lambda: Blocks(Domain(range(3)), [0, 0], ["u"], [Fraction(1)]), "block_of has 2 entries"),
        (lambda: Blocks(Domain(range(3)), [0, 0, 7], ["u"], [Fraction(1)]), "block 7 must be from 0 to 0"),
        (lambda: Blocks(Domain(range(2)), [0, 0], ["u"], []), "epsilons=0 entries must be one per block"),
    ],
)
def test_blocks_that_contradict_themselves_are_refused(make, message):
    with pytest.raises(InvalidContext) as refused:
        make()
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "names", [["p", "p"], [1, 1], ["1", 1], [1, "1"], [1, True], [1, 1.0], ["True", True], [(1,), "(1,)"]]
)
def test_every_block_has_a_name_of_its_own(names):
    """Also as text: a table or a file that writes 1 and "1" alike would lose the people of one of them."""
    with pytest.raises(InvalidContext, match="every block must have a name of its own"):
        Blocks(Domain(range(3)), [0, 1, 1], names, [Fraction(1)] * 2)


def test_a_name_can_be_looked_up():
    with pytest.raises(InvalidContext, match="must be hashable"):
        Blocks(Domain(range(3)), [0, 1, 1], [[1], [2]], [Fraction(1)] * 2)


@pytest.mark.parametrize(
    "entries",
    [
        {"block_of": ["1", 1, "1", 1]},
        {"block_of": [0, 1, 2, 3], "names": ["a", "a", "a", "b"]},
        {"block_of": [0, 1, 0, 1], "names": ["1", 1]},
    ],
)
def test_a_spec_or_law_cannot_repeat_the_name_of_a_block(entries):
    """Four people in four blocks, three of one name: their totals would be those of one block."""
    spec = {"domain": {"size": 4}, "context": {"form": "blocks", "epsilon": "1", **entries}}
    with pytest.raises(InvalidInput, match=r"name of its own|written alike"):
        dc.Spec.of(spec)
    law = dc.mechanism(dc.Context.blocks({b: [b] for b in range(4)}, "1")).description
    with pytest.raises(InvalidInput, match=r"name of its own|written alike"):
        parse_law(canonical({**law, "context": spec["context"]}))


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=30))
def test_block_totals_add_up_to_everybody(people):
    context = dc.Context.blocks({"x": ["a", "b"], 2: ["c"], (3,): ["d", "e", "f"]}, "1")
    mechanism = dc.mechanism(context, "randomized_response")
    totals = dc.estimate(mechanism.tally(mechanism.randomize_many(people, dc.random.seeded(1)))).block_totals
    assert list(totals) == ["x", 2, (3,)]
    assert sum(totals.values()) == pytest.approx(1)


@pytest.mark.parametrize("label", [-1, 2, 10**30, -(10**30), "0", 0.5, None])
def test_a_block_that_is_not_there_is_refused(label):
    with pytest.raises(InvalidContext, match=r"^block_of: .* from 0 to 1$"):
        Blocks(Domain(range(3)), [0, 1, label], ["a", "b"], [Fraction(1)] * 2)
