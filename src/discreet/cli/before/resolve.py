"""`discreet resolve`: a spec that no longer depends on what "auto" would choose."""

from __future__ import annotations

import click

from ...core.errors import InvalidInput
from ..choosing import read_either


@click.command()
@click.argument("spec")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to FILE, .toml or .json, completely or not at all, instead of TOML on standard output.",
)
@click.option("--question", metavar="NAME", help="Of a form: the spec of this question alone.")
@click.option("--quiet", is_flag=True, help="Do not say what was chosen.")
def command(spec: str, output: str | None, question: str | None, quiet: bool) -> None:
    """Pin the mechanism of SPEC: write a spec that holds its law and its fingerprint.

    A spec without a named mechanism leaves the choice to the software, and another version may choose another
    mechanism, which cannot count the reports of the first. Resolve the spec before the first report is
    collected, and use the resolved one everywhere: a later version reads the same law from it or refuses it.

    SPEC may be a form of several questions. Each of its questions has a mechanism of its own, and --question writes
    that as a spec for all other commands; answers that are one value together are asked for as 'A * B'.
    """
    from dataclasses import replace

    from ...wire.form import Form
    from ...wire.spec import check_name

    if output is not None:
        check_name(output)
    document = read_either(spec, quiet=quiet, writes=[output])
    if question is not None:
        parts = document.parts if isinstance(document, Form) else {}
        if question not in parts:
            raise InvalidInput(f"--question {question!r} must be one of a form: {', '.join(parts) or 'SPEC is none'}")
        document = replace(parts[question], name=question)
    pinned = document.resolved()
    if output is None:
        click.echo(pinned.to_toml(), nl=False)
    else:
        pinned.write(output)
