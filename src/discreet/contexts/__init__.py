"""Contexts: a domain and the privacy matrix E over it, one file per form."""

from typing import Any

from .context import Context
from .forms.blocks import Blocks
from .forms.graded import Graded
from .forms.high_low import HighLow
from .forms.matrix import Matrix
from .forms.metric import Metric
from .forms.nested import NestedBlocks
from .forms.numbers import NumbersForm
from .forms.outside import Outside
from .forms.product import ProductContext
from .forms.uniform import Binary, Uniform
from .operational import ErrorRegion
from .structure.recognition import LineStructure, Part, RingStructure, TreeStructure

FORMS: dict[str, type[Context]] = {
    form.form: form for form in (Uniform, Blocks, HighLow, Binary, NestedBlocks, Graded, Metric, ProductContext, Matrix)
}
"""The forms that a spec can name and a law can publish; a new one is added here."""

DERIVED_FORMS: dict[str, Any] = {Outside.form: Outside, NumbersForm.form: NumbersForm}
"""The forms that a spec can name and that are published as another one, such as a matrix."""

__all__ = [
    "DERIVED_FORMS",
    "FORMS",
    "Binary",
    "Blocks",
    "Context",
    "ErrorRegion",
    "Graded",
    "HighLow",
    "LineStructure",
    "Matrix",
    "Metric",
    "NestedBlocks",
    "Outside",
    "Part",
    "ProductContext",
    "RingStructure",
    "TreeStructure",
    "Uniform",
]
