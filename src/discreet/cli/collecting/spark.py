"""`discreet spark`: records on a cluster in, one tally out; also a job file for spark-submit."""

from __future__ import annotations

import sys
from typing import Any

import click


@click.command()
@click.argument("spec")
@click.argument("inputs", nargs=-1, required=True)
@click.option("--column", required=True, help="The column that holds the value.")
@click.option("--record-id", required=True, help="The column in which every record has its own number or name.")
@click.option("--key-file", required=True, help="A local file of at least 16 secret bytes.")
@click.option("-o", "--out", default="-", help="The tally file to write; '-' prints it.")
@click.option("--reports", metavar="FOLDER", help="Also keep the reports, as Parquet in a new folder.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column to keep beside the reports; may be repeated.")
@click.option("--collection", metavar="NAME", help="Sets apart columns and waves under one key; the column's name.")
@click.option("--unknown", default="error", type=click.Choice(["error", "drop"]), help="What to do with other values.")
@click.option("--format", "form", metavar="NAME", help="How Spark reads INPUTS; by their names, else parquet.")
@click.option("--master", metavar="URL", help="Where to run, such as spark://host:7077 or local[2].")
def command(
    spec: str,
    inputs: tuple[str, ...],
    column: str,
    key_file: str,
    out: str,
    reports: str | None,
    form: str | None,
    master: str | None,
    **how: Any,
) -> None:
    """Randomize and tally the records in INPUTS on a Spark cluster.

    INPUTS are what Spark can read: files or folders of Parquet, ORC, CSV with a header, or JSON lines, here or
    on a shared store. A record that is worked out twice gives the same report: its randomness is a function of
    the key, the record id and the value. Keep the key secret, and for as long as records may be added.

    \b
        head -c 32 /dev/urandom > key
        discreet spark survey.toml answers.parquet --column place --record-id person --key-file key \\
            --master 'local[2]' -o tally.json
    """
    from pathlib import Path

    from ...bulk import spark
    from ...core.errors import InvalidInput
    from ...estimation.tally import tally_text, write_tally
    from ..choosing import read_spec

    if how["keep"] and reports is None:
        raise InvalidInput("--keep needs --reports: a tally has no other columns")
    mechanism = read_spec(spec, writes=[out, reports], reads=[*inputs, key_file]).mechanism
    key = Path(key_file).read_bytes()
    session = spark.session(master=master, name="discreet spark")
    try:
        session.sparkContext.setLogLevel("ERROR")
        records = spark.read(session, inputs, form=form)
        randomized = spark.randomize(records, mechanism, column, key=key, **how)
        if reports is not None:
            randomized = spark.stored(randomized, reports)
        total = spark.tally(randomized, mechanism)
        if how["unknown"] == "drop":
            seen = records.count()
            left = seen - total.n
            click.echo(f"discreet: {left} of {seen} values are null or outside the domain; left out", err=True)
    finally:
        session.stop()
    if out == "-":
        click.echo(tally_text(total), nl=False)
    else:
        write_tally(total, out)


if __name__ == "__main__":  # spark-submit runs files, not modules
    from discreet.cli import main

    main(["spark", *sys.argv[1:]])
