"""What people are asked by a collection: one question or a form, with all that a collector asks of its reports.

Reports of a form are packed into one number each (`wire.form_reports`), and its counts are those of its parts side by
side. So whatever stores, checks and counts reports needs to know no more than an `Instrument`, and takes both.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..estimation.decoders import decoder_of
from ..estimation.tally import Tally
from ..mechanisms.mechanism import Mechanism
from ..questionnaires.packing import unpack_reports
from ..questionnaires.tally import FormTally
from ..wire.form import Form
from ..wire.form_reports import ReportPacking
from ..wire.published import Law, parse_published
from ..wire.reports import byte_width

Counts = NDArray[np.int64]


class Instrument(Protocol):
    """A question or a form, and its reports as whole numbers."""

    @property
    def law(self) -> Law:
        """The mechanism or the form itself, whose `published` is the law file."""

    @property
    def fingerprint(self) -> str:
        """What uploads, ledgers and documents know it by."""

    @property
    def mechanism_name(self) -> str:
        """The name of the mechanism, or of those of the parts."""

    @property
    def bits(self) -> int:
        """The bits of every report."""

    @property
    def width(self) -> int:
        """The bytes of every packed report."""

    @property
    def cells(self) -> int:
        """How many counts its tally has."""

    def is_report(self, number: int) -> bool:
        """True if somebody can have sent this number, which is not below 0."""

    def count(self, reports: NDArray[Any]) -> Counts:
        """The counts of reports as `bulk.report_files.numbers_from_bytes` gives them; `InvalidReport` for others."""

    def tally(self, counts: Counts) -> Tally | FormTally:
        """The tally with these counts, which say themselves how many reports there are."""

    def slice_of(self, part: str) -> slice:
        """Where the counts of a part are among all; a single question is its own part, called ``""``."""


class OneQuestion:
    """The instrument of one question."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.law, self.fingerprint, self.mechanism_name = mechanism, mechanism.fingerprint, mechanism.name
        self.bits, self.width = mechanism.bits, byte_width(mechanism)
        self._decoder, self.is_report = decoder_of(mechanism), mechanism.sampler.is_report
        self.cells = self._decoder.cells

    def count(self, reports: NDArray[Any]) -> Counts:
        """The counts of some reports; `InvalidReport` if one cannot occur."""
        counts = np.zeros(self.cells, dtype=np.int64)
        self._decoder.count(counts, reports, 0)
        return counts

    def tally(self, counts: Counts) -> Tally:
        """The tally with these counts."""
        return Tally(self.law, counts, int(np.sum(self._decoder.total(counts))))

    def slice_of(self, part: str) -> slice:
        """All of them."""
        return slice(0, self.cells)


class SeveralQuestions:
    """The instrument of a form: the counts of its parts lie side by side, in order."""

    def __init__(self, form: Form) -> None:
        self.law, self.fingerprint, self._packing = form, form.fingerprint, ReportPacking(form)
        self._inner = {part: OneQuestion(mechanism) for part, mechanism in form.mechanisms.items()}
        self.mechanism_name = ", ".join(dict.fromkeys(one.mechanism_name for one in self._inner.values()))
        self.bits, self.width, self.is_report = self._packing.bits, -(-self._packing.bits // 8), self._packing.is_report
        self._slices, self.cells = {}, 0
        for part, one in self._inner.items():
            self._slices[part] = slice(self.cells, self.cells + one.cells)
            self.cells += one.cells

    def count(self, reports: NDArray[Any]) -> Counts:
        """The counts of some reports, part by part; `InvalidReport` if one cannot occur."""
        unpacked = unpack_reports(self._packing, reports).reports
        return np.concatenate([one.count(unpacked[part]) for part, one in self._inner.items()])

    def tally(self, counts: Counts) -> FormTally:
        """The tallies of the parts with these counts."""
        return FormTally(self.law, {part: one.tally(counts[self._slices[part]]) for part, one in self._inner.items()})

    def slice_of(self, part: str) -> slice:
        """Where the counts of a part are."""
        return self._slices[part]


def instrument_of(law: Law) -> Instrument:
    """The instrument of a question, given by its mechanism, or of a form."""
    return SeveralQuestions(law) if isinstance(law, Form) else OneQuestion(law)


def read_instrument(published: str) -> Instrument:
    """The instrument of a law file, whose laws are certified."""
    return instrument_of(parse_published(published))
