"""A line, a ring, a tree, rows of one entry and values alike are found where they are, and only there."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from discreet import Context
from discreet.contexts import LineStructure, RingStructure, TreeStructure
from discreet.contexts.structure.entrywise import EntryWise
from discreet.contexts.structure.recognition import MAX_RECOGNISED, MAX_TREE_DEPTH, parting_pairs
from discreet.core.domain import EvenLeaves

F = Fraction
HALF = F(1, 2)


def matrix_of(size, entry):
    return Context.matrix(range(size), [[0 if x == z else entry(x, z) for z in range(size)] for x in range(size)])


def changed(context, x, z, entry):
    """The same matrix with one entry changed; entries that stay are its closure no longer."""
    rows = [list(row) for row in context.matrix()]
    rows[x][z] = entry
    return Context.matrix(range(context.size), rows)


def along(steps):
    return [sum(steps[:i], F(0)) for i in range(len(steps) + 1)]


def read_line(line):
    places = dict(zip(line.order, along(line.steps), strict=True))
    return lambda x, z: abs(places[x] - places[z])


def read_ring(ring):
    places, around = dict(zip(ring.order, along(ring.steps[:-1]), strict=True)), sum(ring.steps)
    return lambda x, z: min(abs(places[x] - places[z]), around - abs(places[x] - places[z]))


def leaves(node):
    return [node] if isinstance(node, int) else [x for child in node.children for x in leaves(child)]


def read_tree(node):
    level = {}
    if isinstance(node, TreeStructure):
        for one, two in itertools.permutations(node.children, 2):
            level |= {(x, z): node.level for x in leaves(one) for z in leaves(two)}
        for child in node.children:
            level |= read_tree(child)
    return level


def same(context, entry):
    pairs = itertools.permutations(range(context.size), 2)
    return all(context.closure().at(x, z) == entry(x, z) for x, z in pairs)


STEPS = [F(1), F(1, 3), F("0.25"), F(7)]


@pytest.mark.parametrize("seed", range(12))
def test_a_line_of_uneven_steps_is_found_in_any_order_of_its_values(seed):
    rng = random.Random(seed)
    size = rng.choice([2, 3, 5, 9])
    order = rng.sample(range(size), size)
    line = LineStructure(tuple(order), tuple(rng.choice(STEPS) for _ in range(size - 1)))
    context = matrix_of(size, read_line(line))
    if order[0] > order[-1]:
        line = LineStructure(line.order[::-1], line.steps[::-1])
    assert context.line == line
    assert context.ring is None
    off = changed(context, order[0], order[-1], sum(line.steps) - F(1, 10**9))
    assert off.line is None  # the control: one entry, one way


@pytest.mark.parametrize("seed", range(20))
def test_a_ring_of_uneven_steps_is_found_in_any_order_of_its_values(seed):
    rng = random.Random(seed)
    size = rng.choice([3, 4, 5, 8, 11])
    order = rng.sample(range(size), size)
    steps = [rng.choice(STEPS[:3]) for _ in range(size)]
    if max(steps) * 2 >= sum(steps):
        steps = [F(1, 3)] * size
    context = matrix_of(size, read_ring(RingStructure(tuple(order), tuple(steps))))
    found = context.ring
    assert found.order[0] == 0
    assert found.order[1] < found.order[-1]
    assert same(context, read_ring(found))
    at = order.index(0)
    turned = order[at:] + order[:at], steps[at:] + steps[:at]
    back = [turned[0][0], *turned[0][:0:-1]], turned[1][::-1]
    assert (list(found.order), list(found.steps)) in (turned, back)
    x, z = order[0], order[size // 2]
    off = changed(context, x, z, context.at(x, z) - F(1, 10**9))
    assert size == 3 or off.ring is None  # the control; any three distances close a ring


def test_a_ring_that_only_its_neighbours_ask_for_is_found_in_the_closure():
    asked = matrix_of(6, lambda x, z: 1 if (x - z) % 6 in (1, 5) else "inf")
    assert asked.ring == RingStructure(tuple(range(6)), (F(1),) * 6)
    assert asked.line is None


def test_a_ring_whose_longest_step_is_all_the_others_is_a_line():
    context = matrix_of(4, lambda x, z: min(abs(x - z), 6 - abs(x - z)))
    assert context.line == LineStructure((0, 1, 2, 3), (F(1),) * 3)
    assert context.ring is None


def test_three_values_at_one_epsilon_are_a_ring_and_two_a_line():
    for made in (Context.uniform(range(3), "1/2"), matrix_of(3, lambda x, z: HALF)):
        assert made.ring == RingStructure((0, 1, 2), (HALF,) * 3)
        assert made.line is None
    for made in (Context.uniform(range(2), "1/2"), matrix_of(2, lambda x, z: HALF)):
        assert made.line == LineStructure((0, 1), (HALF,))
        assert made.ring is None


def grown(rng, values, level, depth):
    """A random tree over the values, with levels that decrease downwards."""
    if depth == 0 or len(values) < 3:
        return TreeStructure(level, tuple(values))
    rng.shuffle(values)
    cuts = sorted(rng.sample(range(1, len(values)), min(len(values) - 1, rng.choice([1, 2]))))
    groups = [values[a:b] for a, b in itertools.pairwise([0, *cuts, len(values)])]
    below = [level * F(k, 7) for k in (2, 3, 5)]
    return TreeStructure(
        level, tuple(g[0] if len(g) == 1 else grown(rng, g, rng.choice(below), depth - 1) for g in groups)
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_tree_of_an_ultrametric_is_found(seed):
    rng = random.Random(seed)
    size = rng.choice([4, 7, 12])
    entries = read_tree(grown(rng, list(range(size)), F(3), 3))
    context = matrix_of(size, lambda x, z: entries[x, z])
    found = context.tree
    assert found is not None
    assert read_tree(found) == entries
    x, z = next(pair for pair, level in entries.items() if level == 3)
    assert changed(context, x, z, F("2.9")).tree is None  # the controls: one entry lower one way, or infinite
    assert changed(context, x, z, F("2.9")).closure().at(x, z) < 3


def test_equal_levels_are_one_node_with_several_children():
    context = matrix_of(6, lambda x, z: 1 if x // 2 == z // 2 else 2)
    assert context.tree == TreeStructure(F(2), tuple(TreeStructure(F(1), (x, x + 1)) for x in (0, 2, 4)))
    assert Context.uniform(range(4), "1").tree == matrix_of(4, lambda x, z: 1).tree == TreeStructure(F(1), (0, 1, 2, 3))


def test_a_tree_is_found_by_classes_however_many_values_they_hold():
    values = range(30_000)
    blocks = Context.blocks({b: values[b::3] for b in range(3)}, {0: "1", 1: "2", 2: "3"})
    joined = Context.uniform(blocks.domain, "4") & blocks
    assert [child.level for child in joined.tree.children] == [1, 2, 3]
    assert sorted(leaves(joined.tree)) == list(values)
    looser = EntryWise((Context.uniform(blocks.domain, "3"), blocks), min, closed=False)
    assert [isinstance(child, int) for child in looser.tree.children].count(True) == 10_000


def test_infinite_or_asymmetric_entries_make_no_tree_line_or_ring():
    for context in (
        Context.blocks({0: range(3), 1: range(3, 6)}, "1"),
        Context.high_low(range(4), [0], "1"),
        matrix_of(4, lambda x, z: 1 + x),
        matrix_of(3, lambda x, z: 0),
        Context.uniform(range(1), "1"),
    ):
        assert (context.line, context.ring, context.tree) == (None, None, None)


def test_trees_deeper_than_the_limit_are_not_followed():
    def stairs(size):
        return matrix_of(size, lambda x, z: 1 + F(max(x, z), size))

    assert stairs(MAX_TREE_DEPTH).tree is not None
    assert stairs(MAX_TREE_DEPTH + 2).tree is None


def test_rows_of_one_entry_are_found_and_one_other_entry_is_seen():
    context = matrix_of(5, lambda x, z: F(1 + x % 3, 2))
    assert context.grades == (HALF, F(1), F(3, 2), HALF, F(1))
    assert changed(context, 1, 2, "0.9").grades is None
    weak, some = Context.uniform(range(2000), "4"), Context.high_low(range(2000), range(50), "1")
    assert (weak & some).grades == (F(1),) * 50 + (F(4),) * 1950
    assert weak.grades == (F(4),) * 2000
    assert some.grades is None  # some rows are infinite


def test_alike_are_the_values_that_can_be_swapped():
    rng = random.Random(3)
    for _ in range(30):
        size = 5
        entries = {pair: rng.choice([1, 1, 1, 2]) for pair in itertools.permutations(range(size), 2)}
        context = matrix_of(size, lambda x, z, entries=entries: entries[x, z])
        closed = context.closure().matrix()
        for x, z in itertools.combinations(range(size), 2):
            swap = {x: z, z: x}
            kept = all(closed[a][b] == closed[swap.get(a, a)][swap.get(b, b)] for a in range(size) for b in range(size))
            assert (context.exchangeable[x] == context.exchangeable[z]) == kept


def test_alike_values_are_found_among_many_classes():
    kinds = [x * x % 11 for x in range(40)]
    context = matrix_of(40, lambda x, z: 2 if kinds[x] == kinds[z] else 3 + F(kinds[x] - kinds[z], 12))
    numbers = {}
    assert context.exchangeable == tuple(numbers.setdefault(kind, len(numbers)) for kind in kinds)
    ring = matrix_of(20, lambda x, z: min((x - z) % 20, (z - x) % 20))
    assert ring.exchangeable == tuple(range(20))
    assert Context.uniform(range(5), "1").exchangeable == (0,) * 5
    assert Context.high_low(range(4), [2], "1").exchangeable == (0, 0, 1, 0)


def test_structure_is_looked_for_in_small_contexts_only():
    many = Context.blocks({b: [2 * b, 2 * b + 1] for b in range(MAX_RECOGNISED + 1)}, "1")
    assert (many.line, many.ring, many.tree, many.grades) == (None,) * 4
    assert many.exchangeable[:4] == (0, 0, 1, 1)
    assert many.factors is None


def test_infinite_entries_are_not_summed():
    context = matrix_of(4, lambda x, z: 1 if abs(x - z) == 1 else math.inf)
    assert context.line == LineStructure((0, 1, 2, 3), (F(1),) * 3)
    apart = matrix_of(4, lambda x, z: 1 if x // 2 == z // 2 else math.inf)
    assert (apart.line, apart.ring, apart.tree, apart.grades) == (None,) * 4


def test_the_pairs_that_part_highest_stand_for_all_of_a_level():
    """Against every pair: under any numbering of the leaves, no pair of a level parts higher than the one given."""
    context = Context.nested({"a": {"x": range(3), "y": range(3, 5)}, "b": {"z": range(5, 8)}}, ["1", "2", "3"])
    shuffled = random.Random(4)
    for _ in range(50):
        leaves = shuffled.sample(range(12), context.size)
        labels = EvenLeaves(leaves, (3, 2, 2))
        highest = {}
        for x, z, level in parting_pairs(context.tree, labels):
            assert context.at(x, z) == level
            highest[level] = min(highest.get(level, 9), labels.parting(x, z))
        for level in highest:
            true = min(labels.parting(x, z) for x in range(8) for z in range(8) if x != z and context.at(x, z) == level)
            assert highest[level] == true
        assert sorted(set(context.generators(labels))) == sorted(set(parting_pairs(context.tree, labels)))


def test_values_that_nothing_links_are_not_compared():
    context = Context.nested({"a": {"x": range(2), "y": [2]}, "b": {"z": [3]}}, ["1", "2", "inf"])
    labels = EvenLeaves(range(4), (2, 2))
    assert {(x, z) for x, z, _ in context.generators(labels)} == {(0, 1), (1, 0), (0, 2), (2, 0)}


def test_a_tree_in_any_form_gives_its_pairs_by_leaves():
    labels = EvenLeaves(range(4), (2, 2))
    uniform = Context.uniform(range(4), "1")
    assert list(uniform.generators(labels)) == [(0, 3, 1), (3, 0, 1)]


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("seed", range(6))
def test_the_nearest_cells_are_as_near_as_any(norm, seed):
    shuffled = random.Random(seed)
    cells = shuffled.sample([(i, j) for i in range(9) for j in range(7)], 6)
    context = Context.metric(cells, norm, "0.5")
    nearest = min(context.at(x, z) for x in range(6) for z in range(6) if x != z)
    assert context.at(*context.grid.nearest()) == nearest


def test_a_grid_is_dense_if_one_cell_in_sixteen_is_that_of_a_value():
    assert Context.metric([(0, 0), (1, 1)], "l1", "1").grid.is_dense
    assert not Context.metric([(0, 0), (40, 1)], "l1", "1").grid.is_dense
    assert not Context.metric(["a", "b"], "l1", "1", points=[(1, 1), (1, 1)]).grid.is_dense
