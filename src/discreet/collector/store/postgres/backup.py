"""Copies a PostgreSQL store while it runs, without tools of the server: all tables in a ZIP archive."""

from __future__ import annotations

import json
import os
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile
from zlib import error

from ....core.atomic import replacing
from ....core.errors import InvalidInput, StoreFailed
from ..disk import sync_folder
from ..sql.schema import POSTGRES_TYPES, STEPS, TABLES, migrate
from .connections import PostgresConnection, connect_writer, translate_errors

KIND = "discreet store 1"
"""What the archive says of itself."""


def copy(db: PostgresConnection, target: Path) -> None:
    """Write all tables, as the transaction of this connection sees them, to a new file."""
    if target.exists():
        raise InvalidInput(f"{target.name} is there already; a copy replaces nothing")
    with replacing(target) as file:
        with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("kind.json", json.dumps({"kind": KIND, "schema": len(STEPS)}))
            for table in TABLES:
                with (
                    archive.open(table, "w", force_zip64=True) as entry,
                    db.raw.cursor() as cursor,
                    cursor.copy(f"COPY {table} TO STDOUT") as rows,
                ):
                    for data in rows:
                        entry.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(target.parent)


def restore(path: Path, place: str, *, schema: str = "discreet") -> None:
    """Put a copy into a database whose schema of that name is not there yet; all of it, or nothing."""
    with translate_errors():
        db = connect_writer(place, schema)
        try:
            if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (schema,)).fetchone():
                raise InvalidInput(f"schema {schema} is there already; a copy replaces nothing")
            with _open_archive(path) as archive:
                version = json.loads(archive.read("kind.json"))["schema"]
                db.execute("BEGIN")
                db.execute(f"CREATE SCHEMA {schema}")
                db.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
                db.execute("CREATE SEQUENCE upload_position")
                migrate(db, 0, POSTGRES_TYPES, lambda _: None, steps=STEPS[:version])
                db.execute("INSERT INTO schema_version (version) VALUES (?)", (version,))
                for table in TABLES:
                    _fill(db, archive, table)
                db.execute("SELECT setval('upload_position', MAX(position)) FROM upload HAVING MAX(position) > 0")
                db.execute("COMMIT")
        finally:
            db.close()


def _open_archive(path: Path) -> ZipFile:
    try:
        archive = ZipFile(path)
        if json.loads(archive.read("kind.json"))["kind"] == KIND:
            return archive
    except (BadZipFile, KeyError, ValueError):
        pass
    raise StoreFailed(f"{path.name} is no copy of a store")


def _fill(db: PostgresConnection, archive: ZipFile, table: str) -> None:
    with (
        archive.open(table) as entry,
        db.raw.cursor() as cursor,
        cursor.copy(f"COPY {table} FROM STDIN") as rows,
    ):
        try:
            while data := entry.read(1 << 20):
                rows.write(data)
        except (BadZipFile, error) as problem:
            raise StoreFailed(f"the copy is damaged: {problem}") from problem
