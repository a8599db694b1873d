"""Values in columns of every kind, against the same people given by number: what it costs to find a value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
from measure import Result, least

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
