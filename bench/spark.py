"""Spark against itself: what randomising and tallying costs over a plain groupBy count, on two local workers.

    python bench/spark.py [--rows 50000000] [--repeats 3] [--json FILE]

Seconds are those of the clock; CPU seconds are those of the workers' processes, Java and Python together, and say
more when the machine has other things to do.

One standalone master and two workers of one core each, started for the purpose on loopback. The
records are Parquet: a 64-bit id and one of 43,750 places in 250 cities. Each of these is timed a few times, in
turn, and the least time counts:

- count: ``groupBy("place").count()``, the plain answer without privacy, written nowhere;
- tally: `discreet.bulk.spark.tally` of `discreet.bulk.spark.randomize`, blocks(hadamard), in one pass;
- two passes: the same, through a frame of reports;
- one machine: the same reports by `randomize_records` in this process, one thread, from the same files.

The tallies must be equal, cell for cell; the program ends with status 1 if they are not.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import discreet as dc
import discreet.bulk.spark as ds
from discreet.bulk.prf import CollectionKey, randomize_records

CITIES, PLACES = 250, 175
FILES = 16
KEY = bytes(range(32))
CLUSTERS = Path(__file__).parents[1] / "tests" / "bulk" / "spark" / "cluster.py"


def write_records(folder: Path, rows: int) -> None:
    """The records, in some files: ids in a random order, places by a skewed law."""
    rng = np.random.default_rng(1)
    for number, part in enumerate(np.array_split(np.arange(rows), FILES)):
        place = (CITIES * PLACES * rng.random(len(part)) ** 2).astype(np.int32)
        table = pa.table({"id": rng.permutation(part), "place": place})
        pq.write_table(table, folder / f"part-{number:02}.parquet")


def on_one_machine(folder: Path, mechanism: dc.Mechanism) -> dc.Tally:
    """The tally of the same records by this process alone."""
    key = CollectionKey(KEY, mechanism, collection="place")
    total = mechanism.tally()
    for file in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(1 << 20):
            ids, places = (column.to_numpy() for column in batch.columns)
            total += mechanism.tally(randomize_records(mechanism, places, ids=ids, key=key))
    return total


def cpu_seconds(sessions: set[int]) -> float:
    """The processor time of every process in these sessions so far (0 where there is no /proc)."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            entries = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(entries[3]) in sessions:
            ticks += sum(map(int, entries[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def timed(work: Callable[[], Any], spent: Callable[[], float]) -> tuple[Any, float, float]:
    """What the work gives, its seconds, and those that `spent` counts."""
    before, begin = spent(), time.perf_counter()
    found = work()
    return found, time.perf_counter() - begin, spent() - before


def measure(folder: Path, rows: int, repeats: int) -> dict[str, Any]:
    """The least seconds of each piece of work, and whether all tallies are equal."""
    cities = {city: range(PLACES * city, PLACES * (city + 1)) for city in range(CITIES)}
    mechanism = dc.mechanism(dc.Context.blocks(cities, epsilon="1"), "hadamard")
    records = folder / "records"
    records.mkdir()
    write_records(records, rows)
    clusters = runpy.run_path(str(CLUSTERS))
    with clusters["Cluster"](folder, worker_memory="2g") as cluster:
        os.environ.update(cluster.environment)
        session = ds.session(name="bench", settings=cluster.settings())
        session.sparkContext.setLogLevel("ERROR")
        frame = session.read.parquet(str(records))
        reports = ds.randomize(frame, mechanism, "place", record_id="id", key=KEY)
        works: dict[str, Callable[[], Any]] = {
            "count": lambda: frame.groupBy("place").count().write.format("noop").mode("overwrite").save(),
            "tally": lambda: ds.tally(reports, mechanism),
            "two passes": lambda: ds.tally(reports.select("report"), mechanism),
            "one machine": lambda: on_one_machine(records, mechanism),
        }
        seconds: dict[str, list[float]] = {name: [] for name in works}
        cpu: dict[str, list[float]] = {name: [] for name in works}
        tallies = []
        sessions = {worker.pid for worker in cluster.workers}
        for repeat in range(repeats + 1):
            for name, work in works.items():
                here = name == "one machine"
                found, elapsed, used = timed(work, time.process_time if here else lambda: cpu_seconds(sessions))
                if found is not None:
                    tallies.append(found)
                if repeat:  # the first round warms up
                    seconds[name].append(elapsed)
                    cpu[name].append(used)
        clusters["close"](session)
    return {
        "rows": rows,
        "values": CITIES * PLACES,
        "mechanism": mechanism.name,
        "seconds": {name: round(min(times), 3) for name, times in seconds.items()},
        "cpu": {name: round(min(times), 3) for name, times in cpu.items()},
        "all seconds": {name: [round(one, 3) for one in times] for name, times in seconds.items()},
        "equal": all(one == tallies[0] for one in tallies) and tallies[0].n == rows,
    }


def main() -> int:
    """Measure, print a table, and say whether the tallies agree."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), asked.rows, asked.repeats)
    print(f"{asked.rows:,} records, {found['values']:,} values, {found['mechanism']}, two workers of one core")
    print(f"{'':14}{'seconds':>9}{'M records/s':>13}{'over count':>12}{'CPU seconds':>13}{'over count':>12}")
    clock, cpu = found["seconds"], found["cpu"]
    for name, seconds in clock.items():
        rate, ratio = asked.rows / seconds / 1e6, seconds / clock["count"]
        print(f"{name:14}{seconds:9.2f}{rate:13.1f}{ratio:11.2f}x{cpu[name]:13.2f}{cpu[name] / cpu['count']:11.2f}x")
    print("tallies: " + ("all equal, cell for cell" if found["equal"] else "NOT EQUAL"))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if found["equal"] else 1


if __name__ == "__main__":
    sys.exit(main())
