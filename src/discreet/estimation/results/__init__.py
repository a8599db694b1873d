"""Shares behind one interface: unbiased, projected, most likely and shrunken."""
