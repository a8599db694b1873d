"""The report of a form as one number, so that it is written, stored and counted as that of a single law is.

Where each question is asked, the reports of the parts stand side by side, the first in the lowest bits. Of one question
at random, the number of the question stands above a report of the most bits that any question takes. All answers
together have one report already. So every report of a form has the same number of bits, whoever sends it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core.errors import InvalidReport, shown
from .form import ONE, Form
from .reports import number_from_json, number_to_json


class ReportPacking:
    """Packs the reports of a form into whole numbers of `bits` bits, and unpacks them.

    >>> import discreet as dc
    >>> from discreet.wire.form_reports import ReportPacking
    >>> form = dc.Form({"smokes": ["no", "yes"], "travels": ["bus", "car"]}, "each", epsilon="1")
    >>> packing = ReportPacking(form)
    >>> packing.bits, packing.pack({"smokes": 1, "travels": 0}), packing.unpack(2)
    (2, 1, {'smokes': 0, 'travels': 1})
    """

    def __init__(self, form: Form) -> None:
        self.form, self.fingerprint = form, form.fingerprint
        self.samplers = {part: mechanism.sampler for part, mechanism in form.mechanisms.items()}
        """The sampler of each part, in order."""
        self._names = tuple(self.samplers)
        widths = [sampler.bits for sampler in self.samplers.values()]
        self.shift = max(widths)
        """Where the number of the question stands, of one at random."""
        if form.strategy == ONE:
            self.bits = self.shift + (len(widths) - 1).bit_length()
        else:
            self.bits = sum(widths)

    def pack(self, report: Mapping[str, int]) -> int:
        """The number of a report as `Form.randomize` gives it; `InvalidReport` if nobody can have sent it."""
        parts = self.form.parts_in(report)
        checked = {part: self.samplers[part].check_report(report[part]) for part in parts}
        if self.form.strategy == ONE:
            ((part, number),) = checked.items()
            return self._names.index(part) << self.shift | number
        packed = offset = 0
        for part, number in checked.items():
            packed |= number << offset
            offset += self.samplers[part].bits
        return packed

    def unpack(self, number: int) -> dict[str, int]:
        """The report by part that a number stands for; `InvalidReport` if nobody can have sent it."""
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << self.bits:
            raise InvalidReport(f"report={shown(number)} must be a whole number of at most {self.bits} bits")
        if self.form.strategy == ONE:
            place, rest = number >> self.shift, number & (1 << self.shift) - 1
            if place >= len(self._names):
                raise InvalidReport(f"report={shown(number)} must be about one of {len(self._names)} questions")
            part = self._names[place]
            return {part: self.samplers[part].check_report(rest)}
        report = {}
        for part, sampler in self.samplers.items():
            report[part] = sampler.check_report(number & (1 << sampler.bits) - 1)
            number >>= sampler.bits
        return report

    def check_report(self, number: int) -> int:
        """The number itself; `InvalidReport` if nobody can have sent it."""
        self.unpack(number)
        return number

    def is_report(self, number: int) -> bool:
        """True if somebody can have sent it."""
        try:
            self.unpack(number)
        except InvalidReport:
            return False
        return True

    def to_json(self, number: int) -> int | str:
        """A packed report as JSON data."""
        return number_to_json(self.check_report(number), self.bits)

    def from_json(self, data: object) -> int:
        """The packed report in JSON data; `InvalidReport` unless it is exactly what `to_json` gives."""
        return self.check_report(number_from_json(data, self.bits))
