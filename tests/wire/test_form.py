"""Forms: what they promise, how they are written and read, and what they refuse."""

import json
import math
from fractions import Fraction
from itertools import product

import pytest

import discreet as dc
from discreet.core.documents import parse_toml
from discreet.core.errors import BeyondLimits, DiscreetError, InvalidInput, InvalidReport, InvalidSpec, UnknownValue
from discreet.wire import Spec
from discreet.wire.form import EACH, MAX_QUESTIONS, ONE, STRATEGIES, TOGETHER

HABITS = {"smokes": ["no", "yes"], "drinks": ["never", "weekly", "daily"]}
ALL = [dict(zip(HABITS, answers, strict=True)) for answers in product(*HABITS.values())]


def habits(strategy, epsilon="1"):
    return dc.Form(HABITS, strategy, epsilon=epsilon)


def written(strategy=ONE, **more):
    questions = [{"name": name, "domain": {"values": values}} for name, values in HABITS.items()]
    return {"form": {"strategy": strategy, "epsilon": "1"}, "questions": questions, **more}


def channel(form, answers):
    """The exact probability of every report of the form by somebody who holds these answers."""
    laws = []
    for part, mechanism in form.mechanisms.items():
        values = mechanism.context.values
        held = answers[part] if part in answers else tuple(answers[name] for name in form.names)
        laws.append({y: mechanism.sampler.probability(values.index(held), y) for y in mechanism.reports()})
    if form.strategy == ONE:
        share = Fraction(1, len(laws))
        return {(part, y): share * p for part, law in zip(form.parts, laws, strict=True) for y, p in law.items()}
    return {ys: math.prod(law[y] for law, y in zip(laws, ys, strict=True)) for ys in product(*laws)}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_two_people_are_told_apart_better_than_the_form_promises(strategy):
    """Over all pairs of people and all reports of the whole form, exactly; one more part in 1,000 is not promised."""
    form = habits(strategy)
    worst = 0.0
    for first, second in product(ALL, ALL):
        one, two = channel(form, first), channel(form, second)
        assert sum(one.values()) == 1
        seen = max(math.log(one[y] / two[y]) for y in one)
        assert seen <= float(form.epsilon_between(first, second)) + 1e-12
        worst = max(worst, seen)
    assert form.largest == 1
    assert worst == pytest.approx(1, abs=1e-9)  # the control: nothing less would have been true


def test_what_adds_up_and_what_does_not():
    lonely = {"smokes": "no", "drinks": "never"}, {"smokes": "no", "drinks": "daily"}
    both = {"smokes": "no", "drinks": "never"}, {"smokes": "yes", "drinks": "daily"}
    found = {strategy: [habits(strategy).epsilon_between(*pair) for pair in (lonely, both)] for strategy in STRATEGIES}
    assert found == {ONE: [1, 1], EACH: [Fraction(1, 2), 1], TOGETHER: [1, 1]}
    contexts = {"smokes": dc.Context.uniform(["no", "yes"], "1"), "region": dc.Context.uniform(range(3), "2")}
    apart = {"smokes": "no", "region": 0}, {"smokes": "yes", "region": 1}
    sums = {strategy: dc.Form(contexts, strategy).epsilon_between(*apart) for strategy in STRATEGIES}
    assert sums == {ONE: 2, EACH: 3, TOGETHER: 3}


def test_one_question_may_show():
    contexts = {
        "illness": dc.Context.uniform(["no", "yes"], "1"),
        "region": dc.Context.blocks({"n": [1], "s": [2]}, "1"),
    }
    for strategy in STRATEGIES:
        form = dc.Form(contexts, strategy)
        assert form.largest == math.inf
        near = {"illness": "no", "region": 1}, {"illness": "yes", "region": 1}
        assert form.epsilon_between(*near) == 1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_form_is_written_and_read_back(strategy, tmp_path):
    form = habits(strategy)
    form.name = "habits"
    for name in ("form.toml", "form.json"):
        form.write(tmp_path / name)
        found = dc.Form.read(tmp_path / name)
        assert found.fingerprint == form.fingerprint
        assert (found.name, found.strategy, found.names) == ("habits", strategy, form.names)
        assert found.files == (tmp_path / name,)
    pinned = form.resolved()
    pinned.write(tmp_path / "pinned.toml")
    again = dc.Form.read(tmp_path / "pinned.toml")
    assert again.pinned == again.fingerprint == form.fingerprint
    assert all(spec.choice["name"] == "law" for spec in again.parts.values())
    other = dc.Form.of({**parse_toml(pinned.to_toml()), "fingerprint": "0" * 64})
    with pytest.raises(InvalidSpec, match=r"fingerprint=000000000000\.\.\. must be that of the form"):
        _ = other.mechanisms


def test_the_fingerprint_depends_on_everything_that_reports_mean():
    prints = [habits(strategy).fingerprint for strategy in STRATEGIES]
    prints.append(habits(ONE, "2").fingerprint)
    prints.append(dc.Form(dict(reversed(HABITS.items())), ONE, epsilon="1").fingerprint)
    prints.append(dc.Form({"smokes": HABITS["smokes"], "wine": HABITS["drinks"]}, ONE, epsilon="1").fingerprint)
    assert len(set(prints)) == len(prints)
    assert habits(ONE).fingerprint == prints[0]


def test_mechanisms_contexts_and_specs_may_be_questions():
    mechanism = dc.mechanism(dc.Context.uniform(range(3), "1"), "hadamard")
    form = dc.Form({"a": mechanism, "b": mechanism.context}, EACH)
    assert form.mechanisms["a"] is mechanism
    context = {"form": "blocks", "epsilon": "1", "blocks": {"n": ["p", "q"], "s": ["r"]}}
    questions = [{"name": "a", "context": context, "mechanism": {"name": "unary"}}, written()["questions"][0]]
    questions[1] |= {"context": {"form": "uniform", "epsilon": "1"}}
    data = {"form": {"strategy": EACH}, "questions": questions}
    assert dc.Form.of(data).mechanisms["a"].name == "blocks(unary)"
    (joint,) = dc.Form.of(
        {"form": {"strategy": TOGETHER}, "questions": [{"name": "a", "context": context}, questions[1]]}
    ).mechanisms.values()
    assert joint.context.epsilon(("p", "no"), ("q", "yes")) == 2
    assert joint.context.epsilon(("p", "no"), ("r", "no")) == math.inf


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reports_go_through_json(strategy):
    form = habits(strategy)
    rng = dc.random.seeded(1)
    for answers in ALL:
        report = form.randomize(answers, rng)
        data = json.loads(json.dumps(form.report_to_json(report)))
        assert form.report_from_json(data) == report
        assert len(report) == (2 if strategy == EACH else 1)
    for wrong in (None, [], {}, {"smokes": 0, "drinks": 0, "x": 0}, {"x": 0}, {next(iter(form.parts)): -1}):
        with pytest.raises(InvalidReport):
            form.report_from_json(wrong)
    if strategy != EACH:
        with pytest.raises(InvalidReport, match="must hold"):
            form.report_from_json({"smokes": 0, "drinks": 0})


def test_wide_reports_are_hexadecimal():
    wide = dc.mechanism(dc.Context.uniform(range(70), "1"), "unary")
    form = dc.Form({"a": wide, "b": dc.Context.uniform(range(2), "1")}, EACH)
    report = form.randomize({"a": 3, "b": 0}, dc.random.seeded(2))
    data = form.report_to_json(report)
    assert isinstance(data["a"], str)
    assert form.report_from_json(data) == report


def test_the_question_is_drawn_evenly_from_one_word_whatever_is_held():
    form = dc.Form({name: range(2) for name in "abc"}, ONE, epsilon="1")
    third = (1 << 64) // 3
    words = {0: "a", third: "a", third + 1: "b", (1 << 63): "b", (1 << 64) - 1: "c"}
    for word, question in words.items():
        assert form.ask(dc.random.replay([word])) == (question,)
        for held in (0, 1):
            answers = dict.fromkeys("abc", held)
            assert list(form.randomize(answers, dc.random.replay([word, 5]))) == [question]


def test_only_the_question_that_is_asked_needs_an_answer():
    form = habits(ONE)
    words = [0, 7]
    assert list(form.randomize({"smokes": "no"}, dc.random.replay(words))) == ["smokes"]
    with pytest.raises(UnknownValue, match="there must be an answer to 'smokes'"):
        form.randomize({"drinks": "never"}, dc.random.replay(words))
    with pytest.raises(UnknownValue) as refused:
        form.randomize({"smokes": "secret"}, dc.random.replay(words))
    assert "secret" not in str(refused.value)
    with pytest.raises(InvalidInput, match="'smoks' must be one of the questions: smokes, drinks"):
        form.randomize({"smoks": "no"}, dc.random.replay(words))
    with pytest.raises(UnknownValue, match="an answer to 'drinks'"):
        habits(TOGETHER).randomize({"smokes": "no"}, dc.random.seeded(1))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "form is missing"),
        ({"form": {"strategy": ONE}}, "questions is missing"),
        (written("some"), "form.strategy='some' must be one of 'one at random', 'each', 'together'"),
        ({**written(), "form": {"strategy": ONE, "epsilon": "0"}}, "form.epsilon='0' must be positive and finite"),
        ({**written(), "form": {"strategy": ONE, "epsilons": "1"}}, "form.epsilons is not a known entry"),
        ({**written(), "form": {"strategy": ONE, "epsilon": "inf"}}, "form.epsilon='inf' must be positive and finite"),
        ({**written(), "questions": []}, f"questions: 0 must be from 2 to {MAX_QUESTIONS}"),
        ({**written(), "questions": written()["questions"][:1]}, "questions: 1 must be from 2"),
        ({**written(), "questions": written()["questions"] * 40}, "questions: 80 must be from 2 to 64"),
        (
            {**written(), "questions": [written()["questions"][0]] * 2},
            r"questions\[1\]: name='smokes' is that of an ear",
        ),
        ({**written(), "questions": {"a": 1}}, "questions must be a list"),
        ({**written(), "questions": [1, 2]}, r"questions\[0\]: the spec must be a table"),
        ({**written(), "questions": [{"domain": {"size": 2}}] * 2}, r"questions\[0\]: name is missing"),
        (
            {**written(), "questions": [{"name": "report", "domain": {"size": 2}}] * 2},
            "question='report' must be a name",
        ),
        (
            {**written(), "questions": [{"name": "a * b", "domain": {"size": 2}}] * 2},
            "question='a \\* b' must be a name",
        ),
        ({**written(), "questions": [{"name": "#a", "domain": {"size": 2}}] * 2}, "question='#a' must be a name"),
        ({**written(), "questions": [{"name": "a", "domain": {"size": 2}, "x": 1}] * 2}, "x is not a known entry"),
        ({**written(), "questions": [{"name": "a", "context": {}}] * 2}, "context must be left out: form.epsilon"),
        (
            {**written(TOGETHER), "questions": [{"name": "a", "domain": {"size": 2}, "mechanism": {}}] * 2},
            "mechanism must stand beside the form",
        ),
        (written(mechanism={"name": "auto"}), "mechanism is not a known entry"),
        (written(version=2), "version=2 must be 1"),
        (written(fingerprint="ab"), "fingerprint must be the 64 hexadecimal digits"),
        (written(TOGETHER, mechanism=3), "mechanism must be a table"),
    ],
)
def test_a_bad_form_is_refused_with_one_line(data, said):
    with pytest.raises(DiscreetError, match=said):
        dc.Form.of(data)


def test_a_huge_product_is_refused_before_it_is_made():
    questions = [{"name": name, "domain": {"size": 1000}} for name in "abcdefgh"]
    with pytest.raises(BeyondLimits, match="the tuples of all answers: values="):
        dc.Form.of({"form": {"strategy": TOGETHER, "epsilon": "1"}, "questions": questions})
    assert dc.Form.of({"form": {"strategy": ONE, "epsilon": "1"}, "questions": questions}).names == tuple("abcdefgh")


@pytest.mark.parametrize(
    ("questions", "strategy", "more", "said"),
    [
        ([1, 2], ONE, {}, "questions of type list must be contexts or mechanisms"),
        ({"a": range(2)}, ONE, {"epsilon": "1"}, "a form of 1 questions must have from 2 to 64"),
        ({"a": range(2), "b": range(2)}, "all", {"epsilon": "1"}, "strategy='all' must be one of"),
        ({"a": range(2), "b": range(2)}, ONE, {}, "question 'a' must be a context or a mechanism, or the form must"),
        ({"a": dc.Context.uniform(range(2), 1), "b": range(2)}, ONE, {"epsilon": 1}, "'a' must be given by its values"),
        ({"a": range(2), 7: range(2)}, ONE, {"epsilon": "1"}, "question=7 must be a name"),
        ({"a": [("p", "q"), ("r", "s")], "b": range(2)}, TOGETHER, {"epsilon": "1"}, "has tuples as values"),
    ],
)
def test_a_form_that_cannot_be_is_refused(questions, strategy, more, said):
    with pytest.raises(DiscreetError, match=said):
        dc.Form(questions, strategy, **more)


def test_a_form_is_no_spec_of_one_question():
    with pytest.raises(InvalidSpec, match="this is a form of several questions"):
        Spec.of(written())
