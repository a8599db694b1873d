"""`discreet xlsform`: an XLSForm as a questionnaire file, or a questionnaire file as an XLSForm."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from ...core.errors import InvalidInput
from ...wire.form import STRATEGIES
from ..options import json_option


@click.command()
@click.argument("file")
@click.option("-o", "--output", required=True, metavar="FILE", help="The questionnaire (.toml, .json) or form (.xlsx).")
@click.option("--epsilon", metavar="E", help="That of the whole form, for questions that say none.")
@click.option(
    "--strategy", type=click.Choice(list(STRATEGIES)), help="How the questions are asked; 'one at random' unless said."
)
@click.option("--strict", is_flag=True, help="Refuse a workbook of which anything would be lost.")
@json_option
def command(file: str, output: str, epsilon: str | None, strategy: str | None, strict: bool, as_json: bool) -> None:
    """Turn an XLSForm into a questionnaire, or a questionnaire into an XLSForm.

    FILE is an .xlsx workbook with the sheets survey, choices and settings, as ODK and KoboToolbox have them, or a
    questionnaire in a .toml or .json file. What a questionnaire has no place for is listed with its sheet, row and
    column, and with what becomes of it. Needs the extra xlsform.

    \b
        discreet xlsform habits.xlsx --epsilon 2 -o habits.toml
        discreet xlsform habits.toml -o habits.xlsx
    """
    from ...files.overwriting import check_outputs

    check_outputs([output], [file])
    if Path(file).suffix.lower() in (".toml", ".json"):
        if epsilon is not None or strategy is not None or strict:
            raise InvalidInput("--epsilon, --strategy and --strict go with an .xlsx file that is read")
        _write(file, output, as_json=as_json)
    else:
        _read(file, output, epsilon, strategy, strict=strict, as_json=as_json)


def _read(file: str, output: str, epsilon: str | None, strategy: str | None, *, strict: bool, as_json: bool) -> None:
    from ...questionnaires.xlsform.columns import listing
    from ...questionnaires.xlsform.reading import read_xlsform
    from ...wire.spec import check_name

    check_name(output)
    form = read_xlsform(file, epsilon=epsilon, strategy=strategy)
    if strict and form.lost:
        more = f", and {len(form.lost) - 1} more" if len(form.lost) > 1 else ""
        raise InvalidInput(f"{file}: {form.lost[0]}{more}; without --strict all are listed, and the rest is written")
    form.write(output)
    count = len(form.questionnaire.specs)
    if as_json:
        click.echo(
            json.dumps({"questions": count, "remarks": [asdict(one) for one in form.remarks]}, ensure_ascii=False)
        )
        return
    languages = ", ".join(form.questionnaire.texts.languages)
    click.echo(f"{output}: {count} question{'s' if count > 1 else ''} in {languages}")
    for heading, lost in (("Not as in the workbook:", True), ("Read, or left out without loss:", False)):
        if lines := listing(one for one in form.remarks if one.lost == lost):
            click.echo(heading)
            for line in lines:
                click.echo(f"- {line}")


def _write(file: str, output: str, *, as_json: bool) -> None:
    from ...questionnaires.xlsform.writing import write_xlsform
    from ...wire import Questionnaire

    questionnaire = Questionnaire.read(file)
    write_xlsform(questionnaire, output)
    count = len(questionnaire.specs)
    click.echo(json.dumps({"questions": count}) if as_json else f"{output}: {count} question{'s' if count > 1 else ''}")
