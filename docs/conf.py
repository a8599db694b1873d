import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "discreet"
copyright = "the discreet authors"
version = release = installed_version("discreet")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "formulas",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = False
smartquotes = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_member_order = "bysource"

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "discreet"
