"""Shared vectors: laws with values, words and the reports that every client must write from them.

``discreet vectors -o FILE`` writes them; docs/reference/vectors.md describes the file.
"""

from .file import Checked, check_vectors
from .making import write_vectors

__all__ = ["Checked", "check_vectors", "write_vectors"]
