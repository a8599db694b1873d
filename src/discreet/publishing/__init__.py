"""Release reports: one file that says what was asked, promised and found, made to be published."""

from .release_report import Release, release

__all__ = ["Release", "release"]
