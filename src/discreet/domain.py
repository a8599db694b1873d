"""Distinct values, numbered 0 .. k-1 in the order given."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from numbers import Integral
from typing import TypeAlias

from .errors import InvalidContext, UnknownValue

Value: TypeAlias = Hashable
"""A person's value: anything hashable; text and whole numbers survive a round trip through files."""


class Domain(Sequence[Value]):
    """The distinct values that a person may hold; ``domain.index(value)`` is a value's number.

    ``Domain(range(k))`` is stored as the range itself, so a million numbered values cost nothing.
    """

    def __init__(self, values: Iterable[Value]) -> None:
        if isinstance(values, (str, bytes)):
            raise InvalidContext(f"values={values!r} must be a collection of values, not a single text")
        self._values: Sequence[Value] = values if isinstance(values, range) else tuple(values)
        if not self._values:
            raise InvalidContext("values=() must hold at least one value")
        if not isinstance(self._values, range) and len(self._numbers) != len(self._values):
            seen: set[Value] = set()
            twice = next(v for v in self._values if v in seen or seen.add(v))  # type: ignore[func-returns-value]
            raise InvalidContext(f"values: {twice!r} appears twice; values must be distinct")

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

    def index(self, value: Value, *_: object) -> int:
        """The number of `value`; `UnknownValue` if it is not in the domain."""
        if isinstance(self._values, range):
            if isinstance(value, Integral) and not isinstance(value, bool) and int(value) in self._values:
                return self._values.index(int(value))
        else:
            try:
                number = self._numbers.get(value)
            except TypeError:  # it cannot be hashed, so it is not one of the values
                number = None
            if number is not None and isinstance(value, bool) == isinstance(self._values[number], bool):
                return number
        raise UnknownValue(f"value={value!r} must be one of the {len(self)} values of the domain")

    def index_of_text(self, text: str) -> int:
        """The number of the value whose text form is `text`, as files and command lines write it."""
        if isinstance(self._values, range):
            if text.isascii() and text.removeprefix("-").isdigit() and str(int(text)) == text and int(text) in self:
                return self.index(int(text))
        else:
            number = self._texts.get(text)
            if number is not None:
                return number
        raise UnknownValue(f"value={text!r} must be one of the {len(self)} values of the domain")

    @property
    def is_range(self) -> bool:
        """True when the values are the numbers 0 .. k-1 themselves."""
        return isinstance(self._values, range) and self._values == range(len(self._values))

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        return self._values[number]

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values)

    def __contains__(self, value: object) -> bool:
        try:
            return self.index(value) >= 0
        except UnknownValue:
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Domain):
            return NotImplemented
        return self is other or (len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True)))

    def __hash__(self) -> int:
        return hash((len(self), self[0], self[-1]))

    def __repr__(self) -> str:
        return f"Domain({self._values if len(self) <= 6 else f'{len(self)} values'})"


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
