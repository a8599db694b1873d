"""One person's budget: a durable journal, what it adds up to, and the reports that were already given."""

from .account import Balance
from .disk import SystemDisk
from .entries import Budget, Cap, Debit, Entry, Outcome, Parts, Report, Terms, Upload
from .ledger import Ledger, Spending

__all__ = [
    "Balance",
    "Budget",
    "Cap",
    "Debit",
    "Entry",
    "Ledger",
    "Outcome",
    "Parts",
    "Report",
    "Spending",
    "SystemDisk",
    "Terms",
    "Upload",
]
