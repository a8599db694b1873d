"""`discreet tally`: reports and earlier tallies in, one tally out."""

from __future__ import annotations

import os

import click


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@click.option("--column", help="The column or JSON key that holds the report.")
@click.option("-o", "--out", default="-", help="The tally file to write; '-' prints it.")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Cores to use; all of them unless given.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def command(spec: str, files: tuple[str, ...], column: str | None, out: str, threads: int | None, quiet: bool) -> None:
    """Count the reports in FILES and merge tallies.

    A .json file is an earlier tally, so that counting can continue where it stopped. Any other file holds
    reports: Parquet, Arrow, text lines, CSV or JSON lines; '-' or nothing reads reports from a pipe. One report
    that the mechanism cannot have written stops everything.
    """
    from ..engines.jobs import rows_in, tally_files
    from ..errors import InvalidInput
    from ..files.formats import JSON, PIPE, compression_of, format_of
    from ..wire import Spec, read_tally, tally_text, write_tally
    from .progress import progress

    mechanism = Spec.read(spec).mechanism
    seen = [file if file == PIPE else os.path.realpath(file) for file in files]
    for file, real in zip(files, seen, strict=True):
        if seen.count(real) > 1:
            raise InvalidInput(f"{file}: is given twice; its reports would count twice")
    earlier = [file for file in files if format_of(file) is JSON and not compression_of(file)]
    reports = [file for file in files if file not in earlier] or ([] if earlier else [PIPE])
    total = sum((read_tally(file, mechanism) for file in earlier), mechanism.tally())
    with progress(rows_in(reports, column), quiet=quiet) as advance:
        total += tally_files(mechanism, reports, column=column, threads=threads, progress=advance)
    if out == PIPE:
        click.echo(tally_text(total), nl=False)
    else:
        write_tally(total, out)
