"""`discreet crosstab`: the joint table of two answers of the same people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...core.domain import Domain
from ...core.errors import InvalidInput
from ..options import open_reports, people_of, read_labelled, sample_of, seed_option, show, survey_options, value_of

if TYPE_CHECKING:
    from ...analysis.tables.crosstab import Crosstab
    from ...wire.form import Form


@click.command()
@survey_options
@click.option("--first", metavar="QUESTION", help="The question of the rows; the first one unless given.")
@click.option("--second", metavar="QUESTION", help="The question of the columns; the next one unless given.")
@click.option("--given", nargs=2, metavar="QUESTION ANSWER", help="Shares among the people who gave this answer.")
@seed_option("answers")
def command(
    first: str | None, second: str | None, given: tuple[str, str] | None, permutations: int | None, **options: Any
) -> None:
    """The share of every pair of answers, and whether they have to do with each other.

    SPEC is a form whose people answered each question, or all of them together, and REPORTS are its reports. Or SPEC is
    the spec of one question over pairs of answers (a product); its questions are then called 1, 2 and so on.

    Shares are unbiased, so small ones may be below 0. The test of independence takes the randomization into account.
    """
    from ...analysis.tables.crosstab import crosstab
    from ...bulk.words import seeded
    from ...wire.form import Form

    document, files = open_reports(files=options["reports"], **{**options, "quiet": True})
    rng = None if permutations is None else seeded(permutations)
    if isinstance(document, Form):
        result = _of_form(document, files, first, second, options, rng)
    else:
        places, names = _numbers(document.context.values[0], first, second)
        result = crosstab(read_labelled([], options), questions=places, names=names, rng=rng)
    show(result if given is None else _given(result, *given), **options)


def _numbers(value: Any, first: str | None, second: str | None) -> tuple[tuple[int, int], tuple[str, str]]:
    """The places of two questions that are called 1, 2 and so on, and their names."""
    count = len(value) if isinstance(value, tuple) else 0
    if count < 2:
        raise InvalidInput("SPEC must be a form, or a spec whose values are tuples of answers, such as a product")
    known = [str(number) for number in range(1, count + 1)]
    one, two = _two(known, first, second)
    return (known.index(one), known.index(two)), (f"question {one}", f"question {two}")


def _two(known: list[str], first: str | None, second: str | None) -> tuple[str, str]:
    """The names of the two questions that are meant."""
    for name in (first, second):
        if name is not None and name not in known:
            raise InvalidInput(f"question {name!r} must be one of {', '.join(known)}")
    one = first if first is not None else next(name for name in known if name != second)
    two = second if second is not None else next(name for name in known if name != one)
    if one == two:
        raise InvalidInput(f"--first and --second must be two different questions, not {one!r} twice")
    return one, two


def _of_form(
    form: Form, files: list[str], first: str | None, second: str | None, options: dict[str, Any], rng: Any
) -> Crosstab:
    from ...analysis.tables.crosstab import crosstab
    from ...estimation.results.intervals import check_confidence
    from ...files.sources import source_of
    from ...questionnaires.reading import read_form_surveys
    from ...wire.form import EACH, ONE
    from ..form_commands import without

    if form.strategy == ONE:
        raise InvalidInput(
            'a form that asks one question at random tells nothing of two answers together; ask "each" or "together"'
        )
    without(column=options["column"], question=options["question"])
    check_confidence(options["confidence"])
    names = _two(list(form.names), first, second)
    sources = [source_of(file, delimiter=options["delimiter"]) for file in files]
    labels = list(dict(options["only"]))
    surveys = read_form_surveys(form, sources, labels=labels, **sample_of(options))
    surveys = {name: people_of(survey, options["only"]) for name, survey in surveys.items()}
    if form.strategy == EACH:
        return crosstab(surveys[names[0]], surveys[names[1]], names=names, rng=rng)
    (survey,) = surveys.values()
    places = form.names.index(names[0]), form.names.index(names[1])
    return crosstab(survey, questions=places, names=names, rng=rng)


def _given(result: Crosstab, question: str, answer: str) -> Any:
    short = {name.removeprefix("question "): name for name in result.names}
    name = short.get(question, question)
    if name not in result.names:
        raise InvalidInput(f"--given {question!r} must be one of the two questions: {', '.join(short)}")
    side = result.names.index(name)
    values = Domain(result.values[side])
    value = value_of(values, answer)
    return result.given(first=value) if side == 0 else result.given(second=value)
