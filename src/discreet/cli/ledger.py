"""`discreet ledger`: what was spent, per collection and in all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..client import Client


@click.command()
@click.option("--ledger", metavar="FILE", help="The ledger, instead of the one in your data folder.")
@click.option("--cap", metavar="EPSILON", help="Lower the cap to EPSILON; it is never raised.")
@click.option("--flush", is_flag=True, help="Send what is queued first.")
@click.option(
    "--export", metavar="FILE", help="Write the lines of the ledger to FILE (- for standard output), and stop."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(ledger: str | None, cap: str | None, flush: bool, export: str | None, as_json: bool) -> None:
    """Show what your answers have spent, per collection and in all.

    The ledger holds no value and no key, and neither does what is exported: reports, what they cost, and
    what was sent.
    """
    from ..client import Client, default_ledger

    client = Client(ledger=default_ledger() if ledger is None else ledger, cap=cap)
    if flush:
        for receipt in client.flush():
            click.echo(f"discreet: {receipt.collection}: {receipt.state}", err=True)
    if export is not None:
        _export(client, export)
    elif as_json:
        click.echo(json.dumps(_data(client), ensure_ascii=False))
    else:
        click.echo(_table(client))


def _export(client: Client, target: str) -> None:
    from ..files.atomic import replacing
    from ..files.overwriting import check_outputs

    own = client.ledger.path
    check_outputs([target], [own, f"{own}.key", f"{own}.lock"])
    if target == "-":
        click.echo(client.ledger.export(), nl=False)
        return
    with replacing(target) as file:
        file.write(client.ledger.export().encode())


def _data(client: Client) -> dict[str, Any]:
    from ..exact import text_of

    ledger = client.ledger
    return {
        "cap": text_of(ledger.cap),
        "spent": text_of(ledger.spent),
        "left": text_of(ledger.left),
        "queued": len(client.queued),
        "collections": [{**vars(entry), "epsilon": text_of(entry.epsilon)} for entry in ledger.collections],
    }


def _table(client: Client) -> str:
    from .. import tables
    from .answer import printable

    data = _data(client)
    columns = [("collection", "s"), ("spent", "g"), ("reports", "d"), ("shows", "s")]
    rows: list[tuple[Any, ...]] = [
        (printable(entry["collection"]), entry["epsilon"], entry["reports"], "some values" if entry["shows"] else "no")
        for entry in data["collections"]
    ]
    lines = [tables.text(columns, rows)] if rows else []
    lines.append(f"Spent in all: {data['spent']} of {data['cap']}; {data['left']} is left.")
    if data["queued"]:
        lines.append(f"Queued: {data['queued']}. Send with: discreet ledger --flush")
    return "\n".join(lines)
