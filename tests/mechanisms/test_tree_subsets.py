"""Laws of marks by levels: as good as the best channel known for a tree of blocks, and no more than E allows."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.checks import check_mechanism
from discreet.core.arithmetic import INTEGERS
from discreet.core.errors import InvalidInput, NotIdentifiable, PrivacyViolation
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.law import Row
from discreet.mechanisms.laws import sampler_of as kind_of
from discreet.mechanisms.tree.level_choice import levels_response
from discreet.mechanisms.tree.subset_encoding import subset_encoding_of
from discreet.mechanisms.tree.tree_subsets import TreeSubsets, TreeSubsetsLaw
from discreet.mechanisms.uniform.cyclic import Projective
from discreet.mechanisms.uniform.cyclotomic import Cyclotomic
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset

LAWS = {"channel", "pairs", "unbiased", "moments", "reach", "counting", "scalar is vector", "round trips"}


def tree(branches, epsilons):
    """Blocks of equal branching over whole numbers; epsilons from the outermost inwards, as the branching is."""

    def node(depth, first):
        span = math.prod(branches[depth + 1 :])
        if depth == len(branches) - 1:
            return range(first, first + branches[depth])
        return {child: node(depth + 1, first + child * span) for child in range(branches[depth])}

    return Context.nested(node(0, 0), [str(epsilon) for epsilon in reversed(epsilons)])


def error(sampler):
    k = sampler.size
    return float(decoder_of(sampler).second_moments(np.full(k, 1 / k)).sum()) - 1 / k


def by_rays(branches, epsilons, members):
    """f0 - 1/k of the rays that mark ``members[marks above]`` children: the closed form by levels."""
    steps = [math.exp(a - b) for a, b in zip(epsilons, [*epsilons[1:], 0], strict=True)]

    def nodes(depth):
        """The mean of the ray under every node of a depth."""
        found = [((), 1.0)]
        for level, branch in enumerate(branches):
            below = []
            for marks, ray in found:
                marked = members.get(marks, 0)
                below += [((*marks, int(c < marked)), ray * (steps[level] if c < marked else 1)) for c in range(branch)]
            found = below
        rays = np.array([ray for _, ray in found])
        return (rays / rays.mean()).reshape(math.prod(branches[:depth]), -1).mean(axis=1)

    total = 0.0
    for depth in range(len(branches)):
        count = [math.prod(branches[:level]) for level in (depth, depth + 1)]
        square = [float((nodes(level) ** 2).mean()) * math.prod(branches) for level in (depth, depth + 1)]
        total += (count[1] - count[0]) ** 2 / (square[1] - square[0])
    return total


@pytest.mark.parametrize(
    ("branches", "epsilons", "expected"),
    [
        ((5, 5), (3, 1), 22.760),
        ((50, 20), (3, 1), 1069.0),
        ((4, 12), (1.5, 0.5), 489.82),
        ((50, 60), (5, 1), 539.4),
        ((3, 3, 4), (4, 2, 1), 25.66),
        ((5, 10, 20), (3, 2, 1), 1209),
        ((2, 2, 2), (2, 1, 0.5), 29.41),
    ],
)
def test_the_error_is_the_least_known_for_equal_blocks(branches, epsilons, expected):
    made = levels_response(tree(branches, epsilons), bits=None)
    assert error(made) == pytest.approx(expected, rel=2e-4)


@pytest.mark.parametrize(
    ("branches", "epsilons", "bits", "expected"),
    [((50, 20), (3, 1), 64, 1152), ((5, 10, 20), (3, 2, 1), 64, 1275), ((100, 100), (3, 1), 64, 12_290)],
)
def test_cyclic_sets_keep_reports_within_a_word(branches, epsilons, bits, expected):
    chosen = dc.explain(tree(branches, epsilons)).chosen
    assert chosen.name == "levels"
    assert chosen.bits <= bits
    assert error(chosen.sampler) <= expected


@pytest.mark.parametrize(
    ("branches", "epsilons"), [((3, 4), (2, 1)), ((2, 3, 3), (3, 2, 1)), ((2, 2, 2, 2), (4, 3, 2, 1))]
)
def test_the_error_is_that_of_the_rays(branches, epsilons):
    made = levels_response(tree(branches, epsilons), bits=None)
    members, states = {}, [()]
    for row in made.law.shown:
        members |= {
            state: subset_encoding_of(kind_of(made.law.inners[entry - 1]), "levels").members
            for state, entry in zip(states, row, strict=True)
            if entry
        }
        states = [(*state, mark) for state, entry in zip(states, row, strict=True) for mark in range(1 + bool(entry))]
    assert error(made) == pytest.approx(by_rays(branches, epsilons, members), rel=1e-9)


def test_the_channel_is_the_product_of_the_marks_above():
    made = levels_response(tree((2, 3), (3, 1)), bits=None)
    mechanism = dc.Mechanism(tree((2, 3), (3, 1)), made)
    rows = np.array(mechanism.channel(), dtype=float)
    for column in rows.T:
        levels = sorted({round(math.log(entry / column.min()), 6) for entry in column})
        assert levels == [0, 2, 3]  # unmarked, in a marked block, and marked in it


@pytest.mark.parametrize(
    ("branches", "epsilons"), [((2, 2), (2, 1)), ((3, 3), (1.5, 0.5)), ((2, 2, 2), (2, 1, 0.5)), ((2, 3), (20, 15))]
)
@pytest.mark.parametrize("bits", [64, None])
def test_trees_of_equal_branching_keep_the_laws(branches, epsilons, bits):
    context = tree(branches, epsilons)
    done = set(check_mechanism(dc.Mechanism(context, levels_response(context, bits=bits))))
    assert done >= LAWS | {"every word"}


UNEVEN = {
    "sizes": Context.nested({"a": range(4), "b": range(4, 6), "c": [6]}, ["1", "3"]),
    "depths": Context.nested({"a": {"x": range(3), "y": range(3, 5)}, "b": {"z": [5]}}, ["1", "2", "3"]),
    "matrix": Context.matrix(
        range(5), [[0 if x == z else 1 if x // 2 == z // 2 else 4 for z in range(5)] for x in range(5)]
    ),
    "out of order": Context.matrix(
        range(5), [[0 if x == z else 1 if x % 2 == z % 2 else 2 for z in range(5)] for x in range(5)]
    ),
}


@pytest.mark.parametrize("context", UNEVEN.values(), ids=UNEVEN)
def test_blocks_of_any_sizes_have_places_that_are_nobodys(context):
    assert set(check_mechanism(("levels", context))) >= LAWS | {"every word"}


HALF = Fraction(1, 2)
MADE = {
    "several marked, others shown": (
        (3, 2),
        ((1,), (2, 3)),
        [Subset(3, HALF, d=2), RandomizedResponse(2, HALF / 2), RandomizedResponse(2, HALF)],
    ),
    "places that are nobody's": (
        (3, 2),
        ((1,), (0, 2)),
        [Projective(3, HALF, family="singer", key=(2, 3)), RandomizedResponse(2, HALF)],
    ),
    "families of sets": ((4, 2), ((1,), (0, 2)), [Cyclotomic(4, HALF, p=5, d=2), RandomizedResponse(2, HALF)]),
    "cyclic, others shown": (
        (3, 2),
        ((1,), (2, 0)),
        [Projective(3, HALF, family="paley", key=(3,)), RandomizedResponse(2, HALF)],
    ),
    "sets inside": ((2, 4), ((1,), (2, 3)), [RandomizedResponse(2, HALF), Subset(4, HALF, d=3), Subset(4, HALF, d=2)]),
}


def sampler_of(name):
    branches, shown, inners = MADE[name]
    leaves = Row.of(range(math.prod(branches)))
    return TreeSubsets.from_law(TreeSubsetsLaw(branches, shown, tuple(inner.law for inner in inners), leaves, 64))


@pytest.mark.parametrize("name", MADE)
def test_any_sets_at_any_level_keep_the_laws(name):
    made = sampler_of(name)
    mechanism = dc.Mechanism(Context.uniform(range(made.size), "4"), made)
    done = set(check_mechanism(mechanism))
    assert done >= LAWS - {"channel", "pairs", "unbiased", "moments", "reach"}
    if made.outputs <= 1024:
        assert done >= LAWS


def test_a_level_that_shows_nothing_may_stand_above_one_that_does():
    inner = RandomizedResponse(2, Fraction(1))
    law = TreeSubsetsLaw((2, 2), ((0,), (1,)), (inner.law,), Row.of(range(4)), 64)
    mechanism = dc.Mechanism(Context.uniform(range(4), "2"), TreeSubsets.from_law(law))
    assert "pairs" in check_mechanism(mechanism)
    with pytest.raises(NotIdentifiable, match="nothing of some level"):
        dc.estimate(mechanism.tally([0, 1]))


def test_the_ratio_at_every_level_is_all_that_e_allows():
    made = levels_response(tree((3, 3, 4), (4, 2, 1)))
    assert [math.log(ratio) for ratio in made.ratios] == pytest.approx([4, 2, 1], abs=1e-9)
    assert made.ratio(0, 1) == made.ratios[2]
    assert made.ratio(0, 35) == made.ratios[0]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_words_moved_to_the_own_child_leak(level):
    """The control: at every level a few words of 2**64 more are refused."""
    context = tree((2, 2, 2), (4, 2, 1))
    law = levels_response(context).law
    entry = next(entry for entry in law.shown[level] if entry)
    inner = law.inners[entry - 1]
    forged = replace(inner, low=inner.low - 2**30, high=inner.high + 2**30)
    inners = tuple(forged if number == entry - 1 else one for number, one in enumerate(law.inners))
    with pytest.raises(PrivacyViolation, match="leaks"):
        dc.Mechanism(context, TreeSubsets.from_law(replace(law, inners=inners)))


def test_values_in_blocks_of_others_leak():
    """The control: the law of a tree is checked against the blocks that the context has."""
    context = tree((2, 2), (4, 1))
    law = levels_response(context).law
    with pytest.raises(PrivacyViolation, match="leaks"):
        dc.Mechanism(context, TreeSubsets.from_law(replace(law, leaves=Row.of([0, 2, 1, 3]))))


def test_spare_words_loosen_what_is_below_one():
    """A report with a spare word has a larger ratio of low to high, which the certificate must bound."""
    inner = Projective(3, Fraction(5, 2), family="singer", key=(2, 3))
    assert inner.law.spare
    law = TreeSubsetsLaw(
        (3, 2), ((1,), (0, 2)), (inner.law, RandomizedResponse(2, Fraction(3)).law), Row.of(range(6)), 64
    )
    assert {"pairs", "unbiased"} <= set(
        check_mechanism(dc.Mechanism(Context.uniform(range(6), "8"), TreeSubsets.from_law(law)))
    )


SMALL = levels_response(tree((2, 3), (3, 1))).law


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"branches": (3, 2)}, "as many values as a node has children"),
        ({"branches": (2, 1)}, "each of several children"),
        ({"branches": ()}, "1 to 64 levels"),
        ({"shown": ((1,),)}, "a row for each"),
        ({"shown": ((1,), (2,))}, "for every state"),
        ({"shown": ((1,), (0, 2, 0))}, "for every state"),
        ({"shown": ((1,), (0, 0))}, "each of its inner laws"),
        ({"shown": ((1,), (0, 3))}, "each of its inner laws"),
        ({"inners": ()}, "each of its inner laws"),
        ({"leaves": Row.of([0, 0])}, "different leaves"),
        ({"leaves": Row.of([0, 6])}, "different leaves"),
        ({"leaves": Row.of([])}, "size=0"),
        ({"word_bits": 32}, "width of words"),
        ({"inners": (SMALL.inners[0], Hadamard(3, Fraction(1)).law)}, "of sets or of cycles"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        TreeSubsets.from_law(replace(SMALL, **change))


def test_a_law_may_not_have_more_parts_than_can_be_drawn():
    inner = Subset(40, Fraction(1), d=20).law
    law = TreeSubsetsLaw((40,) * 4, ((1,), (0, 1), (0, 0, 1), (0, 0, 0, 1)), (inner,), Row.of(range(0, 40**4, 16)), 64)
    assert TreeSubsets.from_law(law).outputs
    deeper = replace(law, branches=(40,) * 3 + (40,), shown=((1,), (1, 1), (1, 1, 1, 1), (1,) * 8))
    with pytest.raises(InvalidInput, match="at most 65536 parts"):
        TreeSubsets.from_law(deeper)


def test_counts_that_no_reports_have_are_refused():
    made = levels_response(tree((2, 3), (3, 1)))
    decoder = decoder_of(made)
    counts = np.zeros(decoder.cells, dtype=np.int64)
    for y in list(made.reports())[:4]:
        counts[list(decoder.cells_of(y))] += 1
    assert decoder.inconsistency(counts) is None
    counts[0] += 9
    assert "more often than its node" in decoder.inconsistency(counts)
    counts[:] = 0
    counts[-1] = 1
    assert "marked children" in decoder.inconsistency(counts)


def test_reports_that_cannot_occur_are_refused_in_bulk():
    decoder = decoder_of(levels_response(tree((4, 12), (1.5, 0.5))))
    counts = np.zeros(decoder.cells, dtype=np.int64)
    with pytest.raises(dc.errors.InvalidReport):
        decoder.count(counts, np.array([2**63], dtype=np.uint64), 0)
    with pytest.raises(dc.errors.InvalidReport, match="exactly"):
        decoder.count(counts, np.array([0], dtype=np.uint64), 0)
    assert not counts.any()


def test_shares_are_estimated_from_many_reports():
    """On fixed words: six times the root of the mean squared error has a false alarm below 1e-6."""
    context = tree((3, 4), (4, 2))
    mechanism = dc.mechanism(context, "levels")
    values = np.repeat(np.arange(12), [4000, 10, 10, 10, 10, 10, 2000, 10, 10, 10, 3000, 920])
    tally = mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(5)))
    shares = np.bincount(values, minlength=12) / len(values)
    spread = math.sqrt(error(mechanism.sampler) / len(values))
    assert np.linalg.norm(dc.estimate(tally).shares - shares) < 6 * spread
    assert np.linalg.norm(dc.likelihood(tally).shares - shares) < 6 * spread


def test_a_design_hardly_improves_on_it():
    context = tree((2, 3), (3, 1))
    designed = dc.design(context, seconds=4)
    found = error(levels_response(context))
    assert designed.error <= found * (1 + 1e-9)
    assert found <= designed.error * 1.01


def test_every_combination_of_sub_reports_is_a_report():
    made = sampler_of("several marked, others shown")
    inside = [list(encoding.inner.reports()) for _, _, encoding in made.parts]
    assert len(list(made.reports())) == math.prod(map(len, inside)) == len(list(product(*inside)))


def drawn_as_written(made, x, words):
    """A report as docs/reference/law.md says it is drawn, node by node."""
    law, words = made.law, iter(words)
    kinds = [kind_of(inner) for inner in law.inners]
    bits, depth = [], len(law.branches)
    after = [math.prod(law.branches[level:]) for level in range(depth + 1)]

    def states_of(level, state):
        """The states of unmarked and marked children."""
        first = sum(2 if entry else 1 for entry in law.shown[level][:state])
        return first, first + 1

    def shows(level, state):
        if level == depth:
            return False
        entry, (unmarked, marked) = law.shown[level][state], states_of(level, state)
        return bool(entry) or shows(level + 1, unmarked) or (bool(entry) and shows(level + 1, marked))

    def report(level, state, own):
        if not shows(level, state):
            return
        entry, (unmarked, marked) = law.shown[level][state], states_of(level, state)
        child = law.leaves.numbers()[x] // after[level + 1] % law.branches[level]
        places, marks = law.branches[level], []
        if entry:
            inner = kinds[entry - 1]
            places = inner.law.modulus if inner.law.kind == "cyclic" else inner.size
            place = child
            if level:
                blank = next(words) * places >> 64
                place = child if own else blank
            part = inner.draw(place, [next(words) for _ in range(inner.words)], INTEGERS)
            bits.append((part, inner.bits))
            for z in range(places):
                if inner.law.kind == "subset":
                    on = part >> z & 1
                elif inner.law.kind == "response":
                    on = part == z
                else:
                    cycle, b = divmod(part, places)
                    on = inner.law.shifts.bits >> (cycle * places + (b - z) % places) & 1
                marks += [z] * on
        for z in marks:
            report(level + 1, marked, own and z == child)
        for z in (z for z in range(places) if z not in marks):
            report(level + 1, unmarked, own and z == child)

    report(0, 0, True)
    assert next(words, None) is None
    found, at = 0, 0
    for part, width in bits:
        found, at = found | part << at, at + width
    return found


@pytest.mark.parametrize("name", MADE)
def test_a_report_is_drawn_as_the_documentation_says(name):
    made, source = sampler_of(name), dc.random.seeded(7)
    for _ in range(40):
        words = source.take(made.words)
        for x in range(made.size):
            assert made.draw(x, words, INTEGERS) == drawn_as_written(made, x, words)


@pytest.mark.parametrize(
    ("branches", "epsilons"), [((5, 10, 20), (3, 2, 1)), ((4, 12), (1.5, 0.5)), ((50, 20), (3, 1))]
)
@pytest.mark.parametrize("bits", [64, None])
def test_long_reports_are_drawn_as_the_documentation_says(branches, epsilons, bits):
    made, source = levels_response(tree(branches, epsilons), bits=bits), dc.random.seeded(8)
    for x in (0, 7, made.size - 1):
        words = source.take(made.words)
        assert made.draw(x, words, INTEGERS) == drawn_as_written(made, x, words)
