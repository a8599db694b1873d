"""`discreet tally`: reports and earlier tallies in, one tally out."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidInput
from .. import form_commands
from ..choosing import read_either
from ..options import note_insecure, quiet_option, split_files, threads_option
from ..progress import progress


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@click.option("--column", help="The column or JSON key that holds the report; 'report' unless given.")
@click.option("--delimiter", metavar="CHAR", help="What separates the columns of CSV, if not a comma (in .tsv a tab).")
@click.option("--by", multiple=True, metavar="COLUMN", help="Count apart by this public label; may be repeated.")
@click.option("--question", metavar="NAME", help="Of a form: write the tally of this question alone.")
@click.option("-o", "--out", default="-", help="The tally file to write; '-' prints it.")
@click.option(
    "--unmarked",
    is_flag=True,
    help="Also accept reports without marks. Neither another mechanism's reports nor missing ones would be noticed.",
)
@threads_option
@quiet_option
def command(
    spec: str,
    files: tuple[str, ...],
    delimiter: str | None,
    by: tuple[str, ...],
    question: str | None,
    out: str,
    quiet: bool,
    **read: Any,
) -> None:
    """Count the reports in FILES and merge tallies.

    A .json file is an earlier tally, so that counting can continue where it stopped. Any other file holds
    reports: Parquet, Arrow, text lines, CSV, TSV or JSON lines. A folder or a quoted pattern such as
    'data/*.parquet' stands for all its files; '-' or nothing reads reports from a pipe. One report
    that the mechanism cannot have written stops everything, and so does a file or stream that says it is of
    another mechanism, or that is not whole.

    With --by there is a tally for every label that the column holds, and one for people without; they are
    written, merged and estimated together.

    Where SPEC is a form, all its questions are counted; --question writes the tally of one of them, for the spec that
    `discreet resolve --question` writes.
    """
    from ...bulk.jobs import rows_in, tally_files
    from ...bulk.labelled.tallies import (
        GroupTallies,
        groups_text,
        read_groups,
        read_one_tally,
        tally_groups,
        write_groups,
    )
    from ...estimation.tally import tally_text, write_tally
    from ...files.columns import REPORT
    from ...files.formats import PIPE
    from ...files.sources import inputs
    from ...wire.form import Form

    given = inputs(files or (PIPE,))
    document = read_either(spec, quiet=quiet, writes=[out], reads=given)
    earlier, reports = split_files(given, delimiter)
    if isinstance(document, Form):
        form_commands.without(column=read["column"], by=by)
        form_commands.tally(document, earlier, reports, out, question=question, unmarked=read["unmarked"])
        return
    if question is not None:
        raise InvalidInput("--question must go with a form of several questions")
    mechanism = document.mechanism
    with progress(rows_in(reports, read["column"], usual=REPORT), quiet=quiet) as advance:
        if by:
            groups = sum((read_groups(file, mechanism) for file in earlier), GroupTallies(mechanism, by, {}))
            groups += tally_groups(mechanism, reports, by, **read, progress=advance)
        else:
            total = sum((read_one_tally(file, mechanism) for file in earlier), mechanism.tally())
            total += tally_files(mechanism, reports, **read, progress=advance)
    note_insecure(groups.values() if by else [total])
    if out == PIPE:
        click.echo(groups_text(groups) if by else tally_text(total), nl=False)
    elif by:
        write_groups(groups, out)
    else:
        write_tally(total, out)
