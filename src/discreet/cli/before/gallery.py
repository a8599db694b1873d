"""`discreet gallery`: natural contexts as specs to start from, and what they gain."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ...core import tables
from ...core.errors import InvalidInput
from ...gallery import EXAMPLES, FORMS, QUESTIONNAIRES, Example, find
from ..options import write_text
from ..progress import progress


@click.command()
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Write the spec of NAME to this file or, for all, pages, tables, specs and pictures to this folder.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=30.0,
    show_default=True,
    help="With all: the longest search for the best mechanism of each context.",
)
@click.option("--force", is_flag=True, help="Replace the file of a spec if it exists.")
def command(name: str | None, output: str | None, seconds: float, force: bool) -> None:
    """Start from a context that others need too.

    NAME is one of the gallery: its spec is printed, or written to a file, which is left alone if it exists. Without
    NAME the gallery is listed; all compares the error of every context with that of classical privacy and draws the
    pictures.
    """
    if name is None and output is not None:
        raise click.UsageError("-o must go with the NAME of an example, or with all")
    if name is None:
        rows = [(one.name, one.title) for one in (*EXAMPLES, *FORMS, *QUESTIONNAIRES)]
        listed = tables.text([("name", "s"), ("context", "s")], rows)
        click.echo(f"{listed}\ndiscreet gallery NAME -o survey.toml writes one of them as a spec.")
    elif name == "all":
        _compare(output, seconds)
    elif output is None:
        click.echo(find(name).text, nl=False)
    else:
        _write(find(name), Path(output), force=force)


def _write(example: Example, path: Path, *, force: bool) -> None:
    """The spec as a file, whole or not at all."""
    from ...wire.spec import check_name

    if check_name(path).suffix != ".toml":
        raise InvalidInput(f"{path}: the specs of the gallery have comments and must be written as .toml files")
    if path.exists() and not force:
        raise InvalidInput(f"{path}: is there already; --force replaces it")
    write_text(example.text, str(path))


def _compare(folder: str | None, seconds: float) -> None:
    """The page of all contexts, printed and, with a folder, saved with its pictures."""
    from ...gallery.page import gain_of, page
    from .papers import echo_saved

    begun, gains = time.perf_counter(), []
    with progress(len(EXAMPLES), quiet=False, unit="contexts") as done:
        for example in EXAMPLES:
            gains.append(gain_of(example, seconds=seconds))
            done(1)
    report = page(gains, seconds=seconds)
    click.echo(report.text())
    if folder is not None:
        written, missing = report.save(Path(folder), ("svg",))
        for example in EXAMPLES:
            written.append(Path(folder) / f"gallery-{example.name}.toml")
            _write(example, written[-1], force=True)
        echo_saved(written, missing)
    click.echo(f"took {time.perf_counter() - begun:.0f} s", err=True)
