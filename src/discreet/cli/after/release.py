"""`discreet release`: a tally in, a report to be published out."""

from __future__ import annotations

import click

from .estimate import METHODS


@click.command()
@click.argument("spec")
@click.argument("tally")
@click.option("-o", "--out", required=True, metavar="FILE", help="The report to write: a page (.html) or data (.json).")
@click.option("--title", required=True, help="What heads the report.")
@click.option("--question", default="", help="What people were asked; of a form, the name of the question.")
@click.option("--note", "notes", multiple=True, help="A caveat of yours; several are possible.")
@click.option(
    "--method", type=click.Choice(list(METHODS)), default="unbiased", show_default=True, help="How shares are computed."
)
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals, between 0 and 1."
)
def command(
    spec: str,
    tally: str,
    out: str,
    title: str,
    question: str,
    notes: tuple[str, ...],
    method: str,
    confidence: float,
) -> None:
    """Write a release report about the TALLY file: one file, made to be published.

    It says what was asked and promised, with the proof and the law's SHA-256, how the shares were made, the shares
    with their intervals, and what they do not say. A page needs nothing but itself, and has its data inside.

    Where SPEC is a form and TALLY its tally, the report is about the question that --question names.
    """
    from importlib import import_module

    from ...estimation.tally import read_tally
    from ...publishing import release
    from ...questionnaires.form import Form
    from ...questionnaires.tally import FormTally
    from .. import form_commands
    from ..choosing import read_either

    wanted = read_either(spec, writes=[out], reads=[tally])
    if isinstance(wanted, Form):
        counted = FormTally.read(tally, wanted)[form_commands.part_of(wanted, question or None)]
    else:
        counted = read_tally(tally, wanted.mechanism)
    made = getattr(import_module("discreet"), METHODS[method])(counted)
    release(made, title=title, question=question, confidence=confidence, notes=notes).write(out)
    click.echo(f"The report is in {out}.")
