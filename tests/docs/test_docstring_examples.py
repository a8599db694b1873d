"""Every public name has an example in its docstring, and every such example gives what it says."""

import doctest
from typing import Any

import pytest

import discreet as dc

MATCH = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

INSIDE = [
    *(
        f"Context.{form}"
        for form in ("uniform", "blocks", "high_low", "binary", "nested", "graded", "metric", "matrix")
    ),
    *(f"Mechanism.{method}" for method in ("randomize", "randomize_many", "tally", "channel", "score")),
    *(f"Estimate.{method}" for method in ("query", "interval", "quantile")),
    *("Survey.by", "Survey.tallies", "Spec.of_mechanism", "checks.check_mechanism", "client.Client"),
    *(f"by_hand.{name}" for name in dc.by_hand.__all__ if name != "DESIGNS"),
    *(f"random.{source}" for source in ("secure", "seeded", "replay")),
]
"""What else needs an example: constructors and main methods, and the members of modules that people start with."""

NAMES = [*dc.__all__, *INSIDE]


def public(name: str) -> Any:
    thing: Any = dc
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def has_example(thing: Any) -> bool:
    return bool(doctest.DocTestParser().get_examples(thing.__doc__ or ""))


def failures(thing: Any, name: str) -> str:
    """What the examples of a thing and its members give that they do not say; they see no name but their own."""
    report: list[str] = []
    for test in doctest.DocTestFinder().find(thing, name, globs={}):
        doctest.DocTestRunner(optionflags=MATCH).run(test, out=report.append)
    return "".join(report)


@pytest.mark.parametrize("name", NAMES)
def test_has_an_example(name: str) -> None:
    assert has_example(public(name)), f"dc.{name}: its docstring must show an example, with >>>"


@pytest.mark.parametrize("name", ["__init__", *NAMES])
def test_examples_give_what_they_say(name: str) -> None:
    assert not (wrong := failures(dc if name == "__init__" else public(name), name)), wrong


def test_only_spark_skips() -> None:
    skipping = {
        name
        for name in NAMES
        for test in doctest.DocTestFinder().find(public(name), name, globs={})
        for example in test.examples
        if example.options.get(doctest.SKIP)
    }
    assert skipping == {"spark"}


class WithoutExample:
    """A class whose docstring shows nothing."""


class WithWrongExample:
    """A class whose example is wrong.

    >>> 1 + 1
    3
    """


def test_a_class_without_an_example_is_caught() -> None:
    assert not has_example(WithoutExample)
    assert has_example(WithWrongExample)


def test_a_wrong_example_is_caught() -> None:
    assert "Expected:\n    3\nGot:\n    2" in failures(WithWrongExample, "WithWrongExample")
