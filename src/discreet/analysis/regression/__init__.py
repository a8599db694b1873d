"""Regressions with a randomized answer on either side."""
