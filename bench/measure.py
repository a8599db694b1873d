"""How things are measured here: the least of a few tries, in seconds of processor time unless said otherwise."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Result:
    """One line of the table: what was done, how many a second, and what that is compared with."""

    section: str
    case: str
    k: int
    n: int
    rate: float
    """Reports a second of processor time (of clock time where several threads work)."""
    unit: str = "reports/s"
    megabytes: float | None = None
    """Memory beside the values and reports themselves, at its peak."""
    ratios: dict[str, float] | None = None
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The line as plain data."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "", {})}


def least(work: Callable[[], object], *, tries: int = 5, clock: Callable[[], float] = time.process_time) -> float:
    """The least time that `work` took, after one call that does not count."""
    work()
    times = []
    for _ in range(tries):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def least_of(works: Mapping[str, Callable[[], object]], *, tries: int = 7) -> dict[str, float]:
    """The least processor time of each work, taken in turns so that whatever disturbs one disturbs all."""
    for work in works.values():
        work()
    times = dict.fromkeys(works, float("inf"))
    for _ in range(tries):
        for name, work in works.items():
            start = time.process_time()
            work()
            times[name] = min(times[name], time.process_time() - start)
    return times


def memory_beside(work: Callable[[], Any]) -> float:
    """Megabytes that Python held at most while `work` ran, less the size of the array it gives."""
    tracemalloc.start()
    made = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak - getattr(made, "nbytes", 0)) / MEGABYTE


HELD = """
def held():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
"""
"""For programs run by themselves: megabytes held at most. (What getrusage says is inherited from who starts them.)"""


def table(results: list[Result]) -> str:
    """The lines as text, in columns."""
    lines = []
    for section in dict.fromkeys(result.section for result in results):
        lines += ["", section]
        for r in (result for result in results if result.section == section):
            ratios = "  ".join(f"{name} {_short(value)}" for name, value in (r.ratios or {}).items())
            memory = f"{r.megabytes:8.1f} MB" if r.megabytes is not None else " " * 11
            told = f"{_count(r.rate):>8} {r.unit}" if r.rate else ""
            lines.append(f"  {r.case:44} k={r.k:<8} n={_count(r.n):>5} {told:22} {memory}  {ratios} {r.note}".rstrip())
    return "\n".join(lines)


def _short(value: float) -> str:
    return f"{value:.0f}x" if value >= 100 else f"{value:.1f}x" if value >= 3 else f"{value:.2f}x"


def _count(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
