"""`discreet release`: a tally in, a report to be published out."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidInput
from .. import form_commands
from ..choosing import read_either
from ..options import choice_option, confidence_option, note_insecure
from .estimate import METHODS, shares_by


@click.command()
@click.argument("spec")
@click.argument("tally")
@click.option("-o", "--out", required=True, metavar="FILE", help="The report to write: a page (.html) or data (.json).")
@click.option("--title", required=True, help="What heads the report.")
@click.option("--question", default="", help="What people were asked, in full.")
@click.option("--part", metavar="NAME", help="Of a form: the name of the question that the report is about.")
@click.option("--note", "notes", multiple=True, help="A caveat of yours; several are possible.")
@choice_option("--method", list(METHODS), "How shares are computed.")
@confidence_option
def command(spec: str, tally: str, out: str, part: str | None, method: str, **options: Any) -> None:
    """Write a release report about the TALLY file: one file, made to be published.

    It says what was asked and promised, with the proof and the law's SHA-256, how the shares were made, the shares
    with their intervals, and what they do not say. A page needs nothing but itself, and has its data inside.

    Where SPEC is a form and TALLY its tally, the report is about the question that --part names.
    """
    from ...estimation.tally import read_tally
    from ...publishing import release
    from ...questionnaires.form import Form
    from ...questionnaires.tally import FormTally

    document = read_either(spec, writes=[out], reads=[tally])
    if isinstance(document, Form):
        counts = FormTally.read(tally, document)[form_commands.part_of(document, part, option="--part")]
    elif part is not None:
        raise InvalidInput("--part must go with a form of several questions")
    else:
        counts = read_tally(tally, document.mechanism)
    note_insecure([counts])
    release(shares_by(method, counts), **options).write(out)
    click.echo(f"The report is in {out}.")
