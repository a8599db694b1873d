"""`discreet vectors`: laws, words and the reports that every client must write from them."""

from __future__ import annotations

from typing import Any

import click

from ..choosing import read_spec


@click.command()
@click.argument("specs", metavar="[SPEC]...", nargs=-1)
@click.option("--count", type=click.IntRange(min=1), help="Vectors in all.  [default: 120000; 2000 with --small]")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, other words.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only laws that hold this kind (may be repeated).")
@click.option("--small", is_flag=True, help="Small laws only: a file of some 300 kB.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE, completely or not at all, instead of standard output."
)
@click.option("--check", "checked", metavar="FILE", help="Write nothing; check the vectors in FILE.")
def command(specs: tuple[str, ...], output: str | None, checked: str | None, **which: Any) -> None:
    """Write vectors: what every client, in any language, must draw from given words.

    They are JSON lines: a law, then value numbers with words and the report that they make. Every kind of law is among
    them, every mechanism that a spec can name and every form of context; or else the laws of SPEC alone.
    """
    from ...checks import check_vectors, write_vectors
    from ...core.documents import replacing

    if checked is not None:
        done = check_vectors(checked)
        line = f"{done.laws} laws; the reports are those of {done.integers} vectors by plain integers"
        click.echo(f"{line}, {done.numpy} by NumPy and {done.numba} by Numba")
        return
    laws = [read_spec(spec, writes=[output]).mechanism for spec in specs] or None
    lines = write_vectors(laws, **which)
    if output is None:
        for line in lines:
            click.echo(line, nl=False)
        return
    with replacing(output) as file:
        file.writelines(line.encode() for line in lines)
