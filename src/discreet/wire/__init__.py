"""Specs, reports and tallies as they are sent and stored: one way to write each, read strictly."""

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
    "Spec",
    "byte_width",
    "law_text",
    "parse_law",
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
