"""`discreet collect`: a collection on a collector, from a questionnaire file, and the links that people need."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ...core.errors import InvalidInput
from ..options import json_option

COLLECTOR = "http://127.0.0.1:8000"
"""The address of a collector that was started without saying where."""


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--url", default=COLLECTOR, show_default=True, metavar="URL", help="The address of the collector.")
@click.option("--admin", metavar="TOKEN", help="The admin's token; DISCREET_ADMIN unless given.")
@click.option("--public", metavar="ADDRESS", help="What links begin with, if people reach the collector elsewhere.")
@click.option("--title", help="The title, where FILE has none.")
@click.option(
    "--question", "questions", multiple=True, metavar="[NAME=]TEXT", help="What is asked, where FILE does not say it."
)
@click.option("--minimum", type=click.IntRange(1), help="The fewest reports that are shown together.")
@click.option("--access", type=click.Choice(["open", "invitation"]), help="Who may answer.")
@json_option
def command(
    file: str,
    url: str,
    admin: str | None,
    public: str | None,
    title: str | None,
    questions: tuple[str, ...],
    minimum: int | None,
    access: str | None,
    as_json: bool,
) -> None:
    """Make a collection of FILE, and print its address and the links of its pages.

    FILE is a questionnaire: what is asked, in people's words, and how answers are collected. A spec or a form will do,
    with --title and a --question for each question that has no text. What an option says goes before what FILE says.
    The collector checks everything again, and makes nothing of what it refuses.

    \b
        discreet collect questionnaire.toml --url https://survey.example.org
        discreet collect survey.toml --title "Districts" --question "Where do you live?"
    """
    from ...collector.declaration import parse_declaration
    from ...collector.simulation import ask
    from ...wire.questionnaire import Questionnaire
    from ...wire.spec import check_name, located, parsed_document

    token = os.environ.get("DISCREET_ADMIN") if admin is None else admin
    if not token:
        raise click.UsageError("--admin is missing, or DISCREET_ADMIN in the environment: the admin's token is needed")
    base, shown = _base(url, "url"), _base(public, "public") if public is not None else None
    path = check_name(file)
    with located(file):
        data = _completed(parsed_document(path), title, questions)
        data |= {key: entry for key, entry in (("minimum", minimum), ("access", access)) if entry is not None}
        questionnaire = Questionnaire.of(data, folder=Path(path).parent, source=file)
        declared = questionnaire.declaration()
        parse_declaration(declared)  # here too, so that what is wrong is said of FILE before anything is sent
    made = ask(f"{base}/collections", token, declared)
    people = base if shown is None else shown
    links = {
        "collection": f"{base}/collections/{made['id']}",
        "answer": f"{people}/answer/{made['id']}",
        "results": f"{base}/results/{made['id']}",
    }
    if as_json:
        about = {key: made[key] for key in ("id", "fingerprint", "mechanism", "state")}
        click.echo(json.dumps({**about, **links, "access": declared["access"]}, ensure_ascii=False))
        return
    click.echo(_sentence(questionnaire, made["state"]))
    click.echo(f"Address:         {links['collection']}")
    click.echo(f"People answer:   {links['answer']}")
    click.echo(f"You see results: {links['results']}  (with the analyst's token)")
    if declared["access"] == "invitation":
        click.echo(f"Everybody needs an invitation: discreet invite {links['collection']} PEOPLE.csv -o links.csv")
    if shown is None and _is_loopback(base):
        click.echo("These links open on this machine only: --public says where people reach the collector.", err=True)


def _completed(data: Any, title: str | None, questions: tuple[str, ...]) -> dict[str, Any]:
    """The document of a file with the texts of the options in their places."""
    from ...wire.spec import is_form

    if not isinstance(data, Mapping):
        raise InvalidInput("a questionnaire must be a table")
    whole = dict(data)
    if title is not None:
        whole["title"] = title
    if questions and not is_form(whole):
        if len(questions) > 1:
            raise InvalidInput(f"--question was given {len(questions)} times, and FILE asks one question")
        whole["question"] = questions[0]
    elif questions:
        texts = dict(entry.partition("=")[::2] for entry in questions)
        listing = whole.get("questions")
        asked = [dict(one) for one in listing if isinstance(one, Mapping)] if isinstance(listing, list) else []
        names = [one.get("name") for one in asked]
        for name, text in texts.items():
            if name not in names:
                raise InvalidInput(f"--question {name!r} must be NAME=TEXT, NAME one of {', '.join(map(str, names))}")
            asked[names.index(name)]["question"] = text
        whole["questions"] = asked
    return whole


def _base(address: str, name: str) -> str:
    """The address of a collector without a slash in the end."""
    from ...client.addresses import address_of

    found = address_of(address, name)
    if "?" in found.target:
        raise InvalidInput(f"{name} must be an address without a query, such as https://survey.example.org")
    return f"{found.origin}{found.target.rstrip('/')}"


def _is_loopback(address: str) -> bool:
    from ...client.addresses import address_of

    return address_of(address).is_loopback


def _sentence(questionnaire: Any, state: str) -> str:
    """What there is now."""
    how = {"open": "takes answers", "waiting": "is not open yet", "closed": "is closed"}[state]
    names = questionnaire.names
    if names is None:
        return f"{questionnaire.texts.title!r} {how}: one question."
    asked = {
        "one at random": f"everybody is asked one of {len(names)} questions",
        "each": f"everybody is asked {len(names)} questions",
        "together": f"everybody is asked {len(names)} questions, whose answers are one value",
    }
    return f"{questionnaire.texts.title!r} {how}: {asked[questionnaire.spec.strategy]}."
