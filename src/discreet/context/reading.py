"""What the forms share when they are read from a spec."""

from __future__ import annotations

from ..domain import Domain
from ..errors import InvalidSpec
from ..exact import epsilon_from_text
from ..fields import Fields, number


def given(domain: Domain | None) -> Domain:
    """The domain; `InvalidSpec` if it is missing, as this form needs one."""
    if domain is None:
        raise InvalidSpec("domain is missing")
    return domain


def epsilon_in(fields: Fields) -> object:
    """The entry `epsilon`."""
    return level(fields.required("epsilon"), fields.name("epsilon"))


def level(data: object, name: str) -> object:
    """An epsilon for a constructor, which checks it: an exact decimal or a fraction such as ``"1/3"``."""
    exact = number(data, name)
    if isinstance(exact, str) and "/" in exact:
        try:
            return epsilon_from_text(exact)
        except (ValueError, ZeroDivisionError):
            raise InvalidSpec(f'{name}={exact!r} must be a non-negative decimal or fraction, or "inf"') from None
    return exact
