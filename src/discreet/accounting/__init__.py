"""What reports give away beyond one: shuffled with others, repeated, and against a guess.

Modules are imported when first used: some need NumPy, and others must not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exposing import Exposure, exposure
    from .repetition import Repeated, repeated
    from .shuffling import Shuffled, batch_needed, shuffled

_HOMES = {
    "Exposure": "exposing",
    "Repeated": "repetition",
    "Shuffled": "shuffling",
    "batch_needed": "shuffling",
    "exposure": "exposing",
    "repeated": "repetition",
    "shuffled": "shuffling",
}

__all__ = ["Exposure", "Repeated", "Shuffled", "batch_needed", "exposure", "repeated", "shuffled"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet.accounting' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
