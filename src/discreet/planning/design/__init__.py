"""The best table for an arbitrary context: searched for, certified, and compared with a proved bound."""

from .result import Designed, SearchStep
from .run import design

__all__ = ["Designed", "SearchStep", "design"]
