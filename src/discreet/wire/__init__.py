"""Specs, reports and tallies as they are sent and stored: one way to write each, read strictly.

>>> import discreet as dc
>>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"))
>>> dc.wire.report_to_bytes(mechanism, 2), dc.wire.report_from_text(mechanism, "2")
(b'\\x02', 2)
"""

from .published import parse_published
from .questionnaire import Questionnaire
from .reports import (
    byte_width,
    report_from_bytes,
    report_from_json,
    report_from_text,
    report_to_bytes,
    report_to_json,
    report_to_text,
    reports_from_envelope,
    reports_to_envelope,
)
from .spec import Spec, law_text, parse_law

__all__ = [
    "Questionnaire",
    "Spec",
    "byte_width",
    "law_text",
    "parse_law",
    "parse_published",
    "report_from_bytes",
    "report_from_json",
    "report_from_text",
    "report_to_bytes",
    "report_to_json",
    "report_to_text",
    "reports_from_envelope",
    "reports_to_envelope",
]


def __dir__() -> list[str]:
    return __all__
