"""The statistics of nested blocks: those inside a block, corrected for the blank reports of everyone else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..composed.blocks import BlockResponse
from ..enclosed import Enclosed

if TYPE_CHECKING:
    from ...estimation.arrays.numeric import Array, Numeric
    from .nested import NestedLaw


class Side(NamedTuple):
    """Like blocks in arrays, one row each: their cells, their values, how often they are shown, and what follows.

    A block is shown with probability `own` by its values and with `other` by all others; `weight` is its share of the
    blank reports. A report that shows it adds ``D / own + shown`` to phi, any other one `absent`, and `blank` is the
    mean of D over blank reports.
    """

    inner: Any
    cells: Any
    values: Any
    own: Any
    other: Any
    weight: Any
    shown: Any
    absent: Any
    blank: Any


class NestedEstimates(Enclosed):
    """The estimator and its moments, all from two masses in each block: its own values and the blank reports it shows.

    For x in block b, ``phi_x = (1{b is shown} D_x - c_b beta (1 - phi_b)) / g_b`` with
    ``phi_b = (1{b is shown} - c_b) / (g_b - c_b)``: a multiple of D_x and a constant where b is shown, another constant
    where it is not.
    """

    law: NestedLaw
    blocks: BlockResponse
    truth: int

    def sides(self, ops: Numeric) -> Sequence[Side]:
        """The blocks, like ones together."""
        if not hasattr(self, "_sides"):
            self._sides = [self._side(group, ops) for group in self.blocks.groups(ops)]
        return self._sides

    def _side(self, group: Any, ops: Numeric) -> Side:
        inner, space = group.randomizer, 1 << self.word_bits
        units = [self.law.units[b] for b in group.numbers]
        other = ops.array([unit / space for unit in units])[:, None]
        own = ops.array([(unit + self.truth) / space for unit in units])[:, None]
        blank = inner.blank_means(ops)
        truth = self.truth / space  # own - other, without its rounding
        constant = -other * blank / own
        shown, absent = constant * (1 - (1 - other) / truth), constant * (1 + other / truth)
        weight = inner.size / self.size
        return Side(inner, group.cells, group.values, own, other, weight, shown, absent, blank)

    def total(self, counts: Array, ops: Numeric) -> Array:
        parts = (side.inner.total(counts[..., side.cells], ops).sum(axis=-2) for side in self.sides(ops))
        return sum(parts, ops.zeros(1))

    def broken_rule(self, counts: Array, ops: Numeric) -> str | None:
        rules = (side.inner.broken_rule(counts[..., side.cells], ops) for side in self.sides(ops))
        return next((f"in a block, {rule}" for rule in rules if rule is not None), None)

    def decode(self, counts: Array, ops: Numeric) -> Array:
        out, n = ops.zeros((*counts.shape[:-1], self.size)), self.total(counts, ops)[..., None]
        for side in self.sides(ops):
            mine = counts[..., side.cells]
            seen = side.inner.total(mine, ops)
            constant = seen * side.shown + (n - seen) * side.absent
            out[..., side.values] = side.inner.decode(mine, ops) / side.own + constant
        return out

    def weigh(self, weights: Array, ops: Numeric) -> Array:
        out, absent = ops.zeros((*weights.shape[:-1], self.cells)), self._absent(weights, ops)[..., None]
        for side in self.sides(ops):
            own = weights[..., side.values]
            constant = ops.sum((side.shown - side.absent) * own) + absent
            out[..., side.cells] = side.inner.weigh(own / side.own, ops) + constant * side.inner.once(ops)
        return out

    def likelihoods(self, reports: Array, ops: Numeric) -> Array:
        out = ops.zeros((len(reports), self.size))
        for (part, mine, block, inside), side in zip(
            self.blocks.shared_out(reports, ops), self.sides(ops), strict=True
        ):
            rank = ops.look_up(self.blocks.ranks, block)
            own, other = side.own[rank], side.other[rank]
            blank = side.weight * own + (1 - side.weight) * other
            out[mine] = other / blank
            out[mine[:, None], side.values[rank]] = own / blank * part.likelihoods(inside, ops)
        return out

    def _masses(self, side: Side, shares: Array, neutral: Any, ops: Numeric) -> tuple[Array, Array, Array]:
        """The shares of the values of each block, the blank reports that it shows, and all reports that show it."""
        held = shares[..., side.values]
        mass, total = ops.sum(held), ops.sum(shares)[..., None]
        away = neutral if isinstance(neutral, float) else neutral[..., None]
        blank = side.other * (total - mass) + away * (side.weight * side.own + (1 - side.weight) * side.other)
        return held, blank, side.own * mass + blank

    def _moments(self, shares: Array, neutral: float, ops: Numeric) -> Array:
        out, total = ops.zeros((*shares.shape[:-1], self.size)), ops.sum(shares)[..., None] + neutral
        for side in self.sides(ops):
            held, blank, seen = self._masses(side, shares, neutral, ops)
            square = side.own * side.inner.second_moments(held, ops) + blank * side.inner.blank_moments(ops)
            mean = side.own * held + blank * side.blank
            out[..., side.values] = self._squared(side, square, mean, seen, total - seen)
        return out

    def _squared(self, side: Side, square: Any, mean: Any, seen: Any, unseen: Any) -> Any:
        """E[phi**2] from E[D**2] and E[D] over reports that show the block, and how many do and do not."""
        fixed = side.shown**2 * seen + side.absent**2 * unseen
        return square / side.own**2 + 2 * side.shown / side.own * mean + fixed

    def second_moments(self, shares: Array, ops: Numeric) -> Array:
        return self._moments(shares, 0.0, ops)

    def blank_moments(self, ops: Numeric) -> Array:
        return self._moments(ops.zeros(self.size), 1.0, ops)

    def blank_means(self, ops: Numeric) -> Array:
        out = ops.zeros(self.size)
        for side in self.sides(ops):
            out[side.values] = side.weight * side.blank
        return out

    def own_moments(self, ops: Numeric) -> Array:
        out = ops.zeros(self.size)
        for side in self.sides(ops):
            square = side.own * side.inner.own_moments(ops)
            out[side.values] = self._squared(side, square, side.own, side.own, 1 - side.own)
        return out

    def slopes(self, shares: Array, ops: Numeric) -> Array:
        own = self.own_moments(ops)
        others = self.second_moments(shares, ops) - own * shares
        found: Array = own - others / ops.maximum(1 - shares, 1e-9)
        return found

    def cross_moment(self, shares: Array, first: Array, second: Array, ops: Numeric) -> Array:
        return self.joint_moment(shares, 0.0, first, second, ops)

    def joint_moment(self, shares: Array, neutral: Any, first: Array, second: Array, ops: Numeric) -> Array:
        absent = [self._absent(weights, ops) for weights in (first, second)]
        total: Array = ops.zeros(1)
        for side in self.sides(ops):
            held, blank, seen = self._masses(side, shares, neutral, ops)
            f, s = first[..., side.values], second[..., side.values]
            fixed = [
                ops.sum((side.shown - side.absent) * weights) + elsewhere[..., None]
                for weights, elsewhere in zip((f, s), absent, strict=True)
            ]
            means = [ops.sum(weights * (side.own * held + blank * side.blank)) for weights in (f, s)]
            square = side.inner.joint_moment(side.own * held, blank, f, s, ops) / side.own**2
            crossed = (fixed[0] * means[1] + fixed[1] * means[0]) / side.own + fixed[0] * fixed[1] * seen
            total = total + (square + crossed).sum(axis=-2)
        return total

    def _absent(self, weights: Array, ops: Numeric) -> Array:
        """The sum of weights . phi over all blocks, none of them shown."""
        parts = (ops.sum(side.absent * weights[..., side.values]).sum(axis=-2) for side in self.sides(ops))
        return sum(parts, ops.zeros(1))

    def _pushed(self, shares: Array, neutral: Any, ops: Numeric) -> Array:
        out = ops.zeros((*shares.shape[:-1], self.cells))
        for side in self.sides(ops):
            held, blank, _ = self._masses(side, shares, neutral, ops)
            out[..., side.cells] = side.own * side.inner.push(held, ops) + side.inner.push_neutral(blank, ops)
        return out

    def push(self, shares: Array, ops: Numeric) -> Array:
        return self._pushed(shares, 0.0, ops)

    def push_neutral(self, mass: Any, ops: Numeric) -> Array:
        found: Array = mass * self._pushed(ops.zeros(self.size), 1.0, ops)
        return found

    def pull(self, weights: Array, ops: Numeric) -> Array:
        out, others = ops.zeros((*weights.shape[:-1], self.size)), self._elsewhere(weights, ops, 0.0)
        for side in self.sides(ops):
            mine = weights[..., side.cells]
            blank = side.other * side.inner.pull_neutral(mine, ops)
            out[..., side.values] = side.own * side.inner.pull(mine, ops) + others[..., None] - blank
        return out

    def pull_neutral(self, weights: Array, ops: Numeric) -> Array:
        return self._elsewhere(weights, ops, 1.0)

    def _elsewhere(self, weights: Array, ops: Numeric, blank: float) -> Array:
        """The expected sum of weights of someone without a value here, or of a blank report."""
        total: Array = ops.zeros(1)
        for side in self.sides(ops):
            often = side.other + blank * side.weight * (side.own - side.other)
            total = total + (often * side.inner.pull_neutral(weights[..., side.cells], ops)).sum(axis=-2)
        return total

    def influence(self, ops: Numeric) -> float:
        most = (side.inner.influence(ops) / side.own + side.shown for side in self.sides(ops))
        absent = max(float(side.absent.max()) for side in self.sides(ops))
        return max(absent, *(float(one.max()) for one in most))

    @property
    def decode_cost(self) -> float:
        return self.blocks.decode_cost + 3.0 * self.size

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}
