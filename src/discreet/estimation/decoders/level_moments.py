"""The joint second moments of the estimator of tree subsets, worked out from the leaves upwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...mechanisms.tree.level_cells import State
from ..arrays.layout import Array
from .pure import PureDecoder
from .registry import decoder_of

if TYPE_CHECKING:
    from .levels import LevelsDecoder


class Moments(NamedTuple):
    """What the nodes of one state, one beside the other, add to first . phi (U) and second . phi (V).

    In units of the node's own rho: means of U, V and U V where the sub-reports below are blank, and their means added
    up over the shares below, each where the own value is there.
    """

    u: Any
    v: Any
    uv: Any
    own_u: Any
    own_v: Any
    own_uv: Any


def cross_moment(levels: LevelsDecoder, shares: Array, first: Array, second: Array) -> Array:
    """E[(first . phi)(second . phi)] when values follow `shares`.

    U of a node is ``c_l w + sum_c k_c U_c`` over its children, w the weights below it and k the factor of rho that the
    mark of a child stands for. Given the marks, what lies below different children is independent, and blank but
    under the own one: so the means of U_c enter by the joint moments of the sub-report, the rest child by child.
    """
    on_leaves = [levels.on_leaves(row) for row in (shares, first, second)]
    found: list[Moments | None] = [None] * len(levels.states)
    for number in reversed(range(len(levels.states))):
        state = levels.states[number]
        held = [row.reshape(*row.shape[:-1], levels.nodes[state.depth], -1).sum(axis=-1) for row in on_leaves]
        c = levels.c[state.depth]
        if state.unmarked < 0:
            p, u, v = held[0], c * held[1], c * held[2]
            found[number] = Moments(u, v, u * v, p * u, p * v, p * u * v)
        else:
            parts = [row.reshape(*row.shape[:-1], levels.nodes[state.depth + 1], -1).sum(axis=-1) for row in on_leaves]
            branch = levels.branches[state.depth]
            inside = parts[0].reshape(*parts[0].shape[:-1], -1, branch)
            below = [found[child] if child >= 0 else None for child in (state.unmarked, state.marked)]
            node = _Node(levels, number, state, inside, below)
            found[number] = node.joined(held[0], c * held[1], c * held[2])
    root = found[0]
    assert root is not None
    return root.own_uv  # type: ignore[no-any-return]


class _Node:
    """The nodes of one state with the moments of their children, as arrays with an axis for the children."""

    def __init__(
        self, levels: LevelsDecoder, number: int, state: State, shares: Array, below: list[Moments | None]
    ) -> None:
        self.marking, self.shares = state.marking, shares
        self.chances = levels.chances[number]
        self.factors = [chance.own / chance.blank if chance.blank else 0.0 for chance in self.chances]
        branch = shares.shape[-1]
        nothing = Moments(*[shares * 0.0] * 6)
        self.below = [
            nothing if part is None else Moments(*(row.reshape(*row.shape[:-1], -1, branch) for row in part))
            for part in below
        ]
        low, high = self.below
        self.base_u, self.base_v = self.factors[0] * low.u, self.factors[0] * low.v
        if self.marking is None:
            self.rise_u, self.rise_v = 0 * low.u, 0 * low.v
        else:
            self.rise_u = self.factors[1] * high.u - self.base_u
            self.rise_v = self.factors[1] * high.v - self.base_v

    @property
    def _inner(self) -> PureDecoder[Any]:
        assert self.marking is not None
        decoder = decoder_of(self.marking.inner)
        assert isinstance(decoder, PureDecoder)
        return decoder

    def joined(self, p: Array, u: Array, v: Array) -> Moments:
        """The moments of the nodes themselves, with shares `p` below them and c_l w for both rows of weights."""
        blank = self._means(0 * self.shares, 1.0)
        noise = [part.uv - part.u * part.v for part in self.below]
        spread = self._sum([chance.blank for chance in self.chances], noise, square=True)
        uv = u * v + u * blank[1] + v * blank[0] + self._joint(0 * self.shares, 1.0) + spread
        own_u, own_v = (self._own(p, row, own) for row, own in (("u", "own_u"), ("v", "own_v")))
        away = p[..., None] - self.shares
        others = self._sum([chance.other for chance in self.chances], [away * part for part in noise], square=True)
        held = [part.own_uv - self.shares * part.u * part.v for part in self.below]
        mine = self._sum([chance.own for chance in self.chances], held, square=True)
        joint = self._joint(self.shares, 0.0) + others + mine + self._crossed("u") + self._crossed("v")
        own_uv = p * u * v + u * own_v + v * own_u + joint
        return Moments(u + blank[0], v + blank[1], uv, p * u + own_u, p * v + own_v, own_uv)

    def _sum(self, chances: list[float], rows: list[Any], *, square: bool = False) -> Any:
        """Over marks and children, the chance of a mark times its factor, or its square, times a row."""
        factors = [factor**2 if square else factor for factor in self.factors]
        return sum(c * f * row for c, f, row in zip(chances, factors, rows, strict=True)).sum(axis=-1)

    def _own(self, p: Array, name: str, own: str) -> Any:
        """The children's part of U or V, added up over the own values below."""
        away = p[..., None] - self.shares
        mine = self._sum([chance.own for chance in self.chances], [getattr(part, own) for part in self.below])
        rows = [away * getattr(part, name) for part in self.below]
        return mine + self._sum([chance.other for chance in self.chances], rows)

    def _constants(self) -> tuple[float, float, Any, Any]:
        """p - q and q, and what the means of U and V come to at q."""
        if self.marking is None:
            return 1.0, 0.0, self.base_u.sum(axis=-1), self.base_v.sum(axis=-1)
        inner = self._inner
        fixed = [
            (base + inner.q * rise).sum(axis=-1)
            for base, rise in ((self.base_u, self.rise_u), (self.base_v, self.rise_v))
        ]
        return inner.gap, inner.q, fixed[0], fixed[1]

    def _means(self, shares: Any, cover: float) -> tuple[Any, Any]:
        """The means of the children's part of U and V for `shares` of the children and `cover` cover reports."""
        gap, q, *fixed = self._constants()
        r, mass = self.chances[1].blank, shares.sum(axis=-1) + cover
        rows = zip((self.rise_u, self.rise_v), fixed, strict=True)
        one, other = (
            constant * mass + gap * (shares * rise).sum(axis=-1) + cover * (r - q) * rise.sum(axis=-1)
            for rise, constant in rows
        )
        return one, other

    def _joint(self, shares: Any, cover: float) -> Any:
        """E[X Y], with X and Y the sums over children of the mean of U and of V that the mark of each stands for."""
        gap, _, fixed_u, fixed_v = self._constants()
        mean_u, mean_v = self._means(shares, cover)
        mass = shares.sum(axis=-1) + cover
        found = fixed_u * mean_v + fixed_v * mean_u - fixed_u * fixed_v * mass
        if self.marking is not None:
            joint = self._inner.covered_moment(shares, cover, self.rise_u, self.rise_v)
            found = found + gap**2 * joint[..., 0]
        return found

    def _crossed(self, name: str) -> Any:
        """What the own child's U has beyond its blank mean, times the V of the other children; or the other way."""
        base, rise = (self.base_v, self.rise_v) if name == "u" else (self.base_u, self.rise_u)
        rest, lift = (row.sum(axis=-1, keepdims=True) - row for row in (base, rise))
        extra = [getattr(part, f"own_{name}") - self.shares * getattr(part, name) for part in self.below]
        own = [chance.own for chance in self.chances]
        both = 0.0 if self.marking is None else self.marking.both
        given = [(self.chances[1].other - both) / own[0], both / own[1] if own[1] else 0.0]
        return self._sum(own, [part * (rest + chance * lift) for part, chance in zip(extra, given, strict=True)])
