"""What to mark at every level of a tree of blocks: laws for each state, searched for by closed-form error.

A tree of blocks of any sizes, put into one of equal branching.

The closed-form error of tree subsets: the coefficients of their estimator, by where two values part in the tree.
"""

from __future__ import annotations

import math
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
from .subset_encoding import SubsetEncoding, subset_encoding_of
from .tree_subsets import SLOTS, SPARSE, TreeSubsets, TreeSubsetsLaw

if TYPE_CHECKING:
    from ...contexts import Context
    from ...contexts.structure.recognition import TreeStructure
    from .tree_subsets import State, TreeSubsets


MIN_GAP = 1e-12
"""A level at which own and other nodes differ by less than this is not seen in the reports."""


class Chance(NamedTuple):
    """How a node stands to its parent's sub-report: its chance if it is the own child, another one, a blank one's."""

    own: float
    other: float
    blank: float


UNMARKED = Chance(1.0, 1.0, 1.0), Chance(0.0, 0.0, 0.0)
"""The children of a node that marks none."""


class Path(NamedTuple):
    """A state: rho of every node on the way, the own chance over the blank one, and how likely the way is.

    ``partings[j]`` is its chance to a node that parts from the own one below depth j; the last is that of the own node.
    """

    partings: tuple[float, ...] = (1.0,)
    rho: tuple[float, ...] = (1.0,)

    def then(self, step: Chance) -> Path:
        """The way one level further down."""
        *apart, own = self.partings
        partings = (*(chance * step.blank for chance in apart), own * step.other, own * step.own)
        return Path(partings, (*self.rho, self.rho[-1] * step.own / step.blank))


def coefficients(paths: Sequence[Path]) -> list[float]:
    """The c_l for which ``sum_l c_l rho_l`` has mean 1 at the own leaf and 0 at all others.

    With a_l the mean of rho_l over reports of the node itself and b_l that of rho_{l+1} at another child of its parent
    (below which it stays the same, blank reports having mean rho of 1), the conditions are
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


def squares(paths: Sequence[Path], weights: Sequence[float]) -> list[float]:
    """E[phi_x**2] of reports of values that part from x below a node of each depth, and last of x itself."""
    values = [sum(c * rho for c, rho in zip(weights, path.rho, strict=True)) for path in paths]
    return [
        sum(path.partings[depth] * value**2 for path, value in zip(paths, values, strict=True))
        for depth in range(len(weights))
    ]


def chances_of(state: State) -> tuple[Chance, Chance]:
    """How an unmarked and a marked child of a node in this state stand."""
    if state.encoding is None:
        return UNMARKED
    marked = state.encoding.inner.p, state.encoding.inner.q, state.encoding.inner.r
    return Chance(*(float(1 - chance) for chance in marked)), Chance(*map(float, marked))


def ways_of(levels: TreeSubsets) -> list[Path]:
    """The way to each state."""
    ways = [Path()] * len(levels.states)
    for number, state in enumerate(levels.states):
        for child, step in zip((state.unmarked, state.marked), chances_of(state), strict=True):
            if child >= 0:
                ways[child] = ways[number].then(step)
    return ways


LEVELS = 16
"""The most levels of a tree."""

VALUE = 16
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
    if len(depth_of) > LEVELS:
        raise NotServed(f"levels serves at most {LEVELS} levels; the context has {len(depth_of)}")
    spend(VALUE * size * len(depth_of), f"levels of {size} values")
    branches = [0] * len(depth_of)
    for node, _ in nodes:
        depth = depth_of[node.level]
        branches[depth] = max(branches[depth], len(node.children))
    total = math.prod(branches)
    if total > SPARSE * size:
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
    found, span = [], math.prod(branches)
    for branch in (*branches, 1):
        counts: dict[int, int] = {}
        masses: dict[int, float] = {}
        for x, leaf in enumerate(leaves):
            node = leaf // span
            counts[node] = counts.get(node, 0) + 1
            masses[node] = masses.get(node, 0.0) + (1 / len(leaves) if shares is None else float(shares[x]))
        found.append(sum(counts[node] * mass for node, mass in masses.items()))
        span //= branch
    return tuple(found)


Marks = tuple[int, ...]
"""The marks of a node and those above it, from the top: a state."""

BITS = 1 << 16
"""The most bits of a report."""

LARGEST = 40.0
"""A larger epsilon is taken for this one in the search: what more of it would gain is invisible in any share."""

STARTS = 5
"""How many choices of laws the search begins from, the best of a few hundred that are spread over all."""

SPREAD = 512
"""How many choices are compared for that, at most, with some of the options of every level."""

NEAR = 128
"""Up to so many options are all tried at every step; of more, those at distances 1, 2, 4, ... from the present one."""

BARE = 2
"""With more than four levels, states with so many unmarked nodes on the way mark nothing below."""

ALIKE = 0.02
"""Of two sets whose shares differ by less than this, relative to them, one may stand for the other."""

RATING = 1 << 9
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
    """The marks by levels with the least error found for a context that is a tree, with reports of at most `bits` bits.

    The error is that of all shares at `shares`, even unless given.
    """
    tree = context.tree
    if tree is None or all(isinstance(child, int) for child in tree.children):
        raise NotServed("levels needs blocks inside each other, all entries finite, each level below the one around it")
    shape = shape_of(tree, context.size, shares)
    design = _Search(shape, BITS if bits is None else min(bits, BITS), bits is None).best()
    return _Built(shape, design).sampler


def options_of(size: int, bits: int, *, wide: bool) -> list[Option]:
    """The ways to mark some of `size` children in so many bits, by share; with sets of all sizes if wide."""
    found = [Option(size, 1, max(1, (size - 1).bit_length()), RandomizedResponse, ())]
    if wide or size <= bits:
        found += [Option(size, d, size, Subset, (("d", d),)) for d in range(2, size)]
    if not wide:
        most = room(size, bits)
        for p in candidates(size, bits=most) if size <= 1 << most else ():
            if p.r > 1:
                named: tuple[tuple[str, Any], ...] = (("family", p.family), ("key", p.key))
                found.append(Option(p.v, p.r, p.bits, Projective, named))
        for family in families(size, bits=most):
            named = ("p", family.p), ("d", family.d)
            found.append(Option(family.p, family.d, family.parameters.bits, Cyclotomic, named))
    kept: list[Option] = []
    for option in sorted(found, key=lambda option: (option.bits, option.places)):
        if wide or (option.bits <= bits and not any(_stands_for(one, option) for one in kept)):
            kept.append(option)
    return sorted(kept, key=lambda option: (option.members / option.places, option.bits))


def _stands_for(one: Option, other: Option) -> bool:
    """True if one option marks about the share of another, of fewer places and in no more bits."""
    near = abs(one.members * other.places - other.members * one.places) <= ALIKE * other.members * one.places
    return near and one.bits <= other.bits and one.places <= other.places


class _Search:
    """The search for the laws of all states: from several starts, one state at a time while the error falls.

    Each set takes the largest odds that its level leaves: with A the largest ratio of own to blank below a marked
    child and B that of blank to own below an unmarked one, ``odds = e**epsilon / (A B)``.
    """

    def __init__(self, shape: Shape, bits: int, wide: bool) -> None:
        self.shape, self.bits = shape, bits
        self.depth = len(shape.branches)
        self.limits = [math.exp(min(float(level), LARGEST)) for level in shape.levels]
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
        found: tuple[float, dict[Marks, Option]] = math.inf, {}
        for error, design in self._starts():
            while True:
                before = error
                for state in self._states:
                    error, design = self._improved(state, error, design)
                if error >= before * (1 - 1e-9):
                    break
            found = min(found, (error, design), key=lambda one: one[0])
        if found[0] == math.inf:
            raise NotServed(f"levels: no marks that E leaves odds for at every level fit {self.bits} bits")
        return found[1]

    def _starts(self) -> list[tuple[float, dict[Marks, Option]]]:
        """The best of some choices that mark children of marked nodes alone."""
        each = max(2, int(SPREAD ** (1 / self.depth) + 1e-9))
        some = [_spread(options, each) for options in self.options]
        chosen = islice(product(*some), SPREAD)
        designs = [{(1,) * depth: option for depth, option in enumerate(row)} for row in chosen]
        rated = sorted(((self.error(design), number) for number, design in enumerate(designs)))
        return [(error, designs[number]) for error, number in rated[:STARTS]]

    @cached_property
    def _states(self) -> list[Marks]:
        """The states that may mark children, those near the root first."""
        found: list[Marks] = [()]
        for state in found:
            if len(state) + 1 < self.depth:
                bare = self.depth > 4 and state.count(0) + 1 >= BARE
                found += [(*state, mark) for mark in ((1,) if bare else (1, 0))]
        return found

    def _improved(self, state: Marks, error: float, design: dict[Marks, Option]) -> tuple[float, dict[Marks, Option]]:
        """The best design that differs in this state only."""
        for option in self._near(state, design):
            changed = {other: known for other, known in design.items() if other != state}
            if option is not None:
                changed[state] = option
            found = self.error(changed)
            if found < error * (1 - 1e-12):
                error, design = found, changed
        return error, design

    def _near(self, state: Marks, design: Mapping[Marks, Option]) -> Iterator[Option | None]:
        if any(state[:length] not in design and state[length] for length in range(len(state))):
            return  # below a node that marks nothing, no child is marked
        options = self.options[len(state)]
        if state:
            yield None
        if len(options) <= NEAR:
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
        if bits > self.bits or parts > SLOTS:
            return math.inf
        spend(RATING * self.depth, "marks by levels")
        chances: dict[Marks, tuple[Chance, Chance]] = {}
        if self._swung((), design, chances) is None:
            return math.inf
        paths = list(self._paths((), Path(), chances))
        try:
            found = squares(paths, coefficients(paths))
        except ZeroDivisionError:
            return math.inf
        together = self.shape.together
        apart = (one - other for one, other in zip(together, (*together[1:], 0.0), strict=True))
        return sum(square * part for square, part in zip(found, apart, strict=True))

    def _swung(
        self, state: Marks, design: Mapping[Marks, Option], chances: dict[Marks, tuple[Chance, Chance]]
    ) -> tuple[float, float] | None:
        """The largest ratios of own to blank and back under a node; None if no odds above one are left for a set."""
        if len(state) == self.depth:
            return 1.0, 1.0
        low = self._swung((*state, 0), design, chances)
        option = design.get(state)
        if option is None or low is None:
            return low
        high = self._swung((*state, 1), design, chances)
        limit = self.limits[len(state)]
        if high is None or (odds := limit / (high[0] * low[1])) < 1 + 1e-6 or low[0] * high[1] / odds > limit:
            return None
        nu = option.members / option.places
        base = 1 / (1 + (odds - 1) * nu)
        g = nu * odds * base
        h = nu - (g - nu) / (option.places - 1)
        chances[state] = Chance(1 - g, 1 - h, 1 - nu), Chance(g, h, nu)
        return max(odds * base * high[0], base * low[0]), max(high[1] / (odds * base), low[1] / base)

    def _paths(self, state: Marks, path: Path, chances: Mapping[Marks, tuple[Chance, Chance]]) -> Iterator[Path]:
        if len(state) == self.depth:
            yield path
        elif state in chances:
            for mark, chance in enumerate(chances[state]):
                yield from self._paths((*state, mark), path.then(chance), chances)
        else:
            yield from self._paths((*state, 0), path.then(Chance(1.0, 1.0, 1.0)), chances)


def _spread(options: Sequence[Option], count: int) -> list[Option]:
    """So many of the options at most: for shares spread evenly, those of about that share with the fewest bits."""
    if len(options) <= count:
        return list(options)
    ends = [len(options) * part // count for part in range(count + 1)]
    return [min(options[begin:end], key=lambda option: option.bits) for begin, end in pairwise(ends)]


class _Built:
    """The law of a design: sets from the leaves upwards, each with the odds that what is below it leaves."""

    def __init__(self, shape: Shape, design: Mapping[Marks, Option]) -> None:
        self.shape, self.design, self.depth = shape, design, len(shape.branches)
        self.laws: dict[Marks, Law] = {}
        self._node(())
        inners = list(dict.fromkeys(self.laws.values()))
        shown, states = [], list[Marks]([()])
        for _ in shape.branches:
            shown.append(tuple(inners.index(self.laws[state]) + 1 if state in self.laws else 0 for state in states))
            states = [(*state, mark) for state in states for mark in range(1 + (state in self.laws))]
        numbers = {inner: number for number, inner in enumerate(dict.fromkeys(i for row in shown for i in row if i), 1)}
        law = TreeSubsetsLaw(
            shape.branches,
            tuple(tuple(numbers.get(entry, 0) for entry in row) for row in shown),
            tuple(inners[inner - 1] for inner in numbers),
            Row.of(shape.leaves),
            WORD_BITS,
        )
        self.sampler = TreeSubsets.from_law(law)

    def _node(self, state: Marks) -> tuple[Fraction, Fraction]:
        """The certified largest ratios of own to blank and back under a node in this state."""
        if len(state) == self.depth:
            return Fraction(1), Fraction(1)
        low = self._node((*state, 0))
        option = self.design.get(state)
        if option is None:
            return low
        high = self._node((*state, 1))
        odds = exp_below(self.shape.levels[len(state)]) / (high[0] * low[1])
        encoding = self._made(option, self.shape.branches[len(state)], odds)
        self.laws[state] = encoding.inner.law
        above, below = encoding.bounds.above, encoding.bounds.below
        return max(above[1] * high[0], above[0] * low[0]), max(below[1] * high[1], below[0] * low[1])

    def _made(self, option: Option, size: int, odds: Fraction) -> SubsetEncoding:
        epsilon = Fraction(log_of(odds)) if odds > 1 else Fraction(0)
        epsilon = Fraction(int((epsilon - ROUNDING) * 10**18), 10**18)
        if epsilon <= 0:
            raise InvalidEpsilon("levels: an epsilon is too near to that of the level below")
        return subset_encoding_of(option.make(size, epsilon, **dict(option.parameters)), TreeSubsetsLaw.kind)
