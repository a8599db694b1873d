"""`discreet compare`: reports with labels, or tallies by label, in; differences with errors and tests out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..survey_options import query_options, read, read_query, show, survey_options

if TYPE_CHECKING:
    from ...analysis.survey.survey import Survey
    from ...bulk.labelled.tallies import GroupTallies


@click.command()
@survey_options
@query_options
@click.option("--by", multiple=True, metavar="LABEL", help="The label that sets groups apart; may be repeated.")
@click.option("--wave", metavar="LABEL", help="The label of waves, which are compared inside each of these groups.")
@click.option(
    "--pairs",
    type=click.Choice(["first", "all"]),
    default="first",
    show_default=True,
    help="Compare each group with the first, or every two.",
)
@click.option("--paired", metavar="LABEL", help="The label that tells people apart, if some are in several groups.")
@click.option(
    "--omnibus",
    type=click.Choice(["calibrated", "plain"]),
    default="calibrated",
    show_default=True,
    help="The shares that the test of all differences at once is of.",
)
@click.option("--permutations", metavar="SEED", type=click.IntRange(0), help="Also deal labels out anew, by this seed.")
@click.option("--estimates", is_flag=True, help="Print the estimates of the groups themselves as well.")
def command(
    by: tuple[str, ...],
    wave: str | None,
    query: str | None,
    event: tuple[str, ...],
    pairs: str,
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
    sample = _sample(names, paired, options)
    values = sample.mechanism.context.values
    found = compare(
        sample,
        by=by or None,
        wave=wave,
        query=read_query(values, query, event),
        pairs=pairs,
        paired=paired,
        omnibus=omnibus,
        rng=None if permutations is None else seeded(permutations),
    )
    if estimates and not options["as_json"]:
        click.echo(f"{found.groups.to_text(options['confidence'])}\n")
    show(found, confidence=options["confidence"], as_json=options["as_json"], plot=options["plot"])


def _sample(names: Sequence[str], paired: str | None, options: dict[str, Any]) -> Survey | GroupTallies:
    """The survey in files of reports, or the tallies in a file of these."""
    from ...files.formats import JSON, compression_of, known_format

    files = options["reports"]
    if len(files) != 1 or known_format(files[0]) is not JSON or compression_of(files[0]):
        labels = list(dict.fromkeys([*names, *(() if paired is None else (paired,))]))
        return read(labels, **options)
    return _tallies(files[0], options)


def _tallies(file: str, options: dict[str, Any]) -> GroupTallies:
    from ...bulk.labelled.tallies import read_groups
    from ...core.errors import InvalidInput
    from ...estimation.results.intervals import check_confidence
    from ..choosing import read_spec

    check_confidence(options["confidence"])
    for name in ("weight", "cluster", "stratum", "population", "column", "delimiter"):
        if options[name] is not None:
            raise InvalidInput(f"--{name} needs the reports: {file} holds tallies")
    spec = read_spec(options["spec"], quiet=options["quiet"], writes=[options["plot"]], reads=[file])
    return read_groups(file, spec.mechanism)
