"""Numerical optimisers for the best channel of an arbitrary E: arrays in and out; nothing here decides privacy."""
