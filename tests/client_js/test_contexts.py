"""What an answer spends, and whether something shows, are the same in Python and in the client."""

import json

import pytest

from discreet import limits
from discreet.core.exact import text_of
from discreet.wire import parse_law


@pytest.mark.slow
def test_epsilon_and_what_shows_are_those_of_python_for_every_law(node, large, tmp_path):
    with large.open(encoding="utf-8") as file:
        told = [json.loads(line) for line in file if line.startswith('{"fingerprint"')]
    laws = tmp_path / "laws.json"
    laws.write_text(
        json.dumps({str(i): {"law": one["law"], "fingerprint": one["fingerprint"]} for i, one in enumerate(told)})
    )
    verdicts = node.json("tests/verdicts.mjs", laws)
    ours = {}
    for i, one in enumerate(told):
        with limits.under(limits.LIFTED):
            context = parse_law(one["law"]).context
        ours[str(i)] = f"accepted {text_of(context.largest)}{' and shows' if context.shows else ''}"
    assert len(ours) > 400
    assert {i: (verdicts[i], mine) for i, mine in ours.items() if verdicts[i] != mine} == {}
