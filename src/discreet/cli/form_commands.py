"""What the commands do with a form of several questions in place of the spec of one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..core import tables
from ..core.errors import InvalidInput
from ..core.exact import text_of

if TYPE_CHECKING:
    from ..files.sources import FileSource
    from ..questionnaires.questions import AskedQuestion
    from ..questionnaires.tally import FormTally
    from ..wire.form import Form


def without(**options: Any) -> None:
    """Raise an error if one of these options, which say nothing of a form, is given."""
    for name, given in options.items():
        if given:
            raise InvalidInput(f"--{name.replace('_', '-')} must be left out for a form of several questions")


def count(form: Form, earlier: Sequence[str], sources: Sequence[FileSource], *, unmarked: bool) -> FormTally:
    """The tally of the reports in files and of earlier tallies."""
    from ..questionnaires.reading import tally_form
    from ..questionnaires.tally import FormTally

    total = form.tally()
    for file in earlier:
        total += FormTally.read(file, form)
    return total + tally_form(form, sources, unmarked=unmarked)


def tally(
    form: Form, earlier: Sequence[str], sources: Sequence[FileSource], out: str, *, question: str | None, unmarked: bool
) -> None:
    """Count the reports in files, merge earlier tallies, and write the whole, or what it has of one question."""
    from ..estimation.tally import tally_text, write_tally
    from ..files.formats import PIPE

    part = None if question is None else part_of(form, question)
    from .options import note_insecure

    total = count(form, earlier, sources, unmarked=unmarked)
    note_insecure(total.values())
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
    from .options import note_insecure, show

    if path == PIPE:
        with located(display_name(path)):
            counts = FormTally.parse(form, sys.stdin.buffer.read())
    else:
        counts = FormTally.read(path, form)
    note_insecure(counts.values())
    show(margins(counts), confidence=confidence, as_json=as_json, plot=plot, title=form.name)


def part_of(form: Form, question: str | None, *, option: str = "--question") -> str:
    """The part of a form that --question, or another option, names."""
    if question not in form.parts:
        given = "is missing; it" if question is None else repr(question)
        raise InvalidInput(f"{option} {given} must be one of {', '.join(form.parts)}")
    return question


def question_of(form: Form, name: str | None, *, option: str = "--question") -> AskedQuestion:
    """The question of a form that an option names, or the part; answers to a question may be parts of values."""
    from ..questionnaires.questions import asked_question

    known = list(dict.fromkeys((*form.names, *form.parts)))
    if name not in known:
        given = "is missing; it" if name is None else repr(name)
        raise InvalidInput(f"{option} {given} must be one of {', '.join(known)}")
    return asked_question(form, str(name))


def plan(form: Form, n: int, prior: str | None, *, as_json: bool, plot: str | None) -> None:
    """Print the strategies side by side."""
    from .options import read_json, value_of

    shares = None if prior is None else read_json(prior)
    if shares is not None:
        if not isinstance(shares, dict):
            raise InvalidInput(f"{prior}: must be an object with the assumed shares of each question by its name")
        for name, given in shares.items():  # JSON has values as text only
            if isinstance(given, Mapping) and name in form.questions:
                values = form.questions[name].context.domain
                shares[name] = {value_of(values, text): share for text, share in given.items()}
    planned = form.plan(n=n, prior=shares)
    if plot is not None:
        planned.plot(plot, title=form.name)
    click.echo(json.dumps(planned.to_dict(), ensure_ascii=False) if as_json else str(planned))


def verify(form: Form, *, as_json: bool) -> None:
    """Print the certificate of every part, and what the whole form promises."""
    from ..wire.form import ONE, STRATEGIES
    from .before.verify import certificate_data, claimed_text

    proofs = {part: certificate_data(mechanism) for part, mechanism in form.mechanisms.items()}
    if as_json:
        whole = {"ok": True, "strategy": form.strategy, "epsilon": text_of(form.largest), "parts": proofs}
        click.echo(json.dumps(whole | {"fingerprint": form.fingerprint}, ensure_ascii=False))
        return
    columns = [("", "s"), ("mechanism", "s"), ("claimed", "s"), ("realised", ".15g"), ("fingerprint", "s")]
    rows = [
        (part, one["mechanism"], claimed_text(one["claimed"]), one["realised"], one["fingerprint"][:12])
        for part, one in proofs.items()
    ]
    click.echo(tables.text(columns, rows))
    adds = "the largest of its questions" if form.strategy == ONE else "the sum of its parts"
    click.echo(f"- {form.strategy}: {STRATEGIES[form.strategy]}")
    if text_of(form.largest) == "inf":
        click.echo("- any two people: no limit, since some answers are not hidden from some others")
    else:
        click.echo(f"- any two people: epsilon at most {text_of(form.largest)}, {adds}")
    click.echo("- claimed and realised are those of the pair of answers that comes closest to its limit")
    click.echo("- realised <= claimed for every pair of values of every part, decided with integers")
    click.echo(f"- fingerprint {form.fingerprint}")
