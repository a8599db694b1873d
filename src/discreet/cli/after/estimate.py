"""`discreet estimate`: a tally in, shares with error bars out."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ...bulk.labelled.tallies import GroupTallies
    from ...estimation.results.shares import Shares
    from ...estimation.tally import Tally
    from ...mechanisms.mechanism import Mechanism

METHODS = {"unbiased": "estimate", "projection": "project", "likelihood": "likelihood", "shrink": "shrink"}
"""Each method by name, with the function that computes its shares."""

MOST_PANELS = 6
"""The most groups that are drawn side by side."""

LOUD = 10
"""How many people's weight one report may carry before a warning is printed."""


@click.command()
@click.argument("spec")
@click.argument("tally", default="-")
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals, between 0 and 1."
)
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all values together.")
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="unbiased",
    show_default=True,
    help="How to compute the shares.",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Show only the N largest shares.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", metavar="FILE.png", help="Draw shares and intervals (needs the plot extra).")
def command(
    spec: str,
    tally: str,
    confidence: float,
    simultaneous: bool,
    method: str,
    top: int | None,
    as_json: bool,
    plot: str | None,
) -> None:
    """Estimate the share of every value from the TALLY file ('-' or nothing reads a pipe).

    A file of `discreet tally --by` gives a table for every label.

    The unbiased shares may be negative and need not add up to one. The other methods give a distribution,
    with less error and some bias. Where reports show their block, a second table has the share of every block,
    a plain frequency.
    """
    from ...estimation.results.intervals import check_confidence
    from ...estimation.tally import Tally
    from ...questionnaires.form import Form
    from .. import form_commands
    from ..choosing import read_either

    check_confidence(confidence)
    wanted = read_either(spec, writes=[plot], reads=[tally])
    if isinstance(wanted, Form):
        form_commands.without(simultaneous=simultaneous, method=method != "unbiased", top=top)
        form_commands.estimate(wanted, tally, confidence=confidence, as_json=as_json, plot=plot)
        return
    mechanism = wanted.mechanism
    counted = _tally(tally, mechanism)
    if not isinstance(counted, Tally):
        _by_label(counted, method, confidence, simultaneous, top, as_json, plot)
        return
    found = _estimated(counted, method, confidence, simultaneous)
    blocks = found["blocks"]
    if top is not None:
        found |= _largest(found, "values", top)
        found["blocks"] = blocks if blocks is None else blocks | _largest(blocks, "names", top)
    if plot is not None:
        from ...plots import plot_shares

        plot_shares(found, plot, title=f"{counted.n:,} reports of {mechanism.name}, {confidence:.4g} intervals")
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        click.echo(_table(found, "values", "value"))
        if blocks is not None:
            click.echo(f"\n{_table(found['blocks'], 'names', 'block')}\n")
        for note in _notes(found, simultaneous, len(found["shares"]) < len(mechanism.context.domain)):
            click.echo(f"- {note}")


def _largest(found: dict[str, Any], names: str, top: int) -> dict[str, Any]:
    """The columns of the rows with the largest shares, in their order."""
    from ...estimation.results.layout import NUMBERS

    order = sorted(range(len(found["shares"])), key=lambda x: -(found["shares"][x] or 0.0))[:top]
    return {key: [found[key][x] for x in order] for key in (names, *NUMBERS) if found[key] is not None}


def _table(found: dict[str, Any], names: str, heading: str) -> str:
    from ...core import tables
    from ...estimation.results.layout import columns_of, rows_of

    columns = [(heading, "s"), *columns_of(found)[1:]]
    return tables.text(columns, rows_of(found[names], found, range(len(found[names]))))


def _tally(path: str, mechanism: Mechanism) -> Tally | GroupTallies:
    from ...bulk.labelled.tallies import parse_counted, read_counted
    from ...files.formats import PIPE, display_name
    from ...wire.spec import located

    if path != PIPE:
        return read_counted(path, mechanism)
    with located(display_name(path)):
        return parse_counted(mechanism, sys.stdin.buffer.read())


def _by_label(
    groups: GroupTallies,
    method: str,
    confidence: float,
    simultaneous: bool,
    top: int | None,
    as_json: bool,
    plot: str | None,
) -> None:
    """Print the shares of every group, one table below the other."""
    names = [dict(zip(groups.labels, key, strict=True)) for key in groups.keys_by_label]
    made = [_estimated(tally, method, confidence, simultaneous) for tally in groups.values()]
    if not made:
        raise click.ClickException("there are no groups: nothing was counted")
    if top is not None:
        made = [one | _largest(one, "values", top) for one in made]
    if plot is not None:
        _plot_by_label(groups, names, made, plot, confidence)
    if as_json:
        found = [{"labels": name, **one} for name, one in zip(names, made, strict=True)]
        click.echo(json.dumps({"labels": list(groups.labels), "groups": found}, ensure_ascii=False))
        return
    for name, one in zip(names, made, strict=True):
        told = ", ".join(f"{label} {'(none)' if text is None else text}" for label, text in name.items())
        click.echo(f"{told}: {one['n']:,} reports\n{_table(one, 'values', 'value')}\n")
    for note in _notes({**made[0], "n": groups.n, "blocks": None}, simultaneous, top is not None):
        click.echo(f"- {note}")


def _plot_by_label(
    groups: GroupTallies, names: list[dict[str, Any]], made: list[Any], plot: str, confidence: float
) -> None:
    from ...core.errors import InvalidInput
    from ...plots import plot_shares

    if len(made) > MOST_PANELS or any(one["values"] != made[0]["values"] for one in made):
        raise InvalidInput(f"--plot draws at most {MOST_PANELS} groups side by side, all with the same values")
    panels = [{**one, "title": ", ".join(map(str, name.values()))} for name, one in zip(names, made, strict=True)]
    plot_shares(panels, plot, title=f"{groups.n:,} reports by {', '.join(groups.labels)}, {confidence:.4g} intervals")


def _estimated(tally: Tally, method: str, confidence: float, simultaneous: bool) -> dict[str, Any]:
    """Everything that is printed, as plain data."""
    from ...core.errors import NotIdentifiable, Unavailable
    from ...estimation.decoders import decoder_of
    from ...estimation.results.layout import finite
    from ...estimation.results.unbiased import block_columns

    made: Shares = getattr(import_module("discreet"), METHODS[method])(tally)
    found = made.to_dict(confidence=confidence)
    if simultaneous:
        try:
            found |= zip(("low", "high"), map(finite, made.simultaneous_interval(confidence)), strict=True)
        except (Unavailable, NotIdentifiable) as reason:
            found |= {"low": None, "high": None, "notes": found["notes"] | {"interval": str(reason)}}
    blocks = block_columns(tally, confidence=confidence, simultaneous=simultaneous)
    return found | {"influence": decoder_of(tally.mechanism).influence(), "blocks": blocks}


def _notes(found: dict[str, Any], simultaneous: bool, picked: bool) -> list[str]:
    n, weight = found["n"], found["influence"]
    scope = "all intervals together" if simultaneous else "each interval"
    notes = [f"{n:,} reports of {found['mechanism']}; {scope} at {found['confidence']:g} confidence"]
    if n == 0:
        return [*notes, "no reports yet: nothing is known about the shares"]
    if found["blocks"] is not None:
        together = " and hold for all blocks together" if simultaneous else ""
        notes.append(
            f"reports show their block: its share is a plain frequency, whose intervals are Wilson's{together}"
        )
    if found["biased"]:
        notes.append(f"shares by {found['method']}")
    else:
        notes.append("shares are unbiased: some may be below 0, and they need not add up to 1")
    notes += [f"no {name}: {reason}" for name, reason in found["notes"].items()]
    if picked and not simultaneous:
        notes.append("the largest shares were picked after the fact, and look large: --simultaneous allows for that")
    alarm = "WARNING: " if weight > LOUD else ""
    return [
        *notes,
        f"{alarm}a crafted report weighs up to {weight:.3g} people on one value: "
        f"1 % of such reports can move a share by {weight / 100:.3g}",
    ]
