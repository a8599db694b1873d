"""Days as a store keeps them: ``2026-11-17``, without a time of day."""

from __future__ import annotations

from datetime import date

from ...core.errors import InvalidInput, shown


def check_day(name: str, day: str) -> None:
    """`InvalidInput` unless it is a day of the calendar in the form ``2026-11-17``."""
    try:
        good = date.fromisoformat(day).isoformat() == day
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InvalidInput(f"{name}={shown(day)} must be a day such as 2026-11-17")
