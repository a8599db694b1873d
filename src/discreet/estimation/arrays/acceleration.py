"""Whether compiled kernels are available and worth loading: Numba is used if present, never required."""

from __future__ import annotations

import importlib.util
import os
from functools import cache

MIN_COMPILED_SIZE = 100_000
"""Batches below this many elements run on NumPy alone, so that small calls never wait for a compiler."""


def accelerated(n: int) -> bool:
    """True if `n` elements are enough to justify loading compiled kernels and Numba is available."""
    return n >= MIN_COMPILED_SIZE and present()


@cache
def present() -> bool:
    """True if Numba can be imported and is not switched off (``NUMBA_DISABLE_JIT=1``)."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") or importlib.util.find_spec("numba") is None:
        return False
    try:
        from . import compiled  # noqa: F401
    except ImportError:  # a Numba that does not match this NumPy fails on import
        return False
    return True


def cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
