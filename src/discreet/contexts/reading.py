"""What the forms share when they are read from a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.domain import Domain
from ..core.errors import InvalidSpec
from ..core.exact import epsilon_from_text
from ..core.fields import Fields, number, text, whole
from ..core.limits import check
from ..core.ranges import values_in

if TYPE_CHECKING:
    from .context import Context


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


def context_in(fields: Fields, domain: Domain | None) -> Context:
    """The context that a table of a spec describes, whatever its form."""
    from . import FORMS

    form = text(fields.required("form"), fields.name("form"))
    if form not in FORMS:
        raise InvalidSpec(f"{fields.name('form')}={form!r} must be one of {', '.join(FORMS)}")
    context = FORMS[form].read(fields, domain)
    fields.close()
    return context


def domain_in(fields: Fields) -> Domain:
    """The domain of a table that lists its values or gives their number."""
    if fields.has("size") == fields.has("values"):
        raise InvalidSpec(f"{fields.path} must give exactly one of values and size")
    if fields.has("values"):
        domain = Domain(values_in(fields.required("values"), fields.name("values")))
    else:
        size = whole(fields.required("size"), fields.name("size"))
        if size < 1:
            raise InvalidSpec(f"{fields.name('size')}={size} must be at least 1")
        check("values", size, fields.name("size"))
        domain = Domain(range(size))
    check("values", len(domain), fields.path)
    return domain


def describe_domain(domain: Domain) -> dict[str, Any]:
    """The entries of a domain in a spec: its size if the values are 0, 1, ..., else all of them."""
    return {"size": len(domain)} if domain.is_range else {"values": list(domain)}
