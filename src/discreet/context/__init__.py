"""Contexts: a domain and the privacy matrix E over it, one file per form."""

from .binary import Binary
from .blocks import Blocks
from .context import Context
from .graded import Graded
from .high_low import HighLow
from .matrix import Matrix
from .metric import Metric
from .nested import Nested
from .operational import ErrorRegion
from .part import Part
from .product import Product
from .structure import Line, Ring, Tree
from .uniform import Uniform

FORMS: dict[str, type[Context]] = {
    form.form: form for form in (Uniform, Blocks, HighLow, Binary, Nested, Graded, Metric, Product, Matrix)
}
"""The forms that a spec can name; a new one is added here."""

__all__ = [
    "FORMS",
    "Binary",
    "Blocks",
    "Context",
    "ErrorRegion",
    "Graded",
    "HighLow",
    "Line",
    "Matrix",
    "Metric",
    "Nested",
    "Part",
    "Product",
    "Ring",
    "Tree",
    "Uniform",
]
