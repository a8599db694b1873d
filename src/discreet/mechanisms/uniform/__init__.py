"""Mechanisms for classical local differential privacy, which serve as bases of all composed ones."""
