"""From nothing to the first report: a new process reads a spec, builds, certifies and randomizes one value."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import Result

SPECS = {
    "hadamard": '[domain]\nsize = 1000\n[context]\nform = "uniform"\nepsilon = "1"\n[mechanism]\nname = "hadamard"\n',
    "high-low subset": (
        '[domain]\nvalues = ["a", "b", "c", "d", "e"]\n[context]\nform = "high_low"\nsensitive = ["a", "b", "c"]\n'
        'epsilon = "1"\n[mechanism]\nname = "subset"\nd = 1\n'
    ),
}
REPORT = """
import sys
import discreet as dc
mechanism = dc.Spec.read(sys.argv[1]).mechanism
mechanism.randomize(mechanism.context.values[0], dc.random.secure())
"""
TRIES = 15


def start() -> Iterator[Result]:
    """Processor time of such a process, beside that of a Python that does nothing."""
    bare = _seconds("-c", "pass")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SPECS.items():
            path = Path(folder) / f"{name}.toml"
            path.write_text(text)
            taken = _seconds("-c", REPORT, str(path))
            note = f"{1e3 * taken:.0f} ms of processor time, {1e3 * bare:.0f} of them Python's own"
            yield Result(
                "start", f"first report, {name}", 0, 1, 1 / taken, "starts/s", ratios={"bare": taken / bare}, note=note
            )


def _seconds(*arguments: str) -> float:
    """The least processor time of a Python with these arguments."""
    times = []
    for _ in range(TRIES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)
