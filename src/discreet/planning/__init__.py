"""Plan a collection before anything is collected: the error to expect, and the people that a target needs."""

from .expected import Expected, expected_error
from .plans import TWO_ANSWERS, Plan, check_target, plan
from .power import effect_of

__all__ = ["TWO_ANSWERS", "Expected", "Plan", "check_target", "expected_error", "plan", "effect_of"]
