"""Valid documents, changed at random: each is read, or refused in one line, with little memory and in little time.

`make test` tries a fixed choice; `make fuzz` tries new ones for as many MINUTES as it is told.
"""

import os
import random
import time

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given, settings

EXAMPLES = {"spec.json": 250, "spec.toml": 80, "law": 200}
OTHERS = 50
MINUTES = float(os.environ.get("FUZZ_MINUTES", "0"))


def fuzz(confined, reader, strategy, examples, seed=None):
    """Read so many documents; `AssertionError` with the first that is neither read nor refused."""

    @settings(
        max_examples=examples,
        derandomize=seed is None,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(given=strategy)
    def check(given):
        content, more = given
        outcome, message = confined.read(reader, content, more)
        assert outcome in ("ok", "refused"), f"{reader} {more}: {outcome}, {message}: {content!r}"

    (check if seed is None else hypothesis.seed(seed)(check))()


def readers():
    return [
        *EXAMPLES,
        "form.json",
        "form tally",
        "tally",
        "envelope",
        "text",
        "json",
        "bytes",
        "file.txt",
        "file.csv",
        "file.jsonl",
        "file.parquet",
        "file.arrow",
    ]


@pytest.mark.parametrize("reader", readers())
def test_changed_documents_are_read_or_refused(confined, mutants, reader):
    fuzz(confined, reader, mutants.READERS[reader], EXAMPLES.get(reader, OTHERS))


def test_every_reader_is_fuzzed(mutants):
    assert sorted(readers()) == sorted(mutants.READERS)


def test_documents_that_were_not_changed_are_read(confined, mutants):
    for reader, documents, write in (
        ("spec.json", mutants.SPECS, mutants.as_json),
        ("spec.toml", mutants.SPECS, mutants.as_toml),
        ("law", mutants.LAWS, mutants.as_law),
        ("form.json", mutants.FORMS, mutants.as_json),
    ):
        outcomes = {confined.read(reader, write(document)) for document in documents}
        assert outcomes == {("ok", "")}


def test_a_planted_fault_in_a_reader_is_found(confined, mutants):
    with pytest.raises(AssertionError, match="KeyError"):
        fuzz(confined, "planted spec", mutants.READERS["spec.json"], EXAMPLES["spec.json"])


@pytest.mark.skipif(not MINUTES, reason="make fuzz")
def test_for_minutes(confined, mutants):
    end = time.monotonic() + 60 * MINUTES
    while time.monotonic() < end:
        seed = random.SystemRandom().getrandbits(32)
        for reader, strategy in mutants.READERS.items():
            try:
                fuzz(confined, reader, strategy, EXAMPLES.get(reader, OTHERS), seed)
            except AssertionError as found:
                raise AssertionError(f"seed {seed}: {found}") from None
