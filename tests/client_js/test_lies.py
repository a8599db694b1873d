"""The client believes no law: it refuses each lie with a reason, and so does Python."""

import json

import pytest

from discreet.core.errors import DiscreetError
from discreet.wire import law_text, parse_law

from .lies import HONEST, LIES, STALE


@pytest.fixture(scope="module")
def verdicts(node, tmp_path_factory):
    """What the client says of every law."""
    asked = {
        **{f"honest {name}": {"law": law_text(one), "fingerprint": one.fingerprint} for name, one in HONEST.items()},
        **LIES,
        **STALE,
    }
    path = tmp_path_factory.mktemp("laws") / "laws.json"
    path.write_text(json.dumps(asked))
    return node.json("tests/verdicts.mjs", path)


def test_there_are_lies_of_every_sort():
    assert len(LIES) + len(STALE) >= 60


@pytest.mark.parametrize("name", [*LIES, *STALE])
def test_a_lie_is_refused_with_a_reason(name, verdicts):
    code, _, reason = verdicts[name].partition(": ")
    assert code in ("law", "limits", "fingerprint"), verdicts[name]
    assert reason.endswith(".")


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_law_is_accepted(name, verdicts):
    """The control: what is refused is refused for its lie."""
    assert verdicts[f"honest {name}"].startswith("accepted ")


@pytest.mark.parametrize("name", LIES)
def test_python_refuses_the_same_lies(name):
    with pytest.raises((DiscreetError, UnicodeError)):
        parse_law(LIES[name]["law"])
