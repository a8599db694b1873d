"""`discreet bounds`: a mechanism's error beside what no mechanism can beat."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidInput
from ..choosing import read_spec
from ..options import json_option, plot_option, read_prior, value_of

if TYPE_CHECKING:
    from ...mechanisms.mechanism import Mechanism
    from ...theory.attained import SampleSize


def _list(context: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked:
        from ...papers.theory import listing

        click.echo(listing())
        context.exit()


@click.command()
@click.argument("spec")
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list,
    help="Say what computes each theorem, table and figure of the papers, and stop.",
)
@click.option("--n", type=click.IntRange(min=1), required=True, metavar="N", help="The number of reports.")
@click.option("--prior", metavar="FILE", help="Assumed shares, a JSON list in the order of the values or an object.")
@click.option(
    "--seconds",
    type=float,
    metavar="S",
    help="Spend S seconds on a semidefinite program that proves a larger lower bound (needs the design extra).",
)
@click.option("--tv", type=float, metavar="T", help="Also say how many users a total variation of T takes.")
@click.option("--pair", nargs=2, metavar="X Z", help="Also show the errors of tests between two values.")
@plot_option("the error region of the pair")
@json_option
def command(
    spec: str,
    prior: str | None,
    tv: float | None,
    pair: tuple[str, str] | None,
    plot: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Set the error of the mechanism of SPEC beside what no mechanism can beat.

    Lower: no mechanism under the context does better. Attained: this mechanism, with its unbiased estimate.
    Upper: some known scheme does at least as well. Every number names its source.
    """
    from ...theory.of_context import compare

    if plot is not None and pair is None:
        raise click.UsageError("--plot draws the error region of a pair: give --pair X Z")
    mechanism = read_spec(spec, writes=[plot], reads=[prior]).mechanism
    comparison = compare(mechanism, prior=read_prior(prior, mechanism.context.domain), **how)
    result: dict[str, Any] = comparison.as_dict()
    lines = [str(comparison)]
    if tv is not None:
        result["users"] = _users(mechanism, tv)
        lines.append("\n" + _users_lines(result["users"]))
    if pair is not None:
        result["region"] = _region(mechanism, pair, plot)
        lines += ["", *_region_lines(result["region"])]
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else "\n".join(lines))


def _users(mechanism: Mechanism, tv: float) -> dict[str, Any]:
    from ...theory.of_context import users_for
    from ...theory.of_mechanism import worst_total_variation

    if not 0 < tv < 1:
        raise InvalidInput(f"tv={tv} must be between 0 and 1")
    attained = math.ceil((worst_total_variation(mechanism, 1).value / tv) ** 2)
    known: SampleSize | None = users_for(mechanism.context, tv)
    users: dict[str, Any] = {"total_variation": tv, "attained": attained}
    if known is not None:
        users |= {"lower": known.necessary.value, "upper": known.sufficient.value, "upper_printed": known.printed.value}
    return users


def _users_lines(users: dict[str, Any]) -> str:
    from ...planning import TWO_ANSWERS

    line = f"users for a total variation of {users['total_variation']:g}: {users['attained']:,} are enough here"
    if "lower" in users:
        line += f"; nobody can do it with {users['lower']:,.0f}; {users['upper']:,.0f} are enough for a known scheme"
    return f"{line}\n{TWO_ANSWERS}"


def _region(mechanism: Mechanism, pair: tuple[str, str], plot: str | None) -> dict[str, Any]:
    from ...theory.channels.testing import attained_region

    domain = mechanism.context.domain
    x, z = (value_of(domain, text) for text in pair)
    region = attained_region(mechanism, x, z)
    if plot is not None:
        from ...plots import plot_error_region

        plot_error_region(region, plot, title=mechanism.name)
    return region.as_dict()


def _region_lines(region: dict[str, Any]) -> list[str]:
    x, z = region["x"], region["z"]
    lines = [f"tests between {x!r} and {z!r}: (false alarm, missed detection) from one report"]
    for side in ("attained", "allowed"):
        corners = region[side] if len(region[side]) <= 8 else [*region[side][:4], *region[side][-4:]]
        lines.append(f"  {side}: " + " ".join(f"({a:.4f}, {b:.4f})" for a, b in corners))
    return lines
