"""`discreet estimate`: a tally in, shares with error bars out."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..mechanisms.mechanism import Mechanism
    from ..tally import Tally

METHODS = ["unbiased", "projection", "likelihood", "shrink"]

LOUD = 10
"""People's worth of share that one report may carry before it is a warning."""


@click.command()
@click.argument("spec")
@click.argument("tally", default="-")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals, between 0 and 1.")
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all values together.")
@click.option("--method", type=click.Choice(METHODS), default="unbiased", show_default=True, help="How to make shares.")
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

    The unbiased shares may be negative and need not add up to one. The other methods give a distribution,
    with less error and some bias.
    """
    from ..results.unbiased import check_confidence
    from ..wire import Spec

    check_confidence(confidence)
    mechanism = Spec.read(spec).mechanism
    counted = _tally(tally, mechanism)
    found = _estimated(counted, method, confidence, simultaneous)
    if top is not None:
        order = sorted(range(len(found["shares"])), key=lambda x: -found["shares"][x])[:top]
        found |= {key: [found[key][x] for x in order] for key in ("values", "shares", "stderr", "low", "high")}
    if plot is not None:
        from ..plots import plot_shares

        plot_shares(found, plot, title=f"{counted.n:,} reports of {mechanism.name}, {confidence:.4g} intervals")
    if as_json:
        click.echo(json.dumps(_finite(found), ensure_ascii=False))
    else:
        click.echo(_table(found))
        for note in _notes(found, simultaneous, len(found["shares"]) < len(mechanism.context.domain)):
            click.echo(f"- {note}")


def _tally(path: str, mechanism: Mechanism) -> Tally:
    from ..files.formats import PIPE, shown
    from ..wire import parse_tally, read_tally
    from ..wire.located import located

    if path != PIPE:
        return read_tally(path, mechanism)
    with located(shown(path)):
        return parse_tally(mechanism, sys.stdin.buffer.read())


def _estimated(tally: Tally, method: str, confidence: float, simultaneous: bool) -> dict[str, Any]:
    """Everything that is printed, as plain data; stderr, low and high are always those of the unbiased shares."""
    from ..results.projection import project
    from ..results.unbiased import estimate
    from ..statistics.numeric import NUMERIC

    unbiased = estimate(tally)
    made: Any = unbiased
    if method == "projection":
        made = project(unbiased)
    elif method != "unbiased":
        made = getattr(import_module("discreet"), method)(tally)
    low, high = unbiased.simultaneous_interval(confidence) if simultaneous else unbiased.interval(confidence)
    return {
        "mechanism": tally.mechanism.name,
        "fingerprint": tally.fingerprint,
        "n": tally.n,
        "method": made.method,
        "confidence": confidence,
        "influence": tally.mechanism.randomizer.influence(NUMERIC),
        "values": list(unbiased.values),
        "shares": made.shares.tolist(),
        "stderr": unbiased.stderr.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }


def _finite(found: dict[str, Any]) -> dict[str, Any]:
    """The same with null in place of numbers that JSON does not have."""

    def plain(entry: Any) -> Any:
        return None if isinstance(entry, float) and not abs(entry) < float("inf") else entry

    return {key: [plain(e) for e in entry] if isinstance(entry, list) else plain(entry) for key, entry in found.items()}


def _table(found: dict[str, Any]) -> str:
    values = [str(value) for value in found["values"]]
    width = min(40, max(5, *map(len, values)))
    smallest = min(found["stderr"], default=1.0)
    digits = 4 if not 0 < smallest < 0.01 else min(9, 2 - _exponent(smallest))
    lines = [f"{'value':<{width}} " + " ".join(f"{name:>{digits + 4}}" for name in ("share", "stderr", "low", "high"))]
    for x, value in enumerate(values):
        numbers = (found[key][x] for key in ("shares", "stderr", "low", "high"))
        lines.append(f"{value:<{width}} " + " ".join(f"{number:>{digits + 4}.{digits}f}" for number in numbers))
    return "\n".join(lines)


def _exponent(number: float) -> int:
    return int(f"{number:e}".partition("e")[2])


def _notes(found: dict[str, Any], simultaneous: bool, picked: bool) -> list[str]:
    n, weight = found["n"], found["influence"]
    scope = "all intervals together" if simultaneous else "each interval"
    notes = [f"{n:,} reports of {found['mechanism']}; {scope} at {found['confidence']:g} confidence"]
    if n == 0:
        return [*notes, "no reports yet: nothing is known about the shares"]
    if found["method"] == "unbiased":
        notes.append("shares are unbiased: some may be below 0, and they need not add up to 1")
    else:
        notes.append(f"shares by {found['method']}; stderr, low and high are those of the unbiased shares")
    if picked and not simultaneous:
        notes.append("the largest shares were picked after the fact, and look large: --simultaneous allows for that")
    alarm = "WARNING: " if weight > LOUD else ""
    return [
        *notes,
        f"{alarm}a crafted report weighs up to {weight:.3g} people on one value: "
        f"1 % of such reports can move a share by {weight / 100:.3g}",
    ]
