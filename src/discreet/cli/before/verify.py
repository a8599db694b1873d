"""`discreet verify`: the certificate of a mechanism."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ...mechanisms.mechanism import Mechanism


@click.command()
@click.argument("spec")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(spec: str, as_json: bool) -> None:
    """Prove that the mechanism of SPEC satisfies its context.

    SPEC is a .toml or .json file. Every pair of values is covered, by exact integers; a mechanism that
    fails is refused with exit code 2.
    """
    from ...core import tables
    from ...core.errors import PrivacyViolation
    from ...questionnaires.form import Form
    from .. import form_commands
    from ..choosing import read_either

    wanted = read_either(spec)
    try:
        if isinstance(wanted, Form):
            form_commands.verify(wanted, as_json=as_json)
            return
        mechanism = wanted.mechanism
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
        "claimed": "inf" if result["claimed"] is None else f"{result['claimed']:.15g}",
        "realised": f"{certificate.realised:.15g}",
        "gap": "inf" if result["gap"] is None else f"{result['gap']:.2g}",
        "outputs": str(result["outputs"]),
        "fingerprint": str(certificate.fingerprint),
    }
    rows["ok"] = "realised <= claimed for every pair, decided with integers"
    click.echo(tables.text([("", "s"), ("", "s")], rows.items()))


def certificate_data(mechanism: Mechanism) -> dict[str, Any]:
    """The certificate of a mechanism as plain data."""
    certificate = mechanism.certificate
    return certificate.as_dict() | {"outputs": _outputs(certificate.outputs)}


def _outputs(outputs: int) -> int | str:
    """The number of reports, as a power of two if JSON numbers cannot hold it."""
    return outputs if outputs < 1 << 53 else f"at most 2**{(outputs - 1).bit_length()}"
