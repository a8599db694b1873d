"""`discreet audit`: attack a mechanism, or any program, as a black box."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..choosing import read_spec
from ..options import json_option, value_of

EXIT_BREACH = 1
"""The exit code when the claim is refuted."""


@click.command()
@click.argument("spec", required=False)
@click.option(
    "--command", "program", metavar="LINE", help="Audit this program: one value per line in, one report per line out."
)
@click.option("--values", metavar="A,B,...", help="With --command and without SPEC: the values.")
@click.option("--epsilon", metavar="E", help="With --values: the epsilon that is claimed for every pair of them.")
@click.option("--samples", type=click.IntRange(min=600), default=100_000, show_default=True, help="Reports per value.")
@click.option("--confidence", type=float, default=1 - 1e-6, show_default=True, help="Joint confidence of all bounds.")
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="X Z", help="Audit this pair (may be repeated).")
@click.option("--insecure-seed", type=int, metavar="N", help="Reproducible reports of the mechanism.")
@json_option
def command(
    spec: str | None,
    program: str | None,
    values: str | None,
    epsilon: str | None,
    pairs: tuple[tuple[str, str], ...],
    insecure_seed: int | None,
    as_json: bool,
    **how: Any,
) -> int:
    """Bound the epsilon of a mechanism from below by what its reports give away.

    SPEC is a .toml or .json file: its mechanism is audited, on packed bytes, or with --command a program that
    claims its context. Half of the reports serve to find what tells two values apart, the other half to bound
    it. Exits with code 1 if some pair can be told apart more than E allows, at the stated confidence.
    """
    from ...auditing import audit
    from ...bulk.words import secure, seeded
    from ...contexts import Context
    from ...wire import Spec

    if spec is None and (program is None or values is None or epsilon is None):
        raise click.UsageError("give SPEC, or --command with --values and --epsilon")
    if spec is not None and (values is not None or epsilon is not None):
        raise click.UsageError("--values and --epsilon cannot be used with SPEC, which gives both")
    read = None if spec is None else read_spec(spec) if program is None else Spec.read(spec)
    context = read.context if read is not None else Context.uniform(str(values).split(","), str(epsilon))
    subject: Any = program if program is not None or read is None else read.mechanism
    domain = context.domain
    chosen = [(value_of(domain, x), value_of(domain, z)) for x, z in pairs] or None
    rng = secure() if insecure_seed is None else seeded(insecure_seed)
    with _progress() as advance:
        result = audit(subject, context=context, pairs=chosen, progress=advance, rng=rng, **how)
    click.echo(json.dumps(result.as_dict(), ensure_ascii=False) if as_json else str(result))
    return EXIT_BREACH if result.breach else 0


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A callback that takes how many are done, and of how many; shown on standard error, if that is a terminal."""
    from tqdm import tqdm

    with tqdm(unit=" reports", unit_scale=True, leave=False, disable=not sys.stderr.isatty()) as bar:

        def advance(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield advance
