"""Contexts: a domain and the privacy matrix E over it, one file a form."""

from .binary import Binary
from .blocks import Blocks
from .context import Context
from .high_low import HighLow
from .matrix import Matrix
from .metric import Metric
from .operational import ErrorRegion
from .uniform import Uniform

__all__ = ["Binary", "Blocks", "Context", "ErrorRegion", "HighLow", "Matrix", "Metric", "Uniform"]
