"""`discreet repeated`: what many fresh reports of one person give away together."""

from __future__ import annotations

import json
from typing import Any

import click

from ..choosing import read_spec
from ..options import json_option, plot_option, value_of


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
@json_option
@plot_option("epsilon over the reports for the pair")
def command(
    spec: str, times: int, delta: float, batch: int | None, pair: tuple[str, str] | None, **options: Any
) -> None:
    """Say what T fresh reports of SPEC about one value give away together.

    The sum of E holds whatever happens. The epsilon beside it, at a delta, is that of the exact laws, for a plan that
    was fixed beforehand. A report that is kept and sent again costs once.
    """
    from ...leakage.repetition import repeated
    from ...leakage.shuffling import shuffled

    plot = options["plot"]
    if plot is not None and pair is None:
        raise click.UsageError("--plot draws the curve of two values: give --pair X Z")
    mechanism = read_spec(spec, writes=[plot]).mechanism
    account = repeated(mechanism if batch is None else shuffled(mechanism, batch), times)
    if pair is not None and plot is not None:
        from ...plots import plot_repeated

        domain = mechanism.context.domain
        x, z = (value_of(domain, text) for text in pair)
        plot_repeated(account, x, z, plot, delta=delta)
    click.echo(
        json.dumps(account.as_dict(delta=delta), ensure_ascii=False) if options["as_json"] else account.text(delta)
    )
