"""A declaration whose words could pass for another answer is refused before anybody is asked."""

import pytest

from discreet.collector.declaration import parse_declaration
from discreet.core.errors import InvalidSpec

DECLARED = {
    "title": "Health survey",
    "question": "Which?",
    "minimum": 1,
    "changes": "refuse",
    "access": "open",
    "spec": {
        "domain": {"values": ["none", "cold", "hiv"]},
        "context": {"form": "high_low", "sensitive": ["cold"], "epsilon": "1"},
    },
}


@pytest.mark.parametrize("words", [{"cold": "hiv", "hiv": "cold"}, {"cold": "HIV\u200b"}, {"cold": "\u202evih"}])
def test_words_that_can_be_taken_for_another_answer_are_not_declared(words):
    with pytest.raises(InvalidSpec, match=r"words(\['(cold|hiv)'\]=|\.cold ).*must"):
        parse_declaration({**DECLARED, "words": words})
    declaration, _ = parse_declaration({**DECLARED, "words": {"cold": "a cold"}})
    assert declaration.texts.questions[""].words == {"cold": "a cold"}
