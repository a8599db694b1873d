"""The design page in other languages: nothing is left in English, and numbers are read and written as in theirs."""

import re

import pytest

from .test_languages import catalogue
from .test_questionnaire import violations

SHOWN = """() => {
  const page = document.body.cloneNode(true);
  page.querySelectorAll("[lang=en], #language, script, style").forEach((one) => one.remove());
  const told = [...page.querySelectorAll("[aria-label], [placeholder]")];
  const texts = told.flatMap((one) => [one.getAttribute("aria-label"), one.getAttribute("placeholder")]);
  return [document.title, page.textContent, ...texts].join(" \\n ").replace(/[\\u2066-\\u2069]/g, "");
}"""
"""What people read or are told; not what the collector says, and the names of the languages."""


def pieces(entry):
    """What stands between the placeholders of a sentence, in any of its forms."""
    texts = entry.values() if isinstance(entry, dict) else [entry]
    return {piece.strip() for text in texts for piece in re.split(r"\{\w+\}", text) if re.search(r"\w{4}", piece)}


def left(page, english, other):
    """The sentences, or pieces of them, that are on the page in English though the language has others for them."""
    shown = page.evaluate(SHOWN)
    own = set().union(*map(pieces, other.values()))
    return sorted(
        piece
        for piece in set().union(*map(pieces, english.values())) - own
        if re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", shown)
    )


def designed(page, said):
    """A questionnaire of two questions with a label, and what is folded opened, by whoever reads the language."""
    page.get_by_label(said["designing.questionText"]).fill("1?")
    page.get_by_text(said["designing.more"]).click()
    page.get_by_role("button", name=said["designing.add"], exact=True).click()
    page.get_by_label(said["designing.questionText"]).fill("2?")
    page.get_by_label(said["designing.kind"]).select_option("number")
    page.get_by_label(said["designing.largest"]).fill("20")
    page.get_by_role("checkbox", name=said["designing.beside.prefer not to say"]).check()
    page.get_by_label(said["designing.surveyTitle"], exact=True).fill("123")
    for key in ("aroundMore", "background", "languages", "file"):
        page.get_by_text(said[f"designing.{key}"], exact=True).click()
    page.get_by_role("button", name=said["designing.backgroundAdd"]).click()
    page.get_by_text(said["designing.accuracies"]).or_(page.get_by_label(said["designing.accuracies"])).first.wait_for()


@pytest.mark.parametrize(("language", "direction"), [pytest.param("de", "ltr", marks=pytest.mark.long), ("ar", "rtl")])
def test_nothing_of_the_design_page_is_left_in_english(node, opened, language, direction):
    english, said = (catalogue(node, one, "design") for one in ("en", language))
    page = opened("/design", locale=language)
    page.get_by_text(said["designing.save"]).wait_for()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [language, direction]
    assert left(page, english, said) == []
    assert page.locator("ul[lang=en][dir=ltr] li").count() >= 2, "what the collector says stays as it came"
    designed(page, said)
    page.locator("[aria-busy]").wait_for(state="detached")
    assert left(page, english, said) == []
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    page.get_by_role("button", name=said["designing.start"]).click()
    page.get_by_text(said["designing.backgroundNoText"].split("{")[0]).first.wait_for()
    assert left(page, english, said) == []
    page.locator("#language").select_option("en")
    page.get_by_role("heading", name="Design a collection").wait_for()
    page.get_by_text("The accuracy of each question").or_(
        page.get_by_label("The accuracy of each question")
    ).first.wait_for()
    assert page.url.endswith("?lang=en")
    assert len(left(page, english, said)) > 30  # the control: in English they are found
    assert page.locator(".asked").all_inner_texts() == ["1?", "2?"], "the design stays"


def test_numbers_are_typed_and_shown_as_the_language_writes_them(opened):
    page = opened("/design?lang=de")
    people = page.get_by_label("Personen, die antworten werden")
    assert people.input_value() == "10000"
    people.fill("20.000")
    page.get_by_text("20.000 erfundenen Personen").wait_for()
    page.get_by_label("Kein Standardfehler über").fill("2,5")
    page.get_by_role("button", name="Epsilon suchen").click()
    page.get_by_text(re.compile(r"^0,\d+$")).first.wait_for()
    people.fill("zwei")
    assert people.get_attribute("aria-invalid") == "true"
    page.locator("#language").select_option("ar")
    page.get_by_label("عدد الأشخاص الذين سيجيبون").fill("٣٠٠٠٠")
    page.locator("h3", has_text=page.evaluate("new Intl.NumberFormat('ar').format(30000)")).wait_for()


@pytest.mark.long
def test_a_survey_in_another_language_begins_with_that_of_the_page(collector, opened):
    page = opened("/design?lang=fr")
    page.get_by_label("La question, telle qu’elle sera lue").fill("Comment allez-vous ?")
    page.get_by_label("Titre").fill("Santé")
    page.get_by_label("Chaque réponse", exact=True).check()
    page.get_by_label("Proposer aussi « je préfère ne pas répondre »").check()
    page.get_by_role("button", name="Lancer cette collecte").click()
    href = page.get_by_role("link", name="la page pour répondre").get_attribute("href")
    assert page.get_by_role("link", name="les résultats").get_attribute("href").endswith("?lang=fr")
    made = collector.ask(f"/collections/{href.rpartition('/')[2]}")
    assert made["language"] == "fr"
    assert made["words"] == {"prefer not to say": "je préfère ne pas répondre"}


def test_the_page_speaks_its_own_language_again_after_a_preview_in_another(opened):
    page = opened("/design?lang=ar")
    page.get_by_text("اللغات", exact=True).click()
    page.get_by_label("لغة أخرى برمزها").fill("de")
    page.get_by_role("button", name="إضافة هذه اللغة").click()
    page.locator(".translated input").first.fill("nichts")
    page.get_by_role("button", name="معاينة", exact=True).click()
    window = page.get_by_role("dialog")
    window.get_by_label("اللغة").select_option("de")
    window.get_by_text("Eine Frage, noch ohne Text").wait_for()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    window.get_by_role("button", name="إغلاق المعاينة").click()
    page.get_by_role("button", name="إضافة سؤال").first.click()
    page.get_by_text("السؤال ٢:").or_(page.get_by_text("السؤال 2:")).first.wait_for()
