"""Laws of mechanisms: certified when made, named, fingerprinted, and strict about values."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.errors import InvalidInput, PrivacyViolation, UnknownValue
from discreet.mechanisms.blocks import BlockResponse
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.randomized_response import RandomizedResponse

CONTEXT = Context.uniform(list("abcd"), "1")


def test_no_mechanism_is_made_that_leaks():
    with pytest.raises(PrivacyViolation, match="'a' against 'b' leaks 2, more than the 1 that E allows"):
        Mechanism(CONTEXT, RandomizedResponse(4, Fraction(2)))


def test_a_symmetric_randomizer_is_held_against_every_entry_of_an_unsymmetric_context():
    """The pair that stands for all in the randomizer is not the strictest of E."""
    entries = [[0, 2, 1], [2, 0, 2], [2, 2, 0]]
    context = Context.matrix(range(3), entries)
    with pytest.raises(PrivacyViolation, match="0 against 2 leaks 2, more than the 1"):
        Mechanism(context, RandomizedResponse(3, Fraction(2)))
    assert Mechanism(context, RandomizedResponse(3, Fraction(1))).certificate.claimed == 1


def test_one_inner_randomizer_is_held_against_every_block_that_uses_it():
    inner = RandomizedResponse(2, Fraction(1))
    strict = Context.blocks({0: [0, 1], 1: [2, 3]}, {0: "1", 1: "0.5"})
    with pytest.raises(PrivacyViolation, match=r"2 against 3 leaks 1, more than the 0\.5"):
        Mechanism(strict, BlockResponse([0, 0, 1, 1], [inner, inner]))


def test_blocks_do_not_pass_for_a_context_that_hides_the_block():
    inner = RandomizedResponse(2, Fraction(1))
    with pytest.raises(PrivacyViolation, match="some report tells 'a' from 'c' for certain"):
        Mechanism(CONTEXT, BlockResponse([0, 0, 1, 1], [inner, inner]))


def test_the_served_context_must_imply_the_one_asked_for():
    lax = Context.uniform(list("abcd"), "2")
    with pytest.raises(PrivacyViolation):
        Mechanism(CONTEXT, RandomizedResponse(4, Fraction(2)), served=lax)
    made = Mechanism(lax, RandomizedResponse(4, Fraction(1)), served=CONTEXT)
    assert made.certificate.claimed == 2
    assert made.certificate.realised == pytest.approx(1)


def test_the_randomizer_has_the_size_of_the_context():
    with pytest.raises(InvalidInput, match="randomizer is for 3 values; the context has 4"):
        Mechanism(CONTEXT, RandomizedResponse(3, Fraction(1)))


@pytest.mark.parametrize("stranger", ["z", 0, None, ["a"]])
def test_a_value_outside_the_domain_is_refused_and_takes_no_words(stranger):
    mechanism = dc.mechanism(CONTEXT)
    with pytest.raises(UnknownValue, match="must be one of the 4 values"):
        mechanism.randomize(stranger, dc.random.replay([]))


@pytest.mark.parametrize("wrong", [[4], [-1], [0.5], ["a"], [True], [[0, 1]], np.array([2**63], dtype=np.uint64)])
def test_indices_outside_the_domain_are_refused_in_bulk(wrong):
    with pytest.raises(UnknownValue, match="ind"):
        dc.mechanism(CONTEXT).randomize_many(wrong, dc.random.seeded(1))


def test_no_values_make_no_reports():
    for name in ("hadamard", "subset"):
        reports = dc.mechanism(CONTEXT, name).randomize_many([], dc.random.seeded(1))
        assert len(reports) == 0


def test_names_tell_the_composition():
    values = list("abcdef")
    assert dc.mechanism(Context.uniform(values, "1"), "subset").name == "subset"
    assert dc.mechanism(Context.high_low(values, ["a"], "1"), "subset").name == "high_low(randomized_response)"
    assert dc.mechanism(Context.high_low(values, ["a", "b"], "1"), "unary").name == "high_low(unary)"
    assert dc.mechanism(Context.blocks({0: values[:3], 1: values[3:]}, "1"), "hadamard").name == "blocks(hadamard)"
    assert repr(dc.mechanism(CONTEXT, "hadamard")) == (
        "<hadamard for Context.uniform(4 values, epsilon=1), 3 bits per report>"
    )


def test_the_fingerprint_is_the_same_for_the_same_and_another_for_another():
    def print_of(context=CONTEXT, name="subset", **parameters):
        return dc.mechanism(context, name, **parameters).fingerprint

    same = print_of()
    assert same == print_of() == print_of(Context.uniform(list("abcd"), "1.0"))
    others = [
        print_of(name="hadamard"),
        print_of(d=2),
        print_of(Context.uniform(list("abcd"), "1.1")),
        print_of(Context.uniform(list("abdc"), "1")),
        print_of(Context.high_low(list("abcd"), list("abcd"), "1")),
    ]
    assert len({same, *others}) == 6
    assert len(same) == 64


def test_the_channel_is_written_out_only_when_small():
    assert len(dc.mechanism(CONTEXT, "hadamard").channel()[0]) == 8
    with pytest.raises(InvalidInput, match="are too many to list"):
        dc.mechanism(Context.uniform(range(30), "1"), "subset").channel()
    with pytest.raises(InvalidInput, match="entries are too many to write out"):
        dc.mechanism(Context.uniform(range(3000), "1"), "hadamard").channel()
