"""`discreet repeated`: what many fresh reports of one person give away together."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("spec")
@click.option("--times", type=click.IntRange(min=1), required=True, metavar="T", help="How many fresh reports.")
@click.option("--delta", type=float, default=1e-6, show_default=True, metavar="D", help="The delta of epsilon.")
@click.option(
    "--shuffled",
    "batch",
    type=click.IntRange(min=1),
    metavar="N",
    help="For somebody who sees T batches of N reports each, without who sent which.",
)
@click.option("--pair", nargs=2, metavar="X Z", help="The two values to draw.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", metavar="FILE.png", help="Draw epsilon over the reports for the pair (needs the plot extra).")
def command(
    spec: str,
    times: int,
    delta: float,
    batch: int | None,
    pair: tuple[str, str] | None,
    as_json: bool,
    plot: str | None,
) -> None:
    """Say what T fresh reports of SPEC about one value give away together.

    The sum of E holds whatever happens. The epsilon beside it, at a delta, is that of the exact laws, for a plan that
    was fixed beforehand. A report that is kept and sent again costs once.
    """
    from ...leakage.repetition import repeated
    from ...leakage.shuffling import shuffled
    from ..choosing import read_spec

    if plot is not None and pair is None:
        raise click.UsageError("--plot draws the curve of two values: give --pair X Z")
    mechanism = read_spec(spec, writes=[plot]).mechanism
    made = repeated(mechanism if batch is None else shuffled(mechanism, batch), times)
    if pair is not None and plot is not None:
        from ...plots import plot_repeated

        domain = mechanism.context.domain
        x, z = (domain[domain.index_of_text(text)] for text in pair)
        plot_repeated(made, x, z, plot, delta=delta)
    click.echo(json.dumps(made.as_dict(delta=delta), ensure_ascii=False) if as_json else made.text(delta))
