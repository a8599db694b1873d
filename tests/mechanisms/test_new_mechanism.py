"""A mechanism in one sampler file and one decoder file is checked as soon as it is registered: no list is touched."""

from fractions import Fraction

import pytest

from discreet import Context
from discreet.checks import check_mechanism, check_vectors, write_vectors
from discreet.checks.vectors.laws import registered_samplers, small_examples, small_laws
from discreet.estimation.decoders import DECODERS, decoder_of
from discreet.estimation.decoders.pure import PureDecoder
from discreet.mechanisms.build import BASES
from discreet.mechanisms.laws import FOLLOWERS

from .negative_survey import NegativeSurvey
from .negative_survey_decoder import NegativeSurveyDecoder

KIND, NAME = NegativeSurvey.follows.kind, NegativeSurvey.name
BLOCKS = Context.blocks({"a": range(4), "b": range(4, 9), "c": [9]}, {"a": "1", "b": "0.5", "c": "1"})
CONTEXTS = [Context.uniform(range(5), "1"), BLOCKS, Context.high_low(range(6), [1, 2, 3], "1")]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    assert NAME not in registered_samplers()  # the control: only registering it makes it known
    monkeypatch.setitem(FOLLOWERS, KIND, NegativeSurvey)
    monkeypatch.setitem(BASES, NAME, NegativeSurvey)
    monkeypatch.setitem(DECODERS, KIND, NegativeSurveyDecoder)


def test_its_examples_and_the_contexts_of_every_base_are_among_the_laws_of_checks_and_vectors(tmp_path):
    assert registered_samplers()[NAME] is NegativeSurvey
    (example,) = small_examples()[NAME]
    laws = [law for law in small_laws() if f"'kind': '{KIND}'" in str(law.description)]
    assert example.fingerprint in {law.fingerprint for law in laws}
    assert {law.name for law in laws} == {NAME, f"blocks({NAME})", f"high_low({NAME})"}
    path = tmp_path / "vectors.jsonl"
    path.write_text("".join(write_vectors(laws, count=200)))
    assert check_vectors(path).numpy == 200
    check_mechanism(example)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("own", [True, False])
def test_it_keeps_every_law_with_its_decoder_and_without(context, own, monkeypatch):
    if not own:
        monkeypatch.delitem(DECODERS, KIND)
        assert type(decoder_of(NegativeSurvey(5, Fraction(1)))) is PureDecoder
    assert {"every word", "unbiased", "moments", "pair profiles"} <= set(check_mechanism((NAME, context)))
