"""The `discreet` command: a registry of commands, and how errors end them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from ..core.errors import DiscreetError

COMMANDS = {
    "init": ("before", "Write a first questionnaire or spec."),
    "xlsform": ("before", "XLSForms of ODK and KoboToolbox as questionnaires, and back."),
    "gallery": ("before", "Natural contexts to start from, as specs."),
    "verify": ("before", "Prove that a mechanism satisfies its context."),
    "resolve": ("before", "Pin the mechanism of a spec for good."),
    "design": ("before", "Search for the best mechanism of any context."),
    "law": ("before", "Publish the law that reports are drawn by."),
    "vectors": ("before", "Write what every client must draw from given words."),
    "answer": ("collecting", "Answer a collection: the report is drawn here."),
    "ledger": ("collecting", "What your answers have spent."),
    "randomize": ("collecting", "Turn values into reports."),
    "tally": ("collecting", "Count reports and merge tallies."),
    "estimate": ("after", "Shares with error bars from a tally."),
    "compare": ("after", "Differences between groups of people or waves."),
    "regress": ("after", "Explain a randomized answer by public labels."),
    "crosstab": ("after", "The joint table of two answers."),
    "goodness-of-fit": ("after", "Could these reports come from this law?"),
    "noncompliance": ("after", "What people who do not follow the instructions would change."),
    "release": ("after", "A report of the shares, to be published."),
    "plan": ("before", "The error to expect, or the people needed, before collecting."),
    "bounds": ("before", "What no mechanism can beat."),
    "exposure": ("before", "What one report tells of the person who sent it."),
    "repeated": ("before", "What many reports of one person give away."),
    "shuffled": ("before", "What a batch gives away without who sent what."),
    "audit": ("before", "Attack a mechanism as a black box."),
    "serve": ("collecting", "Collect reports over HTTP."),
    "collect": ("collecting", "Make a collection of a questionnaire, and print its links."),
    "restore": ("collecting", "Make a collector's store of a copy of it."),
    "invite": ("collecting", "Links with invitations for a list of people."),
    "simulate": ("collecting", "Send simulated people to a collector."),
    "spark": ("collecting", "Randomize and tally on a cluster."),
    "papers": ("before", "Figures and tables of the papers, made again."),
}
"""Every command: the folder of its file, which holds it as `command` (a-name in FOLDER/a_name.py), and its purpose."""

EXIT_BAD_INPUT = 2
"""The exit code of everything a user can put right."""


class Commands(click.Group):
    """A group that imports a command's file only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        folder, _ = COMMANDS[name]
        command: click.Command = import_module(f"discreet.cli.{folder}.{name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command and leave: 0 when it worked, 2 with one line on standard error when the input is bad.

        A reader who closes the pipe early ends it quietly with 1, which click sees to.
        """
        extra["standalone_mode"] = False
        try:
            status = super().main(args, prog_name or "discreet", **extra)
            sys.exit(status if isinstance(status, int) else 0)
        except click.UsageError as problem:
            where = problem.ctx.command_path if problem.ctx else "discreet"
            said = problem.format_message()
            _fail(f"{said}{'' if said.endswith(('.', '?', '!', '?)')) else '.'} Try '{where} --help'.")
        except click.ClickException as problem:
            _fail(problem.format_message())
        except click.Abort:
            click.echo("discreet: stopped", err=True)
            sys.exit(130)
        except DiscreetError as problem:
            _fail(str(problem))
        except OSError as problem:
            _fail(f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem))


def _fail(message: str) -> NoReturn:
    click.echo(f"discreet: {' '.join(message.splitlines())}", err=True)
    sys.exit(EXIT_BAD_INPUT)


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from .. import __version__

        click.echo(f"discreet {__version__}")
        ctx.exit()


@click.group(
    "discreet",
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Say the version.")
@click.option("--limits", metavar="NAME=N,...", help="Raise what a spec may ask for, such as values=10000000.")
@click.pass_context
def main(ctx: click.Context, limits: str | None) -> None:
    """Discrete distributions, discreetly.

    People randomize their own value before it leaves them, with protection placed where it matters;
    the collector learns the distribution, with error bars.

    \b
        discreet init survey.toml
        discreet verify survey.toml
        discreet randomize survey.toml answers.csv --column district -o reports.txt
        discreet tally survey.toml reports.txt -o tally.json
        discreet estimate survey.toml tally.json

    Files may be Parquet, Arrow, text lines, CSV, TSV or JSON lines (also .gz, .zst), folders of
    these, or quoted patterns; "-" is a pipe.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    if limits is not None:
        from ..core.limits import raised

        ctx.with_resource(raised(**_named_numbers(limits)))


def _named_numbers(text: str) -> dict[str, int]:
    """The numbers in ``NAME=N,NAME=N``."""
    numbers = {}
    for entry in text.split(","):
        name, _, number = entry.partition("=")
        if not (number.isascii() and number.isdigit() and len(number) <= 18):
            raise click.UsageError(f"--limits {entry!r} must be a name and a whole number, such as values=10000000")
        numbers[name] = int(number)
    return numbers
