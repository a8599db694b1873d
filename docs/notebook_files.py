"""Notebooks: each page offers its files, with and without output, and shows its drawings in both themes."""

from __future__ import annotations

import shutil
from pathlib import Path

from docutils import nodes
from drawn import figure_of_both_themes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

FOLDER = "notebooks"
EXECUTED = "jupyter_execute"
"""Where myst-nb puts notebooks that it has run: beside the folder of the pages."""


def offer_files(app: Sphinx, doctree: nodes.document) -> None:
    """Put links to both files of a notebook below its title."""
    folder, _, name = app.env.docname.rpartition("/")
    if folder != FOLDER:
        return
    line = nodes.paragraph(classes=["notebook-files"])
    line += nodes.Text("Take it along: ")
    for suffix, kind in ((".ipynb", ", with its output; "), (".py", ", which Jupyter opens if it has jupytext.")):
        link = addnodes.download_reference("", "", reftarget=name + suffix, refuri=name + suffix)
        link += nodes.literal(text=name + suffix)
        line += [link, nodes.Text(kind)]
    title = next(doctree.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, line)


def write_files(app: Sphinx, failure: Exception | None) -> None:
    """Put the files beside the pages that offer them."""
    if failure or app.builder.format != "html":
        return
    for source in sorted(Path(app.srcdir, FOLDER).glob("*.py")):
        executed = Path(app.outdir).parent / EXECUTED / FOLDER / f"{source.stem}.ipynb"
        for file in (source, executed):
            shutil.copyfile(file, Path(app.outdir, FOLDER, file.name))


class DrawingsOfBothThemes(SphinxPostTransform):
    """Drawings that a notebook has shown are drawn for the light and for the dark theme."""

    default_priority = 50  # after myst-nb has chosen among the forms of an output
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Replace every drawing."""
        if not self.env.docname.startswith(f"{FOLDER}/"):
            return
        for image in list(self.document.findall(nodes.image)):
            if image["uri"].endswith(".svg"):
                drawing = Path(self.env.srcdir, image["uri"])
                figure = nodes.figure(classes=["drawn"])
                figure += figure_of_both_themes(drawing=str(drawing), alt=image["alt"])
                image.replace_self(figure)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is done to the pages of notebooks."""
    app.connect("doctree-read", offer_files, priority=900)  # after files to download have been looked for
    app.connect("build-finished", write_files)
    app.add_post_transform(DrawingsOfBothThemes)
    app.add_css_file("notebooks.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
