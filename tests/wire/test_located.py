from __future__ import annotations

import pytest

from discreet.core.errors import InvalidSpec, MissingExtra
from discreet.wire.spec import located


def test_an_error_keeps_its_type_and_gains_the_file():
    with pytest.raises(InvalidSpec, match=r"^spec\.toml: size is missing$"), located("spec.toml"):
        raise InvalidSpec("size is missing")
    with pytest.raises(InvalidSpec, match=r"^size is missing$"), located(""):
        raise InvalidSpec("size is missing")


def test_a_missing_extra_is_not_the_fault_of_the_file():
    with (
        pytest.raises(MissingExtra, match=r"^numba is not installed: pip install 'discreet\[fast\]'$"),
        located("a.toml"),
    ):
        raise MissingExtra("numba", "fast")


def test_other_errors_pass_untouched():
    with pytest.raises(ZeroDivisionError, match=r"^x$"), located("a.toml"):
        raise ZeroDivisionError("x")
