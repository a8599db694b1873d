"""`discreet answer`: one person's answer to a collection, randomized here."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING

import click

from ...core.errors import UnknownValue
from ...core.exact import text_of
from ..options import json_option

if TYPE_CHECKING:
    from ...client import Client, Collection, Receipt
    from ...core.domain import Value

PAGE_URL = re.compile(r"^(https?://[^/#?]+/(?:[^/#?]+/)*?)answer/([0-9a-f]+)(?=#|$)")
"""The path of a collector's page to answer, which is what people are sent, and the id of the collection."""

MAX_LISTED_VALUES = 40
"""The most values that are listed before a question."""

JOINERS = "\u200c\u200d"
"""Characters without a picture that some scripts and emoji need between others."""

EXIT_REFUSED = 1
"""The exit code of an answer that the collector did not take."""


@click.command()
@click.argument("url")
@click.argument("value", required=False)
@click.option("--cap", metavar="EPSILON", help="What all answers together may spend; needed once, then only lowered.")
@click.option("--ledger", metavar="FILE", help="The ledger, instead of the one in your data folder.")
@click.option("--label", "labels", metavar="NAME=TEXT", multiple=True, help="A public label; may be repeated.")
@click.option("--invitation", metavar="TOKEN", help="The invitation, where one is needed; - reads it as a line.")
@json_option
def command(
    url: str, value: str | None, labels: tuple[str, ...], invitation: str | None, as_json: bool, **account: str | None
) -> None:
    """Answer the collection at URL with VALUE, which stays here: only a randomized report is sent.

    The law of the collection is checked first, and the answer is paid for from your ledger. Without VALUE,
    in a terminal, the question and what is promised are shown, and the answer is asked for. A VALUE of -
    is read as one line from standard input, so that it need not stand in the history of the shell.

    An invitation is that of --invitation, else of the link (URL#invitation=TOKEN), else of the variable
    DISCREET_INVITATION. With --invitation -, it is the first line of standard input; a VALUE of - is the next.

    Exit code 0: accepted, or queued until the collector can be reached ("discreet ledger --flush" sends
    it). 1: the collector did not take it. 2: nothing was sent, and one line says why.
    """
    by_name, given = _labels(labels), _line() if invitation == "-" else invitation
    client = _client(**account)
    collection = client.open(_of_page(url))
    if not as_json:
        _show(collection)
    if given is None and collection.needs_invitation:
        given = _invitation(asks=value is None and not as_json and in_terminal())
    answer = _value(collection, value, as_json=as_json)
    if not as_json:
        click.echo(collection.promise_for(answer))
    receipt = collection.answer(answer, labels=by_name, invitation=given)
    if as_json:
        click.echo(json.dumps(_data(receipt, client)))
    else:
        click.echo(_sentence(receipt, client))
    if receipt.state == "refused":
        sys.exit(EXIT_REFUSED)


def _of_page(url: str) -> str:
    """The address of the collection, where that of its page to answer is given."""
    return PAGE_URL.sub(r"\1collections/\2", url)


def _client(ledger: str | None, cap: str | None) -> Client:
    from pathlib import Path

    from ...client import Client, default_ledger

    path = default_ledger() if ledger is None else Path(ledger)
    if cap is None and not path.exists():
        raise click.UsageError(
            "--cap is missing: your first answer needs to know what all your answers together may spend, such as "
            "--cap 4. It can be lowered later, never raised"
        )
    return Client(ledger=path, cap=cap)


def _labels(given: tuple[str, ...]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for entry in given:
        name, sign, text = entry.partition("=")
        if not sign or name in labels:
            raise click.UsageError(f"--label {entry!r} must be NAME=TEXT, each name once")
        labels[name] = text
    return labels


def _value(collection: Collection, text: str | None, *, as_json: bool) -> Value:
    if text is not None:
        return collection.value_of(_line() if text == "-" else text)
    if as_json or not in_terminal():
        raise click.UsageError("VALUE is missing: give it, or - to read it from standard input")

    def read(answer: str) -> Value:
        try:
            return collection.value_of(answer)
        except UnknownValue as problem:
            raise click.UsageError(str(problem)) from None

    value: Value = click.prompt("Your answer", value_proc=read)
    return value


def _invitation(*, asks: bool) -> str | None:
    """The invitation of somebody who gave none in the command: from the environment, or asked for."""
    known = os.environ.get("DISCREET_INVITATION") or None
    return click.prompt("Your invitation") if known is None and asks else known


def _line() -> str:
    return sys.stdin.readline().rstrip("\r\n")


def in_terminal() -> bool:
    """True if somebody can be asked."""
    return sys.stdin.isatty()


def _show(collection: Collection) -> None:
    click.echo(printable(collection.title))
    click.echo(printable(collection.question))
    for value in collection.values[:MAX_LISTED_VALUES]:
        text = str(value)
        words = collection.words.get(text)
        click.echo(f"  {printable(text)}" + ("" if words is None else f": {printable(words)}"))
    if len(collection.values) > MAX_LISTED_VALUES:
        click.echo(f"  ... and {len(collection.values) - MAX_LISTED_VALUES} more")
    for sentence in (*collection.promise, *collection.warnings):
        click.echo(printable(sentence))


def printable(text: str) -> str:
    """A text of somebody else's on one line, without anything that could steer a terminal."""
    line = " ".join(text.split())
    return "".join(c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode() for c in line)


def _data(receipt: Receipt, client: Client) -> dict[str, object]:
    return {**receipt.as_dict(), "spent": text_of(client.ledger.spent), "left": text_of(client.ledger.left)}


def _sentence(receipt: Receipt, client: Client) -> str:
    ledger = client.ledger
    budget = f"Spent in all: {text_of(ledger.spent)} of {text_of(ledger.cap)}."
    if receipt.state == "accepted":
        return f"Accepted. {budget} This is what was sent:\n{receipt.sent}"
    if receipt.state == "queued":
        return f"Queued: {receipt.reason}. Send it later with: discreet ledger --flush. {budget}"
    code = "" if receipt.code is None else f", {receipt.code}"
    reason = "" if receipt.reason is None else f": {receipt.reason}"
    return f"Not taken by the collector (status {receipt.status}{code}){reason}. {budget}"
