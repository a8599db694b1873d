"""``.. command:: NAME`` shows the usage and the options of a command, under whatever heading stands above it."""

from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_click.ext import ClickDirective

from discreet.cli.group import COMMANDS


class Command(ClickDirective):
    """What sphinx-click writes about ``discreet NAME``, without the heading that it brings."""

    option_spec: ClassVar[dict[str, object]] = {}

    def run(self) -> list[nodes.Node]:
        [name] = self.arguments
        module = "group:main" if name == "discreet" else f"{COMMANDS[name][0]}.{name.replace('-', '_')}:command"
        self.arguments = [f"discreet.cli.{module}"]
        self.options = {"prog": f"discreet {name}" if name != "discreet" else name, "nested": "none"}
        [section] = super().run()
        return [node for node in section.children if not isinstance(node, nodes.title)]


def _plain(app: Sphinx, context: Any, lines: list[str]) -> None:
    """Help is plain text: a star in it is a star."""
    lines[:] = [line.replace("*", r"\*") for line in lines]


def _nothing(app: Sphinx, context: Any, lines: list[str]) -> None:
    """The usage shows the arguments and the text says what they are; sphinx-click would add that they are required."""
    lines.clear()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.setup_extension("sphinx_click")
    app.add_directive("command", Command)
    app.connect("sphinx-click-process-description", _plain)
    app.connect("sphinx-click-process-arguments", _nothing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
