"""`discreet exposure`: what one report tells of the person who sent it."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("spec")
@click.option(
    "--prior",
    metavar="FILE",
    help="The shares that somebody assumes, a JSON list in the order of the values or {value: share}; even ones unless "
    "given.",
)
@click.option("--value", metavar="VALUE", help="Say in words what to tell a person who holds this value.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", metavar="FILE.png", help="Draw what a report makes of each share (needs the plot extra).")
def command(spec: str, prior: str | None, value: str | None, as_json: bool, plot: str | None) -> None:
    """Say what one report of SPEC tells somebody who knows who sent it, and assumes some shares beforehand.

    Low and high are the least and the greatest share of a value among those who send the same report; a report points
    to a value if it is likelier from somebody who holds it.
    """
    from ...leakage.single_report import exposure
    from ..choosing import read_spec
    from .plan import read_prior

    mechanism = read_spec(spec, writes=[plot], reads=[prior]).mechanism
    domain = mechanism.context.domain
    made = exposure(mechanism, prior=None if prior is None else read_prior(prior, domain))
    if plot is not None:
        from ...plots import plot_exposure

        plot_exposure(made, plot)
    if value is not None:
        lines = made.sentences(domain[domain.index_of_text(value)])
        click.echo(
            json.dumps({"value": value, "sentences": lines}, ensure_ascii=False) if as_json else "\n".join(lines)
        )
        return
    click.echo(json.dumps(made.as_dict(), ensure_ascii=False) if as_json else str(made))
