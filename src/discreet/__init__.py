"""Context-aware local differential privacy: exact mechanisms, honest estimates.

>>> import discreet as dc
>>> context = dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1", "n2", "n3"]}, epsilon="1")
>>> mechanism = dc.mechanism(context)
>>> tally = mechanism.tally([mechanism.randomize("b1", dc.random.secure()) for _ in range(100)])
>>> float(dc.estimate(tally).block_totals["boston"])
1.0
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Certificate": "verify",
    "Context": "context",
    "Domain": "domain",
    "Estimate": "estimate",
    "Explanation": "choose",
    "Mechanism": "mechanisms.mechanism",
    "Projected": "project",
    "Tally": "tally",
    "errors": "errors",
    "estimate": "estimate",
    "explain": "choose",
    "mechanism": "choose",
    "project": "project",
    "random": "random",
    "verify": "verify",
}
"""Where each public name lives; modules are imported when first asked for."""

_MODULES = {"errors", "random"}

__all__ = [*_HOMES]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = import_module(f".{_HOMES[name]}", __name__)
    found = module if name in _MODULES else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
