"""The sentences of the pages: every one in every language, and the language is the reader's choice."""

import json
import re
import subprocess
from pathlib import Path

import pytest

import discreet as dc
from discreet.client.promise import promise
from discreet.wire import law_text

from .conftest import HEALTH
from .questionnaires import declaration

PAGES = Path(__file__).parents[2] / "src" / "discreet" / "collector" / "pages"
LANGUAGES = ("de", "fr", "es", "ar")
FORMS = {
    "en": {"one", "other"},
    "de": {"one", "other"},
    "fr": {"one", "many", "other"},
    "es": {"one", "many", "other"},
    "ar": {"zero", "one", "two", "few", "many", "other"},
}
"""The forms that each language has for numbers (CLDR)."""


def run(node, script, *given):
    line = [node.path, "--input-type=module", "-e", script, *given]
    return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)


PARTS = {
    "": {"fingerprint", "reports", "labels"},
    "shared": {"QR", "SVG", "CSV"},
    "results": {"QR", "SVG", "CSV", "JSON"},
    "design": {"QR", "SVG", "CSV", "JSON", "TOML", "UTC", "survey", "example", "org"},
}
"""The folders of catalogues below `languages`, with the names that stay as they are in every language."""

SPEAKING = {"answer.js": "", "overview.js": "shared", "results.js": "results", "design.js": "design"}
"""Pages, with the folder of what each says beside what all say."""


def flat(entries, before=""):
    for key, entry in entries.items():
        if isinstance(entry, dict) and not entry.keys() <= FORMS["ar"]:
            yield from flat(entry, f"{before}{key}.")
        else:
            yield before + key, entry


def catalogue(node, language, part=""):
    """The sentences by their keys, flat."""
    path = (PAGES / "languages" / part / f"{language}.js").as_uri()
    return dict(flat(run(node, "console.log(JSON.stringify((await import(process.argv[1])).default))", path)))


def forms(entry):
    return set(entry) if isinstance(entry, dict) else set()


def holes(entry):
    """The placeholders of a sentence, in any of its forms."""
    texts = entry.values() if isinstance(entry, dict) else [entry]
    return {name for text in texts for name in re.findall(r"\{(\w+)\}", text)}


def lacks(sentences, others, language):
    """What is wrong with a catalogue, beside the English one."""
    wrong = sorted(sentences.keys() ^ others.keys())
    for key in sentences.keys() & others.keys():
        if holes(sentences[key]) != holes(others[key]) or not all(
            text or key == "more" for text in (others[key].values() if forms(others[key]) else [others[key]])
        ):
            wrong.append(key)
        if forms(sentences[key]) and forms(others[key]) != FORMS[language]:
            wrong.append(key)
    return wrong


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there_in_every_language_with_the_same_placeholders(node, language, part):
    english, other = catalogue(node, "en", part), catalogue(node, language, part)
    assert lacks(english, other, language) == []
    assert all(forms(entry) in (set(), FORMS["en"]) for entry in english.values())
    name = next(key for key, entry in english.items() if holes(entry))
    assert lacks(english, {**other, name: "no placeholder"}, language)[0] == name  # the controls
    assert lacks(english, {key: entry for key, entry in other.items() if key != name}, language) == [name]


def modules(name, found):
    """A module of the pages with all that it imports."""
    if name not in found:
        found[name] = (PAGES / name).read_text(encoding="utf-8")
        for other in re.findall(r'from "\./([a-z-]+\.js)"', found[name]):
            modules(other, found)
    return found


@pytest.mark.parametrize("page", SPEAKING)
def test_every_sentence_that_a_page_says_is_in_its_catalogues(node, page):
    known = catalogue(node, "en") | (catalogue(node, "en", SPEAKING[page]) if SPEAKING[page] else {})
    text = re.sub(r'[!=]== "[^"]*"', "", "".join(modules(page, {}).values()))
    said = {
        key for call in re.findall(r"\b(?:say|woven)\(([^()`{]*)", text) for key in re.findall(r'"([a-z][\w.]+)"', call)
    }
    groups = set(re.findall(r"\bsay\(`(\w+)\.\$", text))
    assert len(said) > 40
    assert said <= known.keys()
    assert groups <= {key.partition(".")[0] for key in known}


@pytest.mark.parametrize("part", [part for part in PARTS if part])
def test_no_sentence_is_kept_that_no_page_says(node, part):
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES.glob("*.js"))
    keys = {key.partition(".")[0] for key in catalogue(node, "en", part)}
    assert {key for key in keys if not re.search(rf'["`]{key}["`.]', text)} == set()
    assert not re.search(r'["`]noSentence["`.]', text)  # the control


@pytest.mark.parametrize("part", PARTS)
def test_no_text_of_a_page_ends_in_the_wrong_language(node, part):
    """Arabic has no Latin letters beside those of formats and the protocol, so that nothing was left untranslated."""
    arabic = catalogue(node, "ar", part)
    texts = [text for entry in arabic.values() for text in (entry.values() if isinstance(entry, dict) else [entry])]
    latin = {word for text in texts for word in re.findall(r"[A-Za-z]+", re.sub(r"\{\w+\}", "", text))}
    assert latin == PARTS[part]


C = dc.Context
CONTEXTS = {
    "uniform": C.uniform(["a", "b", "c"], "1"),
    "high-low": C.high_low(["none", "cold", "hiv"], ["hiv"], "1"),
    "many": C.high_low(range(20), range(15), "1"),
    "blocks": C.blocks({"x": list("ab"), "y": list("cd")}, "1"),
    "nothing": C.blocks({"x": ["a"], "y": ["b"]}, "1"),
    "graded": C.graded({"a": "1", "b": "2", "c": "2"}),
    "matrix": C.matrix(["a", "b", "c"], [[0, 1, "inf"], [1, 0, 1], ["inf", 1, 0]]),
    "line": C.metric(range(6), "line", "1/2"),
    "far apart": C.metric([0, 3, 9], "line", "2"),
}
SAYING = """
const [pages, client, language, given] = process.argv.slice(1);
const { checkLaw } = await import(client + "participant.js");
const { speak } = await import(pages + "languages.js");
const { promised } = await import(pages + "promised.js");
const { promiseOf } = await import(process.argv[5]);
await speak(language);
const said = [];
for (const [text, words] of JSON.parse(given)) {
  const { facts } = promiseOf(await checkLaw(text), { changes: "refuse", access: "invitation" }, words);
  said.push(facts.map((parts) => promised(parts, [words])));
}
console.log(JSON.stringify(said));
"""


def said(node, language):
    """What the page says of every context."""
    words = {"high-low": {"hiv": "HIV infection"}}
    given = [[law_text(dc.mechanism(context)), words.get(name, {})] for name, context in CONTEXTS.items()]
    promising = (PAGES.parents[3] / "client" / "src" / "promise.js").as_uri()
    made = (PAGES / "made").as_uri() + "/"
    return run(node, SAYING, PAGES.as_uri() + "/", made, language, json.dumps(given), promising)


def test_the_english_of_the_page_is_that_of_the_client(node):
    words = {"high-low": {"hiv": "HIV infection"}}
    for (name, context), found in zip(CONTEXTS.items(), said(node, "en"), strict=True):
        expected = promise(context, "refuse", words.get(name, {}), access="invitation")
        assert [text.replace("“", '"').replace("”", '"') for text in found] == expected, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_promise_says_the_same_numbers_in_every_language(node, language):
    digits = re.compile(r"\d+(?:[.,/]\d+)*")
    for english, other in zip(said(node, "en"), said(node, language), strict=True):
        assert len(english) == len(other)
        for one, two in zip(english, other, strict=True):
            assert one != two
            assert set(digits.findall(two.replace(",", "."))) - {"1"} == set(digits.findall(one)) - {"1"}
            assert "{" not in two


def test_the_promises_of_the_page_are_those_of_the_client(node):
    script = "console.log(JSON.stringify(Object.keys((await import(process.argv[1])).SENTENCES)))"
    keys = run(node, script, (PAGES.parents[3] / "client" / "src" / "form_promise.js").as_uri())
    english = catalogue(node, "en")
    assert {f"promise.{key}" for key in keys} == {key for key in english if key.startswith("promise.")}


TYPED = {
    "en": {"1,234": "1234", "1,234.5": "1234.5", "-3": "-3", "12": "12", "1.5": "1.5", "1,5": "1,5", "٣٥": "35"},
    "de": {"1.234": "1234", "1.234,5": "1234.5", "1,5": "1.5", "1.5": "1.5", "12": "12", "12.5": "12.5"},
    "fr": {"1 234": "1234", "1\u202f234,5": "1234.5", "1,5": "1.5"},
    "ar": {"١٬٢٣٤": "1234", "١٫٥": "1.5", "35": "35", "\u061c-5": "-5"},
}


@pytest.mark.parametrize("language", TYPED)
def test_a_number_is_read_as_its_language_writes_it(node, language):
    script = """
const { digits, number, speak } = await import(process.argv[1]);
await speak(process.argv[2]);
const shown = ["0", "35", "1234", "12345", "1234567", "-1.5"].map((text) => digits(number(text)));
console.log(JSON.stringify([JSON.parse(process.argv[3]).map(digits), shown]));
"""
    typed = TYPED[language]
    given = [(PAGES / "languages.js").as_uri(), language, json.dumps(list(typed))]
    read, shown = run(node, script, *given)
    assert read == list(typed.values())
    assert shown == ["0", "35", "1234", "12345", "1234567", "-1.5"]  # what the page itself shows is read back


ASKED = {
    "en": "How do you usually travel to work?",
    "de": "Wie kommen Sie meistens zur Arbeit?",
    "ar": "كيف تذهب إلى العمل عادةً؟",
}


@pytest.mark.parametrize(
    ("locale", "query", "texts", "page_language", "direction"),
    [
        ("de-AT", "", "de", "de", "ltr"),
        ("ar", "", "ar", "ar", "rtl"),
        ("fr-FR", "", "en", "en", "ltr"),  # the collection is not there in French, and the page goes with it
        ("de-DE", "?lang=ar", "ar", "ar", "rtl"),
        ("en-US", "?lang=fr", "en", "fr", "ltr"),  # unless the reader asks for it
        ("de-DE", "?lang=de-!", "de", "de", "ltr"),  # what is no language is not asked for
    ],
)
def test_the_language_is_the_readers(collector, opened, locale, query, texts, page_language, direction):
    name = collector.declare(declaration("each"))
    page = opened(f"/answer/{name}{query}", tokens=False, locale=locale)
    page.get_by_text(ASKED[texts]).first.wait_for()
    shown = page.evaluate("[document.documentElement.lang, document.documentElement.dir]")
    assert shown == [page_language, direction]
    assert page.locator("#q0-text").get_attribute("lang") == (texts if texts != page_language else None)


def test_answers_stay_when_the_language_changes_and_the_receipt_follows(collector, opened):
    page = opened(f"/answer/{collector.declare(declaration('each'))}", tokens=False)
    page.locator("#agreed").check()
    page.locator("#q0 input").nth(2).check()
    page.locator("#q1 input[type=range]").fill("3")
    page.locator("#q2 input").first.fill("35")
    page.locator("#q3 input").first.check()
    page.locator("#q4 input").first.check()
    page.locator("#q4-done").check()
    page.get_by_label("Language").select_option("ar")
    page.get_by_text("أُجيب عن 6 من 6 أسئلة").wait_for()
    assert page.url.endswith("?lang=ar")
    assert page.locator("#agreed").is_checked()
    assert page.locator("#q1 output").inner_text() == "3"
    page.get_by_label("اللغة").select_option("de")
    page.get_by_role("button", name="Antworten verfremden und senden").click()
    page.get_by_role("heading", name="Ihre Meldung wurde gesendet").wait_for()
    page.get_by_text("Danke, dass Sie dabei waren!").wait_for()
    page.get_by_label("Sprache").select_option("es")
    page.get_by_role("heading", name="Su envío se ha realizado").wait_for()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_single_question_can_be_read_in_every_language(collector, opened, language):
    page = opened(f"/answer/{collector.begin(HEALTH)}?lang={language}", tokens=False, width=360)
    page.get_by_role("radio").first.check()
    page.locator("#meant section").wait_for()
    text = page.locator("body").inner_text()
    assert "{" not in text
    assert not re.search(r"\b(Send|Language|undefined|Your|budget\w*[A-Z])\b", text.replace(HEALTH["question"], ""))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("form button[type=submit]").click()
    page.locator("pre").wait_for()


def test_a_text_that_was_not_translated_keeps_its_direction(collector, opened):
    arabic = {"title": "عملك", "questions": {"travels": {"question": "كيف تذهب إلى العمل؟"}}}
    partly = declaration("each", translations={"ar": arabic})
    page = opened(f"/answer/{collector.declare(partly)}?lang=ar", tokens=False, width=360)
    page.locator("#q0-text").wait_for()
    directions = [page.locator(f"#q{n}-text").evaluate("one => getComputedStyle(one).direction") for n in (0, 1)]
    assert directions == ["rtl", "ltr"]
