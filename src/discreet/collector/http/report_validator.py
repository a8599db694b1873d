"""Tells reports that a law can have written from impossible ones, one by one or in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bulk.report_arrays import reports_from_bytes, reports_to_bytes
from ...core.errors import InvalidReport
from ...estimation.decoders import decoder_of
from ...mechanisms.mechanism import Mechanism
from ...wire.reports import EXACT_BITS, HEXADECIMAL, byte_width
from .problems import HttpProblem

MAX_REFUSED = 10_000
"""The most refused reports that an answer lists; an upload with more is not one of this law, and is refused whole."""

MAX_SCALAR_REPORTS = 64
"""Up to so many reports are checked one by one, which is faster than an array."""

CHUNK_REPORTS = 4096
"""Packed reports that are checked together once one of an upload is known to be impossible."""

Refusals = list[tuple[int, str]]
"""The places of refused reports, in order, with a code: ``form`` (not written like a report) or ``impossible``."""

Validated = tuple[bytes, int, Refusals]
"""The possible reports, packed, how many they are, and the places of the others."""


class ReportValidator:
    """Separates the possible from the impossible reports of one law."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism, self._sampler, self._decoder = mechanism, mechanism.sampler, decoder_of(mechanism)
        self._bits, self.width = mechanism.bits, byte_width(mechanism)
        self._numbers = self._bits <= EXACT_BITS
        self._digits = -(-self._bits // 4)

    def validate_json(self, reports: Sequence[Any]) -> Validated:
        """Validate reports as JSON writes them."""
        array = self._as_array(reports) if len(reports) > MAX_SCALAR_REPORTS else None
        if array is not None and self._all_possible(array):
            return reports_to_bytes(self._mechanism, array), len(reports), []
        good: list[bytes] = []
        refused: Refusals = []
        for index, report in enumerate(reports):
            number = self._number(report)
            if number is None:
                _refuse(refused, index, "form")
            elif number < 0 or not self._sampler.is_report(number):
                _refuse(refused, index, "impossible")
            else:
                good.append(number.to_bytes(self.width, "little"))
        return b"".join(good), len(good), refused

    def validate_packed(self, packed: bytes) -> Validated:
        """Validate packed reports."""
        count = len(packed) // self.width
        if count > MAX_SCALAR_REPORTS and self._all_possible(reports_from_bytes(self._mechanism, packed)):
            return packed, count, []
        good: list[bytes] = []
        refused: Refusals = []
        for start in range(0, count, CHUNK_REPORTS):
            chunk = packed[start * self.width : (start + CHUNK_REPORTS) * self.width]
            if count > MAX_SCALAR_REPORTS and self._all_possible(reports_from_bytes(self._mechanism, chunk)):
                good.append(chunk)
                continue
            for place in range(len(chunk) // self.width):
                one = chunk[place * self.width : (place + 1) * self.width]
                if self._sampler.is_report(int.from_bytes(one, "little")):
                    good.append(one)
                else:
                    _refuse(refused, start + place, "impossible")
        return b"".join(good), count - len(refused), refused

    def _number(self, report: Any) -> int | None:
        """The number of a report; None unless it is written as reports of this law are."""
        if self._numbers:
            return report if type(report) is int else None
        well_formed = type(report) is str and len(report) == self._digits and HEXADECIMAL.issuperset(report)
        return int(report, 16) if well_formed else None

    def _as_array(self, reports: Sequence[Any]) -> NDArray[Any] | None:
        """Whole numbers as an array; None where there is anything else among them, or reports are written as text."""
        if not self._numbers or set(map(type, reports)) != {int}:
            return None
        if min(reports) < 0 or max(reports) >> self._bits:
            return None
        return np.array(reports, dtype=np.uint64)

    def _all_possible(self, reports: NDArray[Any]) -> bool:
        try:
            self._decoder.count(np.zeros(self._decoder.cells, dtype=np.int64), reports, 0)
        except InvalidReport:
            return False
        return True


def _refuse(refused: Refusals, index: int, code: str) -> None:
    if len(refused) == MAX_REFUSED:
        raise HttpProblem(
            "impossible", f"more than {MAX_REFUSED} of the reports cannot be this law's, so none of them is taken"
        )
    refused.append((index, code))
