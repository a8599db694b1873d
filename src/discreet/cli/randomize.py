"""`discreet randomize`: values in, reports out."""

from __future__ import annotations

import click


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@click.option("--column", help="The column or JSON key that holds the value.")
@click.option(
    "-o", "--out", default="-", help="Where to write reports: text, .csv, .jsonl (also .gz, .zst), .parquet or .arrow."
)
@click.option(
    "--unknown",
    default="error",
    metavar="error|drop|VALUE",
    help="What to do with a null or a value outside the domain: stop, leave it out, or use VALUE instead.",
)
@click.option("--insecure-seed", type=int, metavar="N", help="Reproducible reports, for simulation only.")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Cores to use; all of them unless given.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def command(
    spec: str,
    files: tuple[str, ...],
    column: str | None,
    out: str,
    unknown: str,
    insecure_seed: int | None,
    threads: int | None,
    quiet: bool,
) -> None:
    """Turn the values in FILES into reports, one each, in order.

    A file is Parquet or Arrow, or holds one value per line, CSV or JSON lines, depending on its name; '-' or
    nothing reads a pipe. With -o nothing is written until every value has been randomized, so neither an error
    nor an interruption leaves half a file behind.
    """
    from ..engines.jobs import randomize_files, rows_in
    from ..engines.numbers import Numbers
    from ..errors import UnknownValue
    from ..files.formats import PIPE
    from ..random import secure, seeded
    from ..wire import Spec
    from .progress import progress

    mechanism = Spec.read(spec).mechanism
    if insecure_seed is not None:
        click.echo("discreet: --insecure-seed: whoever knows the seed can undo these reports", err=True)
    rng = secure() if insecure_seed is None else seeded(insecure_seed)
    try:
        Numbers(mechanism.context.domain, unknown=unknown)
    except UnknownValue as problem:
        raise UnknownValue(f"--unknown: {problem}") from None
    sources = files or (PIPE,)
    with progress(rows_in(sources, column), quiet=quiet) as advance:
        try:
            seen, outside = randomize_files(
                mechanism, sources, out, rng, column=column, unknown=unknown, threads=threads, progress=advance
            )
        except UnknownValue as problem:
            raise UnknownValue(f"{problem} (or see --unknown)") from None
    if outside:
        done = "left out" if unknown == "drop" else f"taken as {unknown!r}"
        click.echo(f"discreet: {outside} of {seen} values are outside the domain; {done}", err=True)
