"""Sums of releases, and what they leave of a budget: entry by entry, and the same as ``+`` and `implies` say."""

import math
import random
from fractions import Fraction
from functools import reduce
from operator import add

import pytest

import discreet as dc
from discreet.contexts.structure.entrywise import among, rest, total, unprotected, worst_pair
from discreet.core.domain import Domain
from discreet.core.errors import InvalidContext

VALUES = ["a", "b", "c", "d", "e"]
DOMAIN = Domain(VALUES)


def some_context(chance, values=VALUES):
    """A context of any form over five values."""
    epsilon = Fraction(chance.randint(1, 8), chance.randint(1, 3))
    kind = chance.randrange(5)
    if kind == 0:
        return dc.Context.uniform(values, epsilon)
    if kind == 1:
        return dc.Context.high_low(values, chance.sample(values, 2), epsilon)
    if kind == 2:
        return dc.Context.blocks({"first": values[:2], "second": values[2:]}, epsilon)
    if kind == 3:
        return dc.Context.graded({value: chance.choice(["inf", 1, 2, "1/2"]) for value in values})
    entries = [[0 if x == z else chance.choice(["inf", 0, 1, 2, "1/3"]) for z in values] for x in values]
    return dc.Context.matrix(values, entries)


def pairs():
    return [(x, z) for x in range(5) for z in range(5) if x != z]


@pytest.mark.parametrize("seed", range(40))
def test_a_total_is_the_sum_and_what_is_left_is_the_most_that_may_follow(seed):
    chance = random.Random(seed)
    releases = [(some_context(chance), chance.randint(1, 3)) for _ in range(chance.randint(1, 3))]
    spent = total(DOMAIN, releases)
    assert spent == reduce(add, [context for context, times in releases for _ in range(times)])
    closures = [(context.closure(), times) for context, times in releases]
    for x, z in pairs():
        assert spent.at(x, z) == sum(context.at(x, z) * times for context, times in closures)
    budget, asked = some_context(chance), some_context(chance)
    left = rest(budget, spent)
    if spent.implies(budget):
        assert asked.implies(left) == (spent + asked).implies(budget)
        assert total(DOMAIN, [*releases, (asked, 1)]).implies(budget) == asked.implies(left)


def test_both_verdicts_were_among_these():
    """The control: what is left neither allows all nor nothing."""
    found = set()
    for seed in range(40):
        chance = random.Random(seed)
        budget, spent, asked = some_context(chance), some_context(chance), some_context(chance)
        if spent.implies(budget):
            found.add(asked.implies(rest(budget, spent)))
    assert found == {True, False}


def test_two_partitions_show_what_either_shows():
    first = dc.Context.blocks({1: ["a", "b"], 2: ["c", "d", "e"]}, 1)
    second = dc.Context.blocks({1: ["a", "c"], 2: ["b", "d", "e"]}, 2)
    spent = total(DOMAIN, [(first, 1), (among(second, DOMAIN), 1)])
    finite = {(VALUES[x], VALUES[z]) for x, z in pairs() if spent.at(x, z) < math.inf}
    assert finite == {("d", "e"), ("e", "d")}
    assert spent.epsilon("d", "e") == 3


def test_nothing_released_is_zero_and_leaves_the_whole_budget():
    spent, budget = total(DOMAIN, []), dc.Context.high_low(VALUES, ["b"], "3/2")
    assert all(spent.at(x, z) == 0 for x, z in pairs())
    assert spent.implies(budget)
    assert rest(budget, spent) == budget
    assert rest(budget, unprotected(DOMAIN)).largest == 0
    assert not unprotected(DOMAIN).implies(budget)


def test_a_context_among_some_values_keeps_its_entries_in_their_order():
    context = dc.Context.metric(range(6), "line", "1/2")
    found = among(context, Domain([4, 1, 0]))
    assert found.matrix() == ((0, Fraction(3, 2), 2), (Fraction(3, 2), 0, Fraction(1, 2)), (2, Fraction(1, 2), 0))
    assert among(context, Domain([4, 7])) is None
    assert among(context, Domain(range(7))) is None
    assert among(context, Domain(["1", "0"])) is None
    assert found.is_closed


def test_entries_that_others_imply_are_counted_closed():
    """a to c through b costs 2, whatever a matrix says of a and c."""
    context = dc.Context.matrix(list("abc"), [[0, 1, "inf"], [1, 0, 1], ["inf", 1, 0]])
    assert total(Domain(list("abc")), [(context, 2)]).epsilon("a", "c") == 4
    assert among(context, Domain(list("ac"))).epsilon("a", "c") == 2


def test_the_worst_pair_is_the_furthest_beyond():
    budget = dc.Context.matrix(list("abc"), [[0, 3, 1], [3, 0, "inf"], [1, "inf", 0]])
    assert worst_pair(budget, dc.Context.uniform(list("abc"), 2)) == (0, 2, 1)
    assert worst_pair(budget, dc.Context.high_low(list("abc"), ["a"], 1))[:2] in ((1, 0), (2, 0))
    assert worst_pair(unprotected(Domain(list("abc"))), budget) == (0, 0, 0)


def test_only_contexts_over_the_same_values_add_up():
    with pytest.raises(InvalidContext, match="same values in the same order"):
        total(DOMAIN, [(dc.Context.uniform(list("abc"), 1), 1)])
