"""`discreet exposure`: what one report tells of the person who sent it."""

from __future__ import annotations

import json

import click

from ..choosing import read_spec
from ..options import json_option, plot_option, read_prior, value_of


@click.command()
@click.argument("spec")
@click.option(
    "--prior",
    metavar="FILE",
    help="The shares that somebody assumes, a JSON list in the order of the values or {value: share}; even ones unless "
    "given.",
)
@click.option("--value", metavar="VALUE", help="Say in words what to tell a person who holds this value.")
@json_option
@plot_option("what a report makes of each share")
def command(spec: str, prior: str | None, value: str | None, as_json: bool, plot: str | None) -> None:
    """Say what one report of SPEC tells somebody who knows who sent it, and assumes some shares beforehand.

    Low and high are the least and the greatest share of a value among those who send the same report; a report points
    to a value if it is likelier from somebody who holds it.
    """
    from ...leakage.single_report import exposure

    mechanism = read_spec(spec, writes=[plot], reads=[prior]).mechanism
    domain = mechanism.context.domain
    posterior = exposure(mechanism, prior=read_prior(prior, domain))
    if plot is not None:
        from ...plots import plot_exposure

        plot_exposure(posterior, plot)
    if value is not None:
        lines = posterior.sentences(value_of(domain, value))
        text, data = "\n".join(lines), {"value": value, "sentences": lines}
    else:
        text, data = str(posterior), posterior.as_dict()
    click.echo(json.dumps(data, ensure_ascii=False) if as_json else text)
