"""`discreet simulate`: people who do not exist answer a collection, and the estimate is compared with the truth."""

from __future__ import annotations

import os
from typing import Any

import click

from ..options import quiet_option
from ..progress import progress


@click.command()
@click.argument("url")
@click.option("--people", type=click.IntRange(1), default=1000, show_default=True, help="How many answer.")
@click.option(
    "--attackers", type=click.FloatRange(0, 1), default=0.0, help="The share of them who send crafted reports."
)
@click.option("--labels", metavar="NAME,...", help="Labels that every person gets, with a text at random.")
@click.option(
    "--analyst", envvar="DISCREET_ANALYST", metavar="TOKEN", help="Read the estimate, and compare it with the truth."
)
@click.option("--admin", metavar="TOKEN", help="Make what is missing: a collection with --spec, and invitations.")
@click.option(
    "--spec", metavar="FILE", help="Make a new collection of this spec or form first; URL is the collector's."
)
@click.option("--invited", is_flag=True, help="People need invitations to the new collection.")
@click.option("--threads", type=click.IntRange(1, 256), default=8, show_default=True, help="People at a time.")
@quiet_option
def command(
    url: str,
    people: int,
    attackers: float,
    labels: str | None,
    analyst: str | None,
    admin: str | None,
    spec: str | None,
    invited: bool,
    threads: int,
    quiet: bool,
) -> None:
    """Send simulated people to the collection at URL, each with a ledger, by the way of a real client.

    Their answers follow shares that are drawn at random, for each question of a questionnaire by itself. With
    --analyst, the collector's estimates are compared with them. Send them to a collection of their own: nobody can
    tell them from people later.
    Where a collection needs invitations, --admin makes one for each of them.

    Tokens may be in the environment instead, as DISCREET_ADMIN and DISCREET_ANALYST, where no list of
    processes shows them.
    """
    admin = os.environ.get("DISCREET_ADMIN") if admin is None else admin
    if spec is not None and admin is None:
        raise click.UsageError("--spec makes a new collection, and needs --admin, or DISCREET_ADMIN in the environment")
    if invited and spec is None:
        raise click.UsageError("--invited is said of a new collection, and needs --spec")
    from ...collector.simulation import create, read_shares, simulate, verdict

    names = [name.strip() for name in labels.split(",")] if labels else []
    if admin is not None and spec is not None:
        url = create(url, admin, _declaration(spec, names, "invitation" if invited else "open"))
        click.echo(f"Made the collection {url}")
    with progress(people, quiet=quiet, unit="people") as advance:
        done = simulate(url, people, attackers=attackers, labels=names, threads=threads, admin=admin, progress=advance)
    states = ", ".join(f"{number:,} {state}" for state, number in sorted(done.states.items()))
    click.echo(f"{people:,} people in {done.seconds:.1f} s, {people / done.seconds:,.0f} a second: {states}.")
    if analyst is not None:
        for sentence in verdict(done, read_shares(url, analyst)):
            click.echo(sentence)


def _declaration(spec: str, labels: list[str], access: str) -> dict[str, Any]:
    from ...wire.form import Form, read_spec_or_form

    asked = "What would people say who do not exist?"
    document = read_spec_or_form(spec)
    several = [{"name": name, "question": asked} for name in document.names] if isinstance(document, Form) else None
    return {
        "spec": document.as_dict(),
        "title": "A simulation",
        **({"question": asked} if several is None else {"questions": several}),
        "labels": {name: ["1", "2", "3"] for name in labels},
        "minimum": 1,
        "changes": "refuse",
        "access": access,
    }
