"""Which subsets to draw at every level of a tree of blocks: laws for each state, searched for by closed-form error.

A tree of blocks of any sizes is put into one of equal branching. The error follows from the coefficients of the
estimator, by where two values part in the tree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.errors import InvalidEpsilon, NotServed
from ...core.exact import exp_below, log_of
from ...core.limits import spend
from ..finite_geometry.difference_sets import candidates
from ..law import WORD_BITS, Law, Row
from ..uniform.cyclic import Projective, room
from ..uniform.cyclotomic import Cyclotomic, families
from ..uniform.randomized_response import RandomizedResponse
from ..uniform.subset import Subset
from .subset_encoding import subset_encoding_of
from .tree_subsets import MAX_LEAVES_PER_VALUE, MAX_PARTS, TreeSubsets, TreeSubsetsLaw

if TYPE_CHECKING:
    from ...contexts import Context
    from ...contexts.structure.recognition import TreeStructure
    from .tree_subsets import State, TreeSubsets


MIN_GAP = 1e-12
"""A level at which own and other nodes differ by less than this is not seen in the reports."""


class Support(NamedTuple):
    """How likely a node is in its state: p if it is the own child, q if it is another one, r under a cover report."""

    p: float
    q: float
    r: float


UNMARKED = Support(1.0, 1.0, 1.0), Support(0.0, 0.0, 0.0)
"""The children of a node that marks none."""


class PathChances(NamedTuple):
    """The path to a state: rho of every node on it, its own chance over that under cover reports, and how likely it is.

    ``partings[j]`` is its chance to a node that parts from the own one below depth j; the last is that of the own node.
    """

    partings: tuple[float, ...] = (1.0,)
    rho: tuple[float, ...] = (1.0,)

    def then(self, step: Support) -> PathChances:
        """The path one level further down."""
        *apart, own = self.partings
        partings = (*(chance * step.r for chance in apart), own * step.q, own * step.p)
        return PathChances(partings, (*self.rho, self.rho[-1] * step.p / step.r))


def coefficients(paths: Sequence[PathChances]) -> list[float]:
    """The c_l for which ``sum_l c_l rho_l`` has mean 1 at the own leaf and 0 at all others.

    With a_l the mean of rho_l over reports of the node itself and b_l that of rho_{l+1} at another child of its parent
    (below which it stays the same, cover reports having mean rho of 1), the conditions are
    ``sum_{l <= j} c_l a_l + b_j sum_{l > j} c_l = 1{j = L}``, which the leaves solve first. `ZeroDivisionError` if
    some level is not seen.
    """
    depth = len(paths[0].rho) - 1
    own = [sum(path.partings[-1] * path.rho[level] for path in paths) for level in range(depth + 1)]
    other = [sum(path.partings[level] * path.rho[level + 1] for path in paths) for level in range(depth)]
    weights, above = [0.0] * (depth + 1), 0.0
    for level in range(depth, 0, -1):
        gap = own[level] - other[level - 1]
        if gap < MIN_GAP:
            raise ZeroDivisionError
        weights[level] = (1.0 if level == depth else (other[level - 1] - other[level]) * above) / gap
        above += weights[level]
    weights[0] = -other[0] * above
    return weights


def squares(paths: Sequence[PathChances], weights: Sequence[float]) -> list[float]:
    """E[phi_x**2] of reports of values that part from x below a node of each depth, and last of x itself."""
    values = [sum(c * rho for c, rho in zip(weights, path.rho, strict=True)) for path in paths]
    return [
        sum(path.partings[depth] * value**2 for path, value in zip(paths, values, strict=True))
        for depth in range(len(weights))
    ]


def supports_of(state: State) -> tuple[Support, Support]:
    """How an unmarked and a marked child of a node in this state stand."""
    if state.encoding is None:
        return UNMARKED
    marked = state.encoding.inner.p, state.encoding.inner.q, state.encoding.inner.r
    return Support(*(float(1 - chance) for chance in marked)), Support(*map(float, marked))


def paths_of(levels: TreeSubsets) -> list[PathChances]:
    """The path to each state."""
    paths = [PathChances()] * len(levels.states)
    for number, state in enumerate(levels.states):
        for child, step in zip((state.unmarked, state.marked), supports_of(state), strict=True):
            if child >= 0:
                paths[child] = paths[number].then(step)
    return paths


MAX_LEVELS = 16
"""The most levels of a tree."""

VALUE_STEPS = 16
"""Steps that it takes to place a value, for each level."""


class Shape(NamedTuple):
    """A tree of equal branching around one of any, with the epsilon of each depth, the highest first.

    ``together[j]`` is the sum over nodes of depth j of their values times their shares.
    """

    branches: tuple[int, ...]
    levels: tuple[Fraction, ...]
    leaves: tuple[int, ...]
    together: tuple[float, ...]


def shape_of(tree: TreeStructure, size: int, shares: Sequence[float] | None) -> Shape:
    """The tree of equal branching that holds a tree: every node at the depth of its level, values as leaves."""
    nodes: list[tuple[TreeStructure, int]] = [(tree, -1)]
    for node, _ in nodes:
        nodes += [(child, len(nodes)) for child in node.children if not isinstance(child, int)]
    depth_of = {level: depth for depth, level in enumerate(sorted({node.level for node, _ in nodes}, reverse=True))}
    if len(depth_of) > MAX_LEVELS:
        raise NotServed(f"levels serves at most {MAX_LEVELS} levels; the context has {len(depth_of)}")
    spend(VALUE_STEPS * size * len(depth_of), f"levels of {size} values")
    branches = [0] * len(depth_of)
    for node, _ in nodes:
        depth = depth_of[node.level]
        branches[depth] = max(branches[depth], len(node.children))
    total = math.prod(branches)
    if total > MAX_LEAVES_PER_VALUE * size:
        raise NotServed(f"levels: equal blocks around these would have {total} places for {size} values")
    leaves = [0] * size
    left: list[tuple[TreeStructure, int]] = [(tree, 0)]
    while left:
        node, at = left.pop()
        span = math.prod(branches[depth_of[node.level] + 1 :])
        for number, child in enumerate(node.children):
            if isinstance(child, int):
                leaves[child] = at + number * span
            else:
                left.append((child, at + number * span))
    return Shape(tuple(branches), tuple(depth_of), tuple(leaves), _together(branches, leaves, shares))


def _together(branches: Sequence[int], leaves: Sequence[int], shares: Sequence[float] | None) -> tuple[float, ...]:
    sums, span = [], math.prod(branches)
    for branch in (*branches, 1):
        counts, masses = Counter(leaf // span for leaf in leaves), dict[int, float]()
        for x, leaf in enumerate(leaves):
            share = 1 / len(leaves) if shares is None else float(shares[x])
            masses[leaf // span] = masses.get(leaf // span, 0.0) + share
        sums.append(sum(counts[node] * mass for node, mass in masses.items()))
        span //= branch
    return tuple(sums)


Marks = tuple[int, ...]
"""The marks of a node and those above it, from the top: a state."""

MAX_BITS = 1 << 16
"""The most bits of a report."""

MAX_EPSILON = 40.0
"""A larger epsilon is taken for this one in the search: what more of it would gain is invisible in any share."""

STARTS = 5
"""How many choices of laws the search begins from, the best of a few hundred that are spread over all."""

MAX_COMPARED = 512
"""How many choices are compared for that, at most, with some of the options of every level."""

MAX_ALL_TRIED = 128
"""Up to so many options are all tried at every step; of more, those at distances 1, 2, 4, ... from the present one."""

MAX_UNMARKED = 2
"""With more than four levels, states with so many unmarked nodes on the way mark nothing below."""

SIMILAR_SHARE = 0.02
"""Of two sets whose shares differ by less than this, relative to them, one may stand for the other."""

RATING_STEPS = 1 << 9
"""Steps that it takes to rate a choice of laws, for each level."""

ROUNDING = Fraction(1, 10**14)
"""What is taken off the logarithm of the odds of a set, which is rounded."""


class Option(NamedTuple):
    """A way to mark `members` of `places` places in so many bits: the class and the parameters of its sampler."""

    places: int
    members: int
    bits: int
    make: Any
    parameters: tuple[tuple[str, Any], ...]


def levels_response(context: Context, *, bits: int | None = 64, shares: Sequence[float] | None = None) -> TreeSubsets:
    """The tree subsets of least error that are known for a context that is a tree, with reports of at most `bits` bits.

    The error is that of all shares at `shares`, even unless given.
    """
    tree = context.tree
    if tree is None or all(isinstance(child, int) for child in tree.children):
        raise NotServed("levels needs blocks inside each other, all entries finite, each level below the one around it")
    shape = shape_of(tree, context.size, shares)
    design = _Search(shape, MAX_BITS if bits is None else min(bits, MAX_BITS), bits is None).best()
    return _build(shape, design)


def options_of(size: int, bits: int, *, wide: bool) -> list[Option]:
    """The ways to mark some of `size` children in so many bits, by share; with sets of all sizes if wide."""
    options = [Option(size, 1, max(1, (size - 1).bit_length()), RandomizedResponse, ())]
    if wide or size <= bits:
        options += [Option(size, d, size, Subset, (("d", d),)) for d in range(2, size)]
    if not wide:
        most = room(size, bits)
        for p in candidates(size, bits=most) if size <= 1 << most else ():
            if p.r > 1:
                named: tuple[tuple[str, Any], ...] = (("family", p.family), ("key", p.key))
                options.append(Option(p.v, p.r, p.bits, Projective, named))
        for family in families(size, bits=most):
            named = ("p", family.p), ("d", family.d)
            options.append(Option(family.p, family.d, family.parameters.bits, Cyclotomic, named))
    different: list[Option] = []
    for option in sorted(options, key=lambda option: (option.bits, option.places)):
        if wide or (option.bits <= bits and not any(_stands_for(one, option) for one in different)):
            different.append(option)
    return sorted(different, key=lambda option: (option.members / option.places, option.bits))


def _stands_for(one: Option, other: Option) -> bool:
    """True if one option marks about the share of another, of fewer places and in no more bits."""
    near = abs(one.members * other.places - other.members * one.places) <= SIMILAR_SHARE * other.members * one.places
    return near and one.bits <= other.bits and one.places <= other.places


class _Search:
    """The search for the laws of all states: from several starts, one state at a time while the error falls.

    Each set takes the largest odds that its level leaves: with A the largest ratio of own to cover reports below a
    marked child and B that of cover reports to own below an unmarked one, ``odds = e**epsilon / (A B)``.
    """

    def __init__(self, shape: Shape, bits: int, wide: bool) -> None:
        self.shape, self.bits = shape, bits
        self.depth = len(shape.branches)
        self.limits = [math.exp(min(float(level), MAX_EPSILON)) for level in shape.levels]
        known = {branch: options_of(branch, bits, wide=wide) for branch in set(shape.branches)}
        fewest = [min((option.bits for option in known[branch]), default=bits) for branch in shape.branches]
        below = [sum(fewest[depth + 1 :]) for depth in range(self.depth)]
        self.options = [
            [option for option in known[branch] if option.bits + option.members * more <= bits]
            for branch, more in zip(shape.branches, below, strict=True)
        ]
        if not all(self.options):
            raise NotServed(f"levels: no marks at every level fit {bits} bits")

    def best(self) -> dict[Marks, Option]:
        """The laws of all states that mark children."""
        best: tuple[float, dict[Marks, Option]] = math.inf, {}
        for error, design in self._starts():
            while True:
                before = error
                for state in self._states:
                    error, design = self._improve(state, error, design)
                if error >= before * (1 - 1e-9):
                    break
            best = min(best, (error, design), key=lambda one: one[0])
        if best[0] == math.inf:
            raise NotServed(f"levels: no marks that E leaves odds for at every level fit {self.bits} bits")
        return best[1]

    def _starts(self) -> list[tuple[float, dict[Marks, Option]]]:
        """The best of some choices that mark children of marked nodes alone."""
        each = max(2, int(MAX_COMPARED ** (1 / self.depth) + 1e-9))
        some = [_spread(options, each) for options in self.options]
        chosen = islice(product(*some), MAX_COMPARED)
        designs = [{(1,) * depth: option for depth, option in enumerate(row)} for row in chosen]
        rated = sorted(((self.error(design), number) for number, design in enumerate(designs)))
        return [(error, designs[number]) for error, number in rated[:STARTS]]

    @cached_property
    def _states(self) -> list[Marks]:
        """The states that may mark children, those near the root first."""
        states: list[Marks] = [()]
        for state in states:
            if len(state) + 1 < self.depth:
                bare = self.depth > 4 and state.count(0) + 1 >= MAX_UNMARKED
                states += [(*state, mark) for mark in ((1,) if bare else (1, 0))]
        return states

    def _improve(self, state: Marks, error: float, design: dict[Marks, Option]) -> tuple[float, dict[Marks, Option]]:
        """The best design that differs in this state only."""
        for option in self._near(state, design):
            changed = {other: known for other, known in design.items() if other != state}
            if option is not None:
                changed[state] = option
            changed_error = self.error(changed)
            if changed_error < error * (1 - 1e-12):
                error, design = changed_error, changed
        return error, design

    def _near(self, state: Marks, design: Mapping[Marks, Option]) -> Iterator[Option | None]:
        if any(state[:length] not in design and state[length] for length in range(len(state))):
            return  # below a node that marks nothing, no child is marked
        options = self.options[len(state)]
        if state:
            yield None
        if len(options) <= MAX_ALL_TRIED:
            yield from options
            return
        at = options.index(design[state]) if state in design else 0
        steps = (1 << power for power in range(len(options).bit_length()))
        places = sorted({at + sign * step for step in steps for sign in (-1, 1)})
        yield from (options[place] for place in places if 0 <= place < len(options))

    def _size(self, state: Marks, design: Mapping[Marks, Option]) -> tuple[int, int]:
        """The bits and sub-reports under a node in this state."""
        if len(state) == self.depth:
            return 0, 0
        option = design.get(state)
        bits, parts = self._size((*state, 0), design)
        if option is None:
            branch = self.shape.branches[len(state)]
            return branch * bits, branch * parts + (parts > 0)
        more, inside = self._size((*state, 1), design)
        others = option.places - option.members
        return option.bits + option.members * more + others * bits, 1 + option.members * inside + others * parts

    def error(self, design: Mapping[Marks, Option]) -> float:
        """n times the error and the sum of squared shares; infinite where the design does not fit."""
        bits, parts = self._size((), design)
        if bits > self.bits or parts > MAX_PARTS:
            return math.inf
        spend(RATING_STEPS * self.depth, "marks by levels")
        chances: dict[Marks, tuple[Support, Support]] = {}
        if self._largest_ratios((), design, chances) is None:
            return math.inf
        paths = list(self._paths((), PathChances(), chances))
        try:
            moments = squares(paths, coefficients(paths))
        except ZeroDivisionError:
            return math.inf
        together = self.shape.together
        apart = (one - other for one, other in zip(together, (*together[1:], 0.0), strict=True))
        return sum(square * part for square, part in zip(moments, apart, strict=True))

    def _largest_ratios(
        self, state: Marks, design: Mapping[Marks, Option], chances: dict[Marks, tuple[Support, Support]]
    ) -> tuple[float, float] | None:
        """The largest ratios of own to cover reports and back under a node; None if a set is left no odds above one."""
        if len(state) == self.depth:
            return 1.0, 1.0
        low = self._largest_ratios((*state, 0), design, chances)
        option = design.get(state)
        if option is None or low is None:
            return low
        high = self._largest_ratios((*state, 1), design, chances)
        limit = self.limits[len(state)]
        if high is None or (odds := limit / (high[0] * low[1])) < 1 + 1e-6 or low[0] * high[1] / odds > limit:
            return None
        r = option.members / option.places
        base = 1 / (1 + (odds - 1) * r)
        p = r * odds * base
        q = r - (p - r) / (option.places - 1)
        chances[state] = Support(1 - p, 1 - q, 1 - r), Support(p, q, r)
        return max(odds * base * high[0], base * low[0]), max(high[1] / (odds * base), low[1] / base)

    def _paths(
        self, state: Marks, path: PathChances, chances: Mapping[Marks, tuple[Support, Support]]
    ) -> Iterator[PathChances]:
        if len(state) == self.depth:
            yield path
        elif state in chances:
            for mark, chance in enumerate(chances[state]):
                yield from self._paths((*state, mark), path.then(chance), chances)
        else:
            yield from self._paths((*state, 0), path.then(Support(1.0, 1.0, 1.0)), chances)


def _spread(options: Sequence[Option], count: int) -> list[Option]:
    """So many of the options at most: for shares spread evenly, those of about that share with the fewest bits."""
    if len(options) <= count:
        return list(options)
    ends = [len(options) * part // count for part in range(count + 1)]
    return [min(options[begin:end], key=lambda option: option.bits) for begin, end in pairwise(ends)]


def _build(shape: Shape, design: Mapping[Marks, Option]) -> TreeSubsets:
    """The sampler of a design: sets from the leaves upwards, each with the odds that what is below it leaves."""
    laws: dict[Marks, Law] = {}

    def largest_ratios(state: Marks) -> tuple[Fraction, Fraction]:
        """The certified largest ratios of own to cover reports and back under a node in this state."""
        depth = len(state)
        if depth == len(shape.branches):
            return Fraction(1), Fraction(1)
        low = largest_ratios((*state, 0))
        option = design.get(state)
        if option is None:
            return low
        high = largest_ratios((*state, 1))
        odds = exp_below(shape.levels[depth]) / (high[0] * low[1])
        epsilon = Fraction(log_of(odds)) if odds > 1 else Fraction(0)
        epsilon = Fraction(int((epsilon - ROUNDING) * 10**18), 10**18)
        if epsilon <= 0:
            raise InvalidEpsilon("levels: an epsilon is too near to that of the level below")
        inner = option.make(shape.branches[depth], epsilon, **dict(option.parameters))
        laws[state] = inner.law
        above, below, *_ = subset_encoding_of(inner, TreeSubsetsLaw.kind).bounds
        return max(above[1] * high[0], above[0] * low[0]), max(below[1] * high[1], below[0] * low[1])

    largest_ratios(())
    shown, states, numbers = list[tuple[int, ...]](), list[Marks]([()]), dict[Law, int]()
    for _ in shape.branches:
        row = [laws.get(state) for state in states]
        shown.append(tuple(0 if law is None else numbers.setdefault(law, len(numbers) + 1) for law in row))
        states = [(*state, mark) for state in states for mark in range(1 + (state in laws))]
    law = TreeSubsetsLaw(shape.branches, tuple(shown), tuple(numbers), Row.of(shape.leaves), WORD_BITS)
    return TreeSubsets.from_law(law)
