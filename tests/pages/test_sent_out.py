"""From the design page to results: a questionnaire of five kinds is built, sent to twenty people, answered and read.

Every page is looked at in both themes, under the strict policy of the collector: whatever it forbids, consoles tell.
"""

import csv
import json

import pytest

from .building import build
from .test_questionnaire import saved, started, violations

PEOPLE = 20
GERMAN, ARABIC, PHONES = 4, 9, (0, 1, 4, 9, 12, 17)
"""Who reads which language, and who answers at 360 px; whoever has an odd number sees dark pages."""

SPENT = """import("/pages/made/participant.js")
  .then(({ Participant }) => new Participant().ledger.summary())
  .then(({ spent }) => spent, ({ code }) => code)"""
"""What a browser has spent, or "cap" where nobody has set a budget yet."""


def is_open_to_all(page):
    """True if axe finds nothing, and nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return violations(page) == []


def answered(page, number):
    """Answer as person `number`, by the order of the controls, which is the same in every language."""
    if page.locator("#agreed").count():
        page.locator("#agreed").check()
    page.locator("#q0 input").nth(number % 4).check()
    page.locator("#q1 input").nth(number % 4).check()
    page.locator("#q2 input[type=range]").focus()
    page.keyboard.press("Home" if number % 2 else "End")
    page.locator("#q3 input").nth(number % 2).check()
    page.locator("#q4 input").nth(number % 2).check()
    page.locator("#q4-done").check()
    page.locator("details select").last.select_option("north" if number % 2 else "south")
    page.locator("form button[type=submit]").click()


@pytest.mark.long
def test_twenty_people_answer_what_was_built_and_sent_out_on_the_pages(collector, opened, tmp_path):
    design = opened("/design")
    build(design)
    design.get_by_label("Another language").fill("ar")
    design.get_by_role("button", name="Add this language").click()
    arabic = design.locator("details.card[open]")
    arabic.get_by_label("Health and habits", exact=True).fill("الصحة والعادات")
    arabic.get_by_label("Do you smoke?", exact=True).fill("هل تدخن؟")
    design.get_by_label("Hide results until").fill("10")
    design.get_by_label("Who can answer").select_option("invitation")
    name = started(design)
    design.get_by_label("or the list itself").fill("id\n" + "\n".join(map(str, range(PEOPLE + 1))))
    kept = {}
    design.on("download", lambda one: kept.update({one.suggested_filename: one}))
    design.get_by_role("button", name="Make the invitations").click()
    design.get_by_text(f"{PEOPLE + 1} invitations, each good for one answer").wait_for()
    design.wait_for_timeout(300)
    kept[f"invitations-{name}.csv"].save_as(tmp_path / "links.csv")
    rows = list(csv.DictReader((tmp_path / "links.csv").read_text(encoding="utf-8").splitlines()))
    links = [row["link"].removeprefix(collector.url) for row in rows]

    for number, link in enumerate(links[:PEOPLE]):
        locale = {GERMAN: "de-DE", ARABIC: "ar"}.get(number, "en-US")
        look = {"width": 360 if number in PHONES else 1000, "theme": "dark" if number % 2 else "light"}
        page = opened(link, tokens=False, locale=locale, **look)
        page.locator("#q0").wait_for()
        page.locator("details:has(select) > summary").last.click()
        if number == GERMAN:
            page.get_by_role("heading", name="Gesundheit und Gewohnheiten").wait_for()
            page.get_by_text("ein Fahrrad").wait_for()
        if number == ARABIC:
            page.get_by_role("heading", name="هل تدخن؟").wait_for()
            assert page.evaluate("document.documentElement.dir") == "rtl"
        assert number not in (*PHONES, 2, 3) or is_open_to_all(page)
        answered(page, number)
        page.locator("pre").wait_for()
        assert number not in (*PHONES, 2, 3) or is_open_to_all(page)
        assert len(json.loads(page.locator("pre").inner_text())["reports"]) == 1
        assert page.evaluate(SPENT) == "9"
        page.context.close()

    for theme in ("light", "dark"):
        results = opened(f"/results/{name}", theme=theme)
        results.get_by_text("All questions at a glance").wait_for()
        results.get_by_text("20 reports").first.wait_for()
        results.get_by_label("Columns").select_option("smoke")
        results.get_by_text("Of 20 people, the share who gave both answers").wait_for()
        assert is_open_to_all(results)
    results.get_by_role("combobox", name="Question").select_option("smoke")
    assert "Do you smoke?" in saved(results, "Release report", tmp_path / "release.html").read_text(encoding="utf-8")

    overview = opened("/", theme="dark")
    overview.on("dialog", lambda dialog: dialog.accept())
    card = overview.get_by_role("region", name="Health and habits", exact=True)
    card.get_by_text("21 invitations; at least 20 used;").wait_for()
    card.get_by_role("button", name="Close").click()
    card.get_by_text("closed;").wait_for()
    late = opened(links[PEOPLE], tokens=False, quiet=False, theme="dark")
    late.get_by_text("none of your privacy budget was used").wait_for()
    assert late.locator("#q0").count() == 0
    assert late.evaluate(SPENT) == "cap"
    assert is_open_to_all(late)
