"""`discreet estimate`: a tally in, shares with error bars out."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ...core import tables
from ...core.errors import InvalidInput, NotIdentifiable, Unavailable
from .. import form_commands
from ..choosing import read_either
from ..options import choice_option, confidence_option, json_option, note_insecure, plot_option

if TYPE_CHECKING:
    from ...bulk.labelled.tallies import GroupTallies
    from ...estimation.results.shares import Shares
    from ...estimation.tally import Tally
    from ...mechanisms.mechanism import Mechanism

METHODS = {
    "unbiased": "estimate",
    "projection": "project",
    "likelihood": "likelihood",
    "shrink": "shrink",
    "smooth": "smooth",
}
"""Each method by name, with the function that computes its shares."""

MAX_PANELS = 6
"""The most groups that are drawn side by side."""

MAX_QUIET_INFLUENCE = 10
"""The most people's weight that one report may carry without a warning."""


@click.command()
@click.argument("spec")
@click.argument("tally", default="-")
@confidence_option
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all values together.")
@click.option("--anytime", is_flag=True, help="Intervals that hold however often you look while reports come in.")
@choice_option("--method", list(METHODS), "How to compute the shares.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Show only the N largest shares.")
@json_option
@plot_option("shares and intervals")
def command(spec: str, tally: str, top: int | None, as_json: bool, plot: str | None, **how: Any) -> None:
    """Estimate the share of every value from the TALLY file ('-' or nothing reads a pipe).

    A file of `discreet tally --by` gives a table for every label.

    The unbiased shares may be negative and need not add up to one. The other methods give a distribution,
    with less error and some bias. Where reports show their block, a second table has the share of every block,
    a plain frequency.
    """
    from ...estimation.results.intervals import check_confidence
    from ...estimation.tally import Tally
    from ...wire.form import Form

    confidence, simultaneous = how["confidence"], how["simultaneous"]
    check_confidence(confidence)
    document = read_either(spec, writes=[plot], reads=[tally])
    if isinstance(document, Form):
        form_commands.without(
            simultaneous=simultaneous, anytime=how["anytime"], method=how["method"] != "unbiased", top=top
        )
        form_commands.estimate(document, tally, confidence=confidence, as_json=as_json, plot=plot)
        return
    mechanism = document.mechanism
    counts = _tally(tally, mechanism)
    if not isinstance(counts, Tally):
        _by_label(counts, top, as_json, plot, how)
        note_insecure(counts.values())
        return
    results = _results(counts, **how)
    blocks = results["blocks"]
    if top is not None:
        results |= _largest(results, "values", top)
        results["blocks"] = blocks if blocks is None else blocks | _largest(blocks, "names", top)
    if plot is not None:
        from ...plots import plot_shares

        plot_shares(results, plot, title=f"{counts.n:,} reports of {mechanism.name}, {confidence:.4g} intervals")
    if as_json:
        click.echo(json.dumps(results, ensure_ascii=False))
    else:
        _say_figures(results)
        click.echo(_table(results, "values", "value"))
        if blocks is not None:
            click.echo(f"\n{_table(results['blocks'], 'names', 'block')}\n")
        for note in _notes(results, simultaneous, len(results["shares"]) < len(mechanism.context.domain)):
            click.echo(f"- {note}")
    note_insecure([counts])


def _say_figures(results: dict[str, Any]) -> None:
    """The mean of numbers, their spread and their median, above their shares."""
    from ...estimation.results.figures import figure_lines

    for line in figure_lines(results["numbers"], results["confidence"]) if "numbers" in results else ():
        click.echo(line)


def _largest(results: dict[str, Any], names: str, top: int) -> dict[str, Any]:
    """The columns of the rows with the largest shares, in their order."""
    from ...estimation.results.layout import NUMBERS

    order = sorted(range(len(results["shares"])), key=lambda x: -(results["shares"][x] or 0.0))[:top]
    return {key: [results[key][x] for x in order] for key in (names, *NUMBERS) if results[key] is not None}


def _table(results: dict[str, Any], names: str, heading: str) -> str:
    from ...estimation.results.layout import columns_of, rows_of

    columns = [(heading, "s"), *columns_of(results)[1:]]
    return tables.text(columns, rows_of(results[names], results, range(len(results[names]))))


def _tally(path: str, mechanism: Mechanism) -> Tally | GroupTallies:
    from ...bulk.labelled.tallies import parse_counted, read_counted
    from ...files.formats import PIPE, display_name
    from ...wire.spec import located

    if path != PIPE:
        return read_counted(path, mechanism)
    with located(display_name(path)):
        return parse_counted(mechanism, sys.stdin.buffer.read())


def _by_label(groups: GroupTallies, top: int | None, as_json: bool, plot: str | None, how: dict[str, Any]) -> None:
    """Print the shares of every group, one table below the other."""
    names = [dict(zip(groups.labels, key, strict=True)) for key in groups.keys_by_label]
    results = [_results(tally, **how) for tally in groups.values()]
    if not results:
        raise click.ClickException("there are no groups: nothing was counted")
    if top is not None:
        results = [one | _largest(one, "values", top) for one in results]
    if plot is not None:
        _plot_by_label(groups, names, results, plot, how["confidence"])
    if as_json:
        entries = [{"labels": name, **one} for name, one in zip(names, results, strict=True)]
        click.echo(json.dumps({"labels": list(groups.labels), "groups": entries}, ensure_ascii=False))
        return
    for name, one in zip(names, results, strict=True):
        heading = ", ".join(f"{label} {'(none)' if text is None else text}" for label, text in name.items())
        click.echo(f"{heading}: {one['n']:,} reports")
        _say_figures(one)
        click.echo(f"{_table(one, 'values', 'value')}\n")
    for note in _notes({**results[0], "n": groups.n, "blocks": None}, how["simultaneous"], top is not None):
        click.echo(f"- {note}")


def _plot_by_label(
    groups: GroupTallies, names: list[dict[str, Any]], results: list[Any], plot: str, confidence: float
) -> None:
    from ...plots import plot_shares

    if len(results) > MAX_PANELS or any(one["values"] != results[0]["values"] for one in results):
        raise InvalidInput(f"--plot draws at most {MAX_PANELS} groups side by side, all with the same values")
    panels = [{**one, "title": ", ".join(map(str, name.values()))} for name, one in zip(names, results, strict=True)]
    plot_shares(panels, plot, title=f"{groups.n:,} reports by {', '.join(groups.labels)}, {confidence:.4g} intervals")


def shares_by(method: str, tally: Tally) -> Shares:
    """The shares of a tally, computed by the method of that name."""
    shares: Shares = getattr(import_module("discreet"), METHODS[method])(tally)
    return shares


def _results(tally: Tally, method: str, confidence: float, simultaneous: bool, anytime: bool) -> dict[str, Any]:
    """Everything that is printed, as plain data."""
    from ...estimation.decoders import decoder_of
    from ...estimation.results.figures import figures_of
    from ...estimation.results.layout import finite
    from ...estimation.results.unbiased import block_columns

    shares = shares_by(method, tally)
    results = shares.to_dict(confidence=confidence, anytime=anytime)
    if simultaneous:
        try:
            ends = shares.simultaneous_interval(confidence, anytime=anytime)
            results |= zip(("low", "high"), map(finite, ends), strict=True)
        except (Unavailable, NotIdentifiable) as reason:
            results |= {"low": None, "high": None, "notes": results["notes"] | {"interval": str(reason)}}
    if (figures := figures_of(tally, confidence=confidence, anytime=anytime)) is not None:
        results["numbers"] = figures
    blocks = block_columns(tally, confidence=confidence, simultaneous=simultaneous, anytime=anytime)
    return results | {"influence": decoder_of(tally.mechanism).influence(), "blocks": blocks}


def _notes(results: dict[str, Any], simultaneous: bool, picked: bool) -> list[str]:
    n, weight = results["n"], results["influence"]
    scope = "all intervals together" if simultaneous else "each interval"
    notes = [f"{n:,} reports of {results['mechanism']}; {scope} at {results['confidence']:g} confidence"]
    if n == 0:
        return [*notes, "no reports yet: nothing is known about the shares"]
    if results["blocks"] is not None:
        together = ", and intervals hold for all blocks together" if simultaneous else ""
        notes.append(f"reports show their block: its share is a plain frequency{together}")
    if results["anytime"]:
        notes.append("intervals hold at all times at once: look as often as you like, and stop when you like")
    if results["biased"]:
        notes.append(f"shares by {results['method']}")
    else:
        notes.append("shares are unbiased: some may be below 0, and they need not add up to 1")
    notes += [f"no {name}: {reason}" for name, reason in results["notes"].items()]
    if picked and not simultaneous:
        notes.append("the largest shares were picked after the fact, and look large: --simultaneous allows for that")
    alarm = "WARNING: " if weight > MAX_QUIET_INFLUENCE else ""
    return [
        *notes,
        f"{alarm}a crafted report weighs up to {weight:.3g} people on one value: "
        f"1 % of such reports can move a share by {weight / 100:.3g}",
    ]
