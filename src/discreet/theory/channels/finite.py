"""Finite channels, distributions, privacy matrices, bounds and divergences, and the checks of arguments.

A channel may be given as a mechanism, whose exact law is then written out, and a privacy matrix as a context.
Integers and fractions stay exact: an array of them has dtype ``object`` and holds `Fraction`. Anything with a float in
it becomes ``float64``. `hockey_stick`, `total_variation` and `chi_square` are rational in their arguments and stay
exact when every argument is. The rest are in nats. Infinite divergences are `math.inf`, never an error.

References: Asoodeh2021 (Section II), Csiszar1967, Chernoff1952.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...contexts import Context
from ...core.errors import InvalidInput
from ...core.per_value import per_value, plain_entries
from ...mechanisms.mechanism import Mechanism

Number: TypeAlias = float | Fraction
Vector: TypeAlias = Sequence[Number] | NDArray[Any]
Matrix: TypeAlias = Sequence[Sequence[Number]] | NDArray[Any]
Channel: TypeAlias = Matrix | Mechanism
"""One row per value and one column per report, or the mechanism that has this law."""
Privacy: TypeAlias = Matrix | Context
"""E as a matrix or as a context; what is said of it is said of its closure."""
Floats: TypeAlias = NDArray[np.float64]
Kind = Literal["lower", "upper", "attained"]

_TOLERANCE = 1e-9


def _array(name: str, rows: Any, dimensions: int) -> NDArray[Any]:
    """The entries as float64, or as fractions if they are all rational."""
    given = np.array(plain_entries(rows, name=name), dtype=object)
    if given.ndim != dimensions or given.size == 0:
        raise InvalidInput(f"{name} of shape {given.shape} must have {dimensions} non-empty dimensions")
    if all(isinstance(v, Rational) for v in given.flat):
        exact = np.empty(given.size, dtype=object)
        exact[:] = [Fraction(v.numerator, v.denominator) for v in given.flat]
        return exact.reshape(given.shape)
    return given.astype(np.float64)


def _check_rows(name: str, rows: NDArray[Any]) -> None:
    if not (rows >= 0).all():
        raise InvalidInput(f"{name} must have no negative entry")
    for i, total in enumerate(rows.sum(axis=1)):
        if total != 1 if rows.dtype == object else not abs(total - 1) <= _TOLERANCE:
            raise InvalidInput(f"{name}[{i}] sums to {total}; it must sum to 1")


def distribution(name: str, p: Vector, *, of: Any = None) -> NDArray[Any]:
    """`p` as an array of non-negative entries that sum to one, exactly for fractions and to 1e-9 for floats.

    Names of its entries are matched with the values of a mechanism or context `of`, and refused without one.
    """
    context = of.context if isinstance(of, Mechanism) else of
    array = _array(name, per_value(context.domain, p, name=name) if isinstance(context, Context) else p, 1)
    _check_rows(name, array[None, :])
    return array


def channel(Q: Channel) -> NDArray[Any]:
    """`Q`, or the law of a mechanism, as an array whose rows are distributions."""
    array = _array("Q", Q.channel() if isinstance(Q, Mechanism) else Q, 2)
    _check_rows("Q", array)
    return array


def floats(array: NDArray[Any]) -> Floats:
    """The same numbers as float64."""
    return array.astype(np.float64)


def privacy_matrix(E: Privacy) -> Floats:
    """The closure of `E` as a square float array: entries from zero to infinity, zero on the diagonal."""
    if isinstance(E, Context):
        closed = E.closure_if_cheap()
        array = np.array([[float(v) for v in row] for row in closed.matrix()], dtype=np.float64)
        return array if closed.is_closed else _shortest_paths(array)
    array = np.array([[float(v) for v in row] for row in plain_entries(E, name="E")], dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InvalidInput(f"E of shape {array.shape} must be square and not empty")
    if np.isnan(array).any() or (array < 0).any():
        raise InvalidInput('E must have entries that are non-negative or "inf"')
    np.fill_diagonal(array, 0.0)
    return _shortest_paths(array)


def _shortest_paths(paths: Floats) -> Floats:
    """The shortest paths of a matrix, in place (Floyd-Warshall; an entry of 0 is a path, unlike in SciPy)."""
    for via in range(len(paths)):
        np.minimum(paths, paths[:, via, None] + paths[via], out=paths)
    return paths


def epsilon_value(name: str, epsilon: Number) -> float:
    """An epsilon as a float: non-negative, possibly infinite."""
    value = float(epsilon)
    if math.isnan(value) or value < 0:
        raise InvalidInput(f'{name}={epsilon} must be non-negative or "inf"')
    return value


def delta_value(delta: Number) -> float:
    """A delta as a float between zero and one."""
    value = float(delta)
    check_unit("delta", value)
    return value


def at_least(name: str, value: float, least: float) -> None:
    """Raise an error if `value` is below `least` or not a number."""
    if not value >= least:
        raise InvalidInput(f"{name}={value} must be at least {least}")


def check_unit(name: str, value: float, *, zero: bool = True, one: bool = True) -> None:
    """Raise an error unless `value` lies between 0 and 1; `zero` and `one` say whether these are allowed."""
    if not 0 <= value <= 1 or (value == 0 and not zero) or (value == 1 and not one):
        what = "lie between 0 and 1" if zero else "be positive and at most 1" if one else "lie strictly between 0 and 1"
        raise InvalidInput(f"{name}={value} must {what}")


def check_lengths(**sized: Sized) -> None:
    """Raise an error unless the named arguments have the same number of entries, at least one."""
    if len({len(each) for each in sized.values()}) > 1 or not min(map(len, sized.values())):
        counts = " and ".join(f"{len(each)} of {name}" for name, each in sized.items())
        raise InvalidInput(f"{counts} must be equally many, and at least one")


def place_of_least(value: Callable[[float], float], low: float, high: float) -> float:
    """The place from `low` to `high` where a function that falls and then rises is least, by Brent's method."""
    from scipy.optimize import minimize_scalar

    inside = minimize_scalar(value, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x
    return min((low, float(inside), high), key=value)


@dataclass(frozen=True)
class Bound:
    """A named number with its direction and source.

    `kind` says what is known about the best possible error: no mechanism is below a *lower* bound, some
    mechanism is at or below an *upper* bound, and *attained* is the error of a named mechanism. `vacuous`
    is true if the number says no more than the definition of the quantity does, such as a lower bound of zero
    or a total variation of at most one; the number is kept, and a table should say so.
    """

    name: str
    value: float
    kind: Kind
    reference: str
    vacuous: bool
    note: str


def lower(name: str, value: float, reference: str, *, note: str = "") -> Bound:
    """A lower bound on a non-negative quantity, cut at zero, where it is vacuous."""
    return Bound(name, max(value, 0.0), "lower", reference, not value > 0, note)


def upper(name: str, value: float, reference: str, *, trivial: float, note: str = "") -> Bound:
    """An upper bound, vacuous if it is no better than `trivial`, the largest possible value."""
    return Bound(name, value, "upper", reference, not value < trivial, note)


def _pair(p: Vector, q: Vector) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = distribution("p", p), distribution("q", q)
    check_lengths(p=first, q=second)
    return first, second


def _float_pair(p: Vector, q: Vector) -> tuple[Floats, Floats]:
    first, second = _pair(p, q)
    return floats(first), floats(second)


def excess(p: NDArray[Any], q: NDArray[Any], gamma: Number) -> Any:
    """``sum_y max(p_y - gamma q_y, 0)`` for checked arrays."""
    return np.maximum(p - gamma * q, 0).sum()


def hockey_stick(p: Vector, q: Vector, gamma: Number) -> Number:
    """The E_gamma divergence, ``sum_y (p_y - gamma q_y)_+ - (1 - gamma)_+``, for any ``gamma >= 0``.

    The last term is zero for ``gamma >= 1``, the only range that privacy uses; below one it makes the
    divergence vanish at ``p == q``, as equation (18) of the paper has it and its equation (1) does not.

    References: Asoodeh2021 (1), (18).
    """
    first, second = _pair(p, q)
    at_least("gamma", float(gamma), 0)
    value: Number = excess(first, second, gamma) - max(1 - gamma, 0)
    return value


def total_variation(p: Vector, q: Vector) -> Number:
    """Half the sum of absolute differences, which is E_gamma at ``gamma = 1``."""
    first, second = _pair(p, q)
    value: Number = np.abs(first - second).sum() / 2
    return value


def chi_square(p: Vector, q: Vector) -> Number:
    """``sum_y (p_y - q_y)^2 / q_y``; infinite if `p` has mass where `q` has none."""
    first, second = _pair(p, q)
    if bool(((second == 0) & (first > 0)).any()):
        return math.inf
    seen = second > 0
    value: Number = ((first[seen] - second[seen]) ** 2 / second[seen]).sum()
    return value


def kl(p: Vector, q: Vector) -> float:
    """The Kullback-Leibler divergence ``sum_y p_y log(p_y / q_y)`` in nats."""
    first, second = _float_pair(p, q)
    if bool(((second == 0) & (first > 0)).any()):
        return math.inf
    seen = first > 0
    return max(float((first[seen] * np.log(first[seen] / second[seen])).sum()), 0.0)


def f_divergence(p: Vector, q: Vector, f: Callable[[float], float], *, slope: float = math.inf) -> float:
    """``sum_y q_y f(p_y / q_y)``, plus `slope` times the mass that `p` has where `q` has none.

    `f` is convex with ``f(1) = 0`` and is called at zero too, where it must give its limit; `slope` is the
    limit of ``f(t) / t`` at infinity, so 1 for ``max(t - gamma, 0)`` and infinity for KL and chi-square.

    References: Csiszar1967, Asoodeh2021 (2).
    """
    first, second = _float_pair(p, q)
    seen = second > 0
    value = math.fsum(b * f(a / b) for a, b in zip(first[seen].tolist(), second[seen].tolist(), strict=True))
    left = float(first[~seen].sum())
    return value + slope * left if left > 0 else value


def bhattacharyya(p: Vector, q: Vector) -> float:
    """The coefficient ``sum_y sqrt(p_y q_y)``: one when equal, zero when disjoint."""
    first, second = _float_pair(p, q)
    return float(np.sqrt(first * second).sum())


def hellinger_squared(p: Vector, q: Vector) -> float:
    """``sum_y (sqrt(p_y) - sqrt(q_y))^2``, between zero and two."""
    first, second = _float_pair(p, q)
    return float(((np.sqrt(first) - np.sqrt(second)) ** 2).sum())


def chernoff_information(p: Vector, q: Vector) -> float:
    """``max_s -log sum_y p_y^s q_y^(1-s)``, the exponent of the best test's error under any prior.

    The sum is convex in the logarithm, so a search finds its smallest value; every point it visits
    gives a true lower bound on the exponent.

    References: Chernoff1952.
    """
    first, second = _float_pair(p, q)
    seen = (first > 0) & (second > 0)
    if not seen.any():
        return math.inf
    if np.array_equal(first, second):
        return 0.0
    log_p, log_q = np.log(first[seen]), np.log(second[seen])

    def log_sum(s: float) -> float:
        return float(np.log(np.exp(s * log_p + (1 - s) * log_q).sum()))

    return max(-log_sum(place_of_least(log_sum, 0.0, 1.0)), 0.0)
