"""`discreet ledger`: what was spent, per collection and in all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ...core import tables
from ...core.domain import plain_value
from ...core.exact import text_of
from ..options import json_option, write_text

if TYPE_CHECKING:
    from ...client import Client
    from ...client.ledger import Balance
    from ...mechanisms.mechanism import Mechanism
    from ...wire.form import Form

MAX_NAMED_VALUES = 5
"""The most values of a budget that are listed."""


@click.command()
@click.option("--ledger", metavar="FILE", help="The ledger, instead of the one in your data folder.")
@click.option("--cap", metavar="EPSILON", help="Lower the cap to EPSILON; it is never raised.")
@click.option(
    "--budget", metavar="SPEC", help="Set the context of a spec as a budget, or lower it; it is never raised."
)
@click.option(
    "--law", "laws", metavar="SPEC", multiple=True, help="What was answered before --budget; may be repeated."
)
@click.option("--flush", is_flag=True, help="Send what is queued first.")
@click.option(
    "--export", metavar="FILE", help="Write the lines of the ledger to FILE (- for standard output), and stop."
)
@json_option
def command(
    ledger: str | None, cap: str | None, budget: str | None, laws: tuple[str, ...], export: str | None, **options: bool
) -> None:
    """Show what your answers have spent, per collection, in all, and of each budget.

    A questionnaire is one line, with the number of parts of its report.

    The cap is on the sum of all answers. A budget is a context: of questions that have all of its values it
    takes only such answers as keep within it, pair by pair. Answers from before it count for every pair,
    unless --law gives the specs, forms or published laws that they were made under.

    The ledger holds no value and no key, and neither does what is exported: reports, what they cost, and
    what was sent.
    """
    from ...client import Client, default_ledger
    from ...wire import Spec

    if laws and budget is None:
        raise click.UsageError("--law goes with --budget: it says what was answered before the budget was set")
    client = Client(ledger=default_ledger() if ledger is None else ledger, cap=cap)
    if budget is not None:
        context = Spec.read(budget).context
        client.ledger.limit(context, laws=[_law(law) for law in laws])
    if options["flush"]:
        for receipt in client.flush():
            click.echo(f"discreet: {receipt.collection}: {receipt.state}", err=True)
    if export is not None:
        _export(client, export)
    elif options["as_json"]:
        click.echo(json.dumps(_data(client), ensure_ascii=False))
    else:
        click.echo(_table(client))


def _law(name: str) -> Mechanism | Form:
    """The law in a file: a spec or a form, or a published law of either."""
    from ...wire import parse_published
    from ...wire.form import Form, read_spec_or_form

    with open(name, "rb") as file:
        content = file.read()
    if content.startswith(b'{"form":{"laws":'):
        return parse_published(content.decode())
    read = read_spec_or_form(name)
    return read if isinstance(read, Form) else read.mechanism


def _export(client: Client, target: str) -> None:
    from ...files.overwriting import check_outputs

    own = client.ledger.path
    check_outputs([target], [own, f"{own}.key", f"{own}.lock"])
    write_text(client.ledger.export(), target)


def _data(client: Client) -> dict[str, Any]:
    ledger = client.ledger
    return {
        "cap": text_of(ledger.cap),
        "spent": text_of(ledger.spent),
        "left": text_of(ledger.left),
        "queued": len(client.queued),
        "budgets": [_balance(balance) for balance in ledger.budgets],
        "collections": [{**vars(entry), "epsilon": text_of(entry.epsilon)} for entry in ledger.collections],
    }


def _balance(balance: Balance) -> dict[str, Any]:
    """A budget as plain data: its context, and the pair of values between which least is left."""
    from ...client.ledger.account import describe_context

    data, tightest = describe_context(balance.budget), balance.tightest()
    if tightest is None:
        return data | {"tightest": None}
    x, z, allowed, spent = tightest
    left = balance.left.epsilon(x, z)
    numbers = {"budget": text_of(allowed), "spent": text_of(spent), "left": text_of(left)}
    return data | {"tightest": {"x": plain_value(x), "z": plain_value(z), **numbers}}


def _sentence(balance: Balance) -> str:
    """What is left of a budget, where it is least."""
    from .asking import printable

    values = balance.budget.values
    names = ", ".join(printable(str(value)) for value in values[:MAX_NAMED_VALUES])
    rest = len(values) - MAX_NAMED_VALUES
    over = f"Budget over {names}" + (f" and {rest:,} more" if rest > 0 else "")
    if (tightest := balance.tightest()) is None:
        return f"{over}: protects nothing."
    x, z, allowed, spent = tightest
    left, pair = text_of(balance.left.epsilon(x, z)), f"{printable(str(x))} from {printable(str(z))}"
    return f"{over}: tightest for telling {pair}, with {text_of(spent)} of {text_of(allowed)} spent and {left} left."


def _table(client: Client) -> str:
    from .asking import printable

    data = _data(client)
    columns = [("collection", "s"), ("parts", "d"), ("spent", "g"), ("reports", "d"), ("shows", "s")]
    rows: list[tuple[Any, ...]] = [
        (
            printable(entry["collection"]),
            entry["parts"],
            entry["epsilon"],
            entry["reports"],
            "some values" if entry["shows"] else "no",
        )
        for entry in data["collections"]
    ]
    if all(entry["parts"] == 1 for entry in data["collections"]):  # no questionnaires
        columns, rows = [columns[0], *columns[2:]], [(row[0], *row[2:]) for row in rows]
    lines = [tables.text(columns, rows)] if rows else []
    lines.append(f"Spent in all: {data['spent']} of {data['cap']}, which leaves {data['left']}.")
    lines += [_sentence(balance) for balance in client.ledger.budgets]
    if data["queued"]:
        lines.append(f"Queued: {data['queued']}. Send with: discreet ledger --flush")
    return "\n".join(lines)
