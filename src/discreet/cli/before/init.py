"""`discreet init`: a first spec, from a few questions or from options."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

NEXT = {
    "discreet verify {0}": "prove that it holds",
    "discreet plan {0} --n 10000": "the error to expect from 10,000 people",
    "discreet resolve {0} -o resolved.toml": "pin the mechanism before you collect",
}
"""What to do with a new spec, and why."""


@click.command()
@click.argument("file", default="survey.toml")
@click.option("--form", metavar="FORM", help="uniform, blocks, high_low, binary, nested, graded or metric.")
@click.option("--values", metavar="A,B,...", help="The values that a person may hold, or 18..99 for whole numbers.")
@click.option("--file", "source", metavar="FILE", help="Instead of --values: a CSV file beside the spec.")
@click.option("--column", help="With --file: the column of the values.")
@click.option("--block-column", help="With --file: the column of the blocks; for nested several, 'city,country'.")
@click.option(
    "--block", "blocks", multiple=True, metavar="NAME=A,...", help="A block; for nested fr/paris=a,b; repeat it."
)
@click.option("--sensitive", metavar="A,B,...", help="For high_low: the values whose holders must be hidden.")
@click.option("--points", metavar="P,Q,...", help="For metric: a number per value, or '0 0,3 4'.")
@click.option("--distance", help="For metric: line, ring, l1, l2 or linf.")
@click.option("--around", metavar="LENGTH", help="With --distance ring: its length, unless the numbers are 0, 1, ...")
@click.option("--epsilon", metavar="E", help="Positive; binary 'inf,1'; nested '1,2,inf'; blocks, graded 'a=1,b=0.5'.")
@click.option("--name", help="What the survey is called; the name of the file unless given.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def command(file: str, force: bool, **given: Any) -> None:
    """Write a first spec with comments into FILE (survey.toml unless given).

    In a terminal you are asked for whatever the options leave open; elsewhere nothing is asked, and what is missing
    is an error. An existing file is left alone unless you say --force.

    \b
        discreet init
        discreet init ages.toml --form uniform --values 18..99 --epsilon 1
        discreet init nights.toml --form blocks --block boston=b1,b2 --block nyc=n1,n2,n3 --epsilon 1
        discreet init illness.toml --form high_low --values none,cold,flu,hiv --sensitive hiv --epsilon 1
        discreet init streets.toml --form nested --block fr/paris=p1,p2 --block fr/lyon=l1,l2 --epsilon 1,2,inf
        discreet init hours.toml --form metric --values 0..23 --distance ring --epsilon 0.5
    """
    from ...core import tables
    from ...core.atomic import replacing
    from ...core.documents import parse_toml
    from ...core.errors import InvalidInput
    from ...files.overwriting import check_outputs
    from ...wire import Spec
    from ..choosing import settle
    from .drafts import draft
    from .questions import Questions, entries_from

    path = Path(file)
    if path.suffix != ".toml":
        raise InvalidInput(f"{file}: a spec with comments must be a .toml file")
    for name, text in (("FILE", file), ("--name", given["name"] or "")):
        if not text.isprintable():
            raise InvalidInput(f"{name}={text!r} must be printable text")
    if not path.parent.is_dir():
        raise InvalidInput(f"{file}: the folder {path.parent} must exist")
    if path.exists() and not force:
        raise InvalidInput(f"{file}: is there already; --force replaces it")
    if given["source"] is not None:
        check_outputs([path], [path.parent / given["source"]])
    entries = entries_from(Questions(given, asks=_in_terminal()), name=path.stem)
    written = draft(entries, file=shlex.quote(file))
    spec = settle(Spec.of(parse_toml(written), folder=path.parent))
    with replacing(path) as out:
        out.write(written.encode())
    click.echo(f"{file}: {spec.context!r}, served by {spec.mechanism.name}. Next:")
    steps = [("", line.format(shlex.quote(file)), why) for line, why in NEXT.items()]
    click.echo(tables.text([("", "s")] * 3, steps))


def _in_terminal() -> bool:
    return sys.stdin.isatty()
