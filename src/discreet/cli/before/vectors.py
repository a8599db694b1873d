"""`discreet vectors`: laws, words and the reports that every client must write from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ..choosing import read_spec


@click.command()
@click.argument("specs", metavar="[SPEC]...", nargs=-1)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    help="Vectors in all, of each form with --forms.  [default: 120000; 2000 with --small; 12 with --forms]",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, other words.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only laws that hold this kind (may be repeated).")
@click.option("--small", is_flag=True, help="Small laws only: a file of some 300 kB.")
@click.option("--forms", is_flag=True, help="Whole questionnaires of every strategy, instead of laws.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE, completely or not at all, instead of standard output."
)
@click.option("--check", "checked", metavar="FILE", help="Write nothing; check the vectors in FILE.")
def command(specs: tuple[str, ...], output: str | None, checked: str | None, forms: bool, **which: Any) -> None:
    """Write vectors: what every client, in any language, must draw from given words.

    They are JSON lines: a law, then value numbers with words and the report that they make. Every kind of law is among
    them, every mechanism that a spec can name and every form of context; or else the laws of SPEC alone. With --forms
    they are questionnaires: a law file, then a key with the question it asks, answers, words and the packed report.
    """
    from ...checks import check_form_vectors, check_vectors
    from ...checks.vectors import is_of_forms
    from ...core.documents import replacing

    if checked is not None and is_of_forms(checked):
        found = check_form_vectors(checked)
        by_strategy = ", ".join(f"{count} {strategy}" for strategy, count in found.strategies.items())
        click.echo(f"{found.forms} forms; all is as the {found.vectors} vectors say: {by_strategy}")
        return
    if checked is not None:
        done = check_vectors(checked)
        line = f"{done.laws} laws; the reports are those of {done.integers} vectors by plain integers"
        click.echo(f"{line}, {done.numpy} by NumPy and {done.numba} by Numba")
        return
    if forms and (specs or which["small"] or which["kinds"]):
        raise click.UsageError("--forms goes with --count and --seed alone: its questionnaires are always the same")
    lines = _of_forms(**which) if forms else _of_laws(specs, output, **which)
    if output is None:
        for line in lines:
            click.echo(line, nl=False)
        return
    with replacing(output) as file:
        file.writelines(line.encode() for line in lines)


def _of_forms(*, count: int | None, seed: int, **_: Any) -> Iterator[str]:
    from ...checks import write_form_vectors

    return write_form_vectors(seed=seed) if count is None else write_form_vectors(count=count, seed=seed)


def _of_laws(specs: tuple[str, ...], output: str | None, **which: Any) -> Iterator[str]:
    from ...checks import write_vectors

    return write_vectors([read_spec(spec, writes=[output]).mechanism for spec in specs] or None, **which)
