"""A black-box lower bound on the actual epsilon of anything that maps values to bytes."""

from .result import Audit, Finding
from .run import audit
from .source import check_source
from .subjects import Bulk

__all__ = ["Audit", "Bulk", "Finding", "audit", "check_source"]
