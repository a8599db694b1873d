"""Numbers in bulk are read and rounded as one by one, to the last unit and word."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.bulk.encoding import encode, lookup_of
from discreet.bulk.numbers import SURE, compiled_place, grid_of, place
from discreet.bulk.randomizing import randomize_positions
from discreet.bulk.report_files import reports_to_json
from discreet.core.errors import UnknownValue
from discreet.estimation.arrays import acceleration
from discreet.wire.reports import report_to_json

GRIDS = {
    "incomes": dc.NumberDomain(0, 4000, clip=True),
    "doses": dc.NumberDomain("-0.5", "1.5", step="0.25", decimals=3, clip=True),
    "nearest": dc.NumberDomain(18, 100, step="0.1", rounding="nearest", clip=True),
    "outside": dc.NumberDomain(0, 7, step=1, clip=True, outside=["none of yours"]),
    "refused": dc.NumberDomain(-20, 20, step=5),
    "between whole ones": dc.NumberDomain("0.2", "0.8", step="0.2", decimals=2, clip=True),
    "one step": dc.NumberDomain(-1, 1, nodes=2, decimals=9),
    "all of 32 bits": dc.NumberDomain(0, 2**32 - 2, step=2**31 - 1, decimals=0, clip=True),
    "fifteen digits": dc.NumberDomain(10**15 - 10**6, 10**15, step=10**5, decimals=0),
    "fifteen decimals": dc.NumberDomain(0, "0.000001", nodes=11, decimals=15, clip=True),
}


@pytest.fixture(params=["NumPy", "Numba"])
def engine(request, monkeypatch):
    """Both ways to work on arrays."""
    if request.param == "Numba":
        pytest.importorskip("numba")
    monkeypatch.setattr(acceleration, "MIN_COMPILED_SIZE", 1 if request.param == "Numba" else 1 << 60)
    return request.param


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
def test_columns_of_any_kind_are_read_as_their_numbers_are(grid, engine):
    doubles = awkward(grid)
    expected = one_by_one(grid, doubles.tolist())
    lookup = lookup_of(grid)
    columns = [doubles, doubles.tolist(), pd.Series(doubles), pl.Series(doubles), pa.array(doubles)]
    for column in columns:
        assert lookup.indices(column).tolist() == expected
    texts = [repr(value) for value in doubles.tolist()]
    for column in (texts, pd.Series(texts), pa.array(texts), np.array(texts)):
        assert lookup_of(grid, written=True).indices(column).tolist() == expected
    wholes = np.concatenate([np.arange(-30, 6000, 7), [10**15 - 10**6 - 1, 10**15, -(2**62), 2**62]])
    for column in (
        wholes,
        wholes.astype(np.float64)[:-2],
        wholes.astype(">i8"),
        wholes.tolist(),
        pa.array(wholes),
        pd.Series(wholes, dtype="Int64"),
    ):
        assert lookup.indices(column).tolist() == one_by_one(grid, wholes.tolist())[: len(column)]
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
        ends = [np.iinfo(kind).min, 0, 1, 7, np.iinfo(kind).max]
        assert lookup.indices(np.array(ends, dtype=kind)).tolist() == one_by_one(grid, ends)
    with np.errstate(over="ignore"):
        single = np.append(doubles, np.arange(0, 200) * 0.05).astype(np.float32)
    for column in (single, pa.array(single), pd.Series(single), pl.Series(single), single.astype(">f4")):
        assert lookup.indices(column).tolist() == one_by_one(grid, single)
    assert lookup.indices(np.array([3, 2**63 + 5], dtype=np.uint64)).tolist() == one_by_one(grid, [3, 2**63 + 5])
    assert lookup.indices([Decimal("1.25"), None, "x"]).tolist() == one_by_one(grid, [Decimal("1.25"), None, "x"])


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_places_become_nodes_as_one_by_one(grid, engine):
    placing = compiled_place if engine == "Numba" else place
    rng = np.random.default_rng(6)
    positions = np.concatenate([rng.integers(0, grid.positions, 2000), [0, grid.positions - 1]])
    thresholds = [(int(p) % grid.units << 64) // grid.units for p in positions]
    for shift in (-1, 0, 1):  # the words at which the node changes
        words = np.array([min(max(t + shift, 0), 2**64 - 1) for t in thresholds], dtype=np.uint64)
        expected = [grid.place(int(p), [int(word)]) for p, word in zip(positions, words, strict=True)]
        assert placing(grid_of(grid), positions, words if grid.draws else None).tolist() == expected


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
@pytest.mark.parametrize("name", ["hadamard", "subset", "unary"])
def test_reports_of_many_are_those_of_one_by_one(grid, name, engine):
    mechanism = dc.mechanism(dc.Context.uniform(grid, "1"), name)
    middle = (grid.low + grid.high) / 2
    values = [str(Decimal(middle.numerator) / middle.denominator), grid.grid[0], grid.grid[-1], *grid.outside] * 30
    drawn = mechanism.randomize_many(values, dc.random.seeded(3))
    rng = dc.random.seeded(3)
    reports = [mechanism.randomize(value, rng) for value in values]
    assert reports_to_json(mechanism, drawn) == [report_to_json(mechanism, report) for report in reports]


def test_every_engine_any_number_of_threads_and_any_source_give_the_same_reports():
    for grid in (GRIDS["incomes"], GRIDS["outside"], GRIDS["nearest"]):
        mechanism = dc.mechanism(dc.Context.uniform(grid, "1"), "subset" if grid.outside else "hadamard")
        positions = np.random.default_rng(4).integers(0, grid.positions, 300_000)
        expected = randomize_positions(mechanism, positions, dc.random.seeded(3), engine="numpy", threads=1)
        for engine, threads in (("auto", None), ("numba", 3)):
            drawn = randomize_positions(mechanism, positions, dc.random.seeded(3), engine=engine, threads=threads)
            assert np.array_equal(drawn, expected)
        words = dc.random.replay(dc.random.seeded(3).take(2000 * mechanism.words))
        assert np.array_equal(randomize_positions(mechanism, positions[:2000], words), expected[:2000])


@pytest.mark.parametrize("decimals", [0, 1, 2, 5, 9, 12, 15])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_no_float_decides_a_rounding_wrongly(decimals, kind, engine):
    """Against fractions: the doubles beside the middles of two units, at every size that there may be."""
    rng = np.random.default_rng(decimals)
    unit = Fraction(1, 10**decimals)
    for size in [0, 1, 10**5, 10**9, 10**13, SURE - 2**31, SURE + 1, 10**15 - 2**31]:
        for sign in (-1, 1):
            low, high = sorted((sign * size, sign * size + 2**31))
            grid = dc.NumberDomain(low * unit, high * unit, step=2**30 * unit, decimals=decimals, clip=True)
            units = np.unique([low, high - 1, *rng.integers(low, high, 150), *range(low, low + 20)]).tolist()
            middles = np.array([float((2 * u + 1) * unit / 2) for u in units], dtype=kind)
            beside = [middles]
            for _ in range(3):
                beside += [np.nextafter(beside[-1], kind(np.inf)), np.nextafter(beside[0], kind(-np.inf))]
            doubles = np.concatenate([*beside, [float(u * unit) for u in units]]).astype(kind)
            exact = [math.floor(Fraction(str(value)) / unit + Fraction(1, 2)) for value in doubles]
            assert lookup_of(grid).indices(doubles).tolist() == [min(max(u, low), high) - low for u in exact]


def test_a_division_of_doubles_that_ignored_what_they_print_would_be_caught():
    """The control: 0.35 lies below 35/100, and its product with ten is 3.5."""
    grid = dc.NumberDomain(0, 1, step="0.1", decimals=1)
    assert Fraction(0.35) < Fraction(35, 100)
    assert lookup_of(grid).indices(np.array([0.35, 0.15, 0.25, 0.34999999999999992])).tolist() == [4, 2, 3, 3]
    single = np.array([0.35, 0.15, 0.25], dtype=np.float32)
    assert lookup_of(grid).indices(single).tolist() == [4, 2, 3]


TEXTS = [
    "0", "-0", "+0", "3.", ".5", "-.5", "0.05", "0.04999999999999999999999999", "0.05000000000000000000000001", "-0.05",
    "-0.0500000000000000001", "00012.50", "1234567890123456789", "123456789012345678", "0.123456789012345678",
    "-123456789012345678", "999999999999999999", "1e3", "1E-2", "5e-400", "1_0", " 1", "1 ", "", "+", "-", ".", "1.2.3",
    "--1", "+-1", "1/2", "nan", "inf", "-inf", "\u0663", "0x10", "none of yours", "1,5", "12\n", "\x00", "9" * 700,
]  # fmt: skip


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_texts_are_read_as_one_by_one(grid, engine):
    rng = np.random.default_rng(7)
    near = [grid.first, grid.first - 1, grid.last, grid.last + 1, *rng.integers(grid.first, grid.last, 200).tolist()]
    halves = [Decimal(2 * units + 1).scaleb(-grid.decimals) / 2 for units in near]
    texts = [*TEXTS, *(f"{Decimal(u).scaleb(-grid.decimals):f}" for u in near), *(f"{half:f}" for half in halves)]
    texts += [f"{half:f}{tail}" for half in halves for tail in ("0", "01", "1", "000000000000000001")]
    expected = one_by_one(grid, texts)
    lookup = lookup_of(grid, written=True)
    assert lookup.indices(pa.array(texts)).tolist() == expected
    for kind in (pa.large_string(), pa.string_view()):
        assert lookup.indices(pa.array(texts, kind)).tolist() == expected
    assert lookup.indices(pa.array([None, *texts, None]).slice(0, len(texts))).tolist() == [-1, *expected[:-1]]
    assert lookup.indices(pa.chunked_array([texts[:9], texts[9:]])).tolist() == expected
    assert lookup.indices(pa.array([None, None], pa.string())).tolist() == [-1, -1]


def test_unknown_numbers_are_refused_by_row_dropped_or_replaced():
    grid = GRIDS["refused"]
    with pytest.raises(UnknownValue, match="row 2: a value of type float must be a number from -20 to 20"):
        encode(grid, [1.0, 99.0])
    assert encode(grid, [1.0, 99.0], unknown="drop").rows.tolist() == [0]
    assert encode(grid, [1.0, 99.0], unknown="2.5").indices.tolist() == one_by_one(grid, [1, 2.5])
