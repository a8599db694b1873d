"""Shrunken counts: the empirical-Bayes estimator on plain arrays."""

from .blocks import Rule, ShrinkResult, shrink_counts

__all__ = ["Rule", "ShrinkResult", "shrink_counts"]
