"""`discreet serve`: a collector on this machine, and what is done to its store."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...collector.tokens import ROLES
from ...core.errors import MissingExtra

if TYPE_CHECKING:
    from ...collector.settings import Settings
    from ...collector.store.protocol import Store

EXIT_DAMAGED = 1
"""The exit code of a check that found damage."""


@click.command()
@click.option("--settings", "file", metavar="FILE", help="A TOML file of settings; flags and the environment go first.")
@click.option("--store", metavar="PATH", help="A SQLite file, or postgresql://...; discreet.db unless given.")
@click.option("--heads", metavar="FOLDER", help="Where this machine notes how far a PostgreSQL store was written.")
@click.option("--host", metavar="ADDRESS", help="The address to listen at; 127.0.0.1 unless given.")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port to listen at; 8000 unless given.")
@click.option("--prefix", metavar="PATH", help="The path under which a proxy shows the collector, such as /survey.")
@click.option("--public-url", metavar="URL", help="What people reach it at, such as https://survey.example.org.")
@click.option("--origin", "origins", metavar="ORIGIN", multiple=True, help="Pages of this origin may send reports.")
@click.option("--forget-after", type=click.IntRange(0), metavar="DAYS", help="Delete reports after so many days.")
@click.option("--check", is_flag=True, help="Look for damage in the store, say what there is, and end.")
@click.option("--backup", metavar="FILE", help="Copy the store, which may be in use, and end.")
@click.option("--rotate", type=click.Choice(ROLES), help="Make a new token for a role in place of its own, and end.")
@click.option("--tokens", is_flag=True, help="List the named tokens, without their secrets, and end.")
@click.option("--new-token", "new", metavar="NAME", help="Make a token with a name for --role, and end.")
@click.option("--role", type=click.Choice(ROLES), help="What the new token is for.")
@click.option("--collection", metavar="ID", help="The one collection that the new token is good for; else all.")
@click.option("--revoke", metavar="NAME", help="Make a named token invalid, for good, and end.")
@click.option("--trust-clock", is_flag=True, help="Forget by this clock, though days have passed unseen, and end.")
def command(
    file: str | None,
    check: bool,
    backup: str | None,
    rotate: str | None,
    trust_clock: bool,
    tokens: bool,
    new: str | None,
    role: str | None,
    collection: str | None,
    revoke: str | None,
    origins: tuple[str, ...],
    **flags: Any,
) -> None:
    """Collect reports: publish laws, take uploads, and answer with shares.

    The first start makes two tokens and shows them, once: the admin's makes and closes collections, the
    analyst's reads them. --rotate metrics makes one that reads /metrics alone, --new-token one with a name,
    for a person or a program. A stop by Ctrl-C or SIGTERM first stores what was taken.

    Every setting can be given by a flag, by the environment (DISCREET_SERVE_PORT) or in a TOML file
    (port = 8000), and is taken from the first of these that has it.
    """
    if sum((check, tokens, trust_clock, *(one is not None for one in (backup, rotate, new, revoke)))) > 1:
        alone = "--check, --backup, --rotate, --tokens, --new-token, --revoke and --trust-clock"
        raise click.UsageError(f"{alone} are done one at a time")
    if (new is None) != (role is None) or (new is None and collection is not None):
        raise click.UsageError("--new-token needs --role, and --role and --collection are for --new-token")
    from ...collector.settings import ENVIRONMENT, settings_of

    os.umask(0o077)  # the files of a store are nobody else's
    named = os.environ.get(f"{ENVIRONMENT}SETTINGS") if file is None else file
    settings = settings_of({**flags, "origins": origins or None}, os.environ, named)
    if check:
        _check(settings)
    elif backup is not None:
        _back_up(settings, Path(backup))
    elif rotate is not None:
        _with_store(settings, _rotate, rotate)
    elif tokens:
        _with_store(settings, _list)
    elif new is not None:
        _with_store(settings, _make, new, role, collection)
    elif revoke is not None:
        _with_store(settings, _revoke, revoke)
    elif trust_clock:
        _with_store(settings, _trust_clock)
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


def _with_store(settings: Settings, action: Callable[..., None], *arguments: Any) -> None:
    from ...collector.store.opening import opened

    with opened(settings.store, settings.heads) as store:
        action(store, *arguments)


def _trust_clock(store: Store) -> None:
    today, last = datetime.now(UTC).date().isoformat(), store.last_day()
    store.note_day(today)
    click.echo(f"The last day that the store knew was {last or 'none'}; now it is {today}.")


def _rotate(store: Store, role: str) -> None:
    from ...collector.tokens import rotate

    click.echo(f"The new {role} token, shown this once: {rotate(store, role)}")


def _list(store: Store) -> None:
    from ...collector.tokens import list_tokens

    for one in list_tokens(store):
        click.echo(f"{one.name}: {one.role} of {one.collection or 'all collections'}, made on {one.day}")


def _make(store: Store, name: str, role: str, collection: str | None) -> None:
    from ...collector.tokens import make_token

    token = make_token(store, name, role, collection)
    click.echo(f"The {role} token of {name}, shown this once: {token}")


def _revoke(store: Store, name: str) -> None:
    from ...collector.tokens import revoke_token

    revoke_token(store, name)
    click.echo(f"The token of {name} is good for nothing any more.")


def _serve(settings: Settings) -> None:
    try:
        from ...collector.http.server import run
        from ...collector.store.opening import redact_place
    except ImportError as problem:
        raise MissingExtra(problem.name or "uvicorn", "serve") from None

    def announce(address: str, tokens: dict[str, str]) -> None:
        shown = "".join(f"; {role} token, shown this once: {token}" for role, token in tokens.items())
        public = f", reached at {settings.public_url}{settings.prefix}" if settings.public_url else ""
        click.echo(f"Collecting at {address}{settings.prefix}{public}, kept in {redact_place(settings.store)}{shown}")
        sys.stdout.flush()

    run(settings, announce)
