"""`discreet tally`: reports and earlier tallies in, one tally out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..mechanisms.mechanism import Mechanism
    from ..tally import Tally


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@click.option("--column", help="The CSV column or JSON key that holds the report.")
@click.option("-o", "--out", default="-", help="The tally file to write; '-' prints it.")
def command(spec: str, files: tuple[str, ...], column: str | None, out: str) -> None:
    """Count the reports in FILES and merge tallies.

    A .json file is an earlier tally, any other file holds reports (text lines, CSV or JSON lines); '-' or
    nothing reads reports from a pipe. One report that the mechanism cannot have written stops everything.
    """
    from ..engines.files import PIPE
    from ..errors import InvalidInput
    from ..wire import Spec, read_tally, tally_text, write_tally

    mechanism = Spec.read(spec).mechanism
    seen = [file if file == PIPE else os.path.realpath(file) for file in files]
    for file, real in zip(files, seen, strict=True):
        if seen.count(real) > 1:
            raise InvalidInput(f"{file}: is given twice; its reports would count twice")
    total = mechanism.tally()
    for file in files or (PIPE,):
        total += read_tally(file, mechanism) if file.endswith(".json") else _counted(mechanism, file, column)
    if out == PIPE:
        click.echo(tally_text(total), nl=False)
    else:
        write_tally(total, out)


def _counted(mechanism: Mechanism, file: str, column: str | None) -> Tally:
    from ..engines.files import PIPE, read_values
    from ..errors import InvalidReport
    from ..wire import report_from_text, reports_from_texts
    from ..wire.located import located

    total = mechanism.tally()
    for texts in read_values(file, column):
        try:
            total += mechanism.tally(reports_from_texts(mechanism, texts))
        except InvalidReport:
            for number, text in enumerate(texts, total.n + 1):
                with located(f"{'standard input' if file == PIPE else file}, entry {number}"):
                    report_from_text(mechanism, text)
            raise
    return total
