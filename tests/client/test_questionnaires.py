"""A questionnaire is one collection: opened, checked, asked, paid for and sent as one."""

import asyncio
import hashlib
import hmac
import json
import traceback
from contextlib import suppress
from fractions import Fraction

import pytest

import discreet as dc
from discreet.client.ledger import Ledger, Parts
from discreet.core.canonical import canonical
from discreet.core.errors import AlreadyAnswered, InvalidInput, Overspent, Refused, UnknownValue
from discreet.wire.form import STRATEGIES, Form
from discreet.wire.form_reports import ReportPacking

YES = dc.Context.uniform(["no", "yes"], "1")
WAYS = dc.mechanism(dc.Context.uniform([f"way {x}" for x in range(40)], "1/2"), "unary")
FORMS = {
    "one at random": Form({"smokes": YES, "way": WAYS, "drinks": YES}, "one at random"),
    "each": Form({"smokes": YES, "way": WAYS, "drinks": YES}, "each"),
    "together": Form(
        {"smokes": ["no", "yes"], "way": [f"way {x}" for x in range(20)]},
        "together",
        epsilon="3/2",
        choice={"name": "unary"},
    ),
}
COSTS = {"one at random": Fraction(1), "each": Fraction(5, 2), "together": Fraction(3, 2)}
ANSWERS = {"smokes": "yes", "way": "way 7", "drinks": "no"}


@pytest.fixture(params=STRATEGIES)
def form(request):
    return FORMS[request.param]


@pytest.fixture
def collector(Collector, form):
    return Collector(form)


def answers(form):
    return {name: ANSWERS[name] for name in form.names}


def test_a_questionnaire_is_paid_for_once_and_sent_as_one_report(client, collector, url, form):
    collection = client.open(url)
    assert collection.strategy == form.strategy
    assert tuple(collection.questions) == form.names
    assert collection.fingerprint == form.fingerprint
    assert collection.epsilon == COSTS[form.strategy]
    receipt = collection.answer(answers(form))
    assert (receipt.state, receipt.epsilon, client.ledger.spent) == ("accepted", collection.epsilon, collection.epsilon)
    (body,) = map(json.loads, collector.uploads.values())
    assert (body["fingerprint"], len(body["reports"])) == (form.fingerprint, 1)
    packing = ReportPacking(form)
    report = packing.unpack(packing.from_json(body["reports"][0]))
    assert tuple(report) == (tuple(form.parts) if form.strategy == "together" else collection.asked)
    laws = {mechanism.fingerprint for mechanism in form.mechanisms.values()}
    kinds = [entry.kind for entry in client.ledger.entries]
    assert kinds == ["cap", *["terms"] * len(laws), "parts", "debit", "report", "upload", "outcome"]
    (parts,) = (entry for entry in client.ledger.entries if isinstance(entry, Parts))
    assert parts.parts == [mechanism.fingerprint for mechanism in form.mechanisms.values()]


def test_the_same_answers_again_cost_nothing_and_get_the_same_report(client, collector, url, form, Collector):
    first = client.open(url).answer(answers(form))
    assert client.open(url).answer(answers(form)).upload == first.upload
    other = Collector(form)
    with other.serving() as there:
        again = client.open(there).answer(answers(form))
    assert (again.state, again.epsilon) == ("accepted", 0)
    assert other.reports == collector.reports
    assert client.ledger.spent == first.epsilon


def test_other_answers_are_refused_or_drawn_anew_and_paid_again(client, collector, url, form):
    collection = client.open(url)
    collection.answer(answers(form))
    changed = dict.fromkeys(form.names, "no") | {"way": "way 8"}
    changed |= {name: "yes" for name in collection.asked if name == "drinks"}
    with pytest.raises(AlreadyAnswered, match="answers there cannot be changed"):
        collection.answer(changed)
    collector.document["changes"] = "spend"
    collection = client.open(url)
    if collection.epsilon * 2 > 4:
        with pytest.raises(Overspent):
            collection.answer(changed)
        return
    receipt = collection.answer(changed)
    assert (receipt.epsilon, len(collector.reports)) == (2 * collection.epsilon, 2)
    assert client.ledger.spent == 2 * collection.epsilon


def test_who_answered_what_stands_in_the_journal_as_a_tag_of_all_answers(client, collector, url, form):
    collection = client.open(url)
    collection.answer(answers(form))
    key = client.ledger.path.with_name("ledger.jsonl.key").read_bytes()
    said = [ANSWERS[name] for name in form.names]
    if form.strategy == "one at random":
        (name,) = collection.asked
        said = [name, ANSWERS[name]]
    (report,) = (entry for entry in client.ledger.entries if entry.kind == "report")
    assert report.tag == hmac.new(key, canonical([url, said]).encode(), "sha256").hexdigest()
    written = [line for line in client.ledger.export().splitlines() if '"kind":"terms"' not in line]
    assert not any("way 7" in line for line in written)


def test_the_question_that_is_asked_is_drawn_by_the_key_alone(Collector, tmp_path):
    form = FORMS["one at random"]
    counts = dict.fromkeys(form.names, 0)
    with Collector(form).serving() as url:
        for number in range(60):
            folder = tmp_path / str(number)
            client = dc.client.Client(ledger=folder / "ledger.jsonl", cap="1")
            (name,) = client.open(url).asked
            assert client.open(url).asked == (name,)  # not drawn again
            key = (folder / "ledger.jsonl.key").read_bytes()
            wording = client.open(url).document.wording
            word = hmac.new(key, canonical(["asked", form.fingerprint, wording]).encode(), "sha256").digest()[:8]
            assert name == form.names[int.from_bytes(word, "big") * 3 >> 64]
            counts[name] += 1
    assert min(counts.values()) >= 3  # fails in fewer than one of 10^6 runs


def test_only_the_answer_to_the_question_that_is_asked_is_looked_at(Collector, client):
    collector = Collector(FORMS["one at random"])
    with collector.serving() as url:
        collection = client.open(url)
        (name,) = collection.asked
        others = {other: "no" for other in ("smokes", "drinks") if other != name}
        with pytest.raises(UnknownValue, match=f"there must be an answer to '{name}', which is asked"):
            collection.answer(others)
        collection.answer({name: ANSWERS[name]})
        collection.answer({name: ANSWERS[name], **others})
    assert (len(collector.uploads), client.ledger.spent) == (1, 1)


def test_an_answer_that_is_none_is_refused_without_repeating_it(client, collector, url, form):
    collection = client.open(url)
    for wrong, error in (
        (answers(form) | {"smokes": "HIV"}, UnknownValue),
        ({**answers(form), "HIV": "no"}, InvalidInput),
        ("HIV", InvalidInput),
        ({}, UnknownValue),
    ):
        with pytest.raises(error) as refused:
            collection.answer(wrong)
        assert "HIV" not in "".join(traceback.format_exception_only(refused.value))
    assert client.ledger.spent == 0
    assert collector.uploads == {}


def test_what_is_said_of_a_single_question_is_asked_of_one_by_name(client, collector, url, form):
    collection = client.open(url)
    for wrong in ("question", "words", "context", "values", "mechanism"):
        with pytest.raises(InvalidInput, match="take one of its questions by name"):
            getattr(collection, wrong)
    question = collection.questions["smokes"]
    assert (question.question, question.help, list(question.values)) == ("What about smokes?", "", ["no", "yes"])
    assert question.value_of("yes") == "yes"
    assert collection.promise_for("smokes", "yes").startswith("This answer is protected: compared with any other")
    with pytest.raises(InvalidInput, match="of a questionnaire the name of a question and a value"):
        collection.promise_for("yes")
    with pytest.raises(InvalidInput, match="question='sleeps' must be one of smokes, way"):
        collection.promise_for("sleeps", "yes")
    assert repr(collection).startswith(f"<Collection 'Health survey' at {url}, epsilon=")


PROMISES = {
    "one at random": [
        "You are asked one of the three questions, drawn at random on this device, and only your randomized answer to "
        "it is sent. Which question it is can be seen.",
        "Questions 1 and 3: compared with any other answer, your report makes yours at most 2.72 times as likely as "
        "before, whatever was known of you (epsilon 1).",
        "Question 2: compared with any other answer, your report makes yours at most 1.65 times as likely as before, "
        "whatever was known of you (epsilon 0.5).",
        "Answering uses 1 of your privacy budget. The same answer again uses nothing; a different one is not accepted.",
    ],
    "each": [
        "You are asked all three questions, and for each of them a randomized report is sent.",
        "Questions 1 and 3: compared with any other answer, your report makes yours at most 2.72 times as likely as "
        "before, whatever was known of you (epsilon 1).",
        "Question 2: compared with any other answer, your report makes yours at most 1.65 times as likely as before, "
        "whatever was known of you (epsilon 0.5).",
        "What the reports show adds up. Compared with any other set of answers, they make yours at most 12.2 times as "
        "likely as before, whatever was known of you (epsilon 2.5).",
        "Answering uses 2.5 of your privacy budget. The same answers again use nothing; different ones are not "
        "accepted.",
    ],
    "together": [
        "You are asked both questions, and one randomized report of all your answers together is sent.",
        "Compared with any other set of answers, your report makes yours at most 4.49 times as likely as before, "
        "whatever was known of you (epsilon 1.5).",
        "Answering uses 1.5 of your privacy budget. The same answers again use nothing; different ones are not "
        "accepted.",
    ],
}


def test_the_promise_says_what_holds_for_all_that_is_asked(client, collector, url, form):
    assert client.open(url).promise == PROMISES[form.strategy]


def test_where_the_promise_differs_by_question_all_of_it_is_said(Collector, client):
    hiv = dc.Context.high_low(["none", "cold", "hiv"], ["hiv"], "1")
    with Collector(Form({"smokes": YES, "last": hiv}, "together")).serving() as url:
        collection = client.open(url)
    assert collection.promise[1:4] == [
        "Question 1, with your other answers as they are: compared with any other answer, your report makes yours at "
        "most 2.72 times as likely as before, whatever was known of you (epsilon 1).",
        "Question 2, with your other answers as they are: compared with an answer that it is hidden from, your report "
        'makes yours at most 2.72 times as likely as before, whatever was known of you (epsilon 1). Protected: "hiv". '
        "All other answers are not protected.",
        "Where answers to several questions differ, what the report shows adds up.",
    ]
    assert collection.shows
    assert collection.promise_for("last", "hiv").startswith(
        "With your other answers as they are: this answer is protected"
    )


# -- lies ---------------------------------------------------------------------------------------------
def _other(form):
    return FORMS["each" if form.strategy != "each" else "one at random"]


def _swap_names(collector, form):
    collector.document["questions"].reverse()


def _word(collector, form):
    collector.document["questions"][0]["words"] = {"no": "Yes"}


def _translate(collector, form):
    collector.document["translations"] = {"de": {"questions": {"smokes": {"words": {"no": "Yes"}}}}}


LIES = {
    "the law of another strategy": (
        lambda collector, form: setattr(collector, "law", _other(form).published.encode()),
        "not the one that its fingerprint stands for",
    ),
    "the hash of the text": (
        lambda collector, form: collector.document.update(fingerprint=hashlib.sha256(collector.law).hexdigest()),
        "not the one that its fingerprint stands for",
    ),
    "the law of one question": (
        lambda collector, form: (
            setattr(collector, "law", WAYS.published.encode()),
            collector.document.update(fingerprint=WAYS.fingerprint),
        ),
        "asks several questions, and its law is that of one",
    ),
    "a law that leaks": (
        lambda collector, form: setattr(collector, "law", collector.law.replace(b'"epsilon":"', b'"epsilon":"0.0')),
        "does not keep its promise",
    ),
    "spaces": (
        lambda collector, form: setattr(collector, "law", collector.law.replace(b",", b", ")),
        "does not keep its promise: .*canonical",
    ),
    "questions in another order": (_swap_names, "must ask the questions that its law is about, in the same order"),
    "words that look like another answer": (_word, "shows one answer as another: .*'yes'"),
    "words in another language": (_translate, "shows one answer as another: .*'yes'"),
    "a question and questions": (
        lambda collector, form: collector.document.update(question="Which?"),
        "'question' .* is not known",
    ),
    "a name twice": (
        lambda collector, form: collector.document["questions"][1].update(name="smokes"),
        "must differ|in this order",
    ),
    "no name": (lambda collector, form: collector.document["questions"][1].pop("name"), "name is missing"),
    "no list": (lambda collector, form: collector.document.update(questions={}), "questions must be a list"),
    "a label that is not declared": (
        lambda collector, form: collector.document.update(background=[{"name": "age"}]),
        "'age' must be one of none",
    ),
    "an unknown kind": (
        lambda collector, form: collector.document["questions"][0].update(kind="essay"),
        "kind='essay' must be one of choice",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_about_a_questionnaire_is_refused_with_a_reason_and_costs_nothing(client, collector, url, form, lie):
    change, reason = LIES[lie]
    change(collector, form)
    with pytest.raises(Refused, match=reason):
        client.open(url)
    assert client.ledger.spent == 0


def test_the_law_of_a_form_is_none_of_a_single_question(client, Collector):
    collector = Collector(WAYS)
    collector.law = FORMS["each"].published.encode()
    collector.document["fingerprint"] = hashlib.sha256(collector.law).hexdigest()
    with collector.serving() as url, pytest.raises(Refused, match="does not keep its promise"):
        client.open(url)


# -- texts --------------------------------------------------------------------------------------------
def test_texts_are_read_in_every_language(Collector, client):
    collector = Collector(FORMS["each"], asker="The University", labels={"age": ["18-39", "40-64"]})
    collector.document["questions"][0] |= {"words": {"yes": "Yes, I do"}, "help": "Usually.", "kind": "yes/no"}
    collector.document["background"] = [{"name": "age", "question": "How old are you?"}]
    german = {"title": "Gesundheit", "questions": {"smokes": {"question": "Rauchen Sie?", "words": {"yes": "Ja"}}}}
    collector.document["translations"] = {"de": german}
    with collector.serving() as url:
        collection = client.open(url)
        assert collection.languages == ("en", "de")
        there = collection.in_language("de")
        assert (there.title, there.questions["smokes"].question, there.questions["smokes"].words) == (
            "Gesundheit",
            "Rauchen Sie?",
            {"yes": "Ja"},
        )
        assert there.questions["way"].question == "What about way?"
        assert there.questions["smokes"].help == "Usually."
        assert (collection.title, there.document.wording) == ("Health survey", collection.document.wording)
        assert collection.background["age"].question == "How old are you?"
        with pytest.raises(InvalidInput, match="language='fr' must be one of en, de"):
            collection.in_language("fr")
        assert there.answer(ANSWERS, labels={"age": "18-39"}).state == "accepted"


def test_the_wording_is_all_that_is_asked_in_every_language(Collector, client):
    collector = Collector(FORMS["each"])
    with collector.serving() as url:
        client.open(url).answer(ANSWERS)
        wording = client.open(url).document.wording
        text = [collector.document["title"], [[name, f"What about {name}?", {}] for name in FORMS["each"].names], {}]
        assert wording == hashlib.sha256(canonical(text).encode()).hexdigest()
        collector.document["thanks"] = "Thank you."  # is no part of what was asked
        assert client.open(url).document.wording == wording
        collector.document["translations"] = {"de": {"title": "Anders"}}
        with pytest.raises(Refused, match="asked something else when it was answered"):
            client.open(url)


# -- the ledger ---------------------------------------------------------------------------------------
def test_what_cannot_be_paid_for_is_known_before_anything_is_asked(collector, url, form, make_client):
    client = make_client(cap="0.75")
    collection = client.open(url)
    with pytest.raises(Overspent, match=r"costs .*, more than the 0.75 that remains"):
        collection.check_budget()
    with pytest.raises(Overspent):
        collection.answer(answers(form))
    assert not any(entry.kind in ("terms", "parts", "debit") for entry in client.ledger.entries)


def test_an_answer_that_was_paid_for_can_be_given_again_without_a_budget(collector, url, form, make_client):
    client = make_client(cap=COSTS[form.strategy])
    client.open(url).answer(answers(form))
    assert client.ledger.left == 0
    client.open(url).check_budget()
    assert client.open(url).answer(answers(form)).state == "accepted"


def test_a_budget_counts_every_part_of_a_form(tmp_path, form):
    budget = dc.Context.uniform(["no", "yes"], 4)
    ledger = Ledger(tmp_path / "ledger.jsonl", 20, budgets=[budget])
    ledger.randomize(form, answers(form), dc.random.secure(), question="here")
    asked, left = ("3/2", "2.5") if form.strategy == "together" else (2, "2")  # both questions, of one at random too
    asked = Fraction(asked)
    assert ledger.budgets[0].spent.epsilon("no", "yes") == asked
    assert Ledger.existing(ledger.path).budgets[0].spent.epsilon("no", "yes") == asked
    other = Form({"eats": YES, "sleeps": dc.Context.uniform(["no", "yes"], 2)}, form.strategy)
    with pytest.raises(Overspent, match=f"costs 3 for telling 'no' from 'yes', more than the {left} that remains"):
        ledger.randomize(other, {"eats": "no", "sleeps": "no"}, dc.random.secure(), question="there")


@pytest.mark.parametrize(("how", "most"), [("each", 2), ("one at random", 1), ("together", 1)])
def test_no_budget_is_got_around_by_asking_beside_another_question(tmp_path, how, most):
    """Whatever stands beside a question, and however both are asked: none is paid beyond the budget."""
    ledger, given = Ledger(tmp_path / "ledger.jsonl", 20, budgets=[dc.Context.uniform(["no", "yes"], 1)]), 0
    for number in range(4):
        form = Form({"asked": ["no", "yes"], "beside": [f"a{number}", "b"]}, how, epsilon=1)
        with suppress(Overspent):
            answer = {"asked": "yes", "beside": "b"}
            ledger.randomize(form, answer, dc.random.secure(), question=f"https://{number}.example/")
            given += 1
    assert given == most
    assert ledger.budgets[0].left.epsilon("no", "yes") == 0


def test_a_budget_that_is_set_later_counts_what_was_answered_before(tmp_path, form):
    ledger = Ledger(tmp_path / "ledger.jsonl", 20)
    ledger.randomize(form, answers(form), dc.random.secure(), question="here")
    ledger.limit(dc.Context.uniform(["no", "yes"], 4))
    assert ledger.budgets[0].spent.epsilon("no", "yes") == (Fraction(3, 2) if form.strategy == "together" else 2)


def test_forms_without_written_contexts_count_for_every_pair_until_they_are_given(tmp_path):
    from discreet.client.ledger import Terms
    from discreet.client.ledger.journal import lines_of

    form = FORMS["each"]
    ledger = Ledger(tmp_path / "ledger.jsonl", 20)
    ledger.randomize(form, ANSWERS, dc.random.secure(), question="here")
    kept = [entry for entry in ledger.entries if not isinstance(entry, (Terms, Parts))]
    ledger.path.write_bytes(b"".join(lines_of(kept)))
    ledger.limit(dc.Context.uniform(["a", "b"], 4))
    assert ledger.budgets[0].spent.epsilon("a", "b") == dc.Context.uniform(["a", "b"], "5/2").epsilon("a", "b")
    ledger.limit(dc.Context.uniform(["a", "b"], 4), laws=[form])
    assert ledger.budgets[0].spent.epsilon("a", "b") == 0


def test_questions_with_the_answers_of_another_law_are_warned_about_by_their_place(client, collector, url, Collector):
    other = dc.mechanism(dc.Context.uniform(["yes", "no", "perhaps"], "1"))
    with Collector(other).serving() as there:
        client.open(there).answer("yes")
        warnings = client.open(url).warnings
    if client.open(url).strategy == "together":
        assert warnings == []  # its values are tuples
    else:
        assert warnings == [
            f"2 of these 2 answers to question {place} were also answers to {there}, which you answered before: "
            "if both ask the same of you, what they show adds up."
            for place in (1, 3)
        ]


def test_a_form_that_was_answered_is_warned_about(client, collector, url, form, Collector):
    client.open(url).answer(answers(form))
    with Collector(dc.mechanism(dc.Context.uniform(["no", "yes", "perhaps"], "1"))).serving() as there:
        warnings = client.open(there).warnings
    assert len(warnings) == (0 if form.strategy == "together" else 1)
    assert client.open(url).warnings == []


def test_a_form_is_answered_on_asyncio(collector, url, form, make_client):
    async def run():
        client = make_client(kind=dc.client.AsyncClient)
        collection = (await client.open(url)).in_language("en")
        assert collection.asked
        return await collection.answer(answers(form))

    assert asyncio.run(run()).state == "accepted"
