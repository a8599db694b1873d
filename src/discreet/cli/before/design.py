"""`discreet design`: search for the best table of a context, and write a spec that holds it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..options import QUERY_NAMES, json_option, plot_option, quiet_option, read_prior, read_queries
from ..progress import search_progress

if TYPE_CHECKING:
    from ...planning.design import Designed, SearchStep
    from ...wire import Spec


@click.command()
@click.argument("spec")
@click.option(
    "-o", "--output", metavar="FILE", help="Write a spec, .toml or .json, that holds the law, whole or not at all."
)
@click.option(
    "--query",
    multiple=True,
    metavar="WHAT",
    help="What is made small: shares, mean, cumulative, or a JSON file of weights in the order of the values or "
    "{value: weight}; several are balanced.",
)
@click.option("--worst", is_flag=True, help="Make the largest error at any shares small, not that at the assumed ones.")
@click.option("--prior", metavar="FILE", help="Assumed shares, a JSON list or {value: share}; even ones unless given.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True, metavar="S")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N")
@json_option
@plot_option("E, the channel and the search")
@quiet_option
def command(
    spec: str,
    output: str | None,
    query: tuple[str, ...],
    worst: bool,
    prior: str | None,
    seconds: float,
    seed: int,
    as_json: bool,
    plot: str | None,
    quiet: bool,
) -> None:
    """Search for the mechanism with the least error for the context of SPEC, whatever its form.

    It takes at most about S seconds, less where nothing seems left to gain; Ctrl-C ends it and keeps the best so far.
    The result is never worse than what SPEC would choose, is certified like any other mechanism, and stands
    beside a proved bound that no mechanism for the context can be below.

    What was found is remembered for the same context, query, shares, seconds and seed.
    """
    from ...files.overwriting import check_outputs
    from ...mechanisms.build import shares_of
    from ...wire import Spec
    from ...wire.spec import check_name
    from .. import remembered

    if output is not None:
        check_name(output)
    document = Spec.read(spec)
    check_outputs([output, plot], [*document.files, prior, *(one for one in query if one not in QUERY_NAMES)])
    shares = document.prior if prior is None else read_prior(prior, document.context.domain)
    asked = {
        "query": read_queries(query) if query else document.choice.get("query"),
        "worst": worst or bool(document.choice.get("worst", False)),
        "prior": None if shares is None else shares_of(document.context, shares),
        "seconds": seconds,
        "seed": seed,
        "bits": document.choice.get("bits"),
    }
    known = remembered.recall_design(document, asked)
    if known is not None and plot is None:
        mechanism, said = known
    else:
        designed = _run_design(document, asked, quiet=quiet)
        mechanism, said = designed.mechanism, {"text": str(designed), "result": designed.as_dict()}
        said["prior"] = list(designed.prior)
        if not designed.stopped:
            remembered.remember_design(document, asked, mechanism, designed.prior, said)
        if plot is not None:
            from ...plots import plot_design

            plot_design(designed, plot)
    click.echo(json.dumps(said["result"], ensure_ascii=False) if as_json else said["text"])
    if output is not None:
        even = len(set(said["prior"])) == 1
        choice = {"name": "auto"} if even else {"name": "auto", "prior": said["prior"]}
        replace(document, choice=choice, fingerprint="").with_mechanism(mechanism).resolved().write(output)


def _run_design(spec: Spec, asked: dict[str, Any], *, quiet: bool) -> Designed:
    """The design that was asked for, with its progress shown."""
    from ...planning.design import design
    from ...wire.choices import query_of

    about = None if asked["query"] is None else query_of(asked["query"], spec.context.domain, name="query")
    with search_progress(asked["seconds"], quiet=quiet) as show:

        def tell(step: SearchStep) -> None:
            show(step.seconds, f", n x error {step.error:.6g}")

        return design(spec.context, **{**asked, "query": about, "progress": tell})
