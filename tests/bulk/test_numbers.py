"""Numbers in bulk are read and rounded as one by one, to the last unit and word."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.bulk.encoding import encode, lookup_of
from discreet.bulk.numbers import grid_of, place
from discreet.core.errors import UnknownValue

GRIDS = {
    "incomes": dc.NumberDomain(0, 4000, clip=True),
    "doses": dc.NumberDomain("-0.5", "1.5", step="0.25", decimals=3, clip=True),
    "nearest": dc.NumberDomain(18, 100, step="0.1", rounding="nearest", clip=True),
    "outside": dc.NumberDomain(0, 7, step=1, clip=True, outside=["none of yours"]),
    "refused": dc.NumberDomain(-20, 20, step=5),
}


def awkward(grid):
    """Numbers near units, halves of units, nodes and bounds, and some at random."""
    rng = np.random.default_rng(5)
    unit = 10.0**-grid.decimals
    low, high = float(grid.low), float(grid.high)
    near = np.concatenate([rng.integers(grid.first, grid.last, 300) * unit + shift * unit for shift in (0, 0.5, 0.25)])
    beside = np.concatenate([np.nextafter(near, np.inf), np.nextafter(near, -np.inf)])
    ends = [
        low,
        high,
        np.nextafter(low, -np.inf),
        np.nextafter(high, np.inf),
        low - unit / 2,
        high + unit / 2,
        0.0,
        -0.0,
    ]
    huge = [1e300, -1e300, 5e-324, np.inf, -np.inf, np.nan, 2.0**62, 1e18]
    return np.concatenate([near, beside, rng.uniform(low - 1, high + 1, 300), ends, huge])


def one_by_one(grid, values):
    found = []
    for value in values:
        try:
            found.append(grid.position(value))
        except UnknownValue:
            found.append(-1)
    return found


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_columns_of_any_kind_are_read_as_their_numbers_are(grid):
    doubles = awkward(grid)
    expected = one_by_one(grid, doubles.tolist())
    lookup = lookup_of(grid)
    columns = [doubles, doubles.tolist(), pd.Series(doubles), pl.Series(doubles), pa.array(doubles)]
    for column in columns:
        assert lookup.indices(column).tolist() == expected
    texts = [repr(value) for value in doubles.tolist()]
    for column in (texts, pd.Series(texts), pa.array(texts), np.array(texts)):
        assert lookup_of(grid, written=True).indices(column).tolist() == expected
    wholes = np.arange(-30, 6000, 7)
    for column in (
        wholes,
        wholes.astype(np.int16),
        wholes.tolist(),
        pa.array(wholes),
        pd.Series(wholes, dtype="Int64"),
    ):
        assert lookup.indices(column).tolist() == one_by_one(grid, wholes.tolist())
    single = doubles[:50].astype(np.float32)
    assert lookup.indices(single).tolist() == one_by_one(grid, single)
    assert lookup.indices(np.array([3, 2**63 + 5], dtype=np.uint64)).tolist() == one_by_one(grid, [3, 2**63 + 5])
    assert lookup.indices([Decimal("1.25"), None, "x"]).tolist() == one_by_one(grid, [Decimal("1.25"), None, "x"])


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_places_become_nodes_as_one_by_one(grid):
    rng = np.random.default_rng(6)
    positions = np.concatenate([rng.integers(0, grid.positions, 2000), [0, grid.positions - 1]])
    thresholds = [(int(p) % grid.units << 64) // grid.units for p in positions]
    for shift in (-1, 0, 1):  # the words at which the node changes
        words = np.array([min(max(t + shift, 0), 2**64 - 1) for t in thresholds], dtype=np.uint64)
        expected = [grid.place(int(p), [int(word)]) for p, word in zip(positions, words, strict=True)]
        assert place(grid_of(grid), positions, words if grid.draws else None).tolist() == expected


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_reports_of_many_are_those_of_one_by_one(grid):
    context = dc.Context.uniform(grid, "1")
    mechanism = dc.mechanism(context)
    values = [1, 2.5, "3", *(["none of yours"] if grid.outside else [])] * 50
    drawn = mechanism.randomize_many(values, dc.random.seeded(3))
    rng = dc.random.seeded(3)
    assert drawn.tolist() == [mechanism.randomize(value, rng) for value in values]


def test_unknown_numbers_are_refused_by_row_dropped_or_replaced():
    grid = GRIDS["refused"]
    with pytest.raises(UnknownValue, match="row 2: a value of type float must be a number from -20 to 20"):
        encode(grid, [1.0, 99.0])
    assert encode(grid, [1.0, 99.0], unknown="drop").rows.tolist() == [0]
    assert encode(grid, [1.0, 99.0], unknown="2.5").indices.tolist() == one_by_one(grid, [1, 2.5])
