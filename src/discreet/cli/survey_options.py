"""The options that the commands of surveys share, and the survey and the query that they mean.

Files of reports and earlier tallies as one tally, for commands that ask about them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ..analysis.result import Result
    from ..analysis.survey.survey import Survey
    from ..core.domain import Domain
    from ..estimation.tally import Tally

Command = TypeVar("Command", bound=Callable[..., Any])


SURVEY = (
    click.argument("spec"),
    click.argument("reports", nargs=-1),
    click.option("--weight", metavar="COLUMN", help="The column with how many people each report stands for."),
    click.option("--cluster", metavar="COLUMN", help="The column with the cluster that each person was drawn in."),
    click.option("--stratum", metavar="COLUMN", help="The column with the stratum that each person was drawn from."),
    click.option(
        "--population",
        type=click.IntRange(1),
        metavar="N",
        help="How many people these were drawn from, if not many times more.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="What to do with people who lack a label.",
    ),
    click.option("--question", metavar="NAME", help="Where SPEC is a form: the question that is analysed."),
    click.option("--column", help="The column or JSON key that holds the report; 'report' unless given."),
    click.option("--delimiter", metavar="CHAR", help="What separates the columns of CSV, if not a comma."),
    click.option(
        "--unmarked",
        is_flag=True,
        help="Also accept reports without marks; another mechanism's, or missing ones, would not be noticed.",
    ),
    click.option(
        "--confidence",
        type=float,
        default=0.95,
        show_default=True,
        help="Confidence of the intervals, between 0 and 1.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("--plot", metavar="FILE.png", help="Draw the estimates and their intervals (needs the plot extra)."),
    click.option("--quiet", is_flag=True, help="Show no progress."),
)
"""What every command that reads a survey takes."""

QUERY = (
    click.option("--query", metavar="WHAT", help="The weight of each value: mean (of numbers), or a JSON file."),
    click.option("--event", multiple=True, metavar="VALUE", help="Instead: holding this value; may be repeated."),
)
"""What is asked about the values."""


def survey_options(command: Command) -> Command:
    """The arguments SPEC and REPORTS, and the options about how to read them and what to print."""
    return _with(command, SURVEY)


def query_options(command: Command) -> Command:
    """The options --query and --event."""
    return _with(command, QUERY)


def _with(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def read(
    labels: Sequence[str],
    *,
    spec: str,
    reports: Sequence[str],
    weight: str | None,
    cluster: str | None,
    stratum: str | None,
    population: int | None,
    missing: str,
    question: str | None,
    column: str | None,
    delimiter: str | None,
    unmarked: bool,
    confidence: float,
    plot: str | None,
    quiet: bool,
    **others: Any,
) -> Survey:
    """The survey with these labels that the options mean; `others` are left to the command."""
    from ..analysis.survey.reading import read_survey
    from ..bulk.jobs import rows_in
    from ..core.errors import InvalidInput
    from ..estimation.results.intervals import check_confidence
    from ..files.columns import REPORT
    from ..files.formats import PIPE
    from ..files.sources import inputs, source_of
    from ..plots.picture import kind_of
    from ..questionnaires.form import Form
    from . import form_commands
    from .choosing import read_either
    from .progress import progress

    check_confidence(confidence)
    given = inputs(reports or (PIPE,))
    wanted = read_either(spec, quiet=quiet, writes=[plot], reads=given)
    if plot is not None:
        kind_of(plot)
    sources = [source_of(file, delimiter=delimiter) for file in given]
    read: dict[str, Any] = {
        "labels": labels,
        "weights": weight,
        "clusters": cluster,
        "strata": stratum,
        "population": population,
        "unmarked": unmarked,
        "missing": missing,
    }
    if isinstance(wanted, Form):
        form_commands.without(column=column)
        return form_commands.survey(wanted, question, sources, **read)
    if question is not None:
        raise InvalidInput("--question must go with a form of several questions")
    with progress(rows_in(sources, column, usual=REPORT), quiet=quiet) as advance:
        return read_survey(wanted.mechanism, sources, column=column, progress=advance, **read)


def read_query(values: Domain, query: str | None, event: Sequence[str]) -> Any:
    """The weights of the values that --query or --event gives; None without either."""
    from ..core.errors import InvalidInput
    from ..wire.choices import query_of
    from .before.plan import read_event, read_queries

    if query is not None and event:
        raise InvalidInput("--query and --event must not both be given")
    if event:
        return read_event(values, event)
    if query is None:
        return None
    if query != "mean" and not query.endswith(".json"):
        raise InvalidInput(f"--query {query!r} must be mean or the name of a .json file of weights; see --event")
    return query_of(read_queries([query]), values, name="query")


def show(result: Result, *, confidence: float, as_json: bool, plot: str | None, title: str = "") -> None:
    """Print a result as a table or as JSON, and draw it where that is asked for."""
    if plot is not None:
        result.plot(plot, title=title, confidence=confidence)
    if as_json:
        click.echo(json.dumps(result.to_dict(confidence=confidence), ensure_ascii=False))
    else:
        click.echo(result.to_text(confidence))


OPTIONS = (
    click.option("--question", metavar="NAME", help="Where SPEC is a form: the question that the reports are about."),
    click.option("--column", help="The column or JSON key that holds the report; 'report' unless given."),
    click.option("--delimiter", metavar="CHAR", help="What separates the columns of CSV, if not a comma."),
    click.option(
        "--unmarked",
        is_flag=True,
        help="Also accept reports without marks, such as answers on paper; another mechanism's would not be noticed.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("--plot", metavar="FILE.png", help="Draw it (needs the plot extra)."),
    click.option("--quiet", is_flag=True, help="Show no progress."),
)


def counting_options(command: Command) -> Command:
    """The options about how to read reports and what to print."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def read_counts(
    spec: str,
    files: Sequence[str],
    *,
    question: str | None,
    column: str | None,
    delimiter: str | None,
    unmarked: bool,
    plot: str | None,
    quiet: bool,
) -> Tally:
    """The tally of files: a .json file is one already, any other holds reports."""
    from ..bulk.jobs import rows_in, tally_files
    from ..core.errors import InvalidInput
    from ..estimation.tally import read_tally
    from ..files.columns import REPORT
    from ..files.formats import JSON, PIPE, compression_of, format_of
    from ..files.sources import inputs, source_of
    from ..plots.picture import kind_of
    from ..questionnaires.form import Form
    from . import form_commands
    from .choosing import read_either
    from .progress import progress

    given = inputs(files or (PIPE,))
    wanted = read_either(spec, quiet=quiet, writes=[plot], reads=given)
    if plot is not None:
        kind_of(plot)
    earlier = [file for file in given if format_of(file) is JSON and not compression_of(file)]
    reports = [source_of(file, delimiter=delimiter) for file in given if file not in earlier]
    if isinstance(wanted, Form):
        form_commands.without(column=column)
        part = form_commands.part_of(wanted, question)
        return form_commands.counted(wanted, earlier, reports, unmarked=unmarked)[part]
    if question is not None:
        raise InvalidInput("--question must go with a form of several questions")
    mechanism = wanted.mechanism
    total: Tally = sum((read_tally(file, mechanism) for file in earlier), mechanism.tally())
    with progress(rows_in(reports, column, usual=REPORT), quiet=quiet) as advance:
        return total + tally_files(mechanism, reports, column=column, unmarked=unmarked, progress=advance)
