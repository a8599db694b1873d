"""`discreet plan`: how accurate n reports will be, or how many reports a target takes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ...core.domain import Domain
    from ...planning import Plan


QUERY_NAMES = ("shares", "mean", "cumulative")
"""The queries that have a name."""


@click.command()
@click.argument("spec")
@click.option("--n", type=click.IntRange(min=1), metavar="N", help="The number of reports.")
@click.option("--tv", type=float, metavar="T", help="Instead of N: the expected total variation to reach.")
@click.option("--stderr", type=float, metavar="S", help="Instead of N: the largest standard error of a share to reach.")
@click.option(
    "--prior",
    metavar="FILE",
    help="Assumed shares, a JSON list in the order of the values or {value: share}; even ones unless given.",
)
@click.option(
    "--query",
    multiple=True,
    metavar="WHAT",
    help="What the mechanism is chosen by, and --stderr is about: shares, mean, cumulative, or a JSON file of weights "
    "in the order of the values or {value: weight}; several are balanced.",
)
@click.option(
    "--difference",
    metavar="D or A:B",
    help="Instead of N: find this difference of the query between two groups, or A in one against B in the other.",
)
@click.option("--slope", type=float, metavar="B", help="Instead of N: find this slope of the query, by a covariate.")
@click.option(
    "--covariate",
    metavar="FILE",
    help="A JSON list with a sample of the covariate of --slope; normal, with mean 0 and deviation 1, unless given.",
)
@click.option(
    "--event", multiple=True, metavar="VALUE", help="Instead of --query: holding this value; may be repeated."
)
@click.option(
    "--power",
    type=float,
    metavar="P",
    help="How often it is to be found, 0.8 unless given; with --n, the smallest difference that is found so often.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="The level of the two-sided test.")
@click.option("--subgroup", type=float, default=1.0, metavar="PART", help="The part of all people that it is about.")
@click.option(
    "--groups",
    metavar="A:B or A",
    help="The part of the people in each group, 0.5:0.5 unless given; one group is compared with a known figure.",
)
@click.option("--comparisons", type=int, default=1, metavar="M", help="How many tests share alpha.")
@click.option("--design-effect", type=float, default=1.0, metavar="F", help="How many times variances grow by design.")
@click.option("--worst", is_flag=True, help="Choose by the largest error at any shares instead of the assumed ones.")
@click.option("--candidates", is_flag=True, help="Show every mechanism that was compared.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", metavar="FILE.png", help="Draw the error against n (needs the plot extra).")
def command(
    spec: str,
    n: int | None,
    tv: float | None,
    stderr: float | None,
    prior: str | None,
    query: tuple[str, ...],
    difference: str | None,
    slope: float | None,
    covariate: str | None,
    event: tuple[str, ...],
    power: float | None,
    alpha: float,
    subgroup: float,
    groups: str | None,
    comparisons: int,
    design_effect: float,
    worst: bool,
    candidates: bool,
    as_json: bool,
    plot: str | None,
) -> None:
    """Find out before collecting whether there will be enough data.

    SPEC is a .toml or .json file. Give one of --n, --tv, --stderr, --difference and --slope; --n with one of the last
    two tells how often it will be found. The mechanism of SPEC is compared with no
    privacy at all and with classical privacy at the same epsilon.

    Errors depend somewhat on the shares that are to be found. They are assumed to be even, unless SPEC gives a
    prior or --prior names a file.

    Where SPEC is a form of several questions, the strategies to ask them are compared for --n people.

    Mechanisms are compared by the error of all shares, unless SPEC or --query names other queries.
    """
    from ...core.errors import InvalidInput
    from ...files.overwriting import check_outputs
    from ...mechanisms.build import REPORT_BITS
    from ...planning import check_target, effect_of
    from ...planning import plan as make
    from ...questionnaires.form import Form, read_spec_or_form
    from ...wire.choices import query_of
    from .. import form_commands
    from ..choosing import compare, settle_form

    if query and event:
        raise InvalidInput("--query and --event must not both be given")
    parts = {} if groups is None else {"groups": _numbers("groups", groups)}
    spread = None if difference is None else _numbers("difference", difference)
    aims: dict[str, Any] = {
        "difference": spread[0] if spread is not None and len(spread) == 1 else spread,
        "slope": slope,
        "covariate": None if covariate is None else read_json(covariate),
        "power": power,
        "alpha": alpha,
        "subgroup": subgroup,
        "comparisons": comparisons,
        "design_effect": design_effect,
        **parts,
    }
    check_target(n=n, tv=tv, stderr=stderr, effect=effect_of(**aims))
    wanted = read_spec_or_form(spec)
    if isinstance(wanted, Form):
        form_commands.without(tv=tv, stderr=stderr, query=query, event=event, worst=worst, candidates=candidates)
        form_commands.without(difference=difference, slope=slope, power=power, groups=groups, subgroup=subgroup != 1)
        check_outputs([plot], [*wanted.files, prior])
        if n is not None:
            form_commands.plan(settle_form(wanted, quiet=True), n, prior, as_json=as_json, plot=plot)
        return
    check_outputs([plot], [*wanted.files, prior, covariate, *(one for one in query if one not in QUERY_NAMES)])
    shares = wanted.prior if prior is None else read_prior(prior, wanted.context.domain)
    bits = wanted.choice.get("bits", REPORT_BITS)
    asked = read_event(wanted.context.domain, event) if event else read_queries(query)
    aims |= {"n": n, "tv": tv, "stderr": stderr, "prior": shares, "bits": bits}
    if not wanted.is_auto:
        about = None if asked is None else query_of(asked, wanted.context.domain, name="query")
        made = make(wanted.mechanism, query=about, worst=worst, **aims)
    else:
        chosen_by = ({} if asked is None else {"query": asked}) | ({"worst": True} if worst else {})
        subject = compare(replace(wanted, choice={**wanted.choice, **chosen_by}))
        made = make(subject, **aims)
    if plot is not None:
        _draw(made, plot)
    if as_json:
        click.echo(json.dumps(made.as_dict(), ensure_ascii=False))
        return
    click.echo(str(made))
    if candidates:
        click.echo(f"\n{made.explanation}")


def _numbers(name: str, text: str) -> tuple[float, ...]:
    """The numbers of "A" or "A:B"."""
    from fractions import Fraction

    from ...core.errors import InvalidInput

    try:
        return tuple(float(Fraction(part)) for part in text.split(":"))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidInput(f"{name}={text!r} must be a number, or two with a colon between them") from None


def read_queries(queries: Sequence[str]) -> Any:
    """The queries of a command line as a spec gives them: words, or the weights in JSON files; None without any."""
    from ...core.errors import InvalidInput

    found = []
    for one in queries:
        if one not in QUERY_NAMES and not one.endswith(".json"):
            raise InvalidInput(f"query={one!r} must be {', '.join(QUERY_NAMES)} or the name of a .json file of weights")
        found.append(one if one in QUERY_NAMES else read_json(one))
    return found[0] if len(found) == 1 else found or None


def read_event(values: Domain, event: Sequence[str]) -> list[float]:
    """The weights of an event: 1 for each of these values, written as text, and 0 for the others."""
    held = {values.index_of_text(text) for text in event}
    return [1.0 if x in held else 0.0 for x in range(len(values))]


def read_json(path: str) -> Any:
    """The data in a JSON file."""
    from pathlib import Path

    from ...core.errors import InvalidInput

    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(f"{path}: this is not JSON: {problem}") from None


def read_prior(path: str, domain: Any) -> Any:
    """The assumed shares in a JSON file: a list in the order of the values, or an object by value."""
    from ...core.errors import InvalidInput

    data = read_json(path)
    if isinstance(data, dict):
        shares = [0.0] * len(domain)
        for text, share in data.items():
            shares[domain.index_of_text(text)] = share
        data = shares
    if not isinstance(data, list) or any(isinstance(s, bool) or not isinstance(s, (int, float)) for s in data):
        raise InvalidInput(f"{path}: must be a list of shares or an object of them by value")
    return data


def _draw(plan: Plan, path: str) -> None:
    """The expected total variation of each way to collect, for n over two decades around the planned one."""
    from ...plots import plot_curves

    middle = round(math.log10(plan.n))
    sizes = [10 ** (decade / 2) for decade in range(2 * max(1, middle - 2), 2 * (middle + 2) + 1)]
    series = {row.label: [row.tv * math.sqrt(plan.n / n) for n in sizes] for row in plan.comparison}
    panel = {"title": repr(plan.context), "x": sizes, "series": series}
    plot_curves([panel], path, x_label="reports", y_label="expected total variation", log_x=True, log_y=True)
