"""Numerical optimisers for the best channel of an arbitrary E: NumPy arrays in and out, nothing decides privacy."""
