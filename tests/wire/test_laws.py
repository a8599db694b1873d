"""The published law: one canonical text, whose hash is the fingerprint, and which is checked from its integers."""

import hashlib
import json

import pytest

import discreet as dc
from discreet import Context
from discreet.bulk.words import seeded
from discreet.core.errors import DiscreetError, InvalidSpec, PrivacyViolation
from discreet.wire import Spec, law_text, parse_law

CONTEXTS = {
    "uniform": Context.uniform(["a", "é", 3], "1"),
    "numbered": Context.uniform(range(40), "0.5"),
    "blocks": Context.blocks({"x y": ["p", "q"], "z": ["r", "s", "t"]}, {"x y": "1", "z": "1/3"}),
    "high-low": Context.high_low(range(9), [2, 4, 6], "2"),
    "binary": Context.binary("no", "yes", ("inf", "1")),
    "metric": Context.metric(range(4), lambda a, b: abs(a - b), "0.5"),
    "matrix": Context.matrix(range(3), [[0, 1, 2], [1, 0, "inf"], [2, 3, 0]]),
}


@pytest.fixture(params=CONTEXTS.values(), ids=CONTEXTS.keys())
def mechanism(request):
    return dc.mechanism(request.param)


def test_the_hash_of_the_text_is_the_fingerprint(mechanism):
    assert hashlib.sha256(law_text(mechanism).encode()).hexdigest() == mechanism.fingerprint


def test_the_text_read_back_is_the_same_mechanism(mechanism):
    again = parse_law(law_text(mechanism))
    assert again.fingerprint == mechanism.fingerprint
    assert again.context == mechanism.context
    assert again.certificate.realised == pytest.approx(mechanism.certificate.realised)
    for x in range(mechanism.context.size):
        assert again.randomize_index(x, seeded(x)) == mechanism.randomize_index(x, seeded(x))


def test_a_file_with_a_law_serves_as_a_spec(mechanism, tmp_path):
    (tmp_path / "law.json").write_text(law_text(mechanism), encoding="utf-8")
    assert Spec.read(tmp_path / "law.json").mechanism.fingerprint == mechanism.fingerprint


def test_only_the_canonical_text_is_a_published_law(mechanism):
    data = json.loads(law_text(mechanism))
    for other in (
        json.dumps(data),
        json.dumps(dict(reversed(data.items())), separators=(",", ":"), ensure_ascii=False),
        law_text(mechanism) + "\n",
    ):
        with pytest.raises(InvalidSpec, match="canonical"):
            parse_law(other)
    for broken in ({**data, "name": "x"}, {key: data[key] for key in ("version", "domain", "context")}, []):
        with pytest.raises(InvalidSpec, match="must hold version, domain, context and law, and nothing else"):
            parse_law(json.dumps(broken))


def test_a_law_that_tells_more_than_its_context_allows_is_refused():
    made = dc.mechanism(Context.uniform(range(5), "1"), "randomized_response")
    data = json.loads(law_text(made))
    law = data["law"]
    low = int(law["low"]) - 1
    data["law"] = {**law, "low": str(low), "high": str(2**64 - 4 * low - law["spare"])}
    with pytest.raises(PrivacyViolation, match="more than the 1 that E allows"):
        Spec.of(data).mechanism  # noqa: B018
    data["law"] = {**law, "low": str(low)}
    with pytest.raises(DiscreetError, match="add up to"):
        Spec.of(data).mechanism  # noqa: B018


def test_a_smaller_epsilon_than_the_law_has_is_refused():
    data = json.loads(law_text(dc.mechanism(Context.uniform(range(5), "1"))))
    data["context"]["epsilon"] = "0.99"
    with pytest.raises(PrivacyViolation, match=r"more than the 0\.99 that E allows"):
        Spec.of(data).mechanism  # noqa: B018


def test_a_spec_says_a_mechanism_or_a_law_of_one_version():
    data = json.loads(law_text(dc.mechanism(Context.uniform(range(5), "1"))))
    with pytest.raises(InvalidSpec, match="one of mechanism and law, not both"):
        Spec.of({**data, "mechanism": {"name": "auto"}})
    with pytest.raises(InvalidSpec, match="version=1 must be 2"):
        Spec.of({**data, "version": 1})
