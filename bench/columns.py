"""Values in columns of every kind, against the same people given by number: what it costs to find a value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
from measure import Result, least, least_of

import discreet as dc

DOMAINS: dict[str, list[Any] | range] = {
    "ages": range(18, 100),
    "ids far apart": [1_000_003 * i for i in range(1000)],
    "texts": [f"place number {i}" for i in range(1000)],
}


def columns(n: int) -> Iterator[Result]:
    """Columns to reports of Hadamard response, each domain in each kind of column, as ratios to `randomize_indices`."""
    rng = dc.random.secure()
    for title, values in DOMAINS.items():
        made = dc.mechanism(dc.Context.uniform(values, "1"), "hadamard")
        numbers = np.random.default_rng(1).integers(0, len(values), n)
        by_number = n / least(partial(made.randomize_indices, numbers, rng), tries=3)
        yield Result("columns", f"{title}, by number", len(values), n, by_number)
        for kind, column in kinds([values[i] for i in numbers.tolist()]):
            rate = n / least(partial(made.randomize_many, column, rng), tries=3)
            yield Result("columns", f"{title}, {kind}", len(values), n, rate, ratios={"of by number": rate / by_number})
    yield from on_a_scale(n)


def on_a_scale(n: int) -> Iterator[Result]:
    """Numbers of every type on a grid of 33 nodes, as ratios to people given by their node, who take a word less."""
    rng, drawn = dc.random.secure(), np.random.default_rng(1)
    made = dc.mechanism(dc.Context.uniform(dc.NumberDomain(0, 4000, clip=True), "1"), "hadamard")
    cents = np.round(drawn.uniform(0, 4000, n), 2)
    held = {
        "doubles": drawn.uniform(-100, 4100, n),
        "doubles of cents": cents,
        "floats of 32 bits": drawn.uniform(0, 4000, n).astype(np.float32),
        "whole numbers": drawn.integers(0, 4001, n),
        "Arrow text": pa.array(cents).cast(pa.string()),
    }
    nodes = drawn.integers(0, 33, n).astype(np.uint8)
    works = {kind: partial(made.randomize_many, column, rng) for kind, column in held.items()}
    seconds = least_of({"by node": partial(made.randomize_indices, nodes, rng), **works})
    for kind, spent in seconds.items():
        ratios = {} if kind == "by node" else {"of by node": seconds["by node"] / spent}
        yield Result("columns", f"numbers, {kind}", 33, n, n / spent, ratios=ratios)


def kinds(held: list[Any]) -> Iterator[tuple[str, Any]]:
    """The same values in every kind of column that is installed."""
    yield "list", held
    yield "NumPy", np.array(held)
    yield "Arrow", pa.array(held)
    yield "Arrow dictionary", pa.array(held).dictionary_encode()
    for package in ("pandas", "polars"):
        try:
            yield package, import_module(package).Series(held)
        except ImportError:
            continue
