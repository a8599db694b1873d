"""Addresses: one form each, the same that the client in JavaScript gives, and none that parsers read in two ways."""

import json
from pathlib import Path

import pytest

from discreet.client.addresses import address_beside, address_of
from discreet.core.errors import Refused

SHARED = json.loads((Path(__file__).parent / "addresses.json").read_text(encoding="utf-8"))
"""Addresses and what they are called, null where they are refused; those beside `base` in the same way."""


def cases(table, refused):
    return [given for given, found in SHARED[table].items() if (found is None) is refused]


@pytest.mark.parametrize("url", cases("names", refused=False))
def test_an_address_has_one_form(url):
    address = address_of(url)
    assert str(address) == SHARED["names"][url]
    assert address_of(str(address)) == address


@pytest.mark.parametrize("url", cases("names", refused=True))
def test_an_address_that_is_unsafe_or_unclear_is_refused(url):
    with pytest.raises(Refused, match="url="):
        address_of(url)


@pytest.mark.parametrize("reference", cases("beside", refused=False))
def test_an_address_beside_another_may_be_relative(reference):
    assert str(address_beside(reference, address_of(SHARED["base"]), "law")) == SHARED["beside"][reference]


@pytest.mark.parametrize("reference", [*cases("beside", refused=True), None, ["law"]])
def test_an_address_at_another_origin_or_that_is_unclear_is_refused(reference):
    with pytest.raises(Refused, match="law"):
        address_beside(reference, address_of(SHARED["base"]), "law")
