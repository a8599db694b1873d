"""`discreet invite`: a link with an invitation for every row of a list of people, as a file for mail merge."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ...core.documents import replacing
from ...core.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from ...client.addresses import Address

LINK = "link"
"""The column of links."""
CODE = "qr"
"""The column of QR codes."""

COLLECTION = re.compile(r"((?:/[^/]+)*)/(?:collections|answer)/([0-9a-f]{1,64})", re.ASCII)
"""The path of a collection, or of its page to answer: the path of the collector, and the id."""

NUMBER = re.compile(r"[+-][0-9 ./()-]*", re.ASCII)
"""A number, also that of a telephone, which a spreadsheet may read as it likes."""


class Target(NamedTuple):
    """A collection: where it is asked, and what its links begin with."""

    url: str
    answer: str
    is_loopback: bool
    """True if its links open on this machine only."""


class People(NamedTuple):
    """A list as it was read: the names of its columns, and its rows."""

    names: list[str]
    rows: list[list[str]]


@click.command()
@click.argument("url")
@click.argument("people", metavar="PEOPLE")
@click.option("-o", "--output", metavar="FILE", required=True, help="The CSV to write: all columns, and the links.")
@click.option("--public", metavar="ADDRESS", help="What links begin with, if people reach the collector elsewhere.")
@click.option("--qr", is_flag=True, help="Add a column qr: each link as a QR code, in SVG. Needs the extra qr.")
@click.option("--remind", is_flag=True, help="PEOPLE has links already: check and write them again, for everybody.")
def command(url: str, people: str, output: str, public: str | None, qr: bool, remind: bool) -> None:
    """Write PEOPLE, a CSV with a line of column names, once more with a link for each row to the collection at URL.

    The admin's token is taken from DISCREET_ADMIN. The list stays here: the collector is asked for as many
    invitations as there are rows, and gets neither names nor addresses. They are dealt out in random order.
    Whoever has the file that is written knows whose invitation is whose: it cannot tell who answered, but a
    collector that noted invitations beside reports could be asked whose report it has. Delete it when the
    collection is closed.

    --remind needs no token, makes nothing and learns nothing: no collector says which invitations are spent.
    It checks that the collection is still open and that all links lead to it, and writes them for everybody.
    """
    from ...files.overwriting import check_outputs

    token = os.environ.get("DISCREET_ADMIN")
    if not remind and not token:
        raise click.UsageError("DISCREET_ADMIN is missing in the environment: the admin's token makes invitations")
    check_outputs([output], [people])
    if Path(output).is_file():
        raise InvalidInput(f"{output}: is there already, and may hold the links of people; write to another file")
    target, codes = _target(url, public), _codes() if qr else None
    listed = _read(people, has_links=remind)
    if qr and CODE in listed.names:
        raise InvalidInput(f"{people}: has a column {CODE} already; rename it, or leave --qr out")
    os.umask(0o077)  # whose invitation is whose is for nobody else to read
    with replacing(output) as file:
        if remind:
            _check_links(listed, target, people)
            written = listed
        else:
            assert token is not None
            written = _invite(listed, target, token)
        file.write(_text(written if codes is None else _with_codes(written, codes)).encode())
    if remind:
        click.echo(
            f"Wrote {len(written.rows):,} reminders, one for everybody, since who has answered is not known. Begin "
            'with words such as: "If you have answered already, thank you; we cannot tell, and you need do nothing."'
        )
    else:
        many = len(written.rows) > 1
        links = f"{len(written.rows):,} links, each" if many else "1 link,"
        click.echo(f"Wrote {links} good for one report. Keep the file secret.")
    if target.is_loopback:
        click.echo("Warning: these links open on this machine only; --public says where people reach it", err=True)


def _target(url: str, public: str | None) -> Target:
    from ...client.addresses import address_of

    address = address_of(url.partition("#")[0])
    found = COLLECTION.fullmatch(address.target)
    if found is None:
        raise InvalidInput("url must be the address of a collection, https://.../collections/ID, or of its page")
    shown: Address = address if public is None else address_of(public, "public")
    path = found[1] if public is None else shown.target.rstrip("/")
    if "?" in path:
        raise InvalidInput("public must be an address without a query, such as https://survey.example.org")
    answer = f"{shown.origin}{path}/answer/{found[2]}"
    return Target(f"{address.origin}{found[1]}/collections/{found[2]}", answer, shown.is_loopback)


def _read(name: str, *, has_links: bool) -> People:
    """The list, read whole before anything is asked; no message repeats what a row says."""
    from ...core.documents import read_document
    from ...files.csv_records import read_header

    content = read_document(name)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name}: must be text in UTF-8") from None
    names, records = read_header(iter(io.StringIO(text, newline="")), name, ",")
    if len(set(names)) != len(names) or not all(names):
        raise InvalidInput(f"{name}: every column must have a name, and no two the same")
    if has_links and LINK not in names:
        raise InvalidInput(f"{name}: has no column {LINK}; give the file that invite wrote")
    if not has_links and LINK in names:
        raise InvalidInput(f"{name}: has a column {LINK} already; --remind writes links again, or rename the column")
    rows: list[list[str]] = []
    seen: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(records, 1):
        if not any(row):
            raise InvalidInput(f"{name}: row {number} is empty")
        if (first := seen.setdefault(tuple(row), number)) != number:
            raise InvalidInput(f"{name}: row {number} is the same as row {first}; nobody is invited twice")
        rows.append(row)
    if not rows:
        raise InvalidInput(f"{name}: must have a row for each person")
    return People(names, rows)


def _invite(people: People, target: Target, token: str) -> People:
    from ...collector.simulation import invite

    invitations = invite(target.url, token, len(people.rows))
    secrets.SystemRandom().shuffle(invitations)  # so that the order in which they were made says nothing
    links = [f"{target.answer}#invitation={one}" for one in invitations]
    rows = [[*row, link] for row, link in zip(people.rows, links, strict=True)]
    return People([*people.names, LINK], rows)


def _codes() -> Any:
    """What makes QR codes."""
    try:
        import segno
    except ImportError:
        raise MissingExtra("segno", "qr") from None
    return segno


def _with_codes(people: People, codes: Any) -> People:
    """The list with each link as a QR code beside it."""
    place = people.names.index(LINK)
    drawn = [codes.make(row[place], error="m", micro=False).svg_inline() for row in people.rows]
    return People([*people.names, CODE], [[*row, code] for row, code in zip(people.rows, drawn, strict=True)])


def _check_links(people: People, target: Target, name: str) -> None:
    """`InvalidInput` unless the collection is open, and every row has a link to it, and one of its own."""
    from ...collector.simulation import ask

    place, seen = people.names.index(LINK), set()
    for number, row in enumerate(people.rows, 1):
        address, _, invitation = row[place].partition("#invitation=")
        if address != target.answer or not re.fullmatch(r"[\w.~-]{1,128}", invitation, re.ASCII):
            raise InvalidInput(
                f"{name}: row {number}: its link must be {target.answer}#invitation=...; "
                "--public says where people reach the collector, if elsewhere"
            )
        if invitation in seen:
            raise InvalidInput(f"{name}: row {number}: its link is that of another row, too")
        seen.add(invitation)
    state = ask(target.url).get("state")
    if state != "open":
        raise InvalidInput(
            f"the collection must be open for a reminder; it is {'not open yet' if state == 'waiting' else 'closed'}"
        )


def _text(people: People) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerows(map(_inert, [people.names, *people.rows]))
    return file.getvalue()


def _inert(row: Sequence[str]) -> list[str]:
    """A row in which no field is a formula to a spreadsheet: an apostrophe goes before one that would be."""
    return [
        f"'{field}"
        if field[:1] in ("=", "@", "+", "-", "\t", "\r", "\n") and field and not NUMBER.fullmatch(field)
        else field
        for field in row
    ]
