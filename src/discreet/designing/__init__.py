"""The best table for an arbitrary context: searched for, certified, and held against a proved bound."""

from .design import design
from .result import Designed, Step

__all__ = ["Designed", "Step", "design"]
