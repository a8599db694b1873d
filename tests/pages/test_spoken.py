"""The pages of whoever asks in the language of the reader: sentences, shares and days."""

import re

import pytest

from .conftest import HEALTH
from .filled import fill
from .test_common import AXE
from .test_languages import catalogue

DRAWN = "main details summary"
"""What is drawn last of the results of a question."""

TEXT = """() => {
  const all = [...document.querySelectorAll("body *:not(script, style, option[lang])")];
  const read = all.filter((one) => !one.closest("body [lang=en]"));
  const parts = read.flatMap((one) => [...one.childNodes]).filter(({ nodeType }) => nodeType === 3);
  const own = parts.map(({ data }) => data);
  return [document.title, ...read.map((one) => one.getAttribute("aria-label") ?? ""), ...own].join("\\n");
}"""
"""All that a page says, without what is marked as English: the collector's sentences, and the collection's texts."""


@pytest.fixture(scope="module")
def habits(collector):
    return fill(collector, "each", 600)


@pytest.fixture(scope="module")
def invited(collector):
    return collector.declare({**HEALTH, "title": "Invited", "access": "invitation"})


def pieces(sentences):
    """What stands between the placeholders of sentences, where it is more than a word."""
    for entry in sentences.values():
        for text in entry.values() if isinstance(entry, dict) else [entry]:
            yield from (piece for part in re.split(r"\{\w+\}", text) if " " in (piece := part.strip(" .:;,“”")))


def in_english(node):
    return {piece for part in ("", "results") for piece in pieces(catalogue(node, "en", part))}


@pytest.fixture
def shown(opened, health, places, habits, invited):
    """Results and the overview in a language, with all that can be opened, and what each says."""

    def shown_in(language):
        for path, ready in (
            (f"/results/{health}", DRAWN),
            (f"/results/{places}", DRAWN),
            (f"/results/{habits}", "#crossed-first"),
            ("/", "section.card p.row button"),
        ):
            page = opened(f"{path}?lang={language}")
            page.locator(ready).first.wait_for()
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            if path == "/":
                page.locator("section.card:has(p.row button:nth-of-type(2)) p.row button").first.click()
                page.locator("textarea").wait_for()
            yield page, page.evaluate(TEXT)

    return shown_in


@pytest.mark.long
@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("ar", "rtl")])
def test_no_sentence_is_left_in_another_language(node, shown, language, direction):
    english = in_english(node)
    for part in ("", "results"):
        english -= set(pieces(catalogue(node, language, part)))
    for page, text in shown(language):
        assert [piece for piece in english if piece in text] == []
        assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [language, direction]
        assert "{" not in text
        assert "undefined" not in text
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:120]) for one in found] == []


@pytest.mark.long
def test_a_sentence_that_is_left_would_be_found(node, shown):
    """The control of the test above: in English, most of what it looks for is there."""
    text = "".join(text for _, text in shown("en"))
    assert len([piece for piece in in_english(node) if piece in text]) > 60


SIGN = {"en": "%", "de": "\u00a0%", "fr": "[\u00a0\u202f]%", "es": "\u00a0%", "ar": "\u200e?%\u200e?"}
SHARE = {name: rf"\u200e?-?\d+[{'.' if name in ('en', 'ar') else ','}]\d+{sign}" for name, sign in SIGN.items()}
"""How percentages look in each language (CLDR)."""


@pytest.mark.parametrize("language", SHARE)
def test_shares_are_written_as_the_language_does(opened, health, language):
    page = opened(f"/results/{health}?lang={language}")
    page.locator(DRAWN).first.wait_for()
    cells = page.locator("td.number").all_inner_texts()
    assert len([text for text in cells if re.fullmatch(SHARE[language], text)]) > 20
    other = SHARE["de" if language in ("en", "ar") else "en"]
    assert not [text for text in cells if re.search(other, text)]
    ticks = page.locator("svg[role=img] text").all_text_contents()
    assert [text for text in ticks if re.fullmatch(r"\d+" + SIGN[language], text)]


@pytest.mark.long
def test_the_language_is_changed_at_the_top_and_what_was_chosen_stays(opened, habits):
    page = opened(f"/results/{habits}")
    page.get_by_role("combobox", name="Question", exact=True).select_option("travel")
    page.get_by_role("combobox", name="Method").select_option("project")
    page.get_by_text("The closest shares that are not negative").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.get_by_label("Language").select_option("ar")
    page.get_by_role("heading", name="الحفظ والنشر").wait_for()
    assert page.url.endswith("?lang=ar")
    assert page.get_by_role("combobox", name="السؤال", exact=True).input_value() == "travel"
    assert page.get_by_role("combobox", name="الطريقة").input_value() == "project"
    assert page.evaluate("document.documentElement.dir") == "rtl"
    page.get_by_role("link", name="عمليات الجمع").click()
    page.get_by_role("heading", name="عمليات الجمع").wait_for()
    page.get_by_label("اللغة").select_option("fr")
    page.get_by_role("heading", name="Collectes").wait_for()


def test_a_browser_is_spoken_to_in_its_language_before_it_has_a_token(opened, health):
    page = opened(f"/results/{health}", tokens=False, locale="es-MX", quiet=False)
    page.get_by_label("El token de análisis").fill("wrong")
    page.get_by_role("button", name="Continuar").click()
    page.get_by_role("alert").get_by_text("Este no es el token correcto.").wait_for()
    page.get_by_label("Idioma").select_option("de")
    page.get_by_label("Das Analyse-Token").wait_for()


def test_what_the_collector_says_is_marked_as_english(collector, opened):
    name = collector.begin({**HEALTH, "period": "region"}, 100, first="north", second="south")
    page = opened(f"/results/{name}?lang=ar", quiet=False)
    page.get_by_role("button", name="تقرير النشر", exact=True).click()
    told = page.get_by_role("alert").locator("span[lang=en][dir=ltr]")
    told.get_by_text("choose one by period=").wait_for()


def test_days_are_written_as_the_language_does(opened, health):
    page = opened(f"/results/{health}")
    page.locator(DRAWN).first.wait_for()
    rows = [
        {"name": "a", "share": share, "low": 0, "high": 1, "stderr": 0.1, "at": day}
        for share, day in ((0.2, "2026-03-01"), (0.3, "2026-03-02"))
    ]
    drawing = """async ([language, rows]) => {
      const { speak } = await import("/pages/languages.js");
      const { trend } = await import("/pages/charts.js");
      await speak(language, "results");
      return trend(rows, { width: 600, description: "", x: "days" }).textContent;
    }"""
    assert "Mar 1" in page.evaluate(drawing, ["en", rows])
    assert "1. März" in page.evaluate(drawing, ["de", rows])
    assert "١ مارس" in page.evaluate(drawing, ["ar-EG", rows])


@pytest.mark.long
@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_phone_is_wide_enough_in_every_language(opened, health, habits, invited, language):
    for path, ready in ((f"/results/{health}", DRAWN), (f"/results/{habits}", "#crossed-first"), ("/", "section.card")):
        page = opened(f"{path}?lang={language}", width=360)
        page.locator(ready).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
