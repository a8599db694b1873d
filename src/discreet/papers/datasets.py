"""The shared tables as surveys: values, how many people hold each, and the contexts that suit them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..contexts import Context
from ..core.domain import Value
from .data import read_rows, require_file

FILES = ("msnbc_counts.tsv", "adult_joint_marital_occupation_race_sex.tsv", "fair_affairs_counts.tsv")


@dataclass(frozen=True)
class Dataset:
    """A survey: the `values`, the `counts` of people, and contexts by name as functions of epsilon."""

    name: str
    label: str
    values: list[Value]
    counts: NDArray[np.int64]
    contexts: dict[str, Callable[[str], Context]]
    question: str
    asked: NDArray[np.float64]
    """The weight of each value in the share that `question` names."""

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value."""
        return np.asarray(self.counts / self.counts.sum())


@lru_cache(maxsize=1)
def pages() -> Dataset:
    """The first page category of 989,818 visitors of msnbc.com; "health" is sensitive."""
    table = read_rows(require_file(FILES[0]))
    values: list[Value] = [row["category"] for row in table]
    return Dataset(
        "pages",
        "msnbc.com: first page category of each visitor (UCI)",
        values,
        np.array([int(row["first_page_users"]) for row in table]),
        {
            "classical": lambda epsilon: Context.uniform(values, epsilon),
            "high-low, health": lambda epsilon: Context.high_low(values, ["health"], epsilon),
        },
        "began with health",
        np.array([float(value == "health") for value in values]),
    )


@lru_cache(maxsize=1)
def census() -> Dataset:
    """Marital status x occupation x race x sex of 48,842 people: all 1,050 combinations, used or not."""
    table = read_rows(require_file(FILES[1]))
    keys = ("marital-status", "occupation", "race", "sex")
    values, counts = _cross_tabulate(table, keys)
    blocks: dict[Hashable, list[Value]] = {}
    for value in values:
        blocks.setdefault(value[2:], []).append(value)
    ordered: list[Value] = [value for members in blocks.values() for value in members]
    number = {value: place for place, value in enumerate(values)}
    return Dataset(
        "census",
        "Adult: marital status x occupation x race x sex (UCI)",
        ordered,
        counts[[number[value] for value in ordered]],  # type: ignore[index]
        {
            "classical": lambda epsilon: Context.uniform(ordered, epsilon),
            "blocks, race and sex show": lambda epsilon: Context.blocks(blocks, epsilon),
        },
        "widowed",
        np.array([float(value[0] == "Widowed") for value in ordered]),  # type: ignore[index]
    )


@lru_cache(maxsize=1)
def affairs() -> Dataset:
    """Religiousness x rating of the marriage x occupation x affair of 6,366 women: all 240 combinations."""
    table = read_rows(require_file(FILES[2]))
    values, counts = _cross_tabulate(table, ("religious", "rate_marriage", "occupation", "affair"))
    listed: list[Value] = list(values)
    sensitive = [value for value in values if value[-1] == "yes"]
    return Dataset(
        "affairs",
        "Fair's survey: religiousness x marriage x occupation x affair (statsmodels)",
        listed,
        counts,
        {
            "classical": lambda epsilon: Context.uniform(listed, epsilon),
            "high-low, an affair": lambda epsilon: Context.high_low(listed, sensitive, epsilon),
        },
        "had an affair",
        np.array([float(value[-1] == "yes") for value in values]),
    )


@lru_cache(maxsize=1)
def affair() -> Dataset:
    """The one question of the same survey: 2,053 of 6,366 say yes."""
    whole = affairs()
    yes = int(whole.counts @ whole.asked)
    return Dataset(
        "affair",
        "Fair's survey: an affair, yes or no (statsmodels)",
        ["no", "yes"],
        np.array([int(whole.counts.sum()) - yes, yes]),
        {
            "classical": lambda epsilon: Context.uniform(["no", "yes"], epsilon),
            "binary, only yes hidden": lambda epsilon: Context.binary("no", "yes", epsilon=("inf", epsilon)),
        },
        "had an affair",
        np.array([0.0, 1.0]),
    )


def _cross_tabulate(
    table: list[dict[str, str]], keys: tuple[str, ...]
) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
    """Every combination of the columns' categories, in order, and how many people hold it."""
    categories = [sorted({row[key] for row in table}) for key in keys]
    held = {tuple(row[key] for key in keys): int(row["count"]) for row in table}
    values = list(product(*categories))
    return values, np.array([held.get(value, 0) for value in values])
