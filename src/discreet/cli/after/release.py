"""`discreet release`: a tally, tallies by label, or reports with weights in; a report to be published out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidInput
from .. import form_commands
from ..choosing import read_either
from ..options import choice_option, confidence_option, note_insecure
from .estimate import METHODS, shares_by

if TYPE_CHECKING:
    from ...analysis.groups.comparison import Comparison
    from ...analysis.groups.means import Means
    from ...analysis.survey.survey import Survey
    from ...bulk.labelled.tallies import GroupTallies
    from ...mechanisms.mechanism import Mechanism
    from ...publishing import FormRelease
    from ...questionnaires.questions import AskedQuestion
    from ...questionnaires.tally import FormTally
    from ...wire.form import Form
    from ...wire.texts import Texts


@click.command()
@click.argument("spec")
@click.argument("tally")
@click.option("-o", "--out", required=True, metavar="FILE", help="The report to write: a page (.html) or data (.json).")
@click.option("--title", help="What heads the report, where SPEC has no title.")
@click.option("--question", help="What people were asked, in full, where SPEC does not say it.")
@click.option("--part", metavar="NAME", help="Of a form: the question that the report is about, if not all.")
@click.option("--period", default="", metavar="TEXT", help="When people were asked.")
@click.option("--asked-by", metavar="TEXT", help="Who asked them, where SPEC does not say it.")
@click.option("--asked", type=click.IntRange(1), metavar="N", help="How many people were asked, if not all answered.")
@click.option(
    "--randomized",
    type=click.Choice(["device", "file"]),
    help="Where answers were randomized: on each person's device, or in a file by whoever held them.",
)
@click.option(
    "--order", type=click.Choice(["given", "largest"]), help="The order of the answers, if not that of their context."
)
@click.option("--note", "notes", multiple=True, help="A caveat of yours; several are possible.")
@click.option("--by", multiple=True, metavar="LABEL", help="Publish the shares of each group; may be repeated.")
@click.option("--differences", is_flag=True, help="With --by: publish how far groups differ from the first.")
@click.option("--weight", metavar="COLUMN", help="Of reports: the column with how many people each stands for.")
@click.option("--cluster", metavar="COLUMN", help="Of reports: the column with the cluster of each person.")
@click.option("--stratum", metavar="COLUMN", help="Of reports: the column with the stratum of each person.")
@click.option("--column", help="The column that holds the report; 'report' unless given.")
@choice_option("--method", list(METHODS), "How shares are computed.")
@confidence_option
def command(
    spec: str,
    tally: str,
    out: str,
    part: str | None,
    method: str,
    by: tuple[str, ...],
    differences: bool,
    weight: str | None,
    cluster: str | None,
    stratum: str | None,
    column: str | None,
    **options: Any,
) -> None:
    """Write a release report about the TALLY file: one file, made to be published.

    It says what was asked and promised, with the proof and the law's SHA-256, how the shares were made, the shares
    with their intervals, and what they do not say. A page needs nothing but itself, and has its data inside.

    TALLY is a file of `discreet tally`, by label or not, or a file of reports with the columns that --by, --weight,
    --cluster and --stratum name. Where SPEC is a form and TALLY its tally, the report is about all questions, or about
    the one that --part names. A questionnaire says itself what people read: title, question, words and who asked.

    \b
        discreet release survey.toml tally.json --title "A survey" -o release.html
        discreet release survey.toml reports.csv --weight weight --by region --title "Regions" -o regions.html
    """
    from ...bulk.labelled.tallies import GroupTallies, read_counted
    from ...estimation.tally import Tally
    from ...files.formats import JSON, compression_of, known_format
    from ...publishing import release
    from ...publishing.form_release import order_of
    from ...questionnaires.tally import FormTally
    from ...wire.form import Form

    if differences and not by:
        raise click.UsageError("--differences must go with --by, which names the groups")
    document = read_either(spec, writes=[out], reads=[tally])
    asked: AskedQuestion | None = None
    texts = _texts(spec)
    options |= _facts(texts, part, options)
    columns = {"weights": weight, "clusters": cluster, "strata": stratum, "column": column}
    if isinstance(document, Form):
        form_commands.without(by=by, weight=weight, cluster=cluster, stratum=stratum, column=column)
        if part is None:
            _release_whole(document, FormTally.read(tally, document), texts, method, options).write(out)
            click.echo(f"The report is in {out}.")
            return
        asked = form_commands.question_of(document, part, option="--part")
        counts: Any = FormTally.read(tally, document)[asked.part]
        options["notes"] = (*options["notes"], *asked.caveats())
    elif part is not None:
        raise InvalidInput("--part must go with a form of several questions")
    elif known_format(tally) is not JSON or compression_of(tally):
        counts = _survey(document.mechanism, tally, by, columns)
    else:
        if any(columns.values()):
            raise InvalidInput(f"--weight, --cluster, --stratum and --column need the reports: {tally} holds tallies")
        counts = read_counted(tally, document.mechanism)
    if isinstance(counts, Tally):
        if by:
            raise InvalidInput(f"--by needs tallies by label: {tally} holds one tally of all reports together")
        margin = asked is not None and asked.is_margin
        if margin and method != next(iter(METHODS)):
            raise InvalidInput(
                f"--method={method} takes a question with reports of its own; shares of others are unbiased"
            )
        result: Any = asked.means(counts) if asked is not None and margin else shares_by(method, counts)
    else:
        if method != next(iter(METHODS)):
            raise InvalidInput(
                f"--method={method} takes one tally of all reports; of groups and weights, shares are unbiased"
            )
        result = _grouped(counts, by, differences)
    if options["order"] is None and texts is not None and (part or "") in texts.questions:
        options["order"] = order_of(texts.questions[part or ""])
    report = release(result, **options)
    if isinstance(counts, (Tally, GroupTallies)):
        note_insecure([counts] if isinstance(counts, Tally) else counts.values())
    report.write(out)
    click.echo(f"The report is in {out}.")


def _texts(spec: str) -> Texts | None:
    """What people read, where the file is a questionnaire."""
    from ...wire.questionnaire import Questionnaire

    questionnaire = Questionnaire.find(spec)
    return None if questionnaire is None else questionnaire.texts


def _facts(texts: Texts | None, part: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Title, question, words and who asked: as options say it, else as the questionnaire does."""
    found: dict[str, Any] = {"title": None, "question": "", "asked_by": "", "words": {}}
    if texts is not None:
        found |= {"title": texts.title, "asked_by": texts.asker}
        if asked := texts.questions.get(part or ""):
            found |= {"question": asked.in_full, "words": asked.words}
    found |= {key: options[key] for key in ("title", "question", "asked_by") if options[key] is not None}
    if found["title"] is None:
        raise click.UsageError("--title is missing: SPEC does not say what heads the report")
    return found


def _release_whole(
    form: Form, counts: FormTally, texts: Texts | None, method: str, options: dict[str, Any]
) -> FormRelease:
    """The report about all questions of a form."""
    from ...publishing import release_form
    from ...questionnaires.questions import asked_question

    if options.pop("question"):
        raise InvalidInput("--question must go with --part, which names one question of the form")
    asked = [asked_question(form, name) for name in form.names]
    if any(one.is_margin for one in asked) and method != next(iter(METHODS)):
        raise InvalidInput(
            f"--method={method} takes questions with reports of their own; shares of others are unbiased"
        )
    note_insecure(counts.values())
    tallies = {one.name: counts[one.part] for one in asked}
    results = {
        one.name: one.means(tallies[one.name]) if one.is_margin else shares_by(method, tallies[one.name])
        for one in asked
    }
    options.pop("words")
    return release_form(form, results, texts={} if texts is None else texts.questions, **options)


def _survey(mechanism: Mechanism, file: str, by: tuple[str, ...], columns: dict[str, Any]) -> Survey:
    from ...analysis.survey.reading import read_survey

    return read_survey(mechanism, file, labels=by, **columns)


def _grouped(sample: Survey | GroupTallies, by: tuple[str, ...], differences: bool) -> Means | Comparison:
    from ...analysis.groups.comparison import compare
    from ...analysis.groups.means import means_of
    from ...bulk.labelled.tallies import GroupTallies

    labels = by or (sample.labels if isinstance(sample, GroupTallies) else ())
    return compare(sample, by=labels) if differences else means_of(sample, labels)
