"""How the values of files that are neither text nor whole numbers are written in a domain."""

from __future__ import annotations

from ..core.domain import Domain

AS_IN_JSON = {True: "true", False: "false"}


def boolean_texts(domain: Domain) -> dict[bool, str]:
    """The texts of true and false: as JSON writes them if the domain has one of these, else as Python does."""
    values = () if domain.is_range else domain
    return AS_IN_JSON if any(text in values for text in AS_IN_JSON.values()) else {True: "True", False: "False"}
