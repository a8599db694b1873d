"""The best table for an arbitrary context: searched for, certified, and held against a proved bound."""

from .making import design
from .result import Designed, Step

__all__ = ["Designed", "Step", "design"]
