"""`discreet compare`: reports with labels, or tallies by label, in; differences with errors and tests out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidInput
from ..choosing import read_spec
from ..options import choice_option, query_options, read_query, read_question, seed_option, show, survey_options

if TYPE_CHECKING:
    from ...analysis.survey.survey import Survey
    from ...bulk.labelled.tallies import GroupTallies


@click.command()
@survey_options
@query_options
@click.option("--by", multiple=True, metavar="LABEL", help="The label that sets groups apart; may be repeated.")
@click.option("--wave", metavar="LABEL", help="The label of waves, which are compared inside each of these groups.")
@choice_option("--pairs", ["first", "all"], "Compare each group with the first, or every two.")
@click.option("--reference", metavar="TEXT", help="The label of the group, or wave, that others are compared with.")
@click.option("--paired", metavar="LABEL", help="The label that tells people apart, if some are in several groups.")
@choice_option("--omnibus", ["calibrated", "plain"], "The shares that the test of all differences at once is of.")
@seed_option("labels")
@click.option("--estimates", is_flag=True, help="Print the estimates of the groups themselves as well.")
def command(
    by: tuple[str, ...],
    wave: str | None,
    query: str | None,
    event: tuple[str, ...],
    pairs: str,
    reference: str | None,
    paired: str | None,
    omnibus: str,
    permutations: int | None,
    estimates: bool,
    **options: Any,
) -> None:
    """Differences between groups of people, or between waves, in the shares of all values or in one query.

    REPORTS are files with other columns beside the reports, as `discreet randomize --keep` writes them, or one file
    of `discreet tally --by`. Each difference is that of a group less that of another, with its p-value, as it is and
    adjusted for all tests together; the last lines test all of them at once.

    \b
        discreet compare survey.toml reports.parquet --by region --event yes
        discreet compare survey.toml reports.csv --by region --wave year --weight weight --query mean
    """
    from ...analysis.groups.comparison import compare
    from ...bulk.words import seeded

    if not by and wave is None:
        raise click.UsageError("--by or --wave must name the label to compare by")
    names = (*by, *(() if wave is None else (wave,)))
    sample, place = _sample(names, paired, options)
    if place is not None and (query is not None or event):
        raise InvalidInput(
            f"--query and --event must be left out: --question {options['question']!r} is part of values"
        )
    values = sample.mechanism.context.values
    comparison = compare(
        sample,
        by=by or None,
        wave=wave,
        query=read_query(values, query, event),
        question=place,
        pairs=pairs,
        reference=reference,
        paired=paired,
        omnibus=omnibus,
        rng=None if permutations is None else seeded(permutations),
    )
    if estimates and not options["as_json"]:
        click.echo(f"{comparison.groups.to_text(options['confidence'])}\n")
    show(comparison, **options)


def _sample(
    names: Sequence[str], paired: str | None, options: dict[str, Any]
) -> tuple[Survey | GroupTallies, int | None]:
    """The survey in files of reports, or the tallies in a file of these, and the place of the question in values."""
    from ...bulk.labelled.tallies import read_groups
    from ...estimation.results.intervals import check_confidence
    from ...files.formats import JSON, compression_of, known_format

    files = options["reports"]
    if len(files) != 1 or known_format(files[0]) is not JSON or compression_of(files[0]):
        labels = list(dict.fromkeys([*names, *(() if paired is None else (paired,))]))
        return read_question(labels, options)
    (file,) = files
    check_confidence(options["confidence"])
    for name in ("weight", "cluster", "stratum", "population", "only", "column", "delimiter"):
        if options[name]:
            raise InvalidInput(f"--{name} needs the reports: {file} holds tallies")
    spec = read_spec(options["spec"], quiet=options["quiet"], writes=[options["plot"]], reads=[file])
    return read_groups(file, spec.mechanism), None
