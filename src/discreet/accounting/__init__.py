"""What reports give away beyond one: what a person has spent, reports shuffled with others, repeated, and guessed from.

Modules are imported when first used: those of the ledger need the standard library alone, the others NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .budgets import Balance
    from .disk import Disk, SystemDisk
    from .entries import Budget, Cap, Debit, Entry, Outcome, Report, Terms, Upload
    from .exposing import Exposure, exposure
    from .ledger import Ledger, Spending
    from .repetition import Repeated, repeated
    from .shuffling import Shuffled, batch_needed, shuffled

_HOMES = {
    "Balance": "budgets",
    "Budget": "entries",
    "Cap": "entries",
    "Debit": "entries",
    "Disk": "disk",
    "Entry": "entries",
    "Exposure": "exposing",
    "Ledger": "ledger",
    "Outcome": "entries",
    "Repeated": "repetition",
    "Report": "entries",
    "Shuffled": "shuffling",
    "Spending": "ledger",
    "SystemDisk": "disk",
    "Terms": "entries",
    "Upload": "entries",
    "batch_needed": "shuffling",
    "exposure": "exposing",
    "repeated": "repetition",
    "shuffled": "shuffling",
}

__all__ = [
    "Balance",
    "Budget",
    "Cap",
    "Debit",
    "Disk",
    "Entry",
    "Exposure",
    "Ledger",
    "Outcome",
    "Repeated",
    "Report",
    "Shuffled",
    "Spending",
    "SystemDisk",
    "Terms",
    "Upload",
    "batch_needed",
    "exposure",
    "repeated",
    "shuffled",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet.accounting' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
