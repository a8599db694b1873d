"""Natural contexts, each a spec to start from: who is hidden from whom, and what that gains over classical privacy.

``discreet gallery`` lists them, ``discreet gallery NAME`` prints one as a spec.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from ..core.errors import InvalidInput

if TYPE_CHECKING:
    from ..wire import Questionnaire, Spec
    from ..wire.form import Form


@dataclass(frozen=True)
class Example:
    """One context of the gallery; its spec is ``NAME.toml`` beside this file."""

    name: str
    title: str

    @property
    def text(self) -> str:
        """The spec with its comments, as a file to start from."""
        return files(__name__).joinpath(f"{self.name}.toml").read_text(encoding="utf-8")

    @property
    def spec(self) -> Spec:
        """The spec of one question."""
        from ..core.documents import parse_toml
        from ..wire import Spec

        return Spec.of(parse_toml(self.text), source=f"{self.name}.toml")

    @property
    def form(self) -> Form:
        """The form of several questions."""
        from ..core.documents import parse_toml
        from ..wire.form import Form

        return Form.of(parse_toml(self.text), source=f"{self.name}.toml")

    @property
    def questionnaire(self) -> Questionnaire:
        """The questionnaire, with its texts."""
        from ..core.documents import parse_toml
        from ..wire import Questionnaire

        return Questionnaire.of(parse_toml(self.text), source=f"{self.name}.toml")


EXAMPLES = (
    Example("ages", "ages in years, a line: neighbours are hard to tell apart, generations are not"),
    Example("salaries", "salaries in bands of growing width, an uneven line"),
    Example("likert", "a five-point scale of agreement"),
    Example("districts", "districts in cities in countries: the farther apart, the less is hidden"),
    Example("map", "the cells of a map, by straight distance"),
    Example("hexagons", "hexagons of H3 around a city, by the distance of their centres"),
    Example("hours", "hours of the day, around a ring"),
    Example("diagnoses", "diagnoses, each hidden as well as its stigma asks for"),
    Example("two-questions", "two questions at once, of which one is sensitive"),
    Example("occupations", "a taxonomy: jobs in groups of different sizes"),
    Example("answers", "yes, no and don't know, hidden differently well in either direction"),
    Example("refusals", "a five-point scale, and prefer not to say outside it"),
)
"""Every context of the gallery, in the order of the page."""

FORMS = (Example("habits-form", "a form of several questions, of which everybody answers one"),)
"""Forms of several questions to start from; they are not compared."""

QUESTIONNAIRES = (
    Example("health-questionnaire", "five questions of five kinds with all their texts, in two languages"),
    Example("travel-questionnaire", "minutes of travel and an income, for their means"),
)
"""Questionnaires to start from: forms with what people read, and how it is collected."""


def find(name: str) -> Example:
    """The example of that name; `InvalidInput` lists the others."""
    known = (*EXAMPLES, *FORMS, *QUESTIONNAIRES)
    for example in known:
        if example.name == name:
            return example
    raise InvalidInput(f"name={name!r} must be one of {', '.join(example.name for example in known)}")
