"""`discreet serve`: a collector on this machine, and what is done to its store."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import MissingExtra

if TYPE_CHECKING:
    from ...collector.settings import Settings

EXIT_DAMAGED = 1
"""The exit code of a check that found damage."""


@click.command()
@click.option("--settings", "file", metavar="FILE", help="A TOML file of settings; flags and the environment go first.")
@click.option("--store", metavar="PATH", help="A SQLite file, or postgresql://...; discreet.db unless given.")
@click.option("--heads", metavar="FOLDER", help="Where this machine notes how far a PostgreSQL store was written.")
@click.option("--host", metavar="ADDRESS", help="The address to listen at; 127.0.0.1 unless given.")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port to listen at; 8000 unless given.")
@click.option("--prefix", metavar="PATH", help="The path under which a proxy shows the collector, such as /survey.")
@click.option("--origin", "origins", metavar="ORIGIN", multiple=True, help="Pages of this origin may send reports.")
@click.option("--forget-after", type=click.IntRange(0), metavar="DAYS", help="Delete reports after so many days.")
@click.option("--check", is_flag=True, help="Look for damage in the store, say what there is, and end.")
@click.option("--backup", metavar="FILE", help="Copy the store, which may be in use, and end.")
@click.option("--rotate", type=click.Choice(["admin", "analyst"]), help="Make a new token for a role, and end.")
@click.option("--trust-clock", is_flag=True, help="Forget by this clock, though days have passed unseen, and end.")
def command(
    file: str | None,
    check: bool,
    backup: str | None,
    rotate: str | None,
    trust_clock: bool,
    origins: tuple[str, ...],
    **flags: Any,
) -> None:
    """Collect reports: publish laws, take uploads, and answer with shares.

    The first start makes two tokens and shows them, once: the admin's makes and closes collections, the
    analyst's reads them. A stop by Ctrl-C or SIGTERM first stores what was taken.

    Every setting can be given by a flag, by the environment (DISCREET_SERVE_PORT) or in a TOML file
    (port = 8000), and is taken from the first of these that has it.
    """
    if sum((check, backup is not None, rotate is not None, trust_clock)) > 1:
        raise click.UsageError("--check, --backup, --rotate and --trust-clock are done one at a time")
    from ...collector.settings import ENVIRONMENT, settings_of

    os.umask(0o077)  # the files of a store are nobody else's
    named = os.environ.get(f"{ENVIRONMENT}SETTINGS") if file is None else file
    settings = settings_of({**flags, "origins": origins or None}, os.environ, named)
    if check:
        _check(settings)
    elif backup is not None:
        _back_up(settings, Path(backup))
    elif rotate is not None:
        _rotate(settings, rotate)
    elif trust_clock:
        _trust_clock(settings)
    else:
        _serve(settings)


def _check(settings: Settings) -> None:
    from ...collector.store.opening import check_place

    damage = check_place(settings.store, checkpoints=settings.heads)
    for sentence in damage:
        click.echo(sentence)
    if damage:
        sys.exit(EXIT_DAMAGED)
    click.echo("The store is whole: every chain and every tally is as it should be.")


def _back_up(settings: Settings, target: Path) -> None:
    from ...collector.store.opening import copy_place

    copy_place(settings.store, target, checkpoints=settings.heads)
    click.echo(f"The store was copied to {target}.")


def _rotate(settings: Settings, role: str) -> None:
    from ...collector.catalogue import rotate
    from ...collector.store.opening import opened

    with opened(settings.store, settings.heads) as store:
        click.echo(f"The new {role} token, shown this once: {rotate(store, role)}")


def _trust_clock(settings: Settings) -> None:
    from ...collector.store.opening import opened

    today = datetime.now(UTC).date().isoformat()
    with opened(settings.store, settings.heads) as store:
        last = store.last_day()
        store.note_day(today)
    click.echo(f"The last day that the store knew was {last or 'none'}; now it is {today}.")


def _serve(settings: Settings) -> None:
    try:
        from ...collector.http.server import run
        from ...collector.store.opening import redact_place
    except ImportError as problem:
        raise MissingExtra(problem.name or "uvicorn", "serve") from None

    def announce(address: str, tokens: dict[str, str]) -> None:
        shown = "".join(f"; {role} token, shown this once: {token}" for role, token in tokens.items())
        click.echo(f"Collecting at {address}{settings.prefix}, kept in {redact_place(settings.store)}{shown}")
        sys.stdout.flush()

    run(settings, announce)
