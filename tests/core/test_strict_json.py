"""JSON is read strictly."""

from decimal import Decimal

import pytest

from discreet.core.canonical import RepeatedKey, loads
from discreet.core.errors import InvalidInput, InvalidSpec


def test_numbers_are_the_decimals_they_print():
    assert loads('{"a": [0.1, 7]}', InvalidInput) == {"a": [Decimal("0.1"), 7]}
    assert loads('{"é": "x"}'.encode(), InvalidInput) == {"é": "x"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"a": 1, "a": 1}', "'a' appears twice"),
        ('[{"b": {"a": 1, "c": 2, "a": 3}}]', "'a' appears twice"),
        ("NaN", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("1" * 5000, "this is not JSON"),
        ("", "this is not JSON"),
        (b"\xff", "this is not JSON"),
    ],
)
@pytest.mark.parametrize("error", [InvalidInput, InvalidSpec])
def test_what_json_leaves_open_is_refused(written, said, error):
    with pytest.raises(error, match=said) as caught:
        loads(written, error)
    assert caught.type is error or (error is InvalidInput and caught.type is RepeatedKey)
