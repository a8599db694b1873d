"""`discreet plan`: how accurate n reports will be, or how many reports a target takes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidInput
from .. import form_commands
from ..choosing import compare, settle_form
from ..options import QUERY_NAMES, json_option, plot_option, read_event, read_json, read_prior, read_queries

if TYPE_CHECKING:
    from ...planning import Plan


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
@json_option
@plot_option("the error against n")
def command(
    spec: str,
    prior: str | None,
    query: tuple[str, ...],
    event: tuple[str, ...],
    difference: str | None,
    covariate: str | None,
    groups: str | None,
    worst: bool,
    candidates: bool,
    as_json: bool,
    plot: str | None,
    **aims: Any,
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
    from ...files.overwriting import check_outputs
    from ...mechanisms.build import REPORT_BITS
    from ...planning import check_target, effect_of, plan
    from ...wire.choices import query_of
    from ...wire.form import Form, read_spec_or_form

    if query and event:
        raise InvalidInput("--query and --event must not both be given")
    spread = None if difference is None else _numbers("difference", difference)
    aims["difference"] = spread[0] if spread is not None and len(spread) == 1 else spread
    aims["covariate"] = None if covariate is None else read_json(covariate)
    if groups is not None:
        aims["groups"] = _numbers("groups", groups)
    targets = {name: aims.pop(name) for name in ("n", "tv", "stderr")}
    check_target(**targets, effect=effect_of(**aims))
    document = read_spec_or_form(spec)
    if isinstance(document, Form):
        n, tv, stderr = targets.values()
        form_commands.without(tv=tv, stderr=stderr, query=query, event=event, worst=worst, candidates=candidates)
        form_commands.without(difference=difference, slope=aims["slope"], power=aims["power"], groups=groups)
        form_commands.without(subgroup=aims["subgroup"] != 1)
        check_outputs([plot], [*document.files, prior])
        if n is not None:
            form_commands.plan(settle_form(document, quiet=True), n, prior, as_json=as_json, plot=plot)
        return
    check_outputs([plot], [*document.files, prior, covariate, *(one for one in query if one not in QUERY_NAMES)])
    domain = document.context.domain
    shares = document.prior if prior is None else read_prior(prior, domain)
    asked = read_event(domain, event) if event else read_queries(query)
    aims |= {**targets, "prior": shares, "bits": document.choice.get("bits", REPORT_BITS)}
    if not document.is_auto:
        about = None if asked is None else query_of(asked, domain, name="query")
        planned = plan(document.mechanism, query=about, worst=worst, **aims)
    else:
        chosen_by = ({} if asked is None else {"query": asked}) | ({"worst": True} if worst else {})
        planned = plan(compare(replace(document, choice={**document.choice, **chosen_by})), **aims)
    if plot is not None:
        _draw(planned, plot)
    if as_json:
        click.echo(json.dumps(planned.as_dict(), ensure_ascii=False))
        return
    click.echo(str(planned))
    if candidates:
        click.echo(f"\n{planned.explanation}")


def _numbers(name: str, text: str) -> tuple[float, ...]:
    """The numbers of "A" or "A:B"."""
    from fractions import Fraction

    try:
        return tuple(float(Fraction(part)) for part in text.split(":"))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidInput(f"{name}={text!r} must be a number, or two with a colon between them") from None


def _draw(plan: Plan, path: str) -> None:
    """The expected total variation of each way to collect, for n over two decades around the planned one."""
    from ...plots import plot_curves

    middle = round(math.log10(plan.n))
    sizes = [10 ** (decade / 2) for decade in range(2 * max(1, middle - 2), 2 * (middle + 2) + 1)]
    series = {row.label: [row.tv * math.sqrt(plan.n / n) for n in sizes] for row in plan.comparison}
    panel = {"title": repr(plan.context), "x": sizes, "series": series}
    plot_curves([panel], path, x_label="reports", y_label="expected total variation", log_x=True, log_y=True)
