"""Distinct values, numbered 0 .. k-1 in the order given."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, repeat, takewhile
from numbers import Number
from operator import mul
from typing import Any, TypeAlias

from .errors import InvalidContext, UnknownValue, named, shown
from .limits import DIGITS

Value: TypeAlias = Hashable
"""A person's value: anything hashable; text and whole numbers survive a round trip through files."""


class Domain(Sequence[Value]):
    """The distinct values that a person may hold; ``domain.index(value)`` is a value's number.

    A value is found where Python calls it equal, so 3.0 and NumPy's 3 are 3, but ``True`` is never 1, nor "1".
    ``Domain(range(k))`` is stored as the range itself, so a million numbered values cost nothing.

    >>> import discreet as dc
    >>> domain = dc.Domain(["bus", "car", "bike"])
    >>> domain.index("car"), domain[2], "train" in domain
    (1, 'bike', False)
    """

    def __init__(self, values: Iterable[Value]) -> None:
        kept = values if isinstance(values, range) else tuple(map(_kept, listed_values(values, "values")))
        self._values: Sequence[Value] = kept
        if not self._values:
            raise InvalidContext("values=() must hold at least one value")
        if not isinstance(self._values, range) and len(self._numbers) != len(self._values):
            seen: set[Value] = set()
            twice = next(v for v in self._values if v in seen or seen.add(v))  # type: ignore[func-returns-value]
            raise InvalidContext(f"values: {shown(twice)} appears twice; values must be distinct")

    @cached_property
    def _numbers(self) -> dict[Value, int]:
        try:
            return {value: number for number, value in enumerate(self._values)}
        except TypeError as unhashable:
            raise InvalidContext(f"values must be hashable, such as text or numbers ({unhashable})") from None

    @cached_property
    def _texts(self) -> dict[str, int]:
        texts: dict[str, int] = {}
        for number, value in enumerate(self._values):
            if (other := texts.setdefault(str(value), number)) != number:
                raise InvalidContext(f"values: {self._values[other]!r} and {value!r} are written alike in files")
        return texts

    def find(self, value: object) -> int | None:
        """The number of `value`; None if it is not in the domain."""
        value = _plain(value)
        if isinstance(self._values, range):
            whole = whole_number(value)
            return self._values.index(whole) if whole is not None and whole in self._values else None
        try:
            number = self._numbers.get(value)
        except TypeError:  # it cannot be hashed, so it is not one of the values
            return None
        return number if number is not None and _same_truths(value, self._values[number]) else None

    def find_text(self, text: str) -> int | None:
        """The number of the value whose text form is `text`, as files and command lines write it; None without one."""
        if not isinstance(self._values, range):
            return self._texts.get(text)
        return self.find(written_number(text))

    def index(self, value: object, *_: object) -> int:
        """The number of `value`; `UnknownValue` if it is not in the domain, without saying what it was."""
        number = self.find(value)
        if number is None:
            raise UnknownValue(f"{named(value)} must be {self.rule}")
        return number

    def index_of_text(self, text: str) -> int:
        """The number of the value that is written `text`; `UnknownValue`, which shows it, if there is none."""
        return self._number_of(text, self.find_text)

    def number_of(self, value: object) -> int:
        """The number of a value that is asked about and is nobody's own; `UnknownValue`, which shows it."""
        return self._number_of(value, self.find)

    def _number_of(self, value: Any, find: Callable[[Any], int | None]) -> int:
        number = find(value)
        if number is None:
            raise UnknownValue(f"value={shown(value)} must be {self.rule}")
        return number

    # -- what people hold, where that may lie between values -------------------------------------
    @property
    def draws(self) -> int:
        """How many random words it takes to make a value of what a person holds; none unless overridden."""
        return 0

    @property
    def positions(self) -> int:
        """How many different things people may hold: the values themselves unless overridden."""
        return len(self)

    def position(self, value: object) -> int:
        """The number, below `positions`, of what a person holds; `UnknownValue`, which does not repeat it."""
        return self.index(value)

    def position_of_text(self, text: str) -> int:
        """The number of what a person holds, written as `text`; `UnknownValue`, which shows it."""
        return self.index_of_text(text)

    def place(self, position: int, words: Sequence[int]) -> int:
        """The number of the value that a person with this position has in this report, by `draws` words."""
        return position

    def normalized(self, value: object) -> Value:
        """What a person holds in the one way that it is kept."""
        kept: Value = self[self.index(value)]
        return kept

    def held(self, text: str) -> Value | None:
        """What a person holds that is written `text`, in the one way that it is kept; None if nobody holds it."""
        number = self.find_text(text)
        return None if number is None else self[number]

    def around(self, value: object) -> tuple[int, ...]:
        """The numbers of the values that what a person holds may become in a report."""
        return (self.index(value),)

    def extended(self, values: Iterable[Value]) -> Domain:
        """This domain with more values after its own."""
        return Domain((*self, *values))

    def shortened(self, count: int) -> Domain:
        """This domain without its last values."""
        kept = list(self)[: len(self) - count]
        return Domain(range(len(kept)) if kept == list(range(len(kept))) else kept)

    def describe(self) -> dict[str, Any]:
        """The entries of a domain in a spec: its size if the values are 0, 1, ..., else all of them."""
        return {"size": len(self)} if self.is_range else {"values": list(self)}

    @property
    def rule(self) -> str:
        """What a value must be, for messages."""
        return f"one of the {len(self)} values of the domain"

    @property
    def stored_range(self) -> range | None:
        """The values as the range that they are stored as; None if they are listed."""
        return self._values if isinstance(self._values, range) else None

    @property
    def is_range(self) -> bool:
        """True when the values are the numbers 0 .. k-1 themselves."""
        return self._values == range(len(self._values))

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        return self._values[number]

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values)

    def __contains__(self, value: object) -> bool:
        return self.find(value) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Domain):
            return NotImplemented
        if self is other or (isinstance(self._values, range) and isinstance(other._values, range)):
            return self._values == other._values
        return len(self) == len(other) and all(a == b and _same_truths(a, b) for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((len(self), self[0], self[-1]))

    def __repr__(self) -> str:
        return f"Domain({self._values if len(self) <= 6 else f'{len(self)} values'})"


def listed_values(values: Any, name: str) -> list[Value]:
    """The values of a collection; `InvalidContext` for a single text or what is no collection."""
    if isinstance(values, (str, bytes)):
        raise InvalidContext(f"{name}={values!r} must be a collection of values, not a single text")
    try:
        return list(values)
    except TypeError:
        raise InvalidContext(f"{name} of type {type(values).__name__} must be a collection of values") from None


def plain_value(value: Value) -> str | int | float:
    """A value as JSON can hold it: text, numbers and truth values as they are, anything else as text."""
    return value if isinstance(value, (str, int, float)) else str(value)


def _same_truths(value: object, other: object) -> bool:
    """True if of two equal values both are truth values or neither is, and so for what tuples hold."""
    if isinstance(value, tuple) and isinstance(other, tuple):
        return all(map(_same_truths, value, other))
    return isinstance(value, bool) == isinstance(other, bool)


def _plain(value: Any) -> Any:
    """A scalar of NumPy as the Python value that it stands for, if there is one; anything else as it is."""
    if type(value).__module__ != "numpy" or not isinstance(value, Hashable) or not hasattr(value, "item"):
        return value
    scalar: Any = value
    if isinstance(plain := scalar.item(), int) and scalar.dtype.kind in "mM":  # nanoseconds: Python's times have none
        exact = scalar.astype(f"{scalar.dtype.kind}8[us]")
        return exact.item() if exact == scalar else scalar
    return plain


def whole_number(value: Any) -> int | None:
    """The whole number that `value` is equal to; None if it is no number, or True or False."""
    if isinstance(value, bool) or not isinstance(value, Number):
        return None
    number: Any = value
    try:
        whole = int(number)
    except (TypeError, ValueError, OverflowError):
        return None
    return whole if whole == number else None


def written_number(text: str) -> int | None:
    """The whole number that prints exactly as `text`; None if there is none."""
    digits = text.removeprefix("-")
    whole = len(digits) <= DIGITS and digits.isascii() and digits.isdigit() and str(int(text)) == text
    return int(text) if whole else None


def _kept(value: Any) -> Any:
    """A value as a domain keeps it; `InvalidContext` for what stands for no answer or is not finite."""
    value = _plain(value)
    if type(value) in (str, int):
        return value
    try:
        strange = value is None or isinstance(value, complex) or bool(value != value) or _infinite(value)
    except (TypeError, ValueError, ArithmeticError):  # such as a signalling NaN
        strange = type(value).__name__ in ("NAType", "Decimal")
    if strange:
        raise InvalidContext(
            f"values: {value!r} must not be a value: it is not real or finite, or stands for no answer"
        )
    return value


def _infinite(value: Any) -> bool:
    number: Any = value if isinstance(value, Number) else 0
    return math.isinf(number)


class Alike(Sequence[int]):
    """A sequence of `size` zeros that takes no memory: the classes of values that are all alike."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return 0

    def __iter__(self) -> Iterator[int]:
        return repeat(0, self._size)


class Leaves(Sequence[int]):
    """The labels of values that are leaves of a tree, numbered from left to right, each with its path from the root.

    Whoever labels values so bounds two of them by the node below which they part alone, and by no more below that node.
    """

    def __init__(self, leaves: Sequence[int], paths: Sequence[Sequence[int]]) -> None:
        self._leaves, self._paths = leaves, paths

    def __len__(self) -> int:
        return len(self._leaves)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._leaves[index]

    def path(self, x: int) -> Sequence[int]:
        """The nodes above a value, from the one below the root on."""
        return self._paths[x]

    def parting(self, x: int, z: int) -> int:
        """The depth of the lowest node above two different values."""
        paths = zip(self.path(x), self.path(z), strict=False)
        return len(list(takewhile(lambda pair: pair[0] == pair[1], paths)))


class EvenLeaves(Leaves):
    """Leaves of a tree whose nodes of depth l have ``branches[l]`` children each."""

    def __init__(self, leaves: Sequence[int], branches: Sequence[int]) -> None:
        super().__init__(leaves, ())
        self._spans = list(accumulate(reversed(branches), mul))[-2::-1]

    def path(self, x: int) -> Sequence[int]:
        return [self._leaves[x] // span for span in self._spans]


class Singles(Sequence[Sequence[int]]):
    """The classes of `size` values none of which are alike, ``(0,), (1,), ...``, which take no memory."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return (range(self._size)[index],)

    def __iter__(self) -> Iterator[Sequence[int]]:
        return ((x,) for x in range(self._size))
