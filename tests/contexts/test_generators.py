"""The pairs that a certificate checks imply all others, and leaving one out is noticed."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.contexts.structure.entrywise import EntryWise
from discreet.core.domain import Alike, Domain
from discreet.core.errors import PrivacyViolation
from discreet.mechanisms.tables.table import Table

VALUES = list("abcdef")
NESTED = Context.nested({0: {1: ["a", "b"], 2: ["c"]}, 3: {4: ["d"], 5: ["e", "f"]}}, ["1/2", "1", "2"])
APART = Context.nested({0: {1: ["a", "b"], 2: ["c"]}, 3: {4: ["d"], 5: ["e", "f"]}}, ["1/2", "1", "inf"])
GRADED = Context.graded(dict(zip(VALUES, ["1", "2", "1", "inf", "3", "1/2"], strict=True)))
LINE = Context.metric(VALUES, "line", "0.5", points=[3, 1, "1.25", 9, 7, "0.5"])
RING = Context.metric(VALUES, "ring", "0.5", points=[3, 1, "1.25", 9, 7, "0.5"], around=10)
OPEN = Context.metric(VALUES, "ring", "0.5", points=[0, 1, 2, 3, 4, 5], around=30)
MATRIX = Context.matrix(VALUES, [[0 if x == z else 1 + (3 * x + z) % 5 for z in range(6)] for x in range(6)])
CONTEXTS = {
    "uniform": Context.uniform(VALUES, "1"),
    "blocks": Context.blocks({0: ["a", "b", "c"], 1: ["d", "e"], 2: ["f"]}, {0: "1", 1: "2", 2: "1"}),
    "high_low": Context.high_low(VALUES, ["a", "d"], "1"),
    "nested": NESTED,
    "nested blocks": APART,
    "graded": GRADED,
    "line": LINE,
    "ring": RING,
    "open ring": OPEN,
    "matrix": MATRIX,
    "closure": MATRIX.closure(),
    "points on a line": dc.Spec.of(
        {"domain": {"values": VALUES}, "context": {"form": "metric", "points": [3, 1, 4, 9, 7, 0], "epsilon": 1}}
    ).context,
    "both": EntryWise((LINE, GRADED), min, closed=False),
    "both closed": EntryWise((NESTED, GRADED), min, closed=False).closure(),
    "sum": EntryWise((LINE, NESTED), sum, closed=True),
    "product": Context.binary("no", "yes", ("inf", "1")) * Context.metric(range(3), "line", "1"),
    "product of products": Context.uniform([0, 1], "1") * (Context.uniform([0, 1], "2") * Context.uniform([0, 1], "3")),
}


def shortest(entries):
    size = len(entries)
    for w in range(size):
        for x, z in itertools.product(range(size), repeat=2):
            entries[x][z] = min(entries[x][z], entries[x][w] + entries[w][z])
    return entries


def implied(context, labels, pairs):
    """What a channel that treats values with the same label alike satisfies if it satisfies the pairs."""
    least = {}
    for x, z, asked in pairs:
        least[labels[x], labels[z]] = min(asked, least.get((labels[x], labels[z]), math.inf))
    size = range(context.size)
    return shortest([[0 if x == z else least.get((labels[x], labels[z]), math.inf) for z in size] for x in size])


def all_hold(context, found):
    pairs = itertools.product(range(context.size), repeat=2)
    return all(found[x][z] <= context.closure().at(x, z) for x, z in pairs)


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
@pytest.mark.parametrize("kinds", [1, 2, 3, 6])
def test_generators_imply_the_whole_context(context, kinds):
    labels = Alike(context.size) if kinds == 1 else [x * x % 7 % kinds for x in range(context.size)]
    labels = list(range(context.size)) if kinds == 6 else labels
    pairs = list(context.generators(labels))
    assert all(x != z and context.at(x, z) == asked < math.inf for x, z, asked in pairs)
    assert all_hold(context, implied(context, labels, pairs))


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_generators_of_values_that_are_all_different_imply_the_context_and_no_more(context):
    pairs = list(context.generators(range(context.size)))
    found = implied(context, range(context.size), pairs)
    closed = context.closure()
    assert all(found[x][z] == closed.at(x, z) for x, z in itertools.permutations(range(context.size), 2))


@pytest.mark.parametrize("context", [LINE, RING, NESTED, GRADED], ids=["line", "ring", "nested", "graded"])
def test_leaving_any_one_generator_out_leaves_something_unsaid(context):
    """The control: nothing is listed that need not be, so a missing one is seen."""
    pairs = list(context.generators(range(context.size)))
    for missing in pairs:
        rest = [pair for pair in pairs if pair != missing]
        assert not all_hold(context, implied(context, range(context.size), rest))


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_hidden_classes_and_components_are_those_of_the_entries(context):
    rows = context.matrix()
    size = range(context.size)
    finite = [any(rows[x][z] < math.inf for z in size if z != x) for x in size]
    assert finite == [context.class_of[x] in context.hidden for x in size]
    assert context.protected_pairs == sum(rows[x][z] < math.inf for x in size for z in size if x != z)
    plain = Context.matrix(range(context.size), rows)
    assert sorted(map(sorted, context.components())) == sorted(map(sorted, plain.components()))


def test_lines_and_rings_have_few_generators():
    assert len(list(LINE.generators(range(6)))) == 2 * 5
    assert len(list(RING.generators(range(6)))) == 2 * 6
    assert len(list(MATRIX.generators(range(6)))) == 30


def truncated_geometric(steps, units=1 << 64):
    """A table whose neighbours are at exactly their ratio, as whole units, and one that leaks a unit more somewhere."""
    ratio = [float(np.exp(-step)) for step in steps]
    places = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(-np.abs(places[:, None] - places[None, :]))
    left, right = np.array([0, *ratio]), np.array([*ratio, 0])
    scale = 1 / (1 + left) + 1 / (1 + right) - 1
    return weights * scale[None, :] * (1 - 1e-9) + 1e-9 / len(places), units


def test_a_table_for_a_line_is_certified_by_neighbours_and_a_leak_between_distant_values_is_caught():
    steps = [0.5, 1.0, 0.25, 0.5]
    context = Context.metric(range(5), "line", "1", points=["0", "0.5", "1.5", "1.75", "2.25"])
    weights, units = truncated_geometric(steps)
    rows = [[int(w * units) for w in row] for row in weights]
    for row in rows:
        row[0] += units - sum(row)
    exact = [[Fraction(entry, units) for entry in row] for row in rows]
    made = dc.Mechanism(context, Table(rows))
    plain = Context.matrix(range(5), context.matrix())
    for certificate in (made.certificate, dc.verify(exact, context=context)):
        every = dc.verify(exact, context=plain)
        assert (certificate.x, certificate.z, certificate.ratio) == (every.x, every.z, every.ratio)
    moved = [list(row) for row in rows]
    moved[0][4], moved[0][0] = rows[0][4] - rows[0][4] // 4, rows[0][0] + rows[0][4] // 4
    for asked in (context, plain):
        with pytest.raises(PrivacyViolation, match="leaks"):
            dc.Mechanism(asked, Table(moved))
        with pytest.raises(PrivacyViolation, match="leaks"):
            dc.verify([[Fraction(entry, units) for entry in row] for row in moved], context=asked)


def test_the_symmetry_of_a_randomizer_is_never_taken_for_that_of_the_context():
    """A mechanism for distances from 2 on is refused on a line where two neighbours are nearer, wherever they are."""
    wide = dc.mechanism(Context.uniform(range(6), "2"), "randomized_response").sampler
    for near in range(5):
        places = [x * 10 - 9 * (x > near) for x in range(6)]
        with pytest.raises(PrivacyViolation):
            dc.Mechanism(Context.metric(range(6), "line", "1", points=places), wide)
    assert dc.Mechanism(Context.metric(range(6), "line", "2"), wide).certificate.claimed == 2


def test_many_values_on_a_line_or_in_nested_blocks_or_graded_are_served_without_comparing_them_all():
    size = 10**5
    line = Context.metric(range(size), "line", "1")
    nested = Context.nested(
        {a: {b: range(b, b + 100) for b in range(a, a + 10**5, 100)} for a in range(0, size, 10**5)}, [1, 2, 4]
    )
    graded = Context.graded({x: "1" if x < 100 else "3" for x in range(size)})
    for context in (line, nested, graded):
        made = dc.mechanism(context, "hadamard")
        assert made.certificate.claimed == 1
        assert made.served == Context.uniform(Domain(range(size)), "1")
