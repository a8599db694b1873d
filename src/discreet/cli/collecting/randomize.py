"""`discreet randomize`: values in, reports out."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UnknownValue
from .. import form_commands
from ..choosing import read_either
from ..options import quiet_option, threads_option
from ..progress import progress


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@click.option("--column", help="The column or JSON key that holds the value; u.a is the key a inside u.")
@click.option("--delimiter", metavar="CHAR", help="What separates the columns of CSV, if not a comma (in .tsv a tab).")
@click.option(
    "-o", "--out", default="-", help="Where to write reports: text, .csv, .jsonl (also .gz, .zst), .parquet or .arrow."
)
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="Carry this column beside the report, for all to see who see the report; may be repeated.",
)
@click.option(
    "--unknown",
    default="error",
    metavar="error|drop|VALUE",
    help="What to do with a null or a value outside the domain: stop, leave it out, or use VALUE instead.",
)
@click.option(
    "--unmarked",
    is_flag=True,
    help="Write nothing but reports, for other programs: no tally can tell whose they are and whether any is missing.",
)
@click.option("--show-values", is_flag=True, help="Let errors show the value they are about, which is a person's.")
@click.option("--insecure-seed", type=int, metavar="N", help="Reproducible reports, for simulation only.")
@threads_option
@quiet_option
def command(
    spec: str,
    files: tuple[str, ...],
    delimiter: str | None,
    out: str,
    show_values: bool,
    insecure_seed: int | None,
    quiet: bool,
    **how: Any,
) -> None:
    """Turn the values in FILES into reports, one each, in order.

    Where SPEC is a form, FILES have a column for each question, by its name, and the reports have several columns:
    report and question, or report.NAME for each.

    A file is Parquet, Arrow, CSV, TSV, JSON lines or text with one value per line, depending on its name. A folder
    or a quoted pattern such as 'data/*.parquet' stands for all its files, in the order of their names; for Parquet
    and Arrow, the names of folders such as city=boston are a column, too. '-' or nothing reads a pipe.

    The reports stand between marks that name their mechanism and say that they are all there. With -o nothing is
    written until every value has been randomized, so neither an error nor an interruption leaves half a file
    behind. On a pipe reports are passed on at once; if it then fails, the last mark is missing, no tally accepts the
    stream, and it must be thrown away: another run gives the same people second reports.
    """
    from ...bulk.encoding import DomainEncoder
    from ...bulk.jobs import randomize_files, rows_in
    from ...bulk.words import secure, seeded
    from ...core import errors
    from ...files.formats import PIPE
    from ...files.sources import inputs, source_of
    from ...questionnaires.writing import randomize_form
    from ...wire.form import Form

    errors.show_values = show_values
    given = inputs(files or (PIPE,))
    document = read_either(spec, quiet=quiet, writes=[out], reads=given)
    sources = [source_of(file, delimiter=delimiter) for file in given]
    if insecure_seed is not None:
        click.echo("discreet: --insecure-seed: whoever knows the seed can undo these reports", err=True)
    rng = secure() if insecure_seed is None else seeded(insecure_seed)
    column, unknown = how["column"], how["unknown"]
    if isinstance(document, Form):
        form_commands.without(column=column)
        of_form = {key: how[key] for key in ("keep", "unknown", "unmarked")}
        try:
            seen, outside = randomize_form(document, sources, out, rng, **of_form)
        except UnknownValue as problem:
            raise UnknownValue(f"{problem} (see --unknown)") from None
        if outside:
            click.echo(f"discreet: {outside} of {seen} people gave an answer outside the domain; left out", err=True)
        return
    mechanism = document.mechanism
    try:
        DomainEncoder(mechanism.context.domain, unknown=unknown)
    except UnknownValue as problem:
        raise UnknownValue(f"--unknown: {problem}") from None
    with progress(rows_in(sources, column), quiet=quiet) as advance:
        try:
            seen, outside = randomize_files(mechanism, sources, out, rng, progress=advance, **how)
        except UnknownValue as problem:
            raise UnknownValue(f"{problem} (see --unknown, --show-values)") from None
    if outside:
        done = "left out" if unknown == "drop" else f"taken as {unknown!r}"
        click.echo(f"discreet: {outside} of {seen} values are outside the domain; {done}", err=True)
