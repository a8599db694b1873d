import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "discreet"
copyright = "the discreet authors"
version = release = installed_version("discreet")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_click",
    "drawn",
    "notebook_files",
    "formulas",
]
source_suffix = {".md": "myst-nb", ".py": "myst-nb"}
include_patterns = ["index.md", "*/**/*.md", "*/*.md", "notebooks/*.py"]
exclude_patterns = ["_build"]
nitpicky = False
smartquotes = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Notebooks are Python files in the percent format of jupytext; all of them are run, and an error ends the build.
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

copybutton_exclude = ".linenos, .gp, .go"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"discreet {release}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
