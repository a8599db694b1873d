"""What the commands do with a form of several questions in place of the spec of one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..analysis.survey.survey import Survey
    from ..files.sources import Source
    from ..questionnaires.form import Form
    from ..questionnaires.tally import FormTally


def without(**options: Any) -> None:
    """Raise an error if one of these options, which say nothing of a form, is given."""
    from ..core.errors import InvalidInput

    for name, given in options.items():
        if given:
            raise InvalidInput(f"--{name.replace('_', '-')} must be left out for a form of several questions")


def randomize(form: Form, sources: Sequence[Source], out: str, rng: Any, **how: Any) -> tuple[int, int]:
    """Write the reports of the people in files; how many there were, and how many were left out."""
    from ..core.errors import UnknownValue
    from ..questionnaires.writing import randomize_form

    try:
        return randomize_form(form, sources, out, rng, **how)
    except UnknownValue as problem:
        raise UnknownValue(f"{problem} (see --unknown)") from None


def counted(form: Form, earlier: Sequence[str], sources: Sequence[Source], *, unmarked: bool) -> FormTally:
    """The reports in files, counted, with earlier tallies."""
    from ..questionnaires.reading import tally_form
    from ..questionnaires.tally import FormTally

    total = form.tally()
    for file in earlier:
        total += FormTally.read(file, form)
    return total + tally_form(form, sources, unmarked=unmarked)


def tally(
    form: Form, earlier: Sequence[str], sources: Sequence[Source], out: str, *, question: str | None, unmarked: bool
) -> None:
    """Count the reports in files, merge earlier tallies, and write the whole, or what it has of one question."""
    from ..estimation.tally import tally_text, write_tally
    from ..files.formats import PIPE

    part = None if question is None else part_of(form, question)
    total = counted(form, earlier, sources, unmarked=unmarked)
    if out == PIPE:
        click.echo(total.text if part is None else tally_text(total[part]), nl=False)
    elif part is None:
        total.write(out)
    else:
        write_tally(total[part], out)


def estimate(form: Form, path: str, *, confidence: float, as_json: bool, plot: str | None) -> None:
    """Print the shares of the answers to every question."""
    import sys

    from ..files.formats import PIPE, display_name
    from ..questionnaires.margins import margins
    from ..questionnaires.tally import FormTally
    from ..wire.spec import located
    from .survey_options import show

    if path == PIPE:
        with located(display_name(path)):
            counted = FormTally.parse(form, sys.stdin.buffer.read())
    else:
        counted = FormTally.read(path, form)
    show(margins(counted), confidence=confidence, as_json=as_json, plot=plot, title=form.name)


def survey(form: Form, question: str | None, sources: Sequence[Source], **read: Any) -> Survey:
    """The survey of one part of a form."""
    from ..questionnaires.reading import read_form_surveys

    part = part_of(form, question)
    return read_form_surveys(form, sources, **read)[part]


def part_of(form: Form, question: str | None) -> str:
    """The part of a form that --question names."""
    from ..core.errors import InvalidInput

    if question not in form.parts:
        given = "is missing; it" if question is None else repr(question)
        raise InvalidInput(f"--question {given} must be one of {', '.join(form.parts)}")
    return question


def plan(form: Form, n: int, prior: str | None, *, as_json: bool, plot: str | None) -> None:
    """Print the strategies side by side."""
    from ..core.errors import InvalidInput
    from .before.plan import read_json

    shares = None if prior is None else read_json(prior)
    if shares is not None and not isinstance(shares, Mapping):
        raise InvalidInput(f"{prior}: must be an object with the assumed shares of each question by its name")
    if shares is not None:
        shares = {name: _by_value(form, name, given) for name, given in shares.items()}
    made = form.plan(n=n, prior=shares)
    if plot is not None:
        made.plot(plot, title=form.name)
    click.echo(json.dumps(made.to_dict(), ensure_ascii=False) if as_json else str(made))


def _by_value(form: Form, name: str, given: Any) -> Any:
    """Assumed shares of a question by value, where JSON has values as text only."""
    if not isinstance(given, Mapping) or name not in form.questions:
        return given
    values = form.questions[name].context.domain
    return {values[values.index_of_text(text)]: share for text, share in given.items()}


def verify(form: Form, *, as_json: bool) -> None:
    """Print the certificate of every part, and what the whole form promises."""
    from ..core import tables
    from ..core.exact import text_of
    from ..questionnaires.form import ONE, STRATEGIES
    from .before.verify import certificate_data

    told = {part: certificate_data(mechanism) for part, mechanism in form.mechanisms.items()}
    if as_json:
        whole = {"ok": True, "strategy": form.strategy, "epsilon": text_of(form.largest), "parts": told}
        click.echo(json.dumps(whole | {"fingerprint": form.fingerprint}, ensure_ascii=False))
        return
    columns = [("", "s"), ("mechanism", "s"), ("claimed", "s"), ("realised", ".15g"), ("fingerprint", "s")]
    rows = [
        (part, one["mechanism"], _claimed(one["claimed"]), one["realised"], one["fingerprint"][:12])
        for part, one in told.items()
    ]
    click.echo(tables.text(columns, rows))
    adds = "the largest of its questions" if form.strategy == ONE else "the sum of its parts"
    click.echo(f"- {form.strategy}: {STRATEGIES[form.strategy]}")
    click.echo(f"- any two people: epsilon at most {text_of(form.largest)}, {adds}")
    click.echo("- realised <= claimed for every pair of values of every part, decided with integers")
    click.echo(f"- fingerprint {form.fingerprint}")


def _claimed(epsilon: float | None) -> str:
    return "inf" if epsilon is None else f"{epsilon:.15g}"
