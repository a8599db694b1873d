"""`discreet goodness-of-fit`: could these reports come from this law?"""

from __future__ import annotations

from typing import Any

import click

from ..options import counting_options, read_counts, show


@click.command()
@click.argument("spec")
@click.argument("files", nargs=-1)
@counting_options
def command(spec: str, files: tuple[str, ...], **options: Any) -> None:
    """Test whether the reports or tallies in FILES can come from the law of SPEC.

    Three tests: whether shares add up to 1, whether one is far below 0, and whether the counts of all reports are
    those of some shares. Which of them exist depends on the mechanism, and the answer says which do not, and why. A low
    p-value speaks of bots, faults, or people who send what they like; a high one does not say that all were honest.
    """
    from ...analysis.diagnostics.goodness_of_fit import goodness_of_fit

    show(goodness_of_fit(read_counts(spec, files, options)), **options)
