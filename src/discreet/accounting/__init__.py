"""What a person has spent over all their answers, and the reports that they stand by."""

from .disk import Disk, SystemDisk
from .entries import Cap, Debit, Entry, Outcome, Report, Upload
from .ledger import Ledger, Spending

__all__ = ["Cap", "Debit", "Disk", "Entry", "Ledger", "Outcome", "Report", "Spending", "SystemDisk", "Upload"]
