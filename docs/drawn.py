"""Figures: the directive `drawn` shows a drawing for the light and for the dark theme, and the code that drew it.

The drawing in the sources is for paper and for the light theme. The dark one is made from it when the pages are built.
The drawings of docs/results, which its pages show as plain images, are shown in the same way.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from dark_theme import for_dark_ground
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[1]


class figure_of_both_themes(nodes.General, nodes.Element):
    """One drawing, twice."""


class code_behind(nodes.General, nodes.Element):
    """The code of a figure, which is shown when asked for."""


def behind(code: Path, summary: str) -> code_behind:
    """The file as a listing that opens when its summary is touched."""
    return code_behind(
        "", nodes.literal_block("", code.read_text(encoding="utf-8"), language="python"), summary=summary
    )


class ResultsInBothThemes(SphinxTransform):
    """Images of docs/results that are SVG become figures, with the file that made their page."""

    default_priority = 200  # before images are collected

    def apply(self, **_: Any) -> None:
        """Replace each paragraph of one image."""
        folder, _, name = self.env.docname.rpartition("/")
        if folder != "results":
            return
        code = (
            ROOT / "src/discreet" / ("gallery/page.py" if name == "gallery" else f"papers/{name.replace('-', '_')}.py")
        )
        command = "discreet gallery all" if name == "gallery" else f"discreet papers {name}"
        for image in list(self.document.findall(nodes.image)):
            if image["uri"].endswith(".svg"):
                _, absolute = self.env.relfn2path(image["uri"])
                self.env.note_dependency(absolute)
                figure = nodes.figure(classes=["drawn"])
                figure += [figure_of_both_themes(drawing=absolute, alt=image["alt"]), behind(code, command)]
                image.parent.replace_self(figure)


class Drawn(SphinxDirective):
    """``{drawn} FILE.svg`` with `alt`; the code is FILE.py beside it, or what `code` names from the project's root.

    `command` is what draws it, where that is not the file itself. With `alone` the picture is shown without its code.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {
        "alt": directives.unchanged_required,
        "code": directives.path,
        "command": directives.unchanged,
        "alone": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """The figure with its caption and its code."""
        _, absolute = self.env.relfn2path(self.arguments[0])
        drawing = Path(absolute)
        code = ROOT / self.options["code"] if "code" in self.options else drawing.with_suffix(".py")
        for needed in (drawing, code):
            self.env.note_dependency(str(needed))
            if not needed.is_file():
                raise self.error(f"{needed.relative_to(ROOT)} is not there")
        if not self.options.get("alt"):
            raise self.error("a figure needs `alt`: what it shows, for those who cannot see it")
        figure = nodes.figure(classes=["drawn"])
        figure += figure_of_both_themes(drawing=str(drawing), alt=self.options["alt"])
        if "alone" in self.options:
            return [figure]
        if self.content:
            figure += nodes.caption("", "", *self._caption())
        figure += behind(code, self.options.get("command") or f"python docs/draw.py {code.stem}")
        return [figure]

    def _caption(self) -> list[nodes.Node]:
        holder = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, holder)
        return [child for block in holder.children for child in block.children]


def _show_figure(writer: Any, node: figure_of_both_themes) -> None:
    drawing = Path(node["drawing"])
    folder = Path(writer.builder.outdir) / writer.builder.imagedir
    folder.mkdir(parents=True, exist_ok=True)
    light = drawing.read_text(encoding="utf-8")
    for theme, text in (("light", light), ("dark", for_dark_ground(light))):
        name = f"{drawing.stem}-{theme}.svg"
        (folder / name).write_text(text, encoding="utf-8")
        address = escape(os.path.join(writer.builder.imgpath, name))
        writer.body.append(f'<img class="only-{theme}" src="{address}" alt="{escape(node["alt"])}" loading="lazy">\n')
    raise nodes.SkipNode


def _open_code(writer: Any, node: code_behind) -> None:
    writer.body.append(f"<details><summary><code>{escape(node['summary'])}</code></summary>\n")


def _close_code(writer: Any, node: code_behind) -> None:
    writer.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_node(figure_of_both_themes, html=(_show_figure, None))
    app.add_node(code_behind, html=(_open_code, _close_code))
    app.add_directive("drawn", Drawn)
    app.add_transform(ResultsInBothThemes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
