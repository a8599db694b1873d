"""`discreet verify`: the certificate of a mechanism."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ...core import tables
from ...core.errors import PrivacyViolation
from ...core.exact import text_of
from ...core.numbers import NumberDomain
from .. import form_commands
from ..choosing import read_either
from ..options import json_option

if TYPE_CHECKING:
    from ...mechanisms.mechanism import Mechanism


@click.command()
@click.argument("spec")
@json_option
def command(spec: str, as_json: bool) -> None:
    """Prove that the mechanism of SPEC satisfies its context.

    SPEC is a .toml or .json file. Every pair of values is covered, by exact integers; a mechanism that
    fails is refused with exit code 2.
    """
    from ...wire.form import Form

    document = read_either(spec)
    try:
        if isinstance(document, Form):
            form_commands.verify(document, as_json=as_json)
            return
        mechanism = document.mechanism
    except PrivacyViolation as problem:
        if as_json:
            click.echo(json.dumps({"ok": False, "reason": str(problem)}))
        raise
    if mechanism.context.smallest == 0:
        click.echo("discreet: E is 0 for two values: no number of reports will tell their shares apart", err=True)
    certificate = mechanism.certificate
    result = certificate_data(mechanism)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    rows = {
        "context": repr(mechanism.context),
        "mechanism": f"{mechanism.name}, {mechanism.bits} bits per report",
        "tightest": f"{certificate.x!r} against {certificate.z!r}",
        "claimed": claimed_text(result["claimed"]),
        "realised": f"{certificate.realised:.15g}",
        "gap": "inf" if result["gap"] is None else f"{result['gap']:.2g}",
        "outputs": str(result["outputs"]),
        "fingerprint": str(certificate.fingerprint),
    }
    rows |= _of_numbers(mechanism)
    rows["ok"] = "realised <= claimed for every pair, decided with integers"
    click.echo(tables.text([("", "s"), ("", "s")], rows.items()))


def _of_numbers(mechanism: Mechanism) -> dict[str, str]:
    """What is promised for numbers, and what becomes of those between two nodes or beyond the bounds."""
    domain, bounds = mechanism.context.domain, mechanism.context.number_bounds
    if not isinstance(domain, NumberDomain):
        return {}
    rounded = f"{domain.scale_rule}, {domain.rounding} to one of {domain.nodes}, {text_of(domain.step)} apart"
    rows = {
        "numbers": rounded.replace("at random", "rounded at random").replace("nearest to", "rounded to the nearest")
    }
    if domain.counted:
        rows["beyond"] = domain.counted[0].lower() + domain.counted[1:-1]
    unit = "" if bounds is None or bounds.a_unit is None else f"{text_of(bounds.a_unit)} times their distance, and "
    return rows | {"two numbers": f"epsilon at most {unit}{text_of(mechanism.context.largest)}"}


def certificate_data(mechanism: Mechanism) -> dict[str, Any]:
    """The certificate of a mechanism as plain data."""
    outputs = mechanism.certificate.outputs
    exact = outputs < 1 << 53  # the largest whole number that JSON holds for certain
    shown = outputs if exact else f"at most 2**{(outputs - 1).bit_length()}"
    data = mechanism.certificate.as_dict() | {"outputs": shown}
    if (bounds := mechanism.context.number_bounds) is not None:
        unit = None if bounds.a_unit is None else text_of(bounds.a_unit)
        data["numbers"] = {"largest": text_of(bounds.largest), "a_unit": unit}
    return data


def claimed_text(epsilon: float | None) -> str:
    """A claimed epsilon as it is printed; None is infinite."""
    return "inf" if epsilon is None else f"{epsilon:.15g}"
