"""Shares in one contract: unbiased, projected, most likely, shrunken."""
