"""`discreet law`: the published law of a spec, on which the whole promise rests."""

from __future__ import annotations

import sys

import click

from ..choosing import read_spec
from ..options import write_text


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
    from ...wire import law_text

    written = law_text(read_spec(spec, writes=[output]).mechanism)
    if output is None:
        click.echo(written, nl=sys.stdout.isatty())
    else:
        write_text(written, output)
