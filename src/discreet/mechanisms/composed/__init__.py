"""Mechanisms made of other mechanisms."""
