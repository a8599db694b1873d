"""Mechanisms for blocks inside blocks."""
