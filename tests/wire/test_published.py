"""The law file of a form: one canonical text of all its parts, read strictly, every part certified."""

import json

import pytest

import discreet as dc
from discreet.core.errors import BeyondLimits, DiscreetError, InvalidSpec, PrivacyViolation
from discreet.mechanisms.mechanism import Mechanism
from discreet.wire import law_text, parse_law, parse_published
from discreet.wire.form import EACH, ONE, STRATEGIES, TOGETHER, Form

VALUES = {"smokes": ["no", "yes"], "é": ["never", "weekly", 3]}
CONTEXTS = {
    "region": dc.Context.blocks({"n": ["p", "q"], "s": ["r"]}, "1"),
    "smokes": dc.Context.uniform(["no", "yes"], "1/3"),
    "age": dc.Context.metric(range(3), lambda a, b: abs(a - b), "0.5"),
}


def forms():
    for strategy in STRATEGIES:
        yield Form(VALUES, strategy, epsilon="1")
        yield Form(CONTEXTS, strategy)


def text_of(data):
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("form", list(forms()), ids=repr)
def test_the_text_read_back_is_the_same_form(form):
    again = parse_published(form.published)
    assert isinstance(again, Form)
    assert (again.published, again.fingerprint) == (form.published, form.fingerprint)
    assert (again.strategy, again.names, list(again.parts)) == (form.strategy, form.names, list(form.parts))
    assert again.largest == form.largest
    answers = {name: spec.context.values[-1] for name, spec in form.questions.items()}
    assert answers == {name: spec.context.values[-1] for name, spec in again.questions.items()}
    assert again.randomize(answers, dc.random.seeded(3)) == form.randomize(answers, dc.random.seeded(3))
    for name, spec in form.questions.items():
        assert again.questions[name].context == spec.context


def test_it_holds_the_published_law_of_every_part():
    form = Form(VALUES, EACH, epsilon="1")
    data = json.loads(form.published)
    assert form.published == text_of(data)
    assert set(data) == {"form", "version"}
    assert data["form"]["questions"] == ["smokes", "é"]
    parts = [parse_law(text_of(law)) for law in data["form"]["laws"]]
    assert [part.fingerprint for part in parts] == [part.fingerprint for part in form.mechanisms.values()]


def test_the_law_of_one_question_is_read_as_before():
    mechanism = dc.mechanism(CONTEXTS["region"])
    again = parse_published(law_text(mechanism))
    assert isinstance(again, Mechanism)
    assert again.fingerprint == mechanism.fingerprint
    with pytest.raises(InvalidSpec, match="must hold version, domain, context and law"):
        parse_published("[]")


def changed(asked=ONE, **entries):
    data = json.loads(Form(VALUES, asked, epsilon="1").published)
    data["form"] |= entries
    return data


LAWS = changed()["form"]["laws"]
JOINT = changed(TOGETHER)["form"]["laws"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({**changed(), "version": 2}, "version=2 must be 1"),
        ({**changed(), "version": True}, "version must be a whole number"),
        ({**changed(), "name": "x"}, "name is not a known entry"),
        ({"form": changed()["form"]}, "version is missing"),
        ({"form": [], "version": 1}, "form must be a table"),
        (changed(note="x"), "form.note is not a known entry"),
        (changed(strategy="all"), "form.strategy='all' must be one of"),
        (changed(strategy=[]), "form.strategy must be text"),
        (changed(questions="ab"), "form.questions must be a list"),
        (changed(questions=["a"]), "form.questions: 1 must be from 2 to 64"),
        (changed(questions=["a", "a"]), "form.questions: names must differ"),
        (changed(questions=["a", 3]), "form.questions: question=3 must be a name"),
        (changed(questions=["a", "b * c"]), "form.questions: question='b \\* c' must be a name"),
        (changed(questions=["a", "b", "c"]), "form.laws: 2 must be 3, one for each part"),
        (changed(laws=LAWS[:1]), "form.laws: 1 must be 2"),
        (changed(laws={}), "form.laws must be a list"),
        (changed(laws=[LAWS[0], 1]), r"form.laws\[1\]: a published law must hold version, domain, context and law"),
        (changed(laws=[LAWS[0], {**LAWS[1], "name": "x"}]), r"form.laws\[1\]: a published law must hold"),
        (changed(laws=[LAWS[0], {**LAWS[1], "version": 1}]), r"form.laws\[1\]: version=1 must be 2"),
        (changed(strategy=TOGETHER), "form.laws: 2 must be 1"),
        (changed(TOGETHER, strategy=ONE), "form.laws: 1 must be 2"),
        (changed(TOGETHER, laws=LAWS[:1]), "values must be tuples of 2 answers"),
        (changed(TOGETHER, questions=["a", "b", "c"]), "values must be tuples of 3 answers"),
    ],
)
def test_a_bad_law_file_of_a_form_is_refused_with_one_line(data, said):
    with pytest.raises(DiscreetError, match=said) as refused:
        parse_published(text_of(data))
    assert "\n" not in str(refused.value)


def test_only_the_canonical_text_is_published():
    text = Form(VALUES, ONE, epsilon="1").published
    data = json.loads(text)
    swapped = {"version": 1, "form": data["form"]}
    for other in (json.dumps(data), text + "\n", json.dumps(swapped, separators=(",", ":"), ensure_ascii=False)):
        with pytest.raises(InvalidSpec, match="must be canonical JSON"):
            parse_published(other)


def test_tuples_out_of_order_or_missing_are_refused():
    values = JOINT[0]["domain"]["values"]
    swapped = {**JOINT[0], "domain": {"values": [values[1], values[0], *values[2:]]}}
    with pytest.raises(DiscreetError, match="canonical"):
        parse_published(text_of(changed(TOGETHER, laws=[swapped])))
    fewer = dc.mechanism(dc.Context.uniform([("a", 1), ("a", 2), ("b", 1)], "1"))
    with pytest.raises(InvalidSpec, match="must be all tuples of answers"):
        parse_published(text_of(changed(TOGETHER, laws=[json.loads(law_text(fewer))])))
    two = Form({name: CONTEXTS[name] for name in ("region", "smokes")}, TOGETHER)
    data = json.loads(two.published)
    data["form"]["questions"] = ["a", "b", "c"]
    with pytest.raises(InvalidSpec, match="must be about 3 questions, not 2"):
        parse_published(text_of(data))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_one_part_that_breaks_its_context_is_enough(strategy):
    data = changed(strategy)
    data["form"]["laws"][-1]["context"]["epsilon"] = "0.01"
    with pytest.raises(PrivacyViolation, match=r"more than the 0\.01 that E allows"):
        parse_published(text_of(data))


def test_the_parts_are_held_to_the_limits_together():
    """Half of the values in each of two parts are refused where either alone is not."""
    form = Form({"a": range(60), "b": range(60)}, ONE, epsilon="1")
    with dc.limits.raised(values=120):
        assert parse_published(form.published).largest == 1
    with dc.limits.raised(values=100), pytest.raises(BeyondLimits, match="values=120 is beyond the limit of 100"):
        parse_published(form.published)
