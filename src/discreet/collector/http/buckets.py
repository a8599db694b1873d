"""Limits on how often: one bucket for a whole process, because to count by address is to keep addresses."""

from __future__ import annotations

import time
from collections.abc import Callable


class Bucket:
    """Lets `rate` requests pass per second, and up to `burst` at once; a rate of 0 lets all of them pass."""

    def __init__(self, rate: float, burst: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, max(burst, 1.0), now
        self._left, self._then = self._burst, now()

    def take(self) -> bool:
        """True if one more may pass now."""
        if not self._rate:
            return True
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._then) * self._rate)
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
