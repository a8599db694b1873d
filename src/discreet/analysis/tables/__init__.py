"""Joint tables of two answers."""
