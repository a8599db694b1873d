"""`discreet restore`: a store from a copy of it."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.argument("backup", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("store")
@click.option("--heads", metavar="FOLDER", help="Where this machine notes how far a PostgreSQL store was written.")
def command(backup: Path, store: str, heads: str | None) -> None:
    """Make a store of BACKUP, a copy that `discreet serve --backup` made.

    STORE is the path of a SQLite file, or postgresql://...; nothing may be there yet, and nothing is
    replaced. The copy is checked first, and one that is damaged is not restored.
    """
    from ...collector.settings import ENVIRONMENT, Settings
    from ...collector.store.opening import redact_place, restore_place

    os.umask(0o077)  # the files of a store are nobody else's
    folder = heads or os.environ.get(f"{ENVIRONMENT}HEADS", Settings().heads)
    restore_place(backup, store, checkpoints=folder)
    click.echo(f"The store {redact_place(store)} was made of {backup}.")
