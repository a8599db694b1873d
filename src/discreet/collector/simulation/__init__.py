"""Simulated people who answer a real collection, and their estimate compared with the truth."""
