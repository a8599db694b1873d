"""`discreet shuffled`: what a batch of reports gives away without who sent what, or the least batch for an epsilon."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidInput
from ...leakage.profiles import profile_of
from ..choosing import read_spec
from ..options import json_option, plot_option, value_of

if TYPE_CHECKING:
    from ...mechanisms.mechanism import Mechanism


@click.command()
@click.argument("spec")
@click.option("--n", type=click.IntRange(min=1), metavar="N", help="The number of honest reports in the batch.")
@click.option(
    "--block", multiple=True, metavar="NAME=N", help="The number of reports of a block, where reports show their block."
)
@click.option("--tally", metavar="FILE", help="Instead of N: the tally of the batch.")
@click.option("--epsilon", type=float, metavar="E", help="Instead of N: the epsilon to reach; says the least batch.")
@click.option("--delta", type=float, default=1e-6, show_default=True, metavar="D", help="Keep it far below 1/N.")
@click.option(
    "--among", multiple=True, metavar="VALUE", help="A value that these N people are known to hold; all unless given."
)
@click.option("--pair", nargs=2, metavar="X Z", help="The two values to draw, and the only ones to show.")
@json_option
@plot_option("delta over epsilon for the pair")
def command(
    spec: str,
    n: int | None,
    block: tuple[str, ...],
    tally: str | None,
    epsilon: float | None,
    delta: float,
    among: tuple[str, ...],
    pair: tuple[str, str] | None,
    as_json: bool,
    plot: str | None,
) -> None:
    """Say what a batch of reports of SPEC gives away to somebody who sees it without who sent which.

    That is whoever gets the reports in random order, or their tally. Against the collector, who sees who sent what,
    only the context's own epsilon holds. Give one of --n, --block, --tally and --epsilon.
    """
    from ...leakage.shuffling import batch_needed, shuffled

    if sum(given is not None for given in (n, block or None, tally, epsilon)) != 1:
        raise click.UsageError("give one of --n, --block, --tally and --epsilon")
    if plot is not None and (pair is None or epsilon is not None):
        raise click.UsageError("--plot draws the curve of a batch for two values: give --pair X Z and not --epsilon")
    mechanism = read_spec(spec, writes=[plot], reads=[tally]).mechanism
    domain = mechanism.context.domain
    if epsilon is not None:
        least = batch_needed(mechanism, epsilon, delta)
        data = {"mechanism": mechanism.name, "epsilon": epsilon, "delta": delta, "batch_needed": least}
        each = " of every block" if len(profile_of(mechanism).other_users(0)) < len(domain) else ""
        line = f"epsilon {epsilon:g} at delta {delta:g} takes batches of at least {least:,} reports{each}"
        click.echo(json.dumps(data) if as_json else f"{mechanism.name}: {line}")
        return
    known = [value_of(domain, text) for text in among] or None
    batch = shuffled(mechanism, _count(mechanism, n, block, tally), among=known)
    if pair is not None:
        x, z = (value_of(domain, text) for text in pair)
        if plot is not None:
            from ...plots import plot_shuffled

            plot_shuffled(batch, x, z, plot)
        rows = [batch.account(x, z, delta), batch.account(z, x, delta)]
        click.echo(json.dumps(batch.data(rows, delta), ensure_ascii=False) if as_json else batch.table(rows, delta))
        return
    click.echo(json.dumps(batch.as_dict(delta=delta), ensure_ascii=False) if as_json else batch.text(delta))


def _count(mechanism: Mechanism, n: int | None, block: tuple[str, ...], tally: str | None) -> Any:
    """The number of reports as the command line has it: one, one for each block, or a tally."""
    if tally is not None:
        from ...estimation.tally import read_tally

        return read_tally(tally, mechanism)
    if n is not None:
        return n
    names = {str(part.name): part.name for part in mechanism.served.parts or ()}
    counts = {}
    for one in block:
        name, _, count = one.rpartition("=")
        if name not in names or not (count.isascii() and count.isdigit() and len(count) <= 18):
            raise InvalidInput(f"block={one!r} must be the name of a block and a whole number, such as boston=1000")
        counts[names[name]] = int(count)
    return counts
