"""Laws of block-structured privacy."""

import math
from fractions import Fraction

import pytest

from discreet import Context
from discreet.context import Blocks
from discreet.domain import Domain
from discreet.errors import InvalidContext

CITIES = {"boston": ["b1", "b2"], "nyc": ["n1"]}


def test_the_block_is_not_hidden_and_what_is_inside_is():
    context = Context.blocks(CITIES, {"boston": "1", "nyc": "0.5"})
    assert context.epsilon("b1", "b2") == 1
    assert context.epsilon("b1", "n1") == math.inf
    assert context.names == ("boston", "nyc")
    assert context.levels == (Fraction(1), Fraction(1, 2))


def test_blocks_are_given_by_name_by_size_or_by_number():
    by_size = Blocks.sized(Domain(["b1", "b2", "n1"]), [2, 1], "1")
    by_number = Blocks(Domain(["b1", "b2", "n1"]), [0, 0, 1], ["boston", "nyc"], [Fraction(1)] * 2)
    assert by_size == by_number == Context.blocks(CITIES, "1")


def test_blocks_tell_their_spec_exactly():
    assert Context.blocks(CITIES, "1").describe() == {
        "form": "blocks",
        "block_of": [0, 0, 1],
        "names": ["boston", "nyc"],
        "epsilon": "1",
    }
    told = Blocks.sized(Domain(range(3)), [2, 1], ["1", "0.5"]).describe()
    assert told == {"form": "blocks", "block_of": [0, 0, 1], "epsilons": ["1", "0.5"]}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Context.blocks({}, 1), "blocks must map each block's name to its values"),
        (lambda: Context.blocks(["a"], 1), "blocks must map each block's name to its values"),
        (lambda: Context.blocks({"u": ["a"], "v": []}, 1), "block 'v' must hold at least one value"),
        (lambda: Context.blocks({"u": ["a"], "v": ["a"]}, 1), "'a' appears twice"),
        (lambda: Context.blocks({"u": ["a"]}, {}), "block 'u' is missing"),
        (lambda: Context.blocks({"u": ["a"]}, {"u": 1, "v": 1}), "block 'v' is not a block"),
        (lambda: Context.blocks({"u": ["a"]}, [1, 2]), "epsilons=2 entries must be one per block, 1"),
        (lambda: Blocks.sized(Domain(range(3)), [1, 1], 1), "sizes add up to 2; they must add up to the 3 values"),
        (lambda: Blocks.sized(Domain(range(3)), [3, 0], 1), "must be positive whole numbers"),
        (lambda: Blocks.sized(Domain(range(3)), [1.5, 1.5], 1), "must be positive whole numbers"),
        (lambda: Blocks(Domain(range(3)), [0, 0], ["u"], [Fraction(1)]), "block_of has 2 entries"),
        (lambda: Blocks(Domain(range(3)), [0, 0, 7], ["u"], [Fraction(1)]), "block 7 must be from 0 to 0"),
        (lambda: Blocks(Domain(range(2)), [0, 0], ["u"], []), "epsilons=0 entries must be one per block"),
    ],
)
def test_blocks_that_contradict_themselves_are_refused(make, message):
    with pytest.raises(InvalidContext) as refused:
        make()
    assert message in str(refused.value)


def test_every_block_has_a_name_of_its_own():
    with pytest.raises(InvalidContext, match="every block must have a name of its own"):
        Blocks(Domain(range(3)), [0, 1, 1], ["p", "p"], [Fraction(1)] * 2)
