"""Packed reports of a form, many at once, as arrays: what `discreet.wire.form_reports` does one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidReport
from ..estimation.arrays.reports import bits_at, in_words, narrow
from ..wire.form import ONE
from ..wire.form_reports import ReportPacking
from .tally import FormReports


def unpack_reports(packing: ReportPacking, reports: NDArray[Any]) -> FormReports:
    """The reports of every part, from packed ones as numbers, or as rows of 64-bit words where they are wider.

    `InvalidReport` for one of too many bits, or about a question that there is not; whether the report of a part can
    occur is looked at when it is counted.
    """
    words, everybody = in_words(reports, packing.bits), np.arange(len(reports))
    unpacked: dict[str, NDArray[Any]] = {}
    if packing.form.strategy != ONE:
        at = 0
        for part, sampler in packing.samplers.items():
            unpacked[part] = bits_at(words, at, sampler.bits)
            at += sampler.bits
        return FormReports(unpacked, dict.fromkeys(packing.samplers, everybody), len(words))
    asked = bits_at(words, packing.shift, packing.bits - packing.shift)
    if len(asked) and int(asked.max()) >= len(packing.samplers):
        raise InvalidReport(f"reports: every report must be about one of {len(packing.samplers)} questions")
    inner, rows = bits_at(words, 0, packing.shift), {}
    for number, (part, sampler) in enumerate(packing.samplers.items()):
        rows[part] = np.flatnonzero(asked == number)
        unpacked[part] = narrow(inner[rows[part]], sampler.bits)
    return FormReports(unpacked, rows, len(words))


def pack_reports(packing: ReportPacking, reports: FormReports) -> NDArray[Any]:
    """Reports of `Form.randomize_many` as packed ones, in the order of the people who sent them."""
    people = np.unique(np.concatenate(list(reports.rows.values())))
    words = np.zeros((len(people), -(-packing.bits // 64)), dtype=np.uint64)
    at = 0
    for number, (part, sampler) in enumerate(packing.samplers.items()):
        rows = np.searchsorted(people, reports.rows[part])
        own = np.zeros((len(people), -(-sampler.bits // 64)), dtype=np.uint64)
        own[rows] = in_words(reports.reports[part], sampler.bits)
        _put(words, own, at)
        if packing.form.strategy == ONE:
            place = np.zeros((len(people), 1), dtype=np.uint64)
            place[rows] = number
            _put(words, place, packing.shift)
        else:
            at += sampler.bits
    return words[:, 0] if words.shape[1] == 1 else words


def _put(words: NDArray[np.uint64], bits: NDArray[np.uint64], at: int) -> None:
    """Set the bits of rows of words, from bit `at` on, where there are none yet: the reverse of `bits_at`."""
    first, shift = divmod(at, 64)
    for column in range(bits.shape[1]):
        words[:, first + column] |= bits[:, column] << np.uint64(shift)
        if shift and first + column + 1 < words.shape[1]:
            words[:, first + column + 1] |= bits[:, column] >> np.uint64(64 - shift)
