"""Whatever says what a context allows says the same of a context and of its closure."""

from __future__ import annotations

import inspect
import itertools
import math
import random
from dataclasses import is_dataclass
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.contexts.forms.metric import Metric
from discreet.contexts.structure.entrywise import EntryWise
from discreet.contexts.structure.recognition import shortest_path
from discreet.core.domain import Domain
from discreet.theory.channels.contraction import pairwise_epsilon
from discreet.theory.unbiased import unbiased_by_classes

VALUES = ["a", "b", "c", "d"]
PAIRS = list(itertools.permutations(VALUES, 2))
SHARES = [0.1, 0.2, 0.3, 0.4]
OTHER = Context.matrix(VALUES, [[0, 3, 1, "inf"], [1, 0, 5, 2], ["inf", 1, 0, 1], [4, 1, 1, 0]])


def drawn(seed: int) -> Context:
    """A random E, of which some entry follows from others."""
    rng = random.Random(seed)
    while True:
        levels = ["1/2", 1, 2, 3, 6, "inf"]
        context = Context.matrix(VALUES, [[0 if x == z else rng.choice(levels) for z in VALUES] for x in VALUES])
        if context.closure() is not context:
            return context


BINARY = Context.binary("no", "yes", ("inf", "1"))
RING = Context.matrix(VALUES, [[0, 1, "inf", 1], [1, 0, 1, "inf"], ["inf", 1, 0, 1], [1, "inf", 1, 0]])
BLOCKS = Context.blocks({0: ["a", "b"], 1: ["c", "d"]}, "1/2")
BY_CLASSES = EntryWise((Context.high_low(VALUES, ["a"], "1"), BLOCKS), min, closed=False)
CHAIN = Context.matrix(VALUES, [[0, 1, 1, 1], [1, 0, 2, 3], [1, 1, 0, 1], [1, 1, 1, 0]])
CONTEXTS = [*map(drawn, range(6)), RING, CHAIN, BY_CLASSES]
QUARTERS = np.array([[0.4, 0.2, 0.2, 0.2], [0.2, 0.4, 0.2, 0.2], [0.2, 0.2, 0.4, 0.2], [0.2, 0.2, 0.2, 0.4]])
FLAT = [[Fraction(1, 2)] * 2 for _ in VALUES]


def bound(found):
    return found and (found.name, found.value, found.kind, found.reference)


def audited(context):
    made = dc.mechanism(Context.uniform(VALUES, "1/2"))
    found = dc.audit(made, context=context, samples=2000, rng=dc.random.seeded(1))
    return [(f.x, f.z, f.claimed, f.epsilon_lower) for f in found.findings]


FUNCTIONS = {
    "audit": audited,
    "design": lambda c: dc.design(c, seconds=5).error,
    "explain": lambda c: [(one.name, one.error, one.bits) for one in dc.explain(c).candidates],
    "mechanism": lambda c: dc.mechanism(c).law(),
    "plan": lambda c: [(e.label, e.mechanism, e.tv) for e in dc.plan(c, n=1000).comparison],
    "verify": lambda c: dc.verify(FLAT, context=c).realised,
    "attained_region": lambda c: [dc.bounds.attained_region(QUARTERS, *p, context=c).as_dict() for p in PAIRS],
    "bounds_for": lambda c: [
        {key: bound(one) for key, one in side.items()}
        for side in (dc.bounds.bounds_for(c, 500).lower, dc.bounds.bounds_for(c, 500, prior=SHARES).upper)
    ],
    "users_for": lambda c: (found := dc.bounds.users_for(c, 0.1)) and bound(found.necessary),
    "context_kl_contraction": dc.bounds.context_kl_contraction,
    "context_tv_contraction": dc.bounds.context_tv_contraction,
    "minimax_matrix": lambda c: bound(dc.bounds.minimax_matrix(c, 500).total_variation),
    "pairwise_delta": lambda c: dc.bounds.pairwise_delta(QUARTERS, c).tolist(),
    "stein_exponent_context": lambda c: bound(dc.bounds.stein_exponent_context(SHARES, SHARES[::-1], E=c)),
    "unbiased_matrix": lambda c: bound(dc.bounds.unbiased_matrix(c, SHARES)),
    "unbiased_queries": lambda c: bound(dc.bounds.unbiased_queries(c, "cumulative")),
    "unbiased_semidefinite": lambda c: bound(dc.bounds.unbiased_semidefinite(c, np.array(SHARES), seconds=5)),
    "Context.components": lambda c: c.components(),
    "Context.coarsest_served": lambda c: c.coarsest_served().matrix(),
    "Context.error_region": lambda c: [c.error_region(*pair) for pair in PAIRS],
    "Context.posterior_odds_bound": lambda c: [c.posterior_odds_bound(*pair, 0.5) for pair in PAIRS],
    "Context.implies": lambda c: [a.implies(b) for a, b in itertools.permutations((c, OTHER, RING, CHAIN), 2)],
    "Context.canonical_form": lambda c: c.canonical_form().matrix(),
    "Context.smallest": lambda c: c.smallest,
    "Context.closure": lambda c: c.closure().matrix(),
    "Context.hidden": lambda c: sorted(x for label in c.hidden for x in c.members[label]),
    "Context.line": lambda c: c.line,
    "Context.ring": lambda c: c.ring,
    "Context.grid": lambda c: c.grid,
    "Context.tree": lambda c: c.tree,
    "Context.grades": lambda c: c.grades,
    "Context.factors": lambda c: c.factors,
    "Context.exchangeable": lambda c: c.exchangeable,
    "Context.__add__": lambda c: ((c + OTHER).matrix(), (OTHER + c).matrix()),
    "Context.__and__": lambda c: (c & OTHER).matrix(),
    "Context.__mul__": lambda c: ((c * BINARY).closure().matrix(), (BINARY * c).canonical_form().matrix()),
    "Context.__or__": lambda c: ((c | OTHER).matrix(), (OTHER | c).matrix()),
}
"""All public functions that take a context, and what they say of it."""

AS_ASKED = {"at", "between", "describe", "epsilon", "finite", "is_closed", "matrix", "pairs", "pairs_among", "tightest"}
AS_ASKED |= {"distance_epsilon", "generators", "largest", "protected_pairs", "published", "shows", "with_outside"}
"""The methods that state E as it was asked for."""
NOT_OF_E = {
    "binary",
    "blocks",
    "is_entrywise",
    "is_finite",
    "closure_if_cheap",
    "high_low",
    "is_canonical",
    "members",
    "metric",
    "number_bounds",
    "numbers",
    "parts",
    "read",
    "size",
}
NOT_OF_E |= {"graded", "nested", "outside", "uniform", "values"}
HOLDERS = {"Mechanism", "Plan", "Spec", "ContextBounds", "check_mechanism"}
"""What keeps a context, with all that it says of it made by the functions above."""


def close(one, two):
    """Equal, with floats to a rounding error."""
    if isinstance(one, float) and isinstance(two, float):
        return one == two or math.isclose(one, two, rel_tol=1e-12)
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(map(close, one, two))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(close(one[key], two[key]) for key in one)
    return one == two


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("context", CONTEXTS, ids=[str(number) for number in range(len(CONTEXTS))])
def test_a_context_and_its_closure_are_answered_alike(name, context):
    closed = context.closure()
    assert closed is not context
    assert closed == context
    assert close(FUNCTIONS[name](context), FUNCTIONS[name](closed))


def test_the_entries_as_asked_would_be_told_apart():
    """The control: what reads entries is seen, as are answers that differ in one number."""
    context = CONTEXTS[0]
    assert not close(context.matrix(), context.closure().matrix())
    told = {name for name, said in FUNCTIONS.items() if any(not close(said(RING), said(c)) for c in (OTHER, drawn(0)))}
    same = {"smallest", "components", "hidden", "line", "grid", "tree", "grades", "factors"}  # of these three contexts
    assert told >= set(FUNCTIONS) - {"verify", "users_for", *(f"Context.{name}" for name in same)}
    shares = np.array(SHARES)
    assert unbiased_by_classes(RING, shares) != unbiased_by_classes(RING.closure(), shares)


def test_every_public_function_that_takes_a_context_is_asked():
    found = set()
    for place in (dc, dc.bounds, dc.checks):
        for name in place.__all__:
            thing = getattr(place, name)
            function = inspect.isfunction(thing) or is_dataclass(thing) or name == "Mechanism"
            parameters = inspect.signature(thing).parameters.values() if function else ()
            if any("Context" in str(p.annotation) or "Privacy" in str(p.annotation) for p in parameters):
                found.add(name)
    assert found - HOLDERS == {name for name in FUNCTIONS if not name.startswith("Context.")}
    methods = {name for name in dir(Context) if not name.startswith("_")}
    asked = {name.removeprefix("Context.") for name in FUNCTIONS if name.startswith("Context.")}
    assert methods == AS_ASKED | NOT_OF_E | (asked - {"__add__", "__and__", "__mul__", "__or__"})


@pytest.mark.parametrize("context", CONTEXTS, ids=[str(number) for number in range(len(CONTEXTS))])
def test_the_corner_without_errors_is_allowed_only_where_no_path_protects_the_pair(context):
    closed = context.closure()
    for x, z in PAIRS:
        protected = closed.epsilon(x, z) != math.inf or closed.epsilon(z, x) != math.inf
        assert context.error_region(x, z).allows(0, 0) == (not protected)
        assert math.isinf(context.posterior_odds_bound(x, z, 1)) == math.isinf(closed.epsilon(x, z))


def test_opposite_corners_of_a_ring_are_protected_by_their_neighbours():
    assert RING.epsilon("a", "c") == math.inf
    assert RING.error_region("a", "c").forward == 2
    assert RING.posterior_odds_bound("a", "c", 1) == pytest.approx(math.exp(2))
    made = dc.mechanism(RING)  # and so they are by a mechanism that was certified for the entries as asked
    assert pairwise_epsilon(made)[0, 2] <= 2 + 1e-12
    vertices = dc.bounds.attained_region(made, "a", "c").vertices
    assert all(RING.error_region("a", "c").allows(float(p), float(q)) for p, q in vertices)


@pytest.mark.parametrize("context", CONTEXTS, ids=[str(number) for number in range(len(CONTEXTS))])
def test_a_single_shortest_path_is_the_entry_of_the_closure(context):
    closed = context.closure()
    assert all(shortest_path(context, x, z) == closed.at(x, z) for x in range(4) for z in range(4))


def test_a_closure_by_classes_is_the_closure_of_the_matrix():
    """Ten values of a few classes, some with a shorter way to another member of their own class."""
    rng = random.Random(7)
    for _ in range(20):
        first = Context.high_low(range(10), rng.sample(range(10), 3), rng.choice(["1", "5"]))
        second = Context.blocks({0: range(4), 1: range(4, 10)}, {0: rng.choice(["1/4", "3"]), 1: "7"})
        third = Context.high_low(range(10), [9, 8, 1], "1/3")
        joined = EntryWise((EntryWise((first, second), min, closed=False), third), min, closed=False)
        assert len(joined.members) < 10
        written = Context.matrix(range(10), joined.matrix()).closure()
        assert joined.closure().matrix() == written.matrix()


def test_sums_are_of_closures():
    """The pair of reports satisfies the sum of what each satisfies, which the sum of the entries does not imply."""
    one = Context.matrix(range(3), [[0, 1, 5], [1, 0, 1], [5, 1, 0]])
    two = Context.matrix(range(3), [[0, 3, 1], [3, 0, 3], [1, 3, 0]])
    assert (one + two).at(0, 2) == 3
    entries = [[a + b for a, b in zip(p, q, strict=True)] for p, q in zip(one.matrix(), two.matrix(), strict=True)]
    assert Context.matrix(range(3), entries).closure().at(0, 2) == 6  # the control


def test_a_metric_between_points_is_closed_without_working_it_out():
    points = [[number] for number in range(2000)]
    line = Metric.from_points(Domain(range(2000)), points, "l1", "0.5")
    assert line.closure() is line
    assert line.error_region(0, 1999).forward == Fraction(1999, 2)
    short = Metric.from_points(Domain(range(9)), points[:9], "l1", "0.5")
    assert (short + short).closure().at(0, 8) == 8
    assert (short + short).is_closed
