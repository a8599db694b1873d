"""The command line: one thin file per command, loaded when it is called."""

from .group import main

__all__ = ["main"]
