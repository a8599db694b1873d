"""`discreet papers`: the papers' figures and tables reproduced, and ours on the same data."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ...core import tables
from ...core.errors import MissingExtra
from ...papers import EXPERIMENTS, Experiment, find
from ...plots.picture import KINDS
from ..options import json_option


@click.command()
@click.argument("name", required=False)
@click.option("--full", is_flag=True, help="At least as many repetitions as in the papers.")
@click.option("--runs", type=click.IntRange(1), help="Number of repetitions, instead of the default.")
@click.option("-o", "--output", type=click.Path(file_okay=False), help="Folder for pages, tables and pictures.")
@click.option(
    "--format",
    "formats",
    type=click.Choice(KINDS),
    multiple=True,
    default=KINDS,
    help="Format of the pictures, as often as wanted; all three unless given. SVG and PDF are drawn at any size, PNG "
    "at 200 dots per inch.",
)
@click.option(
    "--gowalla",
    type=click.Path(exists=True, dir_okay=False),
    help="The public check-in file of SNAP, loc-gowalla_totalCheckins.txt (or .gz). Without it a stand-in is used, and "
    "the tables and pictures say which.",
)
@click.option("--workers", type=click.IntRange(1), help="Number of processes; one per core unless given.")
@json_option
def command(
    name: str | None, output: str | None, formats: tuple[str, ...], gowalla: str | None, as_json: bool, **how: Any
) -> None:
    """Reproduce a figure or table of the papers, beside the printed one.

    NAME is an experiment, a paper (acharya2020), or all; without it the experiments are listed. Everything is
    seeded, so the same numbers come out every time.
    """
    if name is None:
        click.echo(_listing())
        return
    from ...files.overwriting import check_outputs
    from ...papers.report import Setting

    chosen = find(name)
    if gowalla is not None and output is not None:
        check_outputs([file for one in chosen for file in Path(output).glob(f"{one.name}*")], [gowalla])
    setting = Setting(gowalla=None if gowalla is None else Path(gowalla), **how)
    if setting.gowalla is not None:
        from ...papers.data import check_ins

        check_ins(setting)  # a malformed file is refused before anything is written
    if setting.runs is None:
        click.echo(_forecast(chosen, setting.full), err=True)
    begun = time.perf_counter()
    reports = []
    for experiment in chosen:
        try:
            report = experiment.run(setting)
        except MissingExtra as absent:
            if len(chosen) == 1:
                raise
            click.echo(f"{experiment.name}: not run: {absent}", err=True)
            continue
        if as_json:
            reports.append(report.as_dict())
        else:
            click.echo(f"{report.text()}\n")
        if output is not None:
            echo_saved(*report.save(Path(output), formats))
    if as_json:
        click.echo(json.dumps(reports, ensure_ascii=False))
    click.echo(f"took {time.perf_counter() - begun:.0f} s", err=True)


def echo_saved(written: Sequence[Path], missing: str) -> None:
    """Say on standard error which files were written, and why a picture was not."""
    click.echo("\n".join(f"wrote {path}" for path in written), err=True)
    if missing:
        click.echo(f"no picture: {missing}", err=True)


def _listing() -> str:
    columns = [("experiment", "s"), ("short", ""), ("full", ""), ("shows", "s")]
    listed = tables.text(columns, [(e.name, f"{e.short} s", f"{e.full} s", e.title) for e in EXPERIMENTS])
    return "\n".join([listed, "Seconds on two free cores. discreet papers all -o papers-out makes them all."])


def _forecast(chosen: tuple[Experiment, ...], full: bool) -> str:
    seconds = sum(e.full if full else e.short for e in chosen)
    span = f"{seconds} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
    return f"about {span} on two free cores{'' if full else '; --full has more repetitions'}"
