"""Plan a collection before anything is collected: the error to expect, and the people that a target needs."""

from .effect import effect_of
from .expected import Expected, expected_error
from .plans import TWO_ANSWERS, Plan, check_target, plan

__all__ = ["TWO_ANSWERS", "Expected", "Plan", "check_target", "expected_error", "plan", "effect_of"]
