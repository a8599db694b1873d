"""`discreet resolve`: a spec that no longer depends on what "auto" would choose."""

from __future__ import annotations

import click


@click.command()
@click.argument("spec")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to FILE, .toml or .json, completely or not at all, instead of TOML on standard output.",
)
@click.option("--quiet", is_flag=True, help="Do not say what was chosen.")
def command(spec: str, output: str | None, quiet: bool) -> None:
    """Pin the mechanism of SPEC: write a spec that holds its law and its fingerprint.

    A spec without a named mechanism leaves the choice to the software, and another version may choose another
    mechanism, which cannot count the reports of the first. Resolve the spec before the first report is
    collected, and use the resolved one everywhere: a later version reads the same law from it or refuses it.
    """
    from ..wire.spec import check_name
    from .choosing import read_spec

    if output is not None:
        check_name(output)
    pinned = read_spec(spec, quiet=quiet, writes=[output]).resolved()
    if output is None:
        click.echo(pinned.to_toml(), nl=False)
    else:
        pinned.write(output)
