"""n times the total squared error of the closed forms, beside what ignores the shape of E and the exponential table.

    python bench/closed.py

Everything is computed from exact closed forms at even shares; nothing is simulated. The first column is the best
subset selection at the smallest epsilon, whatever its report takes; a dash is a mechanism that does not serve.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from accuracy import subset_error

import discreet as dc
from discreet.core.errors import DiscreetError
from discreet.mechanisms.tree.level_choice import levels_response
from discreet.planning.choose import candidate_of, prior_of

NAMES = ("exponential", "tight", "geometric", "ring", "torus", "nested", "levels", "levels, any bits")


def line(size: int, epsilon: str) -> dc.Context:
    """Numbers on a line, `epsilon` a step."""
    return dc.Context.metric(range(size), "line", epsilon)


def plane(side: int, norm: str, epsilon: str) -> dc.Context:
    """The cells of a square, `epsilon` a cell."""
    cells = [(i, j) for i in range(side) for j in range(side)]
    return dc.Context.metric(cells, norm, epsilon)


def blocks(count: int, size: int, inside: str, outside: str) -> dc.Context:
    """Blocks of equal size, less hidden between each other than inside."""
    return dc.Context.nested({b: range(b * size, (b + 1) * size) for b in range(count)}, [inside, outside])


def levels(branches: tuple[int, ...], *epsilons: str) -> dc.Context:
    """Blocks inside blocks of equal branching; epsilons from the innermost outwards."""

    def node(depth: int, first: int) -> Any:
        span = math.prod(branches[depth + 1 :])
        if depth == len(branches) - 1:
            return range(first, first + branches[depth])
        return {child: node(depth + 1, first + child * span) for child in range(branches[depth])}

    return dc.Context.nested(node(0, 0), list(epsilons))


def contexts() -> Iterator[tuple[str, dc.Context]]:
    """The contexts of the table, by what they are called in it."""
    for epsilon in ("0.5", "1"):
        for size in (10, 30, 100, 1000):
            yield f"line of {size}, {epsilon} a step", line(size, epsilon)
    for size in (12, 24, 64):
        yield f"ring of {size}, 0.5 a step", dc.Context.metric(range(size), "ring", "0.5")
    for side in (7, 10):
        yield f"l1 {side} x {side}, 1 a cell", plane(side, "l1", "1")
    for side, epsilon in ((6, "1"), (10, "1"), (10, "2"), (32, "1"), (128, "0.5"), (128, "1"), (128, "2"), (210, "1")):
        yield f"l2 {side} x {side}, {epsilon} a cell", plane(side, "l2", epsilon)
    for shape in ((5, 5, "1", "3"), (10, 20, "1", "3"), (50, 20, "1", "3"), (4, 12, "0.5", "1.5"), (3, 30, "1", "2.5")):
        yield f"{shape[0]} blocks of {shape[1]}, {shape[2]} and {shape[3]}", blocks(*shape)
    for shape in ((50, 60, "1", "5"), (50, 20, "2", "5")):
        yield f"{shape[0]} blocks of {shape[1]}, {shape[2]} and {shape[3]}", blocks(*shape)
    for branches, epsilons in (
        ((2, 2, 2), ("0.5", "1", "2")),
        ((3, 3, 4), ("1", "2", "4")),
        ((5, 10, 20), ("1", "2", "3")),
        ((10, 10, 10, 10), ("1", "2", "3", "4")),
    ):
        yield f"{' in '.join(map(str, branches[::-1]))}, {', '.join(epsilons)}", levels(branches, *epsilons)


def error(context: dc.Context, name: str) -> tuple[float | None, float]:
    """n times the error of the mechanism called `name`, if it serves the context, and the seconds it took to make."""
    begun = time.perf_counter()
    if name in ("exponential", "tight") and context.size > 128:
        return None, 0.0
    try:
        if name == "levels, any bits":
            made = dc.Mechanism(context, levels_response(context, bits=None))
        else:
            made = dc.mechanism(context, name)
    except DiscreetError:
        return None, 0.0
    seconds = time.perf_counter() - begun
    return candidate_of(made, prior_of(context, None)).error, seconds


def main() -> None:
    """Print the table."""
    print(f"{'context':32} {'subset':>9}" + "".join(f" {name:>16}" for name in NAMES) + "   seconds")
    for title, context in contexts():
        smallest = context.smallest
        assert isinstance(smallest, Fraction)
        found = [error(context, name) for name in NAMES]
        shown = "".join(f" {'-' if n is None else f'{n:.4g}' if n < 1e4 else f'{n:.0f}':>16}" for n, _ in found)
        served = [seconds for n, seconds in found[1:] if n is not None]
        subset = subset_error(context.size, float(smallest))
        print(f"{title:32} {subset:9.1f}{shown}   {max(served, default=math.nan):.2f}")


if __name__ == "__main__":
    main()
