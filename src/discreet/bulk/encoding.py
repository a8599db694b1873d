"""Columns of values, whatever holds them, encoded as indices into a domain: the only place where this is done.

Lists, NumPy arrays, pandas, polars and Arrow columns, and the texts of files. Whole numbers near each other are found
by a subtraction or in a table; of anything else each distinct value is looked up once, by `Domain.find`, so that a
column means what its values mean one by one. Only Arrow columns need pyarrow (`discreet.bulk.arrow.values`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.domain import Domain, Value, whole_number, written_number
from ..core.errors import InvalidInput, UnknownValue, check_type, named
from ..core.numbers import NumberDomain
from ..estimation.arrays.acceleration import accelerated

ABSENT = -1
"""The number that stands for a null or a value outside the domain."""

MAX_SPARSE_TABLE = 1 << 16
"""The most entries of a table of whole numbers that has more than a few for each value."""


SLAB = 1 << 16
"""Whole numbers that are looked up at a time: few enough for the processor's cache."""


@dataclass(frozen=True)
class EncodedColumn:
    """The indices of the values of a column, how many values there were, and how many of them were unknown.

    `rows` are the places of those that were not left out; None if none was.
    """

    indices: NDArray[Any]
    seen: int
    unknown: int
    rows: NDArray[np.int64] | None = None


def encode(domain: Domain, values: Any, *, unknown: str = "error") -> EncodedColumn:
    """The indices of the values in a column; `unknown` is "error", "drop" or the text of a value (`DomainEncoder`)."""
    return DomainEncoder(domain, unknown=unknown).encode(values)


class DomainEncoder:
    """Turns columns of values into their indices, with one rule for nulls and for values outside the domain.

    `unknown` says what to do with those: "error" refuses them, "drop" leaves them out, and any other text is the
    value to use instead. `written` is for columns of files, as in `DomainLookup`.
    """

    def __init__(self, domain: Domain, *, unknown: str = "error", written: bool = False) -> None:
        check_type("unknown", unknown, str, "error, drop or the text of a value")
        self._domain, self._unknown = domain, unknown
        self._instead = None if unknown in ("error", "drop") else domain.position_of_text(unknown)
        self._lookup = lookup_of(domain, written=written)

    def encode(self, column: Any, *, start: int = 0) -> EncodedColumn:
        """The numbers of the values; `UnknownValue` names the first row, counted from `start`, that has none."""
        if not hasattr(column, "__len__"):
            column = _listed(column)  # it can be gone through only once
        numbers = self._lookup.find(column)
        absent = outside(numbers, self._domain.positions)
        if absent is None:
            return EncodedColumn(numbers, len(numbers), 0)
        if self._unknown == "error":
            row = int(np.argmax(absent))
            raise UnknownValue(f"row {start + row + 1}: {_named(column, row)} must be {self._domain.rule}")
        unknown = int(np.count_nonzero(absent))
        if self._instead is not None:
            return EncodedColumn(np.where(absent, self._instead, numbers.astype(np.int64)), len(numbers), unknown)
        rows = np.flatnonzero(~absent)
        return EncodedColumn(numbers[rows], len(numbers), unknown, rows)


def lookup_of(domain: Domain, *, written: bool = False) -> DomainLookup:
    """What finds the values of columns in a domain, or the places of numbers."""
    if isinstance(domain, NumberDomain):
        from .numbers import NumberLookup

        return NumberLookup(domain, written=written)
    return DomainLookup(domain, written=written)


class DomainLookup:
    """Finds the values of columns in a domain.

    `written` is for columns of files: a text is then compared with the text of each value, and so is a whole number
    that is not a value itself.
    """

    def __init__(self, domain: Domain, *, written: bool = False) -> None:
        self._domain, self._written = domain, written

    def indices(self, column: Any) -> NDArray[Any]:
        """The number of each value; `ABSENT` where it is null or unknown."""
        numbers = self.find(column)
        absent = outside(numbers, self._domain.positions)
        return numbers if absent is None else np.where(absent, ABSENT, numbers.astype(np.int64))

    def find(self, column: Any) -> NDArray[Any]:
        """The number of each value; anything that is not a number of the domain where it is null or unknown."""
        if isinstance(column, (list, tuple)):
            return self._of_list(column)
        if isinstance(column, np.ndarray):
            return self._of_array(column)
        if isinstance(getattr(column, "dtype", None), np.dtype):
            return self._of_array(np.asarray(column))
        held = getattr(column, "array", column)  # what a series or an index of pandas holds
        if hasattr(held, "codes") and hasattr(held, "categories"):
            return map_codes(np.asarray(held.codes), self.indices(held.categories))
        if any(hasattr(held, name) for name in ARROW) and find_spec("pyarrow"):
            from .arrow.values import find_values

            if (numbers := find_values(held, self)) is not None:
                return numbers
        return self._of_list(_listed(column))

    # -- lists: each distinct value once ------------------------------------------------------------
    def _of_list(self, values: Sequence[Any]) -> NDArray[Any]:
        kinds = set(map(type, values))
        if kinds == {int}:
            try:
                return self.of_integers(np.array(values, dtype=np.int64))
            except OverflowError:
                pass
        if not any(issubclass(kind, (bool, np.bool_)) for kind in kinds):  # a set would take True for 1
            try:
                known = {value: self.number(value) for value in set(values)}
            except TypeError:  # one of them cannot be hashed, and so is not in the domain
                pass
            else:
                return np.fromiter(map(known.__getitem__, values), dtype=np.int64, count=len(values))
        return np.array([self.number(value) for value in values], dtype=np.int64)

    def number(self, value: object) -> int:
        """The number of one value, or `ABSENT`."""
        if self._written and isinstance(value, str):
            index = self._domain.find_text(value)
        else:
            index = self._domain.find(value)
            if index is None and self._written and isinstance(value, Integral) and not isinstance(value, bool):
                index = self._domain.find_text(str(value))
        return ABSENT if index is None else index

    # -- arrays -------------------------------------------------------------------------------------
    def _of_array(self, array: NDArray[Any]) -> NDArray[Any]:
        if array.ndim != 1 or array.dtype.kind == "V":
            raise InvalidInput(f"values of type {array.dtype} and shape {array.shape} must be one column of values")
        if isinstance(array, np.ma.MaskedArray):
            return np.where(np.ma.getmaskarray(array), ABSENT, self.indices(array.data))
        if array.dtype.kind in "OTU":
            return self._of_list(array.tolist())
        if array.dtype.kind in "iu":
            return self.of_integers(array.astype(array.dtype.newbyteorder("="), copy=False))
        return self._of_distinct(array)

    def _of_distinct(self, array: NDArray[Any]) -> NDArray[Any]:
        if array.dtype.kind in "fiu" and array.itemsize in (4, 8) and find_spec("pyarrow"):
            from .arrow.values import of_distinct

            return of_distinct(array, self)
        distinct, places = np.unique(array, return_inverse=True)
        return map_codes(places, np.array([self.number(value) for value in distinct], dtype=np.int64))

    def of_integers(self, array: NDArray[Any]) -> NDArray[Any]:
        """The numbers of whole numbers; without a copy where they are their own, unless a narrow one is soon made."""
        worth = accelerated(len(array))
        if self._is_identity and not (worth and array.itemsize > np.min_scalar_type(len(self._domain)).itemsize):
            return array
        table = (0, None) if self._is_identity else self._table
        if table is None or (array.dtype == np.uint64 and table[0] and array.size and int(array.max()) >> 63):
            return self._of_distinct(array)
        low, numbers = table
        beyond = len(self._domain) if numbers is None else len(numbers) - 1
        out = np.empty(len(array), dtype=np.min_scalar_type(beyond) if numbers is None else numbers.dtype)
        (_compiled_look_up if worth else _look_up)(array, low, beyond, numbers, out)
        return out

    @cached_property
    def _is_identity(self) -> bool:
        """True if every whole number from 0 to k - 1 is its own number, and no other is in the domain."""
        return self._domain.is_range or (self._table is not None and self._table[0] == 0 and self._table[1] is None)

    @cached_property
    def _table(self) -> tuple[int, NDArray[Any] | None] | None:
        """The least whole number, and the numbers of all from there on up to one more, which is not in the domain.

        The second is None where these are 0, 1, ... themselves, and both are None where the whole numbers of the domain
        are too far apart, or there are none.
        """
        given = self._domain.stored_range
        if given is not None and given.step == 1:
            return (given[0], None) if -(2**63) <= given[0] <= given[-1] < 2**63 else None
        try:
            wholes, numbers = self._wholes()
        except OverflowError:  # one has more than 64 bits
            return None
        low, high = int(wholes.min(initial=2**63 - 1)), int(wholes.max(initial=-(2**63)))
        if not len(wholes) or high - low > max(MAX_SPARSE_TABLE, 4 * len(wholes)):
            return None
        size = len(self._domain)
        if high - low + 1 == size and np.array_equal(wholes - low, numbers):
            return low, None
        table = np.full(high - low + 2, size, dtype=np.min_scalar_type(size))
        table[wholes - low] = numbers
        return low, table

    def _wholes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The whole numbers that are values or, if `written`, the texts of values; and the number of each."""
        if set(map(type, self._domain)) == {int}:
            return np.fromiter(self._domain, np.int64, len(self._domain)), np.arange(len(self._domain))
        own = {whole_number(value): number for number, value in enumerate(self._domain)}
        texts = ((written_number(str(value)), number) for number, value in enumerate(self._domain))
        both = {**dict(texts), **own} if self._written else own
        both.pop(None, None)
        return np.array(list(both), dtype=np.int64), np.array(list(both.values()), dtype=np.int64)


def _look_up(array: NDArray[Any], low: int, beyond: int, table: NDArray[Any] | None, out: NDArray[Any]) -> None:
    """Write the number of each whole number, ``table[array - low]``, and that of `beyond` for those outside."""
    for begin in range(0, len(array), SLAB):
        part = slice(begin, begin + SLAB)
        places = array[part].astype(np.int64) - np.int64(low)  # what wraps is far beyond
        capped = np.minimum(places.view(np.uint64), np.uint64(beyond))
        out[part] = capped if table is None else table[capped]


def _compiled_look_up(
    array: NDArray[Any], low: int, beyond: int, table: NDArray[Any] | None, out: NDArray[Any]
) -> None:
    """The same as `_look_up`, in one compiled pass."""
    from . import kernels

    least, last = np.uint64(low % 2**64), np.uint64(beyond)
    if table is None:
        kernels.subtract_capped(np.ascontiguousarray(array), least, last, out)
    else:
        kernels.look_up_capped(np.ascontiguousarray(array), least, last, table, out)


ARROW = ("__arrow_c_stream__", "__arrow_c_array__", "__arrow_array__")
"""The methods by which a column offers itself to Arrow."""


def outside(numbers: NDArray[Any], size: int) -> NDArray[np.bool_] | None:
    """Which of these whole numbers are not from 0 to `size` - 1; None, without looking at each, if they all are."""
    width = numbers.dtype.itemsize
    if numbers.dtype.kind == "i" and size > 1 << 8 * width - 1:  # all positive numbers of this type are below `size`
        negative: NDArray[np.bool_] = numbers < 0
        return negative if negative.any() else None
    unsigned = numbers.view(f"u{width}")
    if not len(numbers) or int(unsigned.max()) < size:
        return None
    beyond: NDArray[np.bool_] = unsigned >= size
    return beyond


def map_codes(codes: NDArray[Any], numbers: NDArray[np.int64]) -> NDArray[Any]:
    """``numbers[code]`` for each code, in the smallest type; `ABSENT` for -1 and for the code after the last."""
    most = max(1, int(numbers.max(initial=0)))
    table = np.append(numbers, ABSENT).astype(np.min_scalar_type(-most - 1))
    return np.asarray(table[codes])


def _listed(values: Any) -> list[Value]:
    """The values of a column as a list; `InvalidInput` for what is not one column."""
    if isinstance(values, (str, bytes, Mapping)) or hasattr(values, "columns") or not isinstance(values, Iterable):
        raise InvalidInput(f"values of type {type(values).__name__} must be one column of values, such as a list")
    return values.to_list() if hasattr(values, "to_list") else list(values)


def _named(column: Any, row: int) -> str:
    """What an error calls the value in a row."""
    value = next(islice(iter(column), row, None))
    try:
        return named(value.as_py() if hasattr(value, "as_py") else value)
    except (ValueError, OverflowError):  # Python has no such value: text that is not UTF-8, a day after the year 9999
        return f"a value of type {value.type}"


AS_IN_JSON = {True: "true", False: "false"}


def boolean_texts(domain: Domain) -> dict[bool, str]:
    """The texts of true and false: as JSON writes them if the domain has one of these, else as Python does."""
    values = () if domain.is_range else domain
    return AS_IN_JSON if any(text in values for text in AS_IN_JSON.values()) else {True: "True", False: "False"}
