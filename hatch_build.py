"""Refuse to build a distribution without the built pages, which are not committed: its collector would show nothing."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MADE = Path("src", "discreet", "collector", "pages", "made")
WITHOUT = "DISCREET_WITHOUT_PAGES"


class PagesHook(BuildHookInterface[Any]):
    """Runs before every wheel and source distribution; an editable install may come first."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stop if the pages are missing, unless the environment says that they are not needed."""
        if version == "editable" or Path(self.root, MADE, ".done").exists() or os.environ.get(WITHOUT):
            return
        raise RuntimeError(
            f"{MADE} is missing: run `make pages` first, or set {WITHOUT}=1 for a library whose collector has no pages"
        )
