"""Parquet to Parquet: randomizing a column against reading and rewriting it with pyarrow alone.

Each runs in a process of its own, so that its processor time and its peak of memory are its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from cases import values
from measure import HELD, Result

K = 43_750
PROGRAMS = {
    "pyarrow reads and rewrites": """
import pyarrow.parquet as pq
file = pq.ParquetFile(source)
with pq.ParquetWriter(target, file.schema_arrow) as writer:
    for batch in file.iter_batches(1 << 20, columns=["place"]):
        writer.write_batch(batch)
""",
    "blocks(hadamard), randomized": """
from cases import mechanism
from discreet.bulk.jobs import randomize_files
from discreet.bulk.words import secure
randomize_files(mechanism("blocks", "hadamard", 43_750), [source], target, secure())
""",
    "pyarrow reads": """
import pyarrow.parquet as pq
for batch in pq.ParquetFile(source).iter_batches(1 << 20, columns=["place"]):
    pass
""",
    "blocks(hadamard), tallied": """
from cases import mechanism
from discreet.bulk.jobs import tally_files
tally_files(mechanism("blocks", "hadamard", 43_750), [reports])
""",
}
FRAME = (
    "import json, resource, sys, time\n"
    + HELD
    + """
source, target, reports = sys.argv[1:4]
start = time.perf_counter()
{program}
used = resource.getrusage(resource.RUSAGE_SELF)
seconds = time.perf_counter() - start
print(json.dumps({{"cpu": used.ru_utime + used.ru_stime, "clock": seconds, "memory": held()}}))
"""
)


def parquet(n: int, *, tries: int) -> Iterator[Result]:
    """The four programs, in turn, a few times; the least processor time of each counts, from start to end."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.parquet"
        _write(source, n)
        found: dict[str, dict[str, float]] = {}
        for _ in range(tries):
            for name, program in PROGRAMS.items():
                told = _run(program, source, Path(folder))
                before = found.setdefault(name, told)
                found[name] = {key: min(value, before[key]) for key, value in told.items()}
        for name, told in found.items():
            plain = found["pyarrow reads" if "tallied" in name else "pyarrow reads and rewrites"]
            ratios = {"cpu/pyarrow": told["cpu"] / plain["cpu"]} if "blocks" in name else {}
            note = f"{told['cpu']:.2f} s of processor, {told['clock']:.2f} s of clock"
            yield Result("files", name, K, n, n / told["cpu"], "rows/s", told["memory"], ratios, note)


def _write(path: Path, n: int) -> None:
    with pq.ParquetWriter(path, pa.schema([("place", pa.int32())])) as writer:
        for begin in range(0, n, 1 << 20):
            part = values(K, min(1 << 20, n - begin), seed=begin).astype(np.int32)
            writer.write_batch(pa.record_batch({"place": part}))


def _run(program: str, source: Path, folder: Path) -> dict[str, float]:
    target = folder / ("out.parquet" if "blocks" in program else "copy.parquet")
    command = [sys.executable, "-c", FRAME.format(program=program), source, target, folder / "out.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
