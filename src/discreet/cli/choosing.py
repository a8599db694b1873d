"""The spec of a command: a mechanism left to "auto" is chosen once, named on standard error, and remembered."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

import click

from ..core.errors import InvalidSpec
from . import remembered

if TYPE_CHECKING:
    from ..planning.explanation import Explanation
    from ..wire import Spec
    from ..wire.form import Form


def read_spec(
    path: str, *, quiet: bool = False, writes: Sequence[str | None] = (), reads: Sequence[str | None] = ()
) -> Spec:
    """The spec in a file, with its mechanism chosen; an error if the command would write over what it reads."""
    from ..files.overwriting import check_outputs
    from ..wire.form import Form, read_spec_or_form
    from ..wire.spec import SEVERAL

    spec = read_spec_or_form(path)
    if isinstance(spec, Form):
        raise InvalidSpec(f"{path}: {SEVERAL}")
    check_outputs(writes, [*spec.files, *reads])
    return settle(spec, quiet=quiet)


def read_either(
    path: str, *, quiet: bool = False, writes: Sequence[str | None] = (), reads: Sequence[str | None] = ()
) -> Spec | Form:
    """The spec of one question, or the form of several, in a file, with mechanisms chosen as by `read_spec`."""
    from ..files.overwriting import check_outputs
    from ..wire.form import Form, read_spec_or_form

    document = read_spec_or_form(path)
    check_outputs(writes, [*document.files, *reads])
    return settle_form(document, quiet=quiet) if isinstance(document, Form) else settle(document, quiet=quiet)


def settle_form(form: Form, *, quiet: bool = False) -> Form:
    """The form with the mechanism of every part chosen; see `settle`."""
    return form.with_parts({part: settle(spec, quiet=quiet) for part, spec in form.parts.items()})


def settle(spec: Spec, *, quiet: bool = False) -> Spec:
    """The spec with its mechanism chosen: by an earlier comparison that is remembered, or else by a new one."""
    if not spec.is_auto:
        return spec
    known = remembered.recall(spec)
    return spec.with_mechanism(known if known is not None else compare(spec, quiet=quiet).chosen)


def compare(spec: Spec, *, quiet: bool = False) -> Explanation:
    """The comparison of mechanisms that a spec asks for; the choice is remembered, and printed unless `quiet`."""
    began = perf_counter()
    explanation = spec.compare()
    took = perf_counter() - began
    if not quiet:
        of = len(explanation.candidates)
        among = f"{of} candidate{'s' if of > 1 else ''} in {took:.1f} s"
        click.echo(f"discreet: chose {explanation.chosen.name} of {among}; pin it with `discreet resolve`", err=True)
    remembered.remember(spec, explanation.chosen)
    return explanation
