"""What commands share: their options, the reports and tallies that they read, and results as they are printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..core.errors import InvalidInput
from . import form_commands
from .choosing import read_either
from .progress import progress

if TYPE_CHECKING:
    from ..analysis.result import Result
    from ..analysis.survey.survey import Survey
    from ..core.domain import Domain
    from ..estimation.tally import Tally
    from ..files.sources import FileSource
    from ..wire import Spec
    from ..wire.form import Form

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
threads_option = click.option(
    "--threads", type=click.IntRange(1), metavar="N", help="Cores to use; all of them unless given."
)
confidence_option = click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals, between 0 and 1."
)


INSECURE_NOTE = "discreet: a seed drew some of these reports, and whoever knows it can undo them"
"""What is said of reports that were made with --insecure-seed, wherever they are read."""


def note_insecure(tallies: Iterable[Tally]) -> None:
    """Say so on standard error if a seed drew reports of these tallies."""
    if any(tally.insecure for tally in tallies):
        click.echo(INSECURE_NOTE, err=True)


def plot_option(what: str) -> Option:
    """The option --plot of a command that draws `what`."""
    return click.option("--plot", metavar="FILE.png", help=f"Draw {what} (needs the plot extra).")


def seed_option(what: str) -> Option:
    """The option --permutations of a command that deals out `what` anew."""
    text = f"Also deal {what} out anew, by this seed."
    return click.option("--permutations", type=click.IntRange(0), metavar="SEED", help=text)


def choice_option(name: str, choices: Sequence[str], what: str) -> Option:
    """An option with a few possible texts, of which the first is the default."""
    return click.option(name, type=click.Choice(choices), default=choices[0], show_default=True, help=what)


def several(*options: Option) -> Callable[[Command], Command]:
    """One decorator for several options, which help lists in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _pairs(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[tuple[str, str]]:
    """The names and texts of an option that is repeated, NAME=TEXT; the last sign parts them."""
    pairs = [text.rpartition("=") for text in given]
    for text, (name, sign, _) in zip(given, pairs, strict=True):
        if not (name and sign):
            raise click.BadParameter(f"{text!r} must be {option.metavar or 'NAME=TEXT'}", context, option)
    return [(name, last) for name, _, last in pairs]


def _population(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, int] | int | None:
    """The number of people, or that of every stratum by its text."""

    def people(text: str) -> int:
        return int(click.IntRange(1)(text, option, context))

    if len(given) == 1 and "=" not in given[0]:
        return people(given[0])
    if any("=" not in text for text in given):
        raise click.BadParameter("must be one number, or STRATUM=N for each stratum", context, option)
    found: dict[str, int] = {}
    for name, number in _pairs(context, option, given):
        if name in found:
            raise click.BadParameter(f"stratum {name!r} must be given once", context, option)
        found[name] = people(number)
    return found or None


REPORT_COLUMN = (
    click.option("--column", help="The column or JSON key that holds the report; 'report' unless given."),
    click.option("--delimiter", metavar="CHAR", help="What separates the columns of CSV, if not a comma."),
)

survey_options = several(
    click.argument("spec"),
    click.argument("reports", nargs=-1),
    click.option("--weight", metavar="COLUMN", help="The column with how many people each report stands for."),
    click.option("--cluster", metavar="COLUMN", help="The column with the cluster that each person was drawn in."),
    click.option("--stratum", metavar="COLUMN", help="The column with the stratum that each person was drawn from."),
    click.option(
        "--population",
        multiple=True,
        metavar="N",
        callback=_population,
        help="How many people these were drawn from, if not many times more; with strata STRATUM=N, for each of them.",
    ),
    click.option(
        "--only",
        multiple=True,
        metavar="LABEL=TEXT",
        callback=_pairs,
        help="Only people with this label, as a part of all who were drawn; may be repeated, for other labels too.",
    ),
    choice_option("--missing", ["error", "drop"], "What to do with people who lack a label."),
    click.option("--question", metavar="NAME", help="Where SPEC is a form: the question that is analysed."),
    *REPORT_COLUMN,
    click.option(
        "--unmarked",
        is_flag=True,
        help="Also accept reports without marks; another mechanism's, or missing ones, would not be noticed.",
    ),
    confidence_option,
    json_option,
    plot_option("the estimates and their intervals"),
    quiet_option,
)
"""What every command that reads a survey takes: the arguments SPEC and REPORTS, how to read them, what to print."""

query_options = several(
    click.option("--query", metavar="WHAT", help="The weight of each value: mean (of numbers), or a JSON file."),
    click.option("--event", multiple=True, metavar="VALUE", help="Instead: holding this value; may be repeated."),
)
"""What is asked about the values."""

counting_options = several(
    click.option("--question", metavar="NAME", help="Where SPEC is a form: the question that the reports are about."),
    *REPORT_COLUMN,
    click.option(
        "--unmarked",
        is_flag=True,
        help="Also accept reports without marks, such as answers on paper; another mechanism's would not be noticed.",
    ),
    json_option,
    plot_option("it"),
    quiet_option,
)
"""What every command that counts reports takes: how to read them, and what to print."""


def value_of(domain: Domain, text: str) -> Any:
    """The value of a domain whose text this is."""
    return domain[domain.index_of_text(text)]


def open_reports(
    spec: str, files: Sequence[str], *, plot: str | None, quiet: bool, **others: Any
) -> tuple[Spec | Form, list[str]]:
    """The spec or form, and the files that are meant; a picture of no known kind is refused first."""
    from ..files.formats import PIPE
    from ..files.sources import inputs
    from ..plots.picture import kind_of

    given = inputs(files or (PIPE,))
    document = read_either(spec, quiet=quiet, writes=[plot], reads=given)
    if plot is not None:
        kind_of(plot)
    return document, given


def part_for(document: Spec | Form, *, question: str | None, column: str | None, **others: Any) -> str | None:
    """The part of a form that --question names; None for the spec of one question, where it must be left out."""
    from ..wire.form import Form

    if isinstance(document, Form):
        form_commands.without(column=column)
        return form_commands.part_of(document, question)
    if question is not None:
        raise InvalidInput("--question must go with a form of several questions")
    return None


def split_files(files: Sequence[str], delimiter: str | None) -> tuple[list[str], list[FileSource]]:
    """Earlier tallies, which are .json files, and files of reports."""
    from ..files.formats import JSON, compression_of, format_of
    from ..files.sources import source_of

    earlier = [file for file in files if format_of(file) is JSON and not compression_of(file)]
    return earlier, [source_of(file, delimiter=delimiter) for file in files if file not in earlier]


def sample_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """How people were drawn, as arguments of the functions that read surveys."""
    names = {"weights": "weight", "clusters": "cluster", "strata": "stratum"}
    others = {key: options[key] for key in ("population", "unmarked", "missing")}
    return {name: options[key] for name, key in names.items()} | others


def people_of(survey: Survey, only: Sequence[tuple[str, str]]) -> Survey:
    """The people whose labels have one of the texts that --only gives for each."""
    import numpy as np

    from ..analysis.result import label_text
    from ..bulk.labelled.columns import codes_of

    if not only:
        return survey
    chosen = np.ones(survey.n, dtype=bool)
    for name in dict(only):
        wanted = [text for own, text in only if own == name]
        levels, codes = codes_of(survey.label(name))
        texts = [label_text(level) for level in levels]
        for text in wanted:
            if text not in texts:
                known = ", ".join(texts[:8])
                raise InvalidInput(f"--only {name}={text} must be one of the labels there: {known}")
        chosen &= np.isin(texts, wanted)[codes]
    if not chosen.any():
        raise InvalidInput("--only must leave some people")
    return survey.only(chosen)


def read_labelled(labels: Sequence[str], options: Mapping[str, Any]) -> Survey:
    """The survey with these labels that the options of `survey_options` mean."""
    survey, place = read_question(labels, options)
    if place is not None:
        raise InvalidInput(
            f"--question {options['question']!r} must have a report of its own here, and all answers are one value"
        )
    return survey


def read_question(labels: Sequence[str], options: Mapping[str, Any]) -> tuple[Survey, int | None]:
    """The same survey, and where its values have the answers to the question; None if these are the values."""
    from ..analysis.survey.reading import read_survey
    from ..bulk.jobs import rows_in
    from ..estimation.results.intervals import check_confidence
    from ..files.columns import REPORT
    from ..files.sources import source_of
    from ..questionnaires.reading import read_form_surveys
    from ..wire.form import Form

    check_confidence(options["confidence"])
    document, files = open_reports(files=options["reports"], **options)
    sources = [source_of(file, delimiter=options["delimiter"]) for file in files]
    only = options["only"]
    how = {"labels": [*dict.fromkeys([*labels, *dict(only)])], **sample_of(options)}
    column = options["column"]
    if isinstance(document, Form):
        form_commands.without(column=column)
        asked = form_commands.question_of(document, options["question"])
        return people_of(read_form_surveys(document, sources, **how)[asked.part], only), asked.place
    part_for(document, **options)
    with progress(rows_in(sources, column, usual=REPORT), quiet=options["quiet"]) as advance:
        survey = read_survey(document.mechanism, sources, column=column, progress=advance, **how)
    return people_of(survey, only), None


def read_counts(spec: str, files: Sequence[str], options: Mapping[str, Any]) -> Tally:
    """The tally of files, by the options of `counting_options`: a .json file is one already, others hold reports."""
    from ..bulk.jobs import rows_in, tally_files
    from ..estimation.tally import read_tally
    from ..files.columns import REPORT
    from ..wire.form import Form

    document, given = open_reports(spec, files, **options)
    column, unmarked = options["column"], options["unmarked"]
    earlier, reports = split_files(given, options["delimiter"])
    part = part_for(document, **options)
    if isinstance(document, Form):
        return form_commands.count(document, earlier, reports, unmarked=unmarked)[str(part)]
    mechanism = document.mechanism
    total: Tally = sum((read_tally(file, mechanism) for file in earlier), mechanism.tally())
    with progress(rows_in(reports, column, usual=REPORT), quiet=options["quiet"]) as advance:
        return total + tally_files(mechanism, reports, column=column, unmarked=unmarked, progress=advance)


def read_json(path: str) -> Any:
    """The data in a JSON file."""
    from pathlib import Path

    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(f"{path}: this is not JSON: {problem}") from None


def read_prior(path: str | None, domain: Domain) -> Any:
    """The assumed shares in a JSON file, a list in the order of the values or an object by value; None without one."""
    if path is None:
        return None
    data = read_json(path)
    if isinstance(data, dict):
        shares = [0.0] * len(domain)
        for text, share in data.items():
            shares[domain.index_of_text(text)] = share
        data = shares
    if not isinstance(data, list) or any(isinstance(s, bool) or not isinstance(s, (int, float)) for s in data):
        raise InvalidInput(f"{path}: must be a list of shares or an object of them by value")
    return data


QUERY_NAMES = ("shares", "mean", "cumulative")
"""The queries that have a name."""


def read_queries(queries: Sequence[str]) -> Any:
    """The queries of a command line as a spec gives them: words, or the weights in JSON files; None without any."""
    weights = []
    for one in queries:
        if one not in QUERY_NAMES and not one.endswith(".json"):
            raise InvalidInput(f"query={one!r} must be {', '.join(QUERY_NAMES)} or the name of a .json file of weights")
        weights.append(one if one in QUERY_NAMES else read_json(one))
    return weights[0] if len(weights) == 1 else weights or None


def read_event(values: Domain, event: Sequence[str]) -> list[float]:
    """The weights of an event: 1 for each of these values, written as text, and 0 for the others."""
    held = {values.index_of_text(text) for text in event}
    return [1.0 if x in held else 0.0 for x in range(len(values))]


def read_query(values: Domain, query: str | None, event: Sequence[str]) -> Any:
    """The weights of the values that --query or --event gives; None without either."""
    from ..wire.choices import query_of

    if query is not None and event:
        raise InvalidInput("--query and --event must not both be given")
    if event:
        return read_event(values, event)
    if query is None:
        return None
    if query != "mean" and not query.endswith(".json"):
        raise InvalidInput(f"--query {query!r} must be mean or the name of a .json file of weights; see --event")
    return query_of(read_queries([query]), values, name="query")


def show(
    result: Result, *, as_json: bool, plot: str | None, confidence: float = 0.95, title: str = "", **others: Any
) -> None:
    """Print a result as a table or as JSON, and draw it where that is asked for."""
    if plot is not None:
        result.plot(plot, title=title, confidence=confidence)
    if as_json:
        click.echo(json.dumps(result.to_dict(confidence=confidence), ensure_ascii=False))
    else:
        click.echo(result.to_text(confidence))


def write_text(text: str, output: str | None) -> None:
    """Print a text, or write it to a file, whole or not at all."""
    from ..core.documents import replacing

    if output in (None, "-"):
        click.echo(text, nl=False)
        return
    with replacing(str(output)) as file:
        file.write(text.encode())
