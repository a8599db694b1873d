"""Outputs that would destroy an input, found before anything is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from ..core.errors import InvalidInput
from .formats import PIPE

Name: TypeAlias = str | Path


def check_outputs(outputs: Iterable[Name | None], inputs: Iterable[Name | None]) -> None:
    """Raise an error if an output is one of the inputs, under whatever name, or two outputs are one file.

    None stands for what is not asked for.
    Links of both kinds and other spellings are seen through, and so are standard input and output that are files.
    """
    read = [name for name in inputs if name is not None]
    written: list[Name] = []
    for output in outputs:
        if output is None:
            continue
        for name in read:
            if _same(output, name, reading=True):
                shown = "standard output" if str(output) == PIPE else str(output)
                raise InvalidInput(f"{shown}: is also read, as {name}; write to another file")
        for name in written:
            if _same(output, name, reading=False):
                raise InvalidInput(f"{output}: is to be written twice")
        written.append(output)


def _same(output: Name, other: Name, *, reading: bool) -> bool:
    """True if both are one file or folder; writing to a device that is read, or twice, does no harm."""
    one, two = _status(output, 1), _status(other, 0 if reading else 1)
    if one is None or two is None:
        return one is two and os.path.realpath(output) == os.path.realpath(other)
    return os.path.samestat(one, two) and (stat.S_ISREG(one.st_mode) or stat.S_ISDIR(one.st_mode))


def _status(name: Name, pipe: int) -> os.stat_result | None:
    """What the system says of a file, or of standard input or output; None if there is no such thing."""
    with suppress(OSError, ValueError):
        return os.fstat(pipe) if str(name) == PIPE else os.stat(name)
    return None
