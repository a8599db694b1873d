"""Files of reports and earlier tallies as one tally, for commands that ask about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ..estimation.tally import Tally

Command = TypeVar("Command", bound=Callable[..., Any])

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
    from ..estimation.tally_json import read_tally
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
