"""Laws of the error tree."""

import re

import pytest

from discreet import errors

CLASSES = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_is_a_discreet_error_with_a_docstring_and_a_place_in_the_tree(kind):
    assert issubclass(kind, errors.DiscreetError)
    assert kind.__doc__
    assert re.search(rf"\b{kind.__name__}\b", errors.__doc__)


def test_the_tree_names_no_error_that_does_not_exist():
    drawn = re.findall(r"[├└]── (\w+)", errors.__doc__)
    assert sorted(drawn) == sorted(kind.__name__ for kind in CLASSES if kind is not errors.DiscreetError)


def test_wrong_input_is_a_value_error_and_a_broken_promise_is_not():
    assert issubclass(errors.InvalidEpsilon, ValueError)
    assert issubclass(errors.UnknownValue, ValueError)
    assert not issubclass(errors.PrivacyViolation, ValueError)


def test_a_failed_check_is_an_assertion_error():
    assert issubclass(errors.CheckFailed, AssertionError)


def test_a_missing_extra_names_the_install_line():
    missing = errors.MissingExtra("pyarrow", "files")
    assert isinstance(missing, ImportError)
    assert "pip install 'discreet[files]'" in str(missing)
