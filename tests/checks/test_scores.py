"""Scores and likelihoods of every kind of law, and of every decoder."""

import numpy as np
import pytest

from discreet.checks import check_columns, check_scores
from discreet.checks.law import is_small
from discreet.checks.vectors.laws import small_laws
from discreet.core.errors import NotIdentifiable
from discreet.estimation.decoders import DECODERS, Decoder, decoder_of
from discreet.mechanisms.laws import FOLLOWERS

LAWS = list(small_laws())


def inside(law):
    """A law and all laws in it."""
    yield law
    for entry in vars(law).values():
        for part in entry if isinstance(entry, tuple) else (entry,):
            if hasattr(part, "kind"):
                yield from inside(part)


def identifies(mechanism):
    try:
        decoder_of(mechanism).influence()
    except NotIdentifiable:
        return False
    return True


def test_every_kind_of_law_is_among_them():
    assert {law.kind for mechanism in LAWS for law in inside(mechanism.sampler.law)} == set(FOLLOWERS)


@pytest.mark.parametrize("number", range(len(LAWS)), ids=lambda number: f"{number}-{LAWS[number].name}")
def test_scores_and_columns_are_those_of_the_channel(number):
    mechanism = LAWS[number]
    if identifies(mechanism):
        check_scores(mechanism)
    if is_small(mechanism):
        check_columns(mechanism)


@pytest.mark.parametrize("kind", sorted(DECODERS))
def test_no_decoder_is_left_with_the_slow_forms(kind):
    decoder = DECODERS[kind]
    assert decoder.decode_adjoint is not Decoder.decode_adjoint
    assert decoder.gather is not Decoder.gather or decoder.disjoint  # a cell each: one look-up
    assert decoder.likelihoods is not Decoder.likelihoods or kind == "general_hadamard"  # whose adjoint is fast


@pytest.mark.parametrize("name", ["randomized_response", "subset", "hadamard", "unary"])
def test_the_slow_forms_say_the_same(name):
    mechanism = next(m for m in LAWS if m.name == name and m.context.size == 5)
    decoder, w = decoder_of(mechanism), np.random.default_rng(1).normal(size=(2, 5))
    assert Decoder.decode_adjoint(decoder, w) == pytest.approx(decoder.decode_adjoint(w), abs=1e-12)
    reports = np.array(mechanism.reports(), dtype=np.uint64)
    slow, fast = Decoder.likelihoods(decoder, reports), decoder.likelihoods(reports)
    assert slow / slow.max(axis=1)[:, None] == pytest.approx(fast / fast.max(axis=1)[:, None], rel=1e-9)
