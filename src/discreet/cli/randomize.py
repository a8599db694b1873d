"""`discreet randomize`: values in, reports out."""

from __future__ import annotations

import click


@click.command()
@click.argument("spec")
@click.argument("file", default="-")
@click.option("--column", help="The CSV column or JSON key that holds the value.")
@click.option("-o", "--out", default="-", help="Where to write reports: text, .csv or .jsonl (also .gz); '-' prints.")
@click.option(
    "--unknown",
    default="error",
    metavar="error|drop|VALUE",
    help="What to do with a value outside the domain: stop, leave it out, or take VALUE in its place.",
)
@click.option("--insecure-seed", type=int, metavar="N", help="Reproducible reports, for simulation only.")
def command(spec: str, file: str, column: str | None, out: str, unknown: str, insecure_seed: int | None) -> None:
    """Turn the values in FILE into reports, one each, in order.

    FILE holds one value a line, CSV or JSON lines; '-' or nothing reads a pipe. With -o nothing is written
    until every value has been randomized, so a mistake leaves no half a file behind.
    """
    from ..engines.files import PIPE, Writer, read_values
    from ..engines.numbers import Numbers
    from ..errors import UnknownValue
    from ..random import secure, seeded
    from ..wire import Spec, reports_to_json

    mechanism = Spec.read(spec).mechanism
    if insecure_seed is not None:
        click.echo("discreet: --insecure-seed: whoever knows the seed can undo these reports", err=True)
    rng = secure() if insecure_seed is None else seeded(insecure_seed)
    try:
        numbers = Numbers(mechanism.context.domain, unknown=unknown)
    except UnknownValue as problem:
        raise UnknownValue(f"--unknown: {problem}") from None
    name = "standard input" if file == PIPE else file
    with Writer(out) as writer:
        for texts in read_values(file, column):
            try:
                indices = numbers.of(texts)
            except UnknownValue as problem:
                raise UnknownValue(f"{name}, {problem} (or see --unknown)") from None
            writer.write(reports_to_json(mechanism, mechanism.randomize_many(indices, rng)))
    if numbers.unknown:
        done = "left out" if unknown == "drop" else f"taken as {unknown!r}"
        click.echo(f"discreet: {numbers.unknown} of {numbers.seen} values are outside the domain; {done}", err=True)
