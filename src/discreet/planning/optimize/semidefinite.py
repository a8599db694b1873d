"""A proved lower bound on the error of every channel, from a semidefinite relaxation.

The solver only proposes multipliers; the bound is worked out from them and holds whatever they are. The program is
written in a basis in which every matrix that a group keeps falls into small blocks.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from ...core.errors import MissingExtra
from .master import ColumnProblem, Facets, dual_value, facets_of, matrix_root
from .symmetry import Array, Numbers, PermutationGroup

Block: TypeAlias = tuple[Array, int]
"""Columns of a basis, orthonormal; the block of M is ``basis^T M basis``; and how often the block occurs."""

MIN_EIGENVALUE_GAP = 1e-7
"""Eigenvalues of a random matrix that are nearer than this, in units of its size, are one."""


MAX_FIRST_PAIRS = 4000
"""Pairs of facets in a first program, at most; further ones are added where they are violated."""
MAX_ADDED_PAIRS_PER_VALUE = 10
"""Violated pairs added in a round, for each value."""
MAX_PROGRAMS = 6
"""Programs solved, at most."""
MAX_MATRIX_ENTRIES = 1400
"""The most entries of M, after symmetry, that a program is made for."""
MAX_FACETS = 4000
"""The most facets of a cone that a program is made for: all their pairs are looked at."""


def blocks_of(group: PermutationGroup, *, seed: int = 0) -> list[Block]:
    """The blocks of all symmetric matrices that a group keeps: such a matrix is positive if all its blocks are.

    The eigenspaces of one random matrix of the kind are joined where another one links them, and one vector of each
    is carried from space to space; where that does not split every further matrix, the joined spaces stay whole.

    References: Murota2010.
    """
    size = group.elements.shape[1]
    if group.order == 1:
        return [(np.eye(size), 1)]
    rng = np.random.default_rng(seed)
    first, second, third = (_random(group, rng) for _ in range(3))
    values, vectors = np.linalg.eigh(first)
    breaks = np.flatnonzero(np.diff(values) > MIN_EIGENVALUE_GAP * np.abs(values).max()) + 1
    spaces = np.split(vectors, breaks, axis=1)
    blocks = []
    left = list(range(len(spaces)))
    while left:
        joined = [left.pop(0)]
        for i in list(left):
            if np.abs(spaces[joined[0]].T @ second @ spaces[i]).max() > MIN_EIGENVALUE_GAP * np.abs(second).max():
                joined.append(i)
                left.remove(i)
        blocks += _split([spaces[i] for i in joined], second, third)
    return blocks


def _random(group: PermutationGroup, rng: np.random.Generator) -> Array:
    size = group.elements.shape[1]
    drawn = group.average(rng.normal(size=(size, size)))
    return drawn + drawn.T


def _split(spaces: list[Array], second: Array, third: Array) -> list[Block]:
    """One block for a set of linked eigenspaces: one vector of each, or all of them."""
    whole = np.concatenate(spaces, axis=1)
    dimensions = {space.shape[1] for space in spaces}
    if dimensions == {1}:
        return [(whole, 1)]
    if len(dimensions) == 1:
        start = spaces[0]
        carried = [start]
        for space in spaces[1:]:
            moved = space @ (space.T @ second @ start)
            carried.append(moved / np.sqrt((moved**2).sum(axis=0).mean()))
        slices = [np.column_stack([basis[:, i] for basis in carried]) for i in range(start.shape[1])]
        near = MIN_EIGENVALUE_GAP * np.abs(third).max()
        inside = slices[0].T @ third @ slices[0]
        same = all(np.abs(part.T @ third @ part - inside).max() < near for part in slices[1:])
        if same and all(np.abs(slices[0].T @ third @ part).max() < near for part in slices[1:]):
            return [(slices[0], start.shape[1])]
    return [(whole, 1)]


def semidefinite_bound(E: Array, problem: ColumnProblem, *, until: float) -> float | None:
    """A lower bound on the error of every channel for the closed E; None without time or if the program is too large.

    The relaxation: least trace(W M^-1) over M with Mp = 1 and ``a^T M b >= 0`` for all pairs of facets. Its
    multipliers nu >= 0 and lam give ``S = sym(lam p^T) - sum nu sym(a b^T)``, with r^T S r <= lam . r on the cone, so
    with d = max(0, -least eigenvalue of S) and hi_x = 1 / sum_z p_z e^-E[x,z] the largest r_x, every channel has
    ``trace(W M^-1) >= (trace (W^.5 (S + d I) W^.5)^.5)^2 / (sum lam + d sum_x hi_x^2)``.
    """
    if int(problem.group.of_unordered_pair.max()) >= MAX_MATRIX_ENTRIES or monotonic() >= until:
        return None
    facets = facets_of(E)
    program = _Program(E, problem, facets)
    if len(facets.above) > MAX_FACETS or (pairs := program.first()) is None:
        return None
    bounds = []
    for _ in range(MAX_PROGRAMS):
        solution = program.solve(pairs, until - monotonic())
        if solution is None:
            break
        M, lam, nu = solution
        bounds.append(_bound_from(E, problem, facets, pairs, lam, nu))
        violated = program.find_violated(M, pairs)
        if not len(violated) or monotonic() > until:
            break
        pairs = np.concatenate([pairs, violated])
    return max(bounds, default=None)


class _Program:
    """The relaxation in the entries of M that differ under symmetry; facets i and j are pair ``i * count + j``."""

    def __init__(self, E: Array, problem: ColumnProblem, facets: Facets) -> None:
        self.problem, self.facets, self.count = problem, facets, len(facets.above)
        self.label = problem.group.of_unordered_pair.reshape(E.shape)
        self.entries = int(self.label.max()) + 1

    def first(self) -> Numbers | None:
        """The first pairs: one of every orbit, or of opposite pairs where all are too many; None without any."""
        if self.count**2 * self.problem.group.order <= 50_000_000:
            pairs = self._one_of_each(np.arange(self.count**2))
            if len(pairs) <= MAX_FIRST_PAIRS:
                return pairs if len(pairs) else None
        facets = self.facets
        opposite = (facets.above[:, None] == facets.of) & (facets.of[:, None] == facets.above)
        return self._one_of_each(np.flatnonzero(opposite.ravel()))[:MAX_FIRST_PAIRS]

    def _one_of_each(self, pairs: Numbers) -> Numbers:
        """One pair, the first, of every orbit under the permutations and exchanges of the two."""
        facets, size = self.facets, len(self.label)
        number = np.full((size, size), -1)
        number[facets.above, facets.of] = np.arange(self.count)
        i, j = np.divmod(pairs, self.count)
        least = np.full(len(pairs), self.count**2)
        for g in self.problem.group.elements:
            a = number[g[facets.above], g[facets.of]]
            least = np.minimum(least, np.minimum(a[i] * self.count + a[j], a[j] * self.count + a[i]))
        return np.asarray(pairs[(pairs == least) & (i != j)])

    def find_violated(self, M: Array, known: Numbers) -> Numbers:
        """The pairs that M violates most, one of each orbit."""
        rows = self.facets.rows(len(M))
        products = (rows @ M @ rows.T).ravel()
        worst = np.argsort(products)[: 4 * MAX_ADDED_PAIRS_PER_VALUE * len(M)]
        fresh = self._one_of_each(np.sort(worst[products[worst] < -1e-7]))
        fresh = fresh[~np.isin(fresh, known)]
        return fresh[np.argsort(products[fresh])][: MAX_ADDED_PAIRS_PER_VALUE * len(M)]

    def solve(self, pairs: Numbers, seconds: float) -> tuple[Array, Array, Array] | None:
        """M, lam and nu from the solver; None if it fails."""
        try:
            import clarabel
        except ImportError:
            raise MissingExtra("clarabel", "design") from None
        from scipy import sparse

        group, prior = self.problem.group, self.problem.prior
        blocks, half = blocks_of(group), matrix_root(self.problem.W)
        sizes = [basis.shape[1] for basis, _ in blocks]
        offsets = np.cumsum([self.entries, *(n * (n + 1) // 2 for n in sizes)])
        cost = np.zeros(offsets[-1])
        first = np.array([np.argmax(group.of_value == orbit) for orbit in range(len(group.sizes))])
        mean = np.zeros((len(first), offsets[-1]))
        np.add.at(mean, (np.arange(len(first))[:, None], self.label[first]), prior)
        rows = [sparse.csc_matrix(mean), -self._products(pairs, offsets[-1], sparse)]
        bounds = [np.ones(len(first)), np.zeros(len(pairs))]
        cones = [clarabel.ZeroConeT(len(first)), clarabel.NonnegativeConeT(len(pairs))]
        for (basis, times), n, start in zip(blocks, sizes, offsets.tolist(), strict=False):
            cost[start + np.cumsum(np.arange(1, n + 1)) - 1] = times
            matrix, constant = self._cone(basis, start, half, offsets[-1], sparse)
            rows.append(matrix)
            bounds.append(constant)
            cones.append(clarabel.PSDTriangleConeT(2 * n))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.time_limit = max(seconds, 0.1)
        settings.max_threads = 1
        nothing = sparse.csc_matrix((offsets[-1], offsets[-1]))
        solver = clarabel.DefaultSolver(
            nothing, cost, sparse.vstack(rows, format="csc"), np.concatenate(bounds), cones, settings
        )
        solution = solver.solve()
        x, z = np.array(solution.x), np.array(solution.z)
        if not (np.isfinite(x).all() and np.isfinite(z).all()):
            return None
        lam = z[: len(first)] / group.sizes
        return x[self.label], lam[group.of_value], np.maximum(z[len(first) : len(first) + len(pairs)], 0.0)

    def _products(self, pairs: Numbers, width: int, sparse: Any) -> Any:
        """a^T M b of every pair, as rows over the unknowns."""
        facets = self.facets
        i, j = np.divmod(pairs, self.count)
        row, column, entry = [], [], []
        for a, scale_a in ((facets.above[i], 1.0), (facets.of[i], -facets.fade[i])):
            for b, scale_b in ((facets.above[j], 1.0), (facets.of[j], -facets.fade[j])):
                row.append(np.arange(len(pairs)))
                column.append(self.label[a, b])
                entry.append(np.broadcast_to(scale_a * scale_b, len(pairs)))
        shape = (len(pairs), width)
        return sparse.csc_matrix((np.concatenate(entry), (np.concatenate(row), np.concatenate(column))), shape=shape)

    def _cone(self, basis: Array, start: int, half: Array, width: int, sparse: Any) -> tuple[Any, Array]:
        """[[T, W^.5], [W^.5, M]] of a block, as upper triangles by columns with the entries off the diagonal scaled."""
        n = basis.shape[1]
        row, column = _triangle(2 * n)
        scale = np.where(row == column, 1.0, np.sqrt(2.0))
        place = np.zeros((2 * n, 2 * n), dtype=np.int64)
        place[row, column] = np.arange(len(row))
        i, j = _triangle(n)
        top = place[i, j]
        parts = [(top, start + np.arange(len(i)), scale[top])]
        low = place[n + i, n + j]
        flat = self.label.ravel()
        for slot, (a, b) in zip(low, zip(i, j, strict=True), strict=True):
            weights = np.bincount(flat, weights=np.outer(basis[:, a], basis[:, b]).ravel(), minlength=self.entries)
            used = np.flatnonzero(np.abs(weights) > 1e-14)
            parts.append((np.full(len(used), slot), used, weights[used] * scale[slot]))
        rows, columns, entries = (np.concatenate(part) for part in zip(*parts, strict=True))
        constant = np.zeros(len(row))
        constant[place[:n, n:]] = np.sqrt(2.0) * (basis.T @ half @ basis)
        return sparse.csc_matrix((-entries, (rows, columns)), shape=(len(row), width)), constant


def _triangle(n: int) -> tuple[Numbers, Numbers]:
    """The places of an upper triangle, column by column."""
    column, row = np.tril_indices(n)
    return row, column


def _bound_from(E: Array, problem: ColumnProblem, facets: Facets, pairs: Numbers, lam: Array, nu: Array) -> float:
    """The bound that lam and nu >= 0 give, whatever they are."""
    prior, rows = problem.prior, facets.rows(len(E))
    i, j = np.divmod(pairs, len(facets.above))
    S = np.outer(lam, prior) - problem.group.average((rows[i].T * nu) @ rows[j])
    S = (S + S.T) / 2
    least = float(np.linalg.eigvalsh(S)[0])
    lift = max(0.0, -least) * (1 + 1e-6) + 1e-14 * float(np.abs(S).max())
    most = 1 / (np.exp(-E) @ prior)
    return dual_value(problem.W, S + lift * np.eye(len(E)), float(lam.sum()) + lift * float(most @ most))
