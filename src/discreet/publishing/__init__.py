"""Release reports: one file that says what was asked, promised and found, made to be published."""

from .form_release import FormRelease, release_form
from .release_report import Release, release

__all__ = ["FormRelease", "Release", "release", "release_form"]
