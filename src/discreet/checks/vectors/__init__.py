"""Shared vectors: laws and questionnaires with answers, words and the reports that every client must write from them.

``discreet vectors -o FILE`` writes them; docs/reference/vectors.md describes the file.
"""

from .file import Checked, check_vectors, is_of_forms
from .forms import CheckedForms, check_form_vectors, write_form_vectors
from .making import write_vectors

__all__ = [
    "Checked",
    "CheckedForms",
    "check_form_vectors",
    "check_vectors",
    "is_of_forms",
    "write_form_vectors",
    "write_vectors",
]
