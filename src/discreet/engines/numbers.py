"""The numbers in the domain of values written as text in files."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..errors import UnknownValue

UNKNOWN = -1


class Numbers:
    """The numbers of values given as text, chunk by chunk, in order.

    A text must be exactly how the value prints. `unknown` says what to do with any other: "error"
    refuses it, "drop" leaves it out, and any other text is the value to use instead.
    """

    def __init__(self, domain: Domain, *, unknown: str = "error") -> None:
        self._domain = domain
        self._unknown = unknown
        self._instead = None if unknown in ("error", "drop") else self._number(unknown)
        self._known: dict[str, int] = {}
        self.seen = 0
        """The number of texts read so far."""
        self.unknown = 0
        """The number of texts outside the domain so far."""

    def _number(self, text: str) -> int:
        number = self._domain.index_of_text(text)
        if str(self._domain[number]) != text:
            raise UnknownValue(f"value={text!r} must be one of the {len(self._domain)} values of the domain")
        return number

    def of(self, texts: list[str]) -> NDArray[np.int64]:
        """The numbers of the next texts; `UnknownValue` says which entry, counted from 1, is not in the domain."""
        known = self._known
        for text in dict.fromkeys(texts):
            if text in known:
                continue
            try:
                known[text] = self._number(text)
            except UnknownValue as problem:
                if self._unknown == "error":
                    raise UnknownValue(f"entry {self.seen + texts.index(text) + 1}: {problem}") from None
                known[text] = UNKNOWN
        numbers = np.array([known[text] for text in texts], dtype=np.int64)
        self.seen += len(texts)
        outside = numbers == UNKNOWN
        self.unknown += int(outside.sum())
        if self._instead is None:
            return np.compress(~outside, numbers)
        numbers[outside] = self._instead
        return numbers
