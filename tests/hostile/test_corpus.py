"""Documents made to hang, exhaust or crash a reader: each is read or refused, with little memory and in little time."""

import pytest

TAME = ("ok", "refused")


def wild(confined, cases):
    """What happened to those documents that were neither read nor refused in one line."""
    outcomes = ((name, *confined.read(reader, content, more)) for name, reader, content, more in cases)
    return [f"{name}: {outcome}, {message}" for name, outcome, message in outcomes if outcome not in TAME]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_hostile_document_is_read_or_refused_in_one_line(confined, corpus, part):
    cases = list(corpus.cases())[part::4]
    assert len(cases) > 300
    assert wild(confined, cases) == []


@pytest.mark.parametrize(
    "deed", ["raise", "memory", "hang", "hang inside one operation", "wait", "two lines", "long", "die"]
)
def test_a_planted_reader_that_is_not_tame_is_caught(hasty, deed):
    assert len(wild(hasty, [(deed, "planted", b"", deed)])) == 1
    assert hasty.read("spec.json", b"{}")[0] == "refused"  # and it goes on with the next


def test_what_is_granted_is_still_read(confined, corpus):
    a_million = corpus.spec({"size": 10**6}, mechanism={"name": "hadamard"})
    cells = corpus.spec({"size": 43_750}, {"form": "blocks", "sizes": [250] * 175, "epsilon": 1})
    for document in (a_million, cells):
        assert confined.read("spec.json", corpus.json.dumps(document).encode())[0] == "ok"
