"""`discreet regress`: how a randomized answer goes with the labels beside the reports."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidInput
from ..options import choice_option, query_options, read_labelled, read_query, show, survey_options


@click.command()
@survey_options
@query_options
@click.option("--on", multiple=True, metavar="LABEL", help="A column to explain by, or a product: age*age; repeated.")
@click.option("--factor", multiple=True, metavar="LABEL", help="A column whose numbers are but names; may be repeated.")
@choice_option("--link", ["identity", "logit"], "Differences of shares or means, or of log-odds.")
@click.option("--penalty", type=click.Choice(["firth"]), help="Keep all log-odds finite, by Firth's penalty.")
@click.option(
    "--errors",
    type=click.Choice(["HC0", "HC1", "HC2", "HC3"]),
    help="The errors of a plain sample; with weights, clusters or strata these make them.",
)
def command(query: str | None, event: tuple[str, ...], on: tuple[str, ...], **options: Any) -> None:
    """Explain the randomized answer in REPORTS by the columns beside it.

    REPORTS are files as `discreet randomize --keep` writes them. --event or --query says what is explained: the
    share of people with some values, or a mean. Text is a factor, whose first level the others are compared with.
    A coefficient is a difference of shares or means; with --link logit, one of log-odds.
    """
    from ...analysis.regression.formula import TIMES
    from ...analysis.regression.regression import regress

    if query is None and not event:
        raise InvalidInput("--event VALUE or --query must say what is to be explained")
    if not on:
        raise InvalidInput("--on LABEL must name at least one column to explain by")
    labels = dict.fromkeys(part.strip() for name in on for part in name.split(TIMES))
    survey = read_labelled(list(labels), options)
    asked, how = read_query(survey.values, query, event), {key: options[key] for key in ("link", "errors", "penalty")}
    show(regress(survey, asked, on=on, factors=options["factor"], **how), **options)
