"""`discreet answer`: one person's answer to a collection, randomized here."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from ...core.exact import text_of
from ..options import json_option
from .asking import (
    ask_consent,
    ask_labels,
    ask_questions,
    promise_for,
    show_heading,
    show_paragraphs,
    show_promise,
    show_question,
)

if TYPE_CHECKING:
    from ...client import Client, Collection, Receipt
    from ...core.domain import Value

PAGE_URL = re.compile(r"^(https?://[^/#?]+/(?:[^/#?]+/)*?)answer/([0-9a-f]+)(?=#|$)")
"""The path of a collector's page to answer, which is what people are sent, and the id of the collection."""

EXIT_REFUSED = 1
"""The exit code of an answer that the collector did not take."""


@click.command()
@click.argument("url")
@click.argument("value", required=False)
@click.option(
    "--answers",
    metavar="FILE",
    help="Answers to a questionnaire, as a JSON object by question; - reads standard input.",
)
@click.option("--cap", metavar="EPSILON", help="What all answers together may spend; needed once, then only lowered.")
@click.option("--ledger", metavar="FILE", help="The ledger, instead of the one in your data folder.")
@click.option("--label", "labels", metavar="NAME=TEXT", multiple=True, help="A public label; may be repeated.")
@click.option("--invitation", metavar="TOKEN", help="The invitation, where one is needed; - reads it as a line.")
@click.option("--language", metavar="NAME", help="The language to show it in, such as de.")
@click.option("--agree", is_flag=True, help="Agree to the collection's consent text, where nobody can be asked.")
@json_option
def command(
    url: str,
    value: str | None,
    answers: str | None,
    labels: tuple[str, ...],
    invitation: str | None,
    language: str | None,
    agree: bool,
    as_json: bool,
    **account: str | None,
) -> None:
    """Answer the collection at URL with VALUE: a report is drawn here by its law, and nothing else of VALUE is sent.

    The law of the collection is checked first, and the answer is paid for from your ledger. In a terminal, without
    VALUE, what is asked and promised is shown with what it costs, every question is asked, and nothing is spent or sent
    before you say so. A VALUE of - is read as one line from standard input, so that it need not stand in the history of
    the shell.

    A questionnaire of several questions is answered in a terminal, or by --answers with a file such as
    {"smokes": "no", "age": 43}. Of one question at random only the answer to the one that is asked is looked at.

    An invitation is that of --invitation, else of the link (URL#invitation=TOKEN), else of the variable
    DISCREET_INVITATION. With --invitation -, it is the first line of standard input; a VALUE of - is the next.

    Exit code 0: accepted, or queued until the collector can be reached ("discreet ledger --flush" sends
    it). 1: the collector did not take it. 2: nothing was sent, and one line says why.
    """
    by_name, given = _labels(labels), _line() if invitation == "-" else invitation
    client = _client(**account)
    collection = client.open(_of_page(url))
    if language is not None:
        collection = collection.in_language(language)
    collection.document.check_labels(by_name)
    asks = value is None and answers is None and not as_json and in_terminal()
    if not asks:
        _check_given(collection, value, answers, agree=agree)
    collection.check_budget()
    if not as_json:
        show_heading(collection)
        if collection.strategy is None:
            show_question(collection.questions[""], numbered=asks)
        show_promise(collection, client)
        show_paragraphs("" if asks and not agree else collection.texts.consent)
    if given is None and collection.needs_invitation:
        given = _invitation(asks=asks)
    if asks:
        if not agree:
            ask_consent(collection)
        by_name = ask_labels(collection, by_name)
        said = ask_questions(collection, collection.asked)
    else:
        said = _given(collection, value, answers, as_json=as_json)
    receipt = collection.answer(said if collection.strategy is not None else said[""], labels=by_name, invitation=given)
    if as_json:
        click.echo(json.dumps(_data(receipt, client)))
    else:
        click.echo(_sentence(receipt, client))
        if receipt.state != "refused":
            show_paragraphs(collection.texts.thanks)
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


def _check_given(collection: Collection, value: str | None, answers: str | None, *, agree: bool) -> None:
    """What must be given where nobody is asked."""
    if collection.strategy is None:
        if answers is not None:
            raise click.UsageError("--answers is for questionnaires: this collection asks one question; give VALUE")
        if value is None:
            raise click.UsageError("VALUE is missing: give it, or - to read it from standard input")
    elif value is not None or answers is None:
        raise click.UsageError(
            f"this collection asks {len(collection.questions)} questions: give --answers FILE, or - to read them from "
            "standard input"
        )
    if collection.texts.consent and not agree:
        raise click.UsageError("--agree is missing: this collection asks whether you agree to its consent text")


def _given(collection: Collection, value: str | None, answers: str | None, *, as_json: bool) -> dict[str, Value]:
    """The answers that were given in the command or in a file, to what is asked."""
    texts = {"": _line() if value == "-" else value} if answers is None else _read_answers(answers)
    for name in texts:
        if name not in collection.questions:
            raise click.UsageError(f"--answers must be to the questions {', '.join(collection.questions)} alone")
    asked = [name for name in collection.asked if name in texts]  # the ledger says which one is missing
    said = {name: collection.questions[name].value_of(str(texts[name])) for name in asked}
    if not as_json:
        for name, answer in said.items():
            if collection.strategy is not None:
                show_question(collection.questions[name], numbered=False)
            click.echo(promise_for(collection, name, answer))
    return said


def _read_answers(name: str) -> Mapping[str, Any]:
    """The answers in a file by question; no message repeats one of them."""
    from ...core.canonical import loads
    from ...core.errors import InvalidInput

    if name == "-":
        content = sys.stdin.read().encode()
    else:
        with open(name, "rb") as file:
            content = file.read()
    try:
        answers = loads(content, InvalidInput)
    except InvalidInput:
        answers = None
    if not isinstance(answers, dict):
        raise click.UsageError('--answers must be a JSON object, such as {"smokes": "no", "age": 43}')
    for question, answer in answers.items():
        if isinstance(answer, bool) or not isinstance(answer, (str, int, Decimal)):
            raise click.UsageError(f"--answers: the answer to {question!r} must be text or a number")
    return answers


def _invitation(*, asks: bool) -> str | None:
    """The invitation of somebody who gave none in the command: from the environment, or asked for."""
    known = os.environ.get("DISCREET_INVITATION") or None
    return click.prompt("Your invitation") if known is None and asks else known


def _line() -> str:
    return sys.stdin.readline().rstrip("\r\n")


def in_terminal() -> bool:
    """True if somebody can be asked."""
    return sys.stdin.isatty()


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
