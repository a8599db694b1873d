"""Questionnaires: both languages take and refuse the same documents and laws, and read and promise the same."""

import copy
import hashlib
import importlib.util
import json
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet.client.addresses import address_of
from discreet.client.collection import Collection, _certified, _check_words
from discreet.client.document import parse_document
from discreet.core.canonical import canonical
from discreet.core.errors import DiscreetError
from discreet.wire import law_text

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "client" / "vectors.forms.jsonl"
HERE = address_of("https://collector.example/c/")
C = dc.Context


def load(path):
    """A module of other tests, by its place."""
    name = "tests_" + "_".join(path.with_suffix("").parts[-2:])
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


# -- the same verdicts, texts and promises ----------------------------------------------------------
@pytest.fixture
def opened(node, tmp_path):
    """What JavaScript says of collections, each a document and a law as texts."""

    def ask(collections):
        path = tmp_path / "collections.json"
        path.write_text(json.dumps([{"document": document, "law": law} for document, law in collections]))
        return node.json("tests/opened.mjs", path)

    return ask


def ours(document, law):
    """The collection as Python opens it; None if it is refused."""
    try:
        parsed = parse_document(document.encode("utf-8", "surrogatepass"), HERE)
        certified = _certified(law.encode(), parsed)
        _check_words(parsed, certified)
    except DiscreetError:
        return None
    return Collection(parsed, certified, None)


FORM = dc.Form({"smokes": ["no", "yes"], "travels": ["bus", "car", "bike"]}, "each", epsilon="2")
QUESTIONS = [
    {"name": "smokes", "question": "Do you smoke?", "kind": "box", "group": "Habits"},
    {"name": "travels", "question": "How?", "help": "Usually.", "words": {"bike": "Bicycle"}, "kind": "choice"},
]
LABELS = {"region": ["n", "s"], "age group": ["<30", "30+"]}
BACKGROUND = [{"name": "region", "question": "Where?", "words": {"n": "North"}}]
GERMAN = {
    "title": "Gewohnheiten",
    "thanks": "Danke!",
    "questions": {"smokes": {"question": "Rauchen Sie?", "words": {"no": "Nein"}}, "travels": {}},
    "background": {"region": {"question": "Wo?", "words": {"s": "Süden"}}},
}
BASE = {
    "version": 1,
    "title": "Habits",
    "fingerprint": FORM.fingerprint,
    "law": "law",
    "reports": "reports",
    "changes": "refuse",
    "questions": QUESTIONS,
    "labels": LABELS,
    "background": BACKGROUND,
    "translations": {"de": GERMAN},
}
SINGLE_LAW = dc.mechanism(C.uniform(["no", "yes"], "1"))
SINGLE = {
    **{key: BASE[key] for key in ("version", "title", "law", "reports", "changes", "labels", "background")},
    "fingerprint": SINGLE_LAW.fingerprint,
    "question": "Do you smoke?",
    "help": "Ever.",
    "words": {"no": "No, never"},
    "translations": {"de": {"question": "Rauchen Sie?", "words": {"yes": "Ja"}, "help": "Je."}},
}
LONG = "x" * 2000
ENTRIES = {
    "title": [
        "",
        " ",
        "\u0085",
        "\ufeff",
        "\u00a0",
        "x" * 200,
        "x" * 201,
        "\U0001f642" * 200,
        "a\nb",
        "a\tb",
        "\x07",
        None,
        3,
        [],
        "a\u202eb",
        "\u2066",
    ],
    "asker": ["The University", "", None, "x" * 4000, "x" * 4001, 1, {}],
    "introduction": ["Hello.\nThank you.", "\n", "a\rb", "a\x7fb", "a\x85b"],
    "consent": ["I agree", True, "\u2029"],
    "thanks": ["\u3164", "\u200b", "\x1c"],
    "language": [
        "de-CH",
        "en",
        "fr",
        "",
        None,
        "DE",
        "d",
        "deut",
        "pt-BR-x1-y2-z3",
        "pt-a",
        "en\n",
        "en_GB",
        3,
        ["en"],
    ],
    "background": [
        [],
        None,
        {},
        [{"name": "region"}],
        [{"name": "other"}],
        BACKGROUND * 2,
        [{"name": "region", "unit": "km"}],
        [{}],
        ["region"],
        [{"name": "age group", "help": None}],
        [{"name": 3}],
    ],
    "translations": [
        {},
        None,
        [],
        {"de": {}},
        {"de": None},
        {"en": {}},
        {"EN": {}},
        {"de": []},
        {"de": {"language": "de"}},
        {"de": {"title": ""}},
        {"de": {"title": None}},
        {"de": {"title": "x" * 201}},
        {"de": {"background": {}}},
        {"de": {"background": {"other": {}}}},
        {"de": {"background": []}},
        {"de": {"words": 3}},
        {f"l{a}{b}": {} for a in "abcd" for b in "abcde"},
        {f"l{a}{b}": {} for a in "abcd" for b in "abcdef"},
        {"__proto__": {}},
        {"de": {"translations": {}}},
        {"de": {"asker": "Die Universität", "introduction": "x" * 4001}},
        {"de": {"kind": "choice"}},
        {"de": {"consent": "\ud800"}},
    ],
    "labels": [None, {}, {"region": ["n"]}],
    "state": ["open", "closed", "ajar"],
    "color": ["red"],
}
OF_A_QUESTION = {
    "name": [
        "travel",
        "",
        " smokes",
        "a * b",
        "#a",
        "report",
        "x" * 64,
        "x" * 65,
        "a\u200bb",
        "a\nb",
        "Größe",
        None,
        3,
        "discreet",
        "question",
        "__proto__",
        "a\u00a0b",
    ],
    "question": ["", " ", None, LONG, LONG + "x", 3, "\u202a", "a\nb"],
    "help": ["", None, LONG, LONG + "x", [], "a\u0000b"],
    "words": [
        {},
        None,
        [],
        {"bike": ""},
        {"bike": 3},
        {"bike": None},
        {"bike": "w" * 200},
        {"bike": "w" * 201},
        {"bike": "car"},
        {"other": "x"},
        {"bike": "\u2800"},
        {"car": "Bus"},
        {"bike": "\u2067"},
    ],
    "unit": ["km", "", None, "u" * 200, "u" * 201, 3],
    "group": ["Habits", "", None, 3, LONG + "x"],
    "kind": ["choice", "scale", "number", "yes/no", "box", "slider", ["choice"], 3, {"a": 1}, None, "", 0, False, []],
    "order": ["random"],
}
OF_A_TRANSLATION = {
    **{key: OF_A_QUESTION[key] for key in ("question", "help", "words", "unit", "group", "kind", "order")},
    "name": ["smokes"],
}


def without(data, key):
    return {name: entry for name, entry in data.items() if name != key}


def documents():
    """Documents of questionnaires and single questions, with one entry changed or left out, and their laws."""
    for base, law in ((BASE, FORM.published), (SINGLE, law_text(SINGLE_LAW))):
        yield base, law
        for key in base:
            yield without(base, key), law
        for key, entries in ENTRIES.items():
            for entry in entries:
                yield {**base, key: entry}, law
    for key, entries in OF_A_QUESTION.items():
        for place in (0, 1):
            questions = copy.deepcopy(QUESTIONS)
            questions[place].pop(key, None)
            yield {**BASE, "questions": questions}, FORM.published
            for entry in entries:
                questions = copy.deepcopy(QUESTIONS)
                questions[place][key] = entry
                yield {**BASE, "questions": questions}, FORM.published
    for key, entries in without(OF_A_QUESTION, "name").items():
        for entry in entries:
            yield {**SINGLE, key: entry}, law_text(SINGLE_LAW)
    for key, entries in OF_A_TRANSLATION.items():
        for entry in entries:
            yield {**BASE, "translations": {"de": {"questions": {"travels": {key: entry}}}}}, FORM.published
            yield {**SINGLE, "translations": {"de": {key: entry}}}, law_text(SINGLE_LAW)
    for questions in (
        [],
        {},
        None,
        QUESTIONS[:1],
        QUESTIONS[::-1],
        [*QUESTIONS, QUESTIONS[0]],
        ["smokes", "travels"],
        [None],
    ):
        yield {**BASE, "questions": questions}, FORM.published
    yield {**BASE, "question": "Which?"}, FORM.published
    yield {**BASE, "words": {}}, FORM.published
    yield {**SINGLE, "questions": QUESTIONS}, FORM.published
    yield {**SINGLE, "fingerprint": FORM.fingerprint}, FORM.published
    yield {**BASE, "fingerprint": SINGLE_LAW.fingerprint}, law_text(SINGLE_LAW)
    yield {**BASE, "fingerprint": hashlib.sha256(FORM.published.encode()).hexdigest()}, FORM.published


def texts_of(collection):
    """What people read in every language, as JavaScript writes it."""
    read = []
    for language in collection.languages:
        texts = collection.document.texts.in_language(language)
        general = {key: getattr(texts, key) for key in ("title", "asker", "introduction", "consent", "thanks")}
        questions = [{"name": name, **vars(one)} for name, one in texts.questions.items()]
        background = [{"name": name, **vars(one)} for name, one in texts.background.items()]
        read.append({"language": language, **general, "questions": questions, "background": background})
    return read


def test_both_languages_take_and_refuse_the_same_documents_and_read_the_same_texts(opened):
    collections = [(json.dumps(document), law) for document, law in documents()]
    found = opened(collections)
    taken = 0
    for (document, law), theirs in zip(collections, found, strict=True):
        collection = ours(document, law)
        is_taken = collection is not None and collection.document.state == "open"
        assert is_taken != ("code" in theirs), (document, theirs.get("message"))
        if not is_taken:
            assert theirs["code"] in ("document", "words", "law", "fingerprint", "address", "closed"), theirs
            continue
        taken += 1
        assert theirs["read"] == texts_of(collection), document
        assert theirs["wording"] == collection.document.wording, document
    assert 60 < taken < len(collections) - 150


STRATEGIES = {
    "one": ({"a": ["x", "y"], "b": ["u", "v"]}, "one at random", "1"),
    "each": ({"a": ["x", "y"], "b": ["u", "v"], "c": range(3)}, "each", "2"),
    "many": ({f"q{i}": ["no", "yes"] for i in range(12)}, "each", "12"),
    "together": ({"a": ["x", "y"], "b": ["u", "v"], "c": range(3)}, "together", "2"),
}
FORMS = {
    **{name: dc.Form(questions, strategy, epsilon=level) for name, (questions, strategy, level) in STRATEGIES.items()},
    **{
        f"contexts, {strategy}": dc.Form(
            {
                "illness": C.high_low(["none", "cold", "hiv"], ["hiv"], "1"),
                "age": C.metric(range(18, 25), "line", "0.25"),
                "way": C.blocks({"wheels": ["bike", "car"], "feet": ["walk", "run"]}, "2"),
                "again": C.high_low(["none", "cold", "hiv"], ["hiv"], "1"),
                "flat": C.uniform(["a"], "1"),
            },
            strategy,
        )
        for strategy in ("one at random", "each")
    },
    **{
        f"numbers, {strategy}": dc.Form(
            {
                "income": C.numbers(0, 4000, "1", nodes=9, clip=True),
                "hours": C.numbers(0, 60, "0.05", step=4, distance="line"),
                "rent": C.numbers(0, 4000, "1", nodes=5, clip=True),
                "sick": C.numbers(0, 7, "1", step=1, clip=True).with_outside(["none of yours"], "1"),
            },
            strategy,
        )
        for strategy in ("one at random", "each")
    },
    "product": dc.Form(
        {
            "illness": C.high_low(["none", "hiv"], ["hiv"], "1"),
            "way": C.blocks({"wheels": ["bike", "car"], "feet": ["walk"]}, "2"),
            "size": C.uniform(range(2), "1/2"),
        },
        "together",
    ),
    "two alike": dc.Form({"a": C.uniform(range(3), "1"), "b": C.uniform(range(3), "1")}, "together"),
    "alike but one": dc.Form(
        {"a": C.uniform(range(3), "1"), "b": C.uniform(range(2), "1"), "c": C.metric(range(9), "line", "1/3")},
        "each",
    ),
    "odd names": dc.Form(
        {
            "__proto__": ["x", "y"],
            "constructor": ["toString", "__proto__"],
            "10": range(2),
            "2": ["Größe", "\U0001f642"],
        },
        "each",
        epsilon="4",
    ),
}


WORDS = {"illness": {"hiv": "HIV infection"}}


def document_of(form, **more):
    questions = [{"name": name, "question": f"What about {name}?", "words": WORDS.get(name, {})} for name in form.names]
    translations = {"de": {"questions": {name: {"help": f"Hilfe zu {name}", "words": {}} for name in form.names}}}
    changed = {"fingerprint": form.fingerprint, "questions": questions, "translations": translations}
    return json.dumps({**BASE, **changed, **more})


@pytest.mark.parametrize("more", [{}, {"changes": "spend", "access": "invitation"}], ids=["refuse", "spend, invited"])
def test_both_languages_promise_the_same_of_every_questionnaire_and_answer(opened, more):
    found = opened([(document_of(form, **more), form.published) for form in FORMS.values()])
    for (name, form), theirs in zip(FORMS.items(), found, strict=True):
        collection = ours(document_of(form, **more), form.published)
        assert theirs["sentences"] == collection.promise, name
        assert (theirs["read"], theirs["wording"]) == (texts_of(collection), collection.document.wording), name
        assert theirs["each"] == [
            [collection.promise_for(question, value) for value in one.values]
            for question, one in collection.questions.items()
        ], name


def changed_laws():
    """Law files of questionnaires that nobody may trust."""
    yield from load(ROOT / "tests" / "hostile" / "test_forms.py").HOSTILE_LAWS.values()
    for form in (FORMS[name] for name in (*STRATEGIES, "product")):
        data = json.loads(form.published)
        laws = data["form"]["laws"]
        for strategy in dc.wire.form.STRATEGIES:
            yield canonical({**data, "form": {**data["form"], "strategy": strategy}})
        for wrong in (laws[:-1], [*laws, laws[0]], laws[::-1], [], [None] * len(laws), {"0": laws[0]}):
            if wrong != laws:
                yield canonical({**data, "form": {**data["form"], "laws": wrong}})
        yield canonical({**data, "version": 2})
        yield canonical({**data, "more": 1})
        yield form.published + " "
    values = [{"tuple": list(value)} for value in FORMS["together"].parts["a * b * c"].context.values]
    joint = json.loads(FORMS["together"].published)
    for domain in (
        values[::-1],
        [values[1], values[0], *values[2:]],
        [entry["tuple"] for entry in values],
        list(range(len(values))),
    ):
        data = copy.deepcopy(joint)
        data["form"]["laws"][0]["domain"] = {"values": domain}
        yield canonical(data)


def test_both_languages_refuse_the_same_laws_of_questionnaires(opened):
    """Each is announced by what its fingerprint would be, so that it is refused for what it is."""
    texts = list(changed_laws())
    announced = []
    for text in texts:
        names, fingerprint = ["a", "b"], "0" * 64
        try:
            form = json.loads(text)["form"]
            hashes = [hashlib.sha256(canonical(law).encode()).hexdigest() for law in form["laws"][:64]]
            entries = {
                "fingerprints": hashes,
                "questions": form["questions"],
                "strategy": form["strategy"],
                "version": 1,
            }
            names, fingerprint = form["questions"], hashlib.sha256(canonical(entries).encode()).hexdigest()
        except (KeyError, TypeError, ValueError):
            pass
        questions = [{"name": name, "question": "?"} for name in names[:64]]
        announced.append(
            json.dumps({**without(BASE, "translations"), "fingerprint": fingerprint, "questions": questions})
        )
    found = opened(zip(announced, texts, strict=True))
    refused = [ours(document, text) is None for document, text in zip(announced, texts, strict=True)]
    differ = [
        text for text, is_ours, theirs in zip(texts, refused, found, strict=True) if is_ours != ("code" in theirs)
    ]
    assert [text[:300] for text in differ] == []
    accepted = [text for text, theirs in zip(texts, found, strict=True) if "code" not in theirs]
    assert 0 < len(accepted) < len(texts) / 2
