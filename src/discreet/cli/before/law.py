"""`discreet law`: the published law of a spec, on which the whole promise rests."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("spec")
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE, completely or not at all, instead of standard output."
)
def command(spec: str, output: str | None) -> None:
    """Write the law of SPEC as canonical JSON: values, context and whole numbers, and nothing else.

    Its SHA-256 is the fingerprint that reports and tallies carry. Whoever has the law can check the promise
    from it alone, and every command takes it in place of a spec.
    """
    from ...core.documents import replacing
    from ...wire import law_text
    from ..choosing import read_spec

    written = law_text(read_spec(spec, writes=[output]).mechanism)
    if output is None:
        click.echo(written, nl=sys.stdout.isatty())
        return
    with replacing(output) as file:
        file.write(written.encode())
