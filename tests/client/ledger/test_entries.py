"""Entries of a journal: read only as they are written."""

import pytest

from discreet.client.ledger.entries import KINDS, Budget, Cap, Debit, Outcome, Report, Terms, Upload, data_of, entry_of
from discreet.core.errors import InvalidInput

HEX = "0123456789abcdef"
ENTRIES = [
    Cap("4"),
    Debit("https://a.example/", HEX * 4, "1/3", False),
    Report("https://a.example/", HEX * 4, 5, {"week": "1"}),
    Report("https://a.example/", HEX * 4, "00ff", {}),
    Upload(HEX * 2, "https://a.example/", "https://a.example/reports", '{"reports":[5]}'),
    Outcome(HEX * 2, "accepted", 201),
    Budget({"form": "uniform", "epsilon": "1"}, {"size": 3}),
    Terms(HEX * 4, {"form": "uniform", "epsilon": "1"}, {"size": 3}),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.kind)
def test_an_entry_is_read_as_it_was_written(entry):
    data = data_of(entry)
    assert entry_of(data) == entry
    assert data["kind"] in KINDS


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.kind)
def test_a_missing_an_extra_and_a_wrong_key_are_refused(entry):
    data = data_of(entry)
    for key in data:
        with pytest.raises(InvalidInput):
            entry_of({name: held for name, held in data.items() if name != key})
        with pytest.raises(InvalidInput):
            entry_of({**data, key: None})
    with pytest.raises(InvalidInput, match="and nothing else"):
        entry_of({**data, "value": "hiv"})


@pytest.mark.parametrize(
    ("entry", "key", "wrong"),
    [
        (0, "epsilon", "4.0"),
        (0, "epsilon", "-1"),
        (0, "epsilon", "inf"),
        (0, "version", 2),
        (0, "version", True),
        (1, "fingerprint", "AB" * 32),
        (1, "shows", 1),
        (2, "report", True),
        (2, "labels", {"week": 1}),
        (4, "upload", "0"),
        (4, "body", "{}"),
        (4, "body", "{"),
        (5, "state", "queued"),
    ],
)
def test_only_the_one_form_of_each_entry_is_read(entry, key, wrong):
    with pytest.raises(InvalidInput):
        entry_of({**data_of(ENTRIES[entry]), key: wrong})
