"""Channels written out as tables of whole units, and classes of values with a table between them."""
