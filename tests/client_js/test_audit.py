"""The client as a black box: `discreet audit --command` finds no breach in it, and a planted one."""

import shlex
from pathlib import Path

import pytest

import discreet as dc
from discreet.wire import law_text

CLIENT = Path(__file__).parents[2] / "client"
SAMPLES = 30_000


@pytest.fixture
def audited(node, tmp_path):
    """The audit of a script that draws by a law."""

    def run(mechanism, script):
        law = tmp_path / "law.json"
        law.write_text(law_text(mechanism), encoding="utf-8")
        line = shlex.join(map(str, (node.path, CLIENT / "tests" / script, law)))
        return dc.audit(line, context=mechanism.context, samples=SAMPLES, rng=dc.random.seeded(1))

    return run


LAWS = {
    "response": dc.mechanism(dc.Context.uniform(["a", "b", "c"], "1"), "randomized_response"),
    "blocks": dc.mechanism(dc.Context.blocks({"n": ["a", "b", "c"], "s": ["d", "e"]}, "1"), "hadamard"),
    "high_low": dc.mechanism(dc.Context.high_low(["a", "b", "c", "d"], ["a", "b"], "1"), "subset"),
    "geometric": dc.mechanism(dc.Context.metric(range(4), "line", "1"), "geometric"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_no_breach_is_found_in_the_client(audited, name):
    found = audited(LAWS[name], "randomize.mjs")
    assert not found.breach
    assert found.epsilon_lower > 0.5  # the reports do tell something


@pytest.mark.slow
def test_a_threshold_that_is_not_that_of_the_law_is_found(audited):
    found = audited(LAWS["response"], "leaking.mjs")
    assert found.breach
    assert found.epsilon_lower > 1
