"""Scores and likelihoods of every kind of law, and of every class of randomizer."""

import numpy as np
import pytest

from discreet.checks import check_columns, check_scores
from discreet.checks.law import is_small
from discreet.checks.vectors.laws import small_laws
from discreet.core.errors import NotIdentifiable
from discreet.estimation.arrays.numeric import NUMERIC
from discreet.mechanisms.kinds import FOLLOWERS
from discreet.mechanisms.randomizer import Randomizer

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
        mechanism.randomizer.influence(NUMERIC)
    except NotIdentifiable:
        return False
    return True


def test_every_kind_of_law_is_among_them():
    assert {law.kind for mechanism in LAWS for law in inside(mechanism.randomizer.law)} == set(FOLLOWERS)


@pytest.mark.parametrize("number", range(len(LAWS)), ids=lambda number: f"{number}-{LAWS[number].name}")
def test_scores_and_columns_are_those_of_the_channel(number):
    mechanism = LAWS[number]
    if identifies(mechanism):
        check_scores(mechanism)
    if is_small(mechanism):
        check_columns(mechanism)


@pytest.mark.parametrize("kind", sorted(FOLLOWERS))
def test_no_class_is_left_with_the_slow_forms(kind):
    follower = FOLLOWERS[kind]
    assert follower.weigh is not Randomizer.weigh
    assert follower.gather is not Randomizer.gather
    assert follower.likelihoods is not Randomizer.likelihoods or kind == "general_hadamard"  # which pulls fast


@pytest.mark.parametrize("name", ["randomized_response", "subset", "hadamard", "unary"])
def test_the_slow_forms_say_the_same(name):
    mechanism = next(m for m in LAWS if m.name == name and m.context.size == 5)
    randomizer, w = mechanism.randomizer, np.random.default_rng(1).normal(size=(2, 5))
    assert Randomizer.weigh(randomizer, w, NUMERIC) == pytest.approx(randomizer.weigh(w, NUMERIC), abs=1e-12)
    reports = np.array(mechanism.reports(), dtype=np.uint64)
    slow, fast = (kind.likelihoods(randomizer, reports, NUMERIC) for kind in (Randomizer, type(randomizer)))
    assert slow / slow.max(axis=1)[:, None] == pytest.approx(fast / fast.max(axis=1)[:, None], rel=1e-9)
