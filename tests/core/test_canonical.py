"""Canonical text: one text for each value, another for every other one."""

import dataclasses
import datetime
import enum
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.canonical import canonical
from discreet.core.errors import InvalidContext


class Colour(enum.Enum):
    RED = 1


class Word(str):
    pass


VALUES = [
    0, 1, -1, 2**53, 2**70, "", "1", "a", "[1]", 1.5, 0.1, Fraction(1, 3), Decimal("0.10"), True, None, (), (1,),
    (1, 2), ((1,), 2), "{'int': '1'}", datetime.date(2026, 1, 1), Colour.RED, "Colour.RED", b"a", float("inf"),
]  # fmt: skip


def test_different_values_have_different_texts():
    texts = [canonical(value) for value in VALUES]
    assert len(set(texts)) == len(VALUES)
    assert len({canonical([value]) for value in VALUES}) == len(VALUES)


def test_every_text_is_json_without_spaces_and_with_sorted_keys():
    for value in VALUES:
        text = canonical({"b": value, "a": [value]})
        assert text.startswith('{"a":[')
        assert json.dumps(json.loads(text), separators=(",", ":"), sort_keys=True, ensure_ascii=False) == text


def test_numbers_of_numpy_and_kinds_of_text_are_what_they_equal():
    assert canonical([np.int64(3), np.str_("a"), Word("b")]) == canonical([3, "a", "b"])


@given(st.lists(st.one_of(st.integers(), st.text(), st.booleans(), st.floats(allow_nan=False), st.none())))
def test_lists_written_alike_are_equal(values):
    changed = [*values, 0]
    assert canonical(values) != canonical(changed)
    assert canonical(list(values)) == canonical(values)


class Nameless:
    pass


@dataclasses.dataclass(frozen=True)
class Forgetful:
    shown: str
    hidden: int = dataclasses.field(repr=False)


class Mapped(dict):  # type: ignore[type-arg]
    def __hash__(self):
        return 1


@pytest.mark.parametrize(
    "value",
    [
        Nameless(),
        Forgetful("x", 1),
        frozenset({"a"}),
        Mapped(tuple=["a"]),
        float("nan"),
        len,
        "\ud800",
        (1, float("nan")),
    ],
    ids=["object", "dataclass", "set", "mapping", "nan", "function", "surrogate", "nan in a tuple"],
)
def test_a_value_without_a_text_that_identifies_it_is_refused(value):
    with pytest.raises(InvalidContext, match="values: "):
        canonical([value])


def test_a_text_is_what_it_holds_not_what_it_says_it_is():
    class Liar(str):
        def __str__(self):
            return "another"

    assert canonical([Liar("one")]) == canonical(["one"])
