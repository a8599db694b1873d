"""Laws of values as numbers: one meaning whatever holds the values, and one rule for what is not in the domain."""

from __future__ import annotations

import datetime as dt
import re
from array import array
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.bulk import encoding
from discreet.bulk.encoding import ABSENT, DomainEncoder, DomainLookup, encode, outside
from discreet.bulk.words import seeded
from discreet.core.domain import Domain
from discreet.core.errors import InvalidContext, InvalidInput, UnknownValue

CITIES = Domain(["rome", "oslo", "bern", "lima"])
HELD = ["oslo", "lima", "oslo", "rome"]
WORDS = Domain(["a", "b", 7, "drop"])


class Offered:
    """A column that offers itself to Arrow and to nothing else, as other libraries' columns do."""

    def __init__(self, values):
        self._held = pa.chunked_array([values])

    def __arrow_c_stream__(self, requested_schema=None):
        return self._held.__arrow_c_stream__(requested_schema)

    def __len__(self):
        return len(self._held)

    def __iter__(self):
        return iter(self._held.to_pylist())


def polars_series(values, kind=None):
    return pytest.importorskip("polars").Series(values=values, dtype=kind)


FORMS = {
    "a list": lambda v: v,
    "a tuple": tuple,
    "an iterator": iter,
    "a NumPy array": np.array,
    "NumPy objects": lambda v: np.array(v, dtype=object),
    "a series": pd.Series,
    "a series with its own index": lambda v: pd.Series(v, index=range(len(v), 0, -1)),
    "an index": pd.Index,
    "categories": lambda v: pd.Series(v, dtype="category"),
    "a categorical": pd.Categorical,
    "an Arrow array": pa.array,
    "Arrow chunks": lambda v: pa.chunked_array([v[:1], [], v[1:]]),
    "an Arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "runs": lambda v: pa.RunEndEncodedArray.from_arrays(list(range(1, len(v) + 1)), v),
    "an Arrow series": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.array(v).type)),
    "another library's column": Offered,
    "polars": polars_series,
}
TEXTS = {
    "a series of strings": lambda v: pd.Series(v, dtype="string"),
    "NumPy's strings": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "string views": lambda v: pa.array(v, pa.string_view()),
    "large strings": lambda v: pa.array(v, pa.large_string()),
    "polars categories": lambda v: polars_series(v).cast(pytest.importorskip("polars").Categorical),
}
INTEGERS = {
    "bytes": lambda v: np.array(v, dtype="i1"),
    "the other byte order": lambda v: np.array(v, dtype=">i4"),
    "unsigned": lambda v: np.array(v, dtype="u8"),
    "floats": lambda v: np.array(v, dtype="f8"),
    "short floats": lambda v: np.array(v, dtype="f2"),
    "every other one": lambda v: np.repeat(v, 2)[::2],
    "nullable": lambda v: pd.Series(v, dtype="Int64"),
    "an array of Python": lambda v: array("l", v),
    "decimals": lambda v: pa.array([Decimal(x) for x in v]),
    "a memory view": lambda v: memoryview(array("h", v)),
    "objects of polars": lambda v: polars_series(v, pytest.importorskip("polars").Object),
    "polars, wide": lambda v: polars_series(v, pytest.importorskip("polars").Int128),
    "polars, narrow": lambda v: polars_series(v, pytest.importorskip("polars").Int8),
}


@pytest.mark.parametrize("form", FORMS | TEXTS)
def test_every_form_of_the_same_texts_has_the_same_numbers(form):
    found = encode(CITIES, (FORMS | TEXTS)[form](HELD))
    assert found.indices.tolist() == [1, 3, 1, 0]
    assert (found.seen, found.unknown) == (4, 0)


@pytest.mark.parametrize("form", FORMS | INTEGERS)
@pytest.mark.parametrize("values", [range(18, 100), list(range(99, 17, -1)), [18, 99, 20, 45], [18, 10**9, 20, 45, 99]])
def test_whole_numbers_are_values_and_never_places(form, values):
    """Ages given as numbers come out as the ages they are, whatever the column and the domain look like."""
    domain = Domain(values)
    held = [45, 18, 20, 99, 18]
    assert encode(domain, (FORMS | INTEGERS)[form](held)).indices.tolist() == [domain.index(age) for age in held]


@pytest.mark.parametrize("engine", ["one by one", "many"])
def test_ages_stay_ages(engine):
    mechanism = dc.mechanism(dc.Context.uniform(range(18, 100), "20"), "randomized_response")
    ages = list(range(20, 30)) * 20
    if engine == "many":
        reports = mechanism.randomize_many(np.array(ages), seeded(1))
    else:
        reports = [mechanism.randomize(age, seeded(i)) for i, age in enumerate(ages)]
    shares = dc.estimate(mechanism.tally(reports)).shares
    assert all(abs(shares[mechanism.context.domain.index(age)] - 0.1) < 0.01 for age in range(20, 30))


# -- the same meaning as one by one --------------------------------------------------------------------

SCALARS = st.one_of(
    st.integers(-3, 3),
    st.booleans(),
    st.sampled_from([0.0, 1.0, -1.0, 0.5, float("nan"), float("inf"), 2**63, -(2**63), 2**64, 2**70, 1e300]),
    st.sampled_from(["0", "1", "a", "b", "", "1.0", "True", "drop"]),
    st.sampled_from([None, b"a", b"1", (1, 2), Decimal(1), Decimal("0.5"), Fraction(2), 1 + 0j]),
    st.sampled_from([dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 12), dt.timedelta(days=1)]),
)
VALUES = SCALARS.filter(lambda v: v is not None and v == v and v != float("inf"))


def distinct(values):
    try:
        return Domain(values)
    except InvalidContext:
        return None


def one_by_one(domain, column):
    return [ABSENT if (number := domain.find(value)) is None else number for value in column]


@given(st.lists(VALUES, min_size=1, max_size=6), st.lists(SCALARS, max_size=8))
def test_a_column_means_what_its_values_mean_one_by_one(values, column):
    """The numbers of `randomize_many` are those of `randomize`, in lists, objects, arrays and Arrow columns."""
    domain = distinct(values)
    if domain is None:
        return
    lookup = DomainLookup(domain)
    for held in (column, tuple(column), pd.Series(column, dtype=object)):
        assert lookup.indices(held).tolist() == one_by_one(domain, column)
    for kind in {type(value) for value in column} - {type(None), tuple, complex}:
        alike = [value for value in column if type(value) is kind]
        for make in (np.array, pd.Series, pa.array):
            try:
                made = make(alike)
            except (pa.ArrowException, OverflowError):
                continue
            if getattr(made, "ndim", 1) != 1:
                continue
            items = made.to_pylist() if make is pa.array else list(made)
            assert lookup.indices(made).tolist() == one_by_one(domain, items)


@given(
    st.lists(st.integers(-(2**63), 2**64 - 1) | st.integers(-200, 300), min_size=1, max_size=9, unique=True),
    st.sampled_from(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]),
    st.data(),
)
def test_every_width_of_whole_numbers_is_exact(values, kind, data):
    limits = np.iinfo(kind)
    near = [v for v in values if limits.min <= v <= limits.max] + [limits.min, limits.max, 0]
    column = np.array(data.draw(st.lists(st.sampled_from(near), max_size=9)), dtype=kind)
    for domain in (Domain(values), Domain(range(300)), Domain(range(-200, 200)), Domain(range(2**63 - 5, 2**63 + 5))):
        expected = one_by_one(domain, column.tolist())
        assert DomainLookup(domain).indices(column).tolist() == expected
        assert DomainLookup(domain).indices(pa.array(column)).tolist() == expected


@pytest.mark.parametrize("kind", ["i1", "i2"])
@pytest.mark.parametrize("size", [128, 129, 255, 256, 300, 40_000])
def test_a_negative_number_is_not_a_large_one(kind, size):
    """-1 in a narrow type has the bits of 255 or 65,535, which a domain may hold."""
    column = np.array([5, -1, -100, 100], dtype=kind)
    for values in (column, pa.array(column), pa.array(column).dictionary_encode(), pd.Series(column), column.tolist()):
        with pytest.raises(UnknownValue, match=f"row 2: a value of type int.* must be one of the {size} values"):
            encode(Domain(range(size)), values)
        dropped = encode(Domain(range(size)), values, unknown="drop")
        assert (dropped.indices.tolist(), dropped.unknown) == ([5, 100], 2)
        assert encode(Domain(range(size)), values, unknown="7").indices.tolist() == [5, 7, 7, 100]


def test_what_lies_outside_is_seen_at_every_edge():
    for kind in ("i1", "u1", "i2", "u2", "i8", "u8"):
        limits = np.iinfo(kind)
        numbers = np.array([0, 1, 126, 127, limits.min, limits.max], dtype=kind)
        for size in (1, 2, 127, 128, 129, 255, 256, 257, 1 << 15, 1 << 16, 1 << 31):
            expected = [not 0 <= int(number) < size for number in numbers]
            found = outside(numbers, size)
            assert (found is None and not any(expected)) or found.tolist() == expected
        assert outside(numbers[:0], 3) is None


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 2)], np.array(["2020-01-02", "2020-01-03", "NaT"], dtype="M8[D]")),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)], np.array(["2020-01-02", "2021"], dtype="M8[us]")),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)], np.array(["2020-01-02", "2021"], dtype="M8[ns]")),
        ([dt.datetime(2020, 1, 1), 1], np.array([1, 2], dtype="M8[ns]")),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)], pd.Series(pd.to_datetime(["2020-01-02", "2021-01-01"]))),
        ([dt.datetime(2020, 1, 1), 1], pa.array([1, 1577836800 * 10**9, None], pa.timestamp("ns"))),
        ([dt.timedelta(1), dt.timedelta(2)], np.array([2, 3], dtype="m8[D]")),
        ([True, False], np.array([False, True])),
        ([0, 1], np.array([False, True])),
        ([0, 1], pa.array([False, True, None])),
        ([True, "yes"], pd.Series([True, None], dtype="boolean")),
        ([b"a", "a"], np.array([b"a", b"b"])),
        ([b"a", "a"], pa.array([b"a", b"b", None])),
        ([b"a", "a"], pa.array(["a", "b", None])),
        (["é", "e\u0301"], pa.array(["e\u0301", "é"])),
        ([0, 1], [np.True_, np.False_, np.int8(1), np.float32(1), True]),
        ([True, False], [np.True_, np.False_, 1, 0]),
        ([1, 2], np.ma.masked_array([1, 2, 2], mask=[False, True, False])),
        (["x", "y"], np.array([1, 2])),
        ([("a", 1), ("b", 2)], [("b", 2), ["a", 1], "a"]),
        ([("a", 1), ("b", 2)], pd.MultiIndex.from_tuples([("b", 2), ("b", 1)])),
        ([pd.Period("2020-01"), 1], pd.Series(pd.period_range("2020-01", periods=2, freq="M"))),
        ([0.5, 2], [Fraction(1, 2), Decimal("0.5"), np.float32(0.5), 2.0]),
    ],
    ids=str,
)
def test_columns_of_other_kinds_mean_their_values(values, column):
    domain = Domain(values)
    items = column.to_pylist() if isinstance(column, pa.Array) and column.type != pa.timestamp("ns") else list(column)
    if isinstance(column, pa.Array) and column.type == pa.timestamp("ns"):
        items = [None, dt.datetime(2020, 1, 1), None]
    found = DomainLookup(domain).indices(column).tolist()
    assert found == one_by_one(domain, items)


def test_objects_of_polars_mean_what_they_are():
    held = polars_series([20, "a", None, 17], pytest.importorskip("polars").Object)
    found = encode(Domain([*range(18, 100), "a"]), held, unknown="drop")
    assert (found.indices.tolist(), found.unknown) == ([2, 82], 2)


def test_texts_that_are_not_text_are_unknown():
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.array([0, 1, 2], pa.int32()).buffers()[1], pa.py_buffer(b"\xffa")]
    )
    assert DomainLookup(Domain(["a", "b"])).indices(broken).tolist() == [ABSENT, 0]
    with pytest.raises(UnknownValue, match="row 1: a value of type string must be one of the 2 values"):
        encode(Domain(["a", "b"]), broken)


def test_days_that_python_does_not_have_are_unknown():
    days = pa.array([0, 2**30], pa.date32())
    assert DomainLookup(Domain([dt.date(1970, 1, 1), 1])).indices(days).tolist() == [0, ABSENT]
    with pytest.raises(UnknownValue, match=r"row 2: a value of type date32\[day\] must be one of the 2 values"):
        encode(Domain([dt.date(1970, 1, 1), 1]), days)


@pytest.mark.parametrize(
    "wrong",
    [
        "abc",
        b"abc",
        7,
        None,
        {"a": 1},
        np.zeros((2, 2)),
        np.array(3),
        np.zeros(2, dtype="i4,i4"),
        pd.DataFrame({"a": [1]}),
        pa.table({"a": [1]}),
        pa.array([[1], [2]]),
        pa.array([{"a": 1}]),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_is_not_a_column_is_refused(wrong):
    with pytest.raises(InvalidInput, match="must be one column"):
        encode(CITIES, wrong)


@pytest.mark.parametrize("form", ["a list", "a NumPy array", "a series", "NumPy objects", "categories"])
def test_without_pyarrow_the_numbers_are_the_same(form, monkeypatch):
    monkeypatch.setattr(encoding, "find_spec", lambda name: None if name == "pyarrow" else find_spec(name))
    assert encode(CITIES, FORMS[form](HELD)).indices.tolist() == [1, 3, 1, 0]
    sparse = Domain([0, 10**9, 0.5])
    assert encode(sparse, FORMS[form]([10**9, 0])).indices.tolist() == [1, 0]
    assert encode(sparse, FORMS[form]([0.5, 0.0])).indices.tolist() == [2, 0]
    with pytest.raises(InvalidInput, match="must be one column"):
        encode(CITIES, pd.DataFrame({"rome": [1]}))


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "u8"])
def test_numbers_that_are_their_own_values_are_not_copied(kind):
    values = pa.array(np.array([3, 1, 2], dtype=kind))
    found = encode(Domain(range(4)), values)
    assert found.indices.dtype == kind
    assert np.shares_memory(found.indices, values.to_numpy())


# -- what is not in the domain -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["a list", "an Arrow array", "an Arrow dictionary", "categories", "an iterator"])
def test_nulls_and_unknown_values_follow_one_rule(form):
    def values():
        return FORMS[form](["oslo", None, "paris"])

    with pytest.raises(UnknownValue, match=r"^row 2: (null|a value of type float) must be one of the 4 values of the"):
        encode(CITIES, values())
    dropped = encode(CITIES, values(), unknown="drop")
    assert (dropped.indices.tolist(), dropped.seen, dropped.unknown) == ([1], 3, 2)
    replaced = encode(CITIES, values(), unknown="bern")
    assert (replaced.indices.tolist(), replaced.seen, replaced.unknown) == ([1, 2, 2], 3, 2)
    with pytest.raises(UnknownValue, match="value='paris'"):
        encode(CITIES, values(), unknown="paris")


def test_an_unknown_value_becomes_one_with_a_large_number_among_small_ones():
    many = Domain([f"city {i}" for i in range(1000)])
    for column in (pa.array(["city 3", "oslo"]), pd.Series(["city 3", "oslo"], dtype="category")):
        assert encode(many, column, unknown="city 300").indices.tolist() == [3, 300]


def test_no_values_have_no_numbers():
    for nothing in ([], np.array([]), pa.array([], pa.string()), pa.chunked_array([], pa.string()), pa.nulls(0)):
        found = encode(CITIES, nothing)
        assert (found.indices.tolist(), found.seen) == ([], 0)
    assert DomainLookup(CITIES).indices(pa.nulls(2)).tolist() == [ABSENT, ABSENT]


# -- texts of files -----------------------------------------------------------------------------------------


def test_texts_become_the_numbers_of_the_values_they_write():
    encoder = DomainEncoder(WORDS, written=True)
    assert encoder.encode(["b", "7", "a", "b"]).indices.tolist() == [1, 2, 0, 1]
    assert encoder.encode([]).indices.tolist() == []
    assert encoder.encode(pa.array(["drop", "7"])).indices.tolist() == [3, 2]
    assert encoder.encode(pa.array([7])).indices.tolist() == [2]
    with pytest.raises(UnknownValue):
        DomainEncoder(WORDS).encode(["7"])


@pytest.mark.parametrize(
    "values", [["18", "20", "19"], ["18", 19, "x", "20"], ["18", "19", str(10**30), 20], [19, "-5"]]
)
def test_whole_numbers_in_files_are_found_by_their_text(values):
    """What a file holds as a number is what it holds as the text of that number, in every width."""
    domain = Domain(values)
    held = [19, 18, 20, 19, 21, -5]
    expected = [ABSENT if (number := domain.find_text(str(one))) is None else number for one in held]
    lookup = DomainLookup(domain, written=True)
    for column in (held, np.array(held, "i1"), pa.array(held), pa.array(held).dictionary_encode(), pd.Series(held)):
        assert lookup.indices(column).tolist() == expected
    assert lookup.indices(np.array(held[:-1], "u8")).tolist() == expected[:-1]
    assert lookup.indices(pa.array([18.0, 2.5])).tolist() == [ABSENT, ABSENT]  # a number is equal to no text
    assert lookup.indices([True, False]).tolist() == [ABSENT, ABSENT]
    assert DomainLookup(domain).indices(held).tolist() == one_by_one(domain, held)


def test_a_number_is_itself_before_it_is_a_text():
    assert DomainLookup(Domain(["7", 7]), written=True).indices(np.array([7])).tolist() == [1]
    assert DomainLookup(Domain([7, "7"]), written=True).indices(np.array([7])).tolist() == [0]


def test_the_first_value_outside_the_domain_is_named_by_its_row():
    with pytest.raises(UnknownValue, match=re.escape("row 4: a value of type str must be one of the 4 values")):
        DomainEncoder(WORDS, written=True).encode(["a", "z", "y", "z"], start=2)


@pytest.mark.parametrize("text", ["", " 1", "1 ", "01", "+1", "1_0", "1.0", "-1", "10", "١", "one", "9" * 5000])
def test_a_number_must_be_written_as_it_prints(text):
    encoder = DomainEncoder(Domain(range(10)), written=True)
    assert encoder.encode(["1"]).indices.tolist() == [1]
    with pytest.raises(UnknownValue, match="row 1: a value of type str must be one of"):
        encoder.encode([text])


def test_unknown_texts_are_left_out_or_replaced_and_counted():
    found = DomainEncoder(WORDS, unknown="drop", written=True).encode(["z", "b", "z"])
    assert (found.indices.tolist(), found.seen, found.unknown) == ([1], 3, 2)
    found = DomainEncoder(WORDS, unknown="7", written=True).encode(["z", "b", ""])
    assert (found.indices.tolist(), found.seen, found.unknown) == ([2, 1, 2], 3, 2)


def test_the_replacement_must_be_a_value_itself():
    with pytest.raises(UnknownValue, match="value='zz'"):
        DomainEncoder(WORDS, unknown="zz")
    with pytest.raises(UnknownValue, match="value='01'"):
        DomainEncoder(Domain(range(3)), unknown="01")


# -- into a mechanism -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS | TEXTS)
def test_many_reports_are_those_of_each_value(form):
    mechanism = dc.mechanism(dc.Context.uniform(CITIES, "1"), "hadamard")
    rng = seeded(1)
    alone = [mechanism.randomize(value, rng) for value in HELD]
    assert mechanism.randomize_many((FORMS | TEXTS)[form](HELD), seeded(1)).tolist() == alone
    assert mechanism.randomize_indices([1, 3, 1, 0], seeded(1)).tolist() == alone


def test_values_outside_the_domain_are_refused_or_left_out():
    mechanism = dc.mechanism(dc.Context.uniform(range(18, 100), "1"), "hadamard")
    with pytest.raises(UnknownValue, match="row 2: a value of type int must be one of the 82 values of the domain"):
        mechanism.randomize_many([20, 3], seeded(1))
    kept = mechanism.randomize_many([20, 3, 99, None], seeded(1), unknown="drop")
    assert kept.tolist() == mechanism.randomize_many([20, 99], seeded(1)).tolist()
    instead = mechanism.randomize_many([20, 3], seeded(1), unknown="18")
    assert instead.tolist() == mechanism.randomize_many([20, 18], seeded(1)).tolist()


def test_two_releases_take_values_and_numbers():
    mechanism = dc.mechanism(dc.Context.uniform(CITIES, "1"), "hadamard")
    both = dc.compose(mechanism, mechanism)
    values, numbers = both.randomize_many(HELD, seeded(1)), both.randomize_indices([1, 3, 1, 0], seeded(1))
    assert [part.tolist() for part in values] == [part.tolist() for part in numbers]
