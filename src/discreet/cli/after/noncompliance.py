"""`discreet noncompliance`: what people who do not follow the instructions would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..survey_options import counting_options, query_options, read_counts, read_query, show

if TYPE_CHECKING:
    from ...mechanisms.mechanism import Mechanism


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@click.option("--to", metavar="VALUE", help="Those who evade claim this value, whatever they hold.")
@click.option("--report", metavar="REPORT", help="Instead: they send this report, by its number or its name.")
@click.option("--share", type=float, multiple=True, metavar="S", help="The share of people who evade; may be repeated.")
@click.option("--threshold", type=float, metavar="T", help="Say what share of people would bring the estimate to T.")
@click.option(
    "--second",
    nargs=2,
    metavar="SPEC FILE",
    help="A second arm, with another law: measure how many people evade.",
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
    as_json: bool,
    plot: str | None,
    **options: Any,
) -> None:
    """Show what changes if some of the people behind the reports or tallies in FILES did not follow the instructions.

    --event or --query says what is estimated; unless given, the share of people who hold another value than --to. One
    survey cannot say how many evade, so the answer is a table over their share. With --second, a survey of people drawn
    alike with another law, their share is measured.
    """
    from ...analysis.diagnostics.noncompliance import noncompliance

    first = read_counts(spec, files, plot=plot, **options)
    values = first.mechanism.context.values
    claimed = None if to is None else values[values.index_of_text(to)]
    sent = None if report is None else _report(first.mechanism, report)
    asked = read_query(values, query, event)
    shares = list(share) or None
    if second is None:
        result: Any = noncompliance(first, to=claimed, report=sent, share=shares, query=asked, threshold=threshold)
    else:
        from ...core.errors import InvalidInput

        if shares is not None or asked is not None or threshold is not None:
            raise InvalidInput("--second measures the share: --share, --threshold, --query and --event go without it")
        other = read_counts(second[0], [second[1]], plot=plot, **options)
        result = noncompliance(first, other, to=claimed, report=sent)
    show(result, confidence=0.95, as_json=as_json, plot=plot)


def _report(mechanism: Mechanism, text: str) -> int:
    from ...wire import report_from_text

    return report_from_text(mechanism, text)
