"""Forms made to hang or exhaust a reader: each is refused in one line, with little memory and in little time."""

import json

import pytest


def form(questions, strategy="one at random", **more):
    return {"form": {"strategy": strategy, "epsilon": "1"}, "questions": questions, **more}


def sized(size, count, **more):
    return [{"name": f"q{i}", "domain": {"size": size}, **more} for i in range(count)]


HOSTILE = {
    "a million questions": form([{}] * 10**6),
    "questions of a million values each": form(sized(10**6, 64)),
    "a product beyond all": form(sized(1000, 60), "together"),
    "a product of a million": form(sized(100, 3), "together"),
    "no questions": form([]),
    "one name for all": form([{"name": "a", "domain": {"size": 2}}] * 3),
    "a long name": form([{"name": "a" * 10**6, "domain": {"size": 2}}] * 2),
    "a name of lines": form([{"name": "a\nb", "domain": {"size": 2}}] * 2),
    "a name of a mark": form([{"name": "#end 3", "domain": {"size": 2}}] * 2),
    "a name that is a list": form([{"name": ["a"], "domain": {"size": 2}}] * 2),
    "a form in a form": form([{"name": "a", **form(sized(2, 2))}] * 2),
    "questions as a table": form({"a": {"domain": {"size": 2}}}),
    "a strategy that is a list": form(sized(2, 2), ["each"]),
    "a huge epsilon": {"form": {"strategy": "each", "epsilon": "9" * 10**5}, "questions": sized(2, 2)},
    "a fine epsilon": {"form": {"strategy": "each", "epsilon": "1/" + "9" * 599}, "questions": sized(2, 2)},
    "fingerprint of nothing": form(sized(2, 2), fingerprint="0" * 64),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_form_is_refused_in_one_line(confined, name):
    outcome, message = confined.read("form.json", json.dumps(HOSTILE[name]).encode())
    assert outcome == "refused", message
