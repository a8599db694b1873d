"""A black-box lower bound on the actual epsilon of anything that maps values to bytes."""

from .result import Audit, Finding
from .run import audit
from .subjects import Bulk, check_source

__all__ = ["Audit", "Bulk", "Finding", "audit", "check_source"]
