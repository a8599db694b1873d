"""Options: which columns a class may have, in which contexts."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import NotServed
from discreet.core.exact import exp_below
from discreet.mechanisms.composed.even_cover import places_of
from discreet.planning.classwise import classes_of, inner_sampler
from discreet.planning.optimize.type_options import TypeProblem, options_of


def even(context):
    return np.full(context.size, 1 / context.size)


def nested(blocks, inside, across):
    of = [number for number, size in enumerate(blocks) for _ in range(size)]
    rows = [["0" if x == z else inside if of[x] == of[z] else across for z in range(len(of))] for x in range(len(of))]
    return dc.Context.matrix(range(len(of)), rows)


MIXED = dc.Context.uniform(range(6), "3") & dc.Context.high_low(range(6), [1, 4], "1")
NESTED = nested((3, 2, 1), "1", "2.5")


def test_classes_are_read_from_the_entries():
    found = classes_of(MIXED, [0.1, 0.2, 0.1, 0.1, 0.3, 0.2])
    assert found.class_of == (0, 1, 0, 0, 1, 0)
    assert found.inside == found.across == (3, 1)
    assert found.masses == pytest.approx([0.5, 0.5])
    found = classes_of(NESTED, even(NESTED))
    assert found.sizes.tolist() == [3, 2, 1]
    assert found.inside == (1, 1, Fraction(5, 2))
    assert found.across == (Fraction(5, 2),) * 3


@pytest.mark.parametrize(
    "context",
    [
        dc.Context.metric(range(5), lambda x, z: abs(x - z), "1"),
        dc.Context.high_low(range(6), [1, 4], "1"),
        dc.Context.uniform(range(6), "1"),
        dc.Context.matrix(range(3), [["0", "2", "1"], ["2", "0", "1"], ["1", "1", "0"]]),  # further inside than across
    ],
    ids=["line", "infinite", "one class", "inside above across"],
)
def test_other_contexts_are_not_served(context):
    with pytest.raises(NotServed, match="types need"):
        classes_of(context, even(context))


@pytest.mark.parametrize("context", [MIXED, NESTED], ids=["graded", "nested"])
def test_every_choice_of_options_is_a_column_that_the_context_allows(context):
    classes = classes_of(context, even(context))
    problem = TypeProblem(classes, bits=None)
    levels = []
    for options, size, inside in zip(problem.options, classes.sizes, classes.inside, strict=True):
        rises = np.exp(float(inside))
        levels.append(
            [
                [option.base * (rises if i < round(option.share * size) else 1) for i in range(size)]
                for option in options
            ]
        )
    limits = [[float(exp_below(context.at(x, z))) if x != z else 1.0 for z in range(6)] for x in range(6)]
    place = [classes.class_of[:x].count(c) for x, c in enumerate(classes.class_of)]
    for chosen in product(*levels):
        column = np.array([chosen[c][place[x]] for x, c in enumerate(classes.class_of)])
        assert (column[:, None] <= limits * column * (1 + 1e-12)).all()


def test_options_within_few_bits_fit_them_and_show_about_every_share():
    every = options_of(950, Fraction(4), Fraction(4), bits=None)
    assert {option.share for option in every if option.inner} == {d / 950 for d in range(1, 950)}
    few = [option for option in options_of(950, Fraction(4), Fraction(4), bits=20) if option.inner]
    assert all(option.bits <= 20 and option.places >= 950 for option in few)
    assert len(few) > 20
    for option in few[::9]:
        made = inner_sampler(option, 950, Fraction(1))
        assert made.bits <= option.bits
        assert places_of(made).members / places_of(made).places == pytest.approx(option.share)
    with pytest.raises(NotServed, match="nothing that shows a value of each class fits 3 bits"):
        TypeProblem(classes_of(nested((30, 40), "1", "2"), np.full(70, 1 / 70)), bits=3)


def test_huge_epsilons_and_no_mass_are_brought_within_reach_and_prove_nothing():
    far = nested((3, 2), "18", "200")
    assert classes_of(far, even(far)).across == (200, 200)
    problem = TypeProblem(classes_of(far, even(far)), bits=None)
    assert not problem.complete
    assert max(option.base for option in problem.options[0]) == 1.0
    assert TypeProblem(classes_of(MIXED, even(MIXED)), bits=None).complete
    assert not TypeProblem(classes_of(MIXED, [0.25, 0, 0.25, 0.25, 0, 0.25]), bits=None).complete


def test_a_start_has_rows_that_add_up_to_one():
    for context in (MIXED, NESTED):
        problem = TypeProblem(classes_of(context, even(context)), bits=None)
        types, weights = problem.start()
        assert (weights > 0).all()
        assert problem.columns(types)[0].T @ weights == pytest.approx(np.ones(types.shape[1]))
