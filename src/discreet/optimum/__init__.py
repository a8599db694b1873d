"""Numerical optimisers for the best channel of an arbitrary E; plain NumPy arrays in and out, nothing here decides privacy."""
