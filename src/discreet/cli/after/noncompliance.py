"""`discreet noncompliance`: what people who do not follow the instructions would change."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidInput
from ..options import counting_options, query_options, read_counts, read_query, show, value_of


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@click.option("--to", metavar="VALUE", help="Those who evade claim this value, whatever they hold.")
@click.option("--report", metavar="REPORT", help="Instead: they send this report, by its number or its name.")
@click.option("--share", type=float, multiple=True, metavar="S", help="The share of people who evade; may be repeated.")
@click.option("--threshold", type=float, metavar="T", help="Say what share of people would bring the estimate to T.")
@click.option(
    "--second", nargs=2, metavar="SPEC FILE", help="A second arm, with another law: measure how many people evade."
)
@query_options
@counting_options
def command(
    spec: str,
    files: tuple[str, ...],
    to: str | None,
    report: str | None,
    share: tuple[float, ...],
    threshold: float | None,
    second: tuple[str, str] | None,
    query: str | None,
    event: tuple[str, ...],
    **options: Any,
) -> None:
    """Show what changes if some of the people behind the reports or tallies in FILES did not follow the instructions.

    --event or --query says what is estimated; unless given, the share of people who hold another value than --to. One
    survey cannot say how many evade, so the answer is a table over their share. With --second, a survey of people drawn
    alike with another law, their share is measured.
    """
    from ...analysis.diagnostics.noncompliance import noncompliance
    from ...wire import report_from_text

    first = read_counts(spec, files, options)
    values = first.mechanism.context.values
    claimed = None if to is None else value_of(values, to)
    sent = None if report is None else report_from_text(first.mechanism, report)
    asked = read_query(values, query, event)
    shares = list(share) or None
    if second is None:
        result: Any = noncompliance(first, to=claimed, report=sent, share=shares, query=asked, threshold=threshold)
    else:
        if shares is not None or asked is not None or threshold is not None:
            raise InvalidInput("--second measures the share: --share, --threshold, --query and --event go without it")
        other = read_counts(second[0], [second[1]], options)
        result = noncompliance(first, other, to=claimed, report=sent)
    show(result, **options)
