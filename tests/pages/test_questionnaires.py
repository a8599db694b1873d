"""A questionnaire on one page: every kind of question, consent, what is missing and sent, and when nothing is asked."""

import json
from pathlib import Path

import pytest

from discreet.wire.questionnaire import Questionnaire

from .conftest import HEALTH
from .questionnaires import HOLDS, declaration, small
from .test_questionnaire import saved

AXE = Path(__file__).parents[2] / "pages" / "node_modules" / "axe-core" / "axe.min.js"
SEND = "Scramble my answers and send"


@pytest.fixture(scope="module")
def each(collector):
    return collector.declare(declaration("each"))


def counted(collector, name):
    return collector.ask(f"/collections/{name}/progress", role="analyst")["n"]


def boxed(values, times=1, *, translated=False):
    """The declaration of two boxes with these values, and so many times again after another question."""
    group, domain = "Which of these did you have this year?", {"values": values}
    questions, german = [], {}
    for time in range(times):
        for text, word in (("back pain", "Rückenschmerzen"), ("trouble sleeping", "schlechten Schlaf")):
            more = f" {time}" if time else ""
            questions.append({"name": text + more, "question": text + more, "kind": "box", "group": group})
            german[text + more] = {"question": word + more, "group": "Was davon hatten Sie dieses Jahr?"}
        if time + 1 < times:
            questions.append({"name": f"night {time}", "question": "Do you work at night?"})
    spec = {
        "form": {"strategy": "each", "epsilon": "2"},
        "questions": [
            {"name": one["name"], "domain": domain if "kind" in one else {"values": ["no", "yes"]}} for one in questions
        ],
    }
    about = {"title": "Health", "minimum": 1, "changes": "refuse", "access": "open"}
    texts = {"translations": {"de": {"questions": german}}} if translated else {}
    return {**about, "spec": spec, "questions": questions, **texts}


def fill(page):
    """Give every answer, by the order of the controls, so that it works in every language."""
    page.locator("#q0 input").nth(1).check()
    page.locator("#q1 input[type=range]").focus()
    page.keyboard.press("ArrowUp")
    page.locator("#q2 input").first.fill("35")
    page.locator("#q3 input").first.check()
    page.locator("#q4 input").first.check()
    page.locator("#q4-done").check()


def send(page):
    page.locator("form button[type=submit]").click()


def test_five_kinds_are_answered_and_counted_as_one_report(collector, opened):
    name = collector.declare(declaration("each"))
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_role("heading", name="Work and health").wait_for()
    page.get_by_text("Asked by: Harbour Health Study").wait_for()
    page.get_by_label("I have read this and agree.").check()
    page.get_by_label("by bike").check()
    slider = page.get_by_role("slider", name="How content are you with your work?")
    assert slider.get_attribute("aria-valuetext") == "No answer yet"
    slider.focus()
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "10, completely"
    page.get_by_role("textbox", name="How many hours did you work last week?").fill("35")
    page.get_by_role("group", name="Do you work at night?").get_by_label("Yes").check()
    page.get_by_label("trouble sleeping").check()
    assert "4 of 6 questions answered" in page.locator("form").inner_text()  # boxes count once they are confirmed
    page.get_by_label("I have gone through the list.").check()
    page.get_by_text("6 of 6 questions answered").wait_for()
    page.get_by_text("Optional, not protected").click()
    page.get_by_label("Where do you live?").select_option("in the south")
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    page.get_by_text("Thank you for taking part!").wait_for()
    sent = json.loads(page.locator("pre").inner_text())
    assert sent["labels"] == {"region": "south"}
    assert len(sent["reports"]) == 1
    assert counted(collector, name) == 1
    page.get_by_text("Privacy budget used: 8 of 12").wait_for()


def test_nothing_is_sent_before_consent_and_every_answer_and_what_is_missing_is_named(collector, opened):
    name = collector.declare(declaration("each"))
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_label("by bike").check()
    send(page)
    missing = page.get_by_role("alert").get_by_role("link").all_inner_texts()
    assert missing == ["your consent", *[f"Question {n} of 6" for n in (2, 3, 4)], "Questions 5–6 of 6"]
    page.get_by_role("link", name="Question 3 of 6").click()
    assert page.evaluate("document.activeElement.closest('fieldset').id") == "q2"
    fill(page)
    send(page)
    assert page.get_by_role("alert").get_by_role("link").all_inner_texts() == ["your consent"]
    assert counted(collector, name) == 0
    page.get_by_label("I have read this and agree.").check()
    send(page)
    page.get_by_role("heading", name="Your report was sent").wait_for()
    assert counted(collector, name) == 1


def test_a_single_question_needs_consent_too(collector, opened):
    name = collector.declare({**HEALTH, "consent": "Your scrambled answer is kept.", "asker": "A clinic"})
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_label("an HIV infection").check()
    page.get_by_role("heading", name="What your report can reveal").wait_for()
    assert page.get_by_role("button", name="Scramble my answer and send").is_disabled()
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Scramble my answer and send").click()
    page.get_by_role("heading", name="Your report was sent").wait_for()


def test_a_number_is_one_of_those_that_are_listed(opened, each):
    page = opened(f"/answer/{each}", tokens=False)
    field = page.get_by_role("textbox", name="How many hours did you work last week?")
    said = page.locator("#q2-said")
    page.get_by_text("A number from 0 to 80, in steps of 5").wait_for()
    for typed, sentence in {
        "37": "37 is not one of the possible answers. The nearest are 35 or 40.",
        "81": "Please enter a number from 0 to 80.",
        "many": "Please enter a number, in digits.",
        "٣٥": "",
        " 40 ": "",
    }.items():
        field.fill(typed)
        field.blur()
        assert said.inner_text() == sentence
        assert page.get_by_text("1 of 6 questions answered").count() == (not sentence)


def test_what_is_outside_a_scale_is_never_its_neighbour_on_the_slider(opened, each):
    page = opened(f"/answer/{each}", tokens=False)
    slider, outside = page.get_by_role("slider"), page.get_by_label(HOLDS).first
    slider.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    assert slider.get_attribute("aria-valuetext") == "10, completely"
    outside.check()
    assert slider.get_attribute("aria-valuetext") == "No answer yet"
    page.get_by_text("1 of 6 questions answered").wait_for()
    page.get_by_role("button", name="One step up").click()
    assert not outside.is_checked()
    page.get_by_text("1 of 6 questions answered").wait_for()


def test_a_place_on_a_scale_is_explained_by_places_near_it(opened, each):
    page = opened(f"/answer/{each}", tokens=False)
    page.get_by_role("slider").focus()
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    assert page.locator("#q1 output").inner_text() == "7"
    page.locator("#q1 summary").click()
    page.locator("#q1 summary").get_by_text("(compared with “2").wait_for()
    page.locator("#q1 details p").get_by_text(", compared with “2").wait_for()


def test_a_box_without_a_tick_is_no_answer_until_the_person_says_so(collector, opened):
    name = collector.declare(declaration("each"))
    page = opened(f"/answer/{name}", tokens=False)
    done = page.get_by_label("I have gone through the list.")
    page.get_by_label("back pain").check()
    page.get_by_text("0 of 6 questions answered").wait_for()
    done.check()
    page.get_by_text("2 of 6 questions answered").wait_for()
    page.get_by_label("back pain").uncheck()
    page.get_by_text("2 of 6 questions answered").wait_for()
    done.uncheck()
    page.get_by_text("0 of 6 questions answered").wait_for()


def test_boxes_are_as_they_were_left_in_every_language_and_under_each_heading(collector, opened):
    """What is sent is what is seen: a heading is another text in another language, and may stand there twice."""
    name = collector.declare(boxed(["no", "yes"], 2, translated=True))
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_label("I have gone through the list.").nth(0).wait_for()
    page.get_by_label("back pain", exact=True).check()
    page.get_by_label("I have gone through the list.").nth(0).check()
    page.get_by_text("2 of 5 questions answered").wait_for()
    assert not page.get_by_label("I have gone through the list.").nth(1).is_checked()
    page.locator("#language").select_option("de")
    page.get_by_label("Rückenschmerzen", exact=True).wait_for()
    assert page.get_by_label("Rückenschmerzen", exact=True).is_checked()
    assert not page.get_by_label("schlechten Schlaf", exact=True).is_checked()
    assert page.locator("#q0-done").is_checked()
    assert not page.locator("#q3-done").is_checked()


@pytest.mark.parametrize("values", [["ill", "healthy"], ["yes", "true"]])
def test_boxes_whose_answers_are_not_yes_and_no_are_shown_with_their_answers(collector, opened, values):
    """Of any other two answers nobody could see which one a tick gives, and which one goes without it."""
    name = collector.declare(boxed(values))
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_label(values[0], exact=True).nth(0).wait_for()
    assert page.get_by_role("checkbox").count() == 0
    assert page.get_by_role("radio").count() == 4


def test_one_question_is_drawn_for_good_and_it_is_said(collector, opened):
    name = collector.declare(declaration("one at random"))
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_role("heading", name="You are asked one of 6 questions").wait_for()
    asked = page.locator("fieldset.question").get_attribute("id")
    assert page.locator("fieldset.question").count() == 1
    page.get_by_text("All 6 questions of this survey").click()
    assert page.locator("ol li").count() == 6
    page.reload()
    page.locator("fieldset.question").wait_for()
    assert page.locator("fieldset.question").get_attribute("id") == asked
    page.get_by_label("I have read this and agree.").check()
    if page.locator("fieldset.question input[type=text]").count():
        page.locator("fieldset.question input[type=text]").fill("35")
    else:
        page.locator("fieldset.question input").first.focus()
        page.keyboard.press("Space")
    send(page)
    page.get_by_role("heading", name="Your report was sent").wait_for()
    assert counted(collector, name) == 1


def test_all_answers_together_are_one_report(collector, opened):
    name = collector.declare(small("together"))
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_text("your answers are scrambled together, into one report").wait_for()
    page.get_by_label("I have read this and agree.").check()
    page.get_by_label("by car").check()
    page.get_by_role("group", name="Do you work at night?").get_by_label("No").check()
    page.get_by_label("I have gone through the list.").check()
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    assert counted(collector, name) == 1
    page.reload()  # the same answers again send nothing new, others are refused
    page.get_by_label("I have read this and agree.").check()
    page.get_by_label("by bike").check()
    page.get_by_role("group", name="Do you work at night?").get_by_label("No").check()
    page.get_by_label("I have gone through the list.").check()
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("alert").get_by_text("takes no change").wait_for()
    assert counted(collector, name) == 1


def test_questions_may_be_called_what_objects_have_anyway(collector, opened):
    kept = declaration("each")["questions"][3]
    names = ["__proto__", "constructor", "toString"]
    asked = {
        "title": "Names",
        "form": {"strategy": "each", "epsilon": "3"},
        "questions": [
            {"name": name, "question": name, "kind": kept["kind"], "domain": {"values": ["no", "yes"]}}
            for name in names
        ],
        "minimum": 1,
    }
    collection = collector.declare(Questionnaire.of(asked).declaration())
    page = opened(f"/answer/{collection}", tokens=False)
    for name in names:
        page.get_by_role("group", name=name).get_by_label("Yes").check()
    page.get_by_text("3 of 3 questions answered").wait_for()
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    assert counted(collector, collection) == 1


@pytest.mark.parametrize("state", ["closed", "waiting"])
def test_a_questionnaire_that_takes_no_answers_asks_nothing(collector, opened, state):
    name = collector.declare(declaration("each", **({"opens": "2099-01-02T12:00:00Z"} if state == "waiting" else {})))
    if state == "closed":
        collector.ask(f"/collections/{name}/close", {})
    page = opened(f"/answer/{name}", tokens=False, locale="de-DE")
    heading = {"closed": "Diese Umfrage nimmt keine Antworten an", "waiting": "Diese Umfrage ist noch nicht offen"}
    page.get_by_role("heading", name=heading[state]).wait_for()
    said = page.get_by_role("alert").inner_text()
    assert {"closed": "geschlossen", "waiting": "2. Januar 2099"}[state] in said
    assert "Es wurde nichts gesendet" in said
    assert page.locator("input").count() == 0


def test_a_questionnaire_that_needs_more_than_is_left_is_not_asked(collector, opened):
    page = opened(f"/answer/{collector.begin(HEALTH)}", tokens=False)
    page.get_by_label("an HIV infection").check()
    page.get_by_label("Budget").select_option("4")
    page.get_by_role("button", name="Scramble my answer and send").click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    name = collector.declare(declaration("each"))
    page.goto(f"{collector.url}/answer/{name}")
    page.get_by_role("heading", name="Your privacy budget is too small for this survey").wait_for()
    assert "It uses 8, and 2.5 of 4 remain" in page.locator("main").inner_text()
    assert page.locator("fieldset.question").count() == 0
    assert counted(collector, name) == 0


def test_the_keyboard_is_enough(collector, opened):
    name = collector.declare(small("each"))
    page = opened(f"/answer/{name}", tokens=False)
    page.locator("fieldset.question").first.wait_for()
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        focus = page.evaluate("document.activeElement.closest('#q0, #q1, #q2') && document.activeElement.type || ''")
        here = page.evaluate("document.activeElement.id || document.activeElement.textContent.slice(0, 20)")
        seen.append(here)
        if here == "agreed" or focus in ("radio", "checkbox"):
            page.keyboard.press("Space")
        if page.evaluate("document.activeElement.type") == "submit":
            page.keyboard.press("Enter")
            break
    page.get_by_role("heading", name="Your report was sent").wait_for()
    assert "agreed" in seen


@pytest.mark.parametrize("locale", ["en-US", "de-DE", "ar"])
def test_nobody_is_kept_out_of_a_questionnaire(opened, each, theme, locale):
    page = opened(f"/answer/{each}", tokens=False, theme=theme, locale=locale, width=360)
    page.locator("#agreed").check()
    fill(page)
    page.locator("details.reveals summary").first.click()
    page.locator("details.card summary").first.click()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for _ in range(2):
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:120]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        if page.locator("pre").count():
            return
        send(page)
        page.locator("pre").wait_for()


@pytest.mark.parametrize("state", ["closed", "missing", "drawn", "too expensive"])
def test_nobody_is_kept_out_where_little_or_nothing_is_asked(collector, opened, theme, state):
    name = collector.declare(declaration("one at random" if state == "drawn" else "each"))
    page = opened("/", tokens=False, theme=theme, width=360, quiet=False)
    if state == "closed":
        collector.ask(f"/collections/{name}/close", {})
    if state == "too expensive":
        page.goto(f"{collector.url}/answer/{collector.begin(HEALTH)}")
        page.get_by_label("an HIV infection").check()
        page.get_by_label("Budget").select_option("4")
        page.get_by_role("button", name="Scramble my answer and send").click()
        page.locator("pre").wait_for()
    page.goto(f"{collector.url}/answer/{'none' if state == 'missing' else name}?lang=ar")
    page.locator("form button[type=submit], .card[role=alert]").first.wait_for()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:120]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


LONG = "Donaudampfschifffah" * 5


def test_long_words_make_no_questionnaire_wider(collector, opened):
    asked = declaration("each")
    for one in asked["questions"]:
        one["question"] = LONG + one["name"]
        one["help"] = LONG
        if "unit" in one:
            one["unit"] = LONG
        if "group" in one:
            one["group"] = LONG
    asked["questions"][0]["words"] = {"foot": LONG + "a", "bike": LONG + "b"}
    asked["questions"][1]["words"] = {"0": LONG + "a", "10": LONG + "b"}
    for key in ("title", "asker", "introduction", "consent", "thanks"):
        asked[key] = LONG
    asked.pop("translations")
    page = opened(f"/answer/{collector.declare(asked)}", tokens=False, width=360)
    page.locator("#agreed").check()
    fill(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_no_word_of_a_scale_is_broken_on_a_phone(collector, opened):
    answers = ["never", "sometimes", "often", "approximately always"]
    asked = {"title": "Sleep", "question": "How often?", "kind": "scale", "domain": {"values": answers}, "minimum": 1}
    one = Questionnaire.of({**asked, "context": {"form": "uniform", "epsilon": "1"}}).declaration()
    page = opened(f"/answer/{collector.declare(one)}", tokens=False, width=360)
    page.locator("label.step").first.wait_for()
    lines = """(all) => all.map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    })"""
    assert page.locator("label.step span").evaluate_all(lines) == [1, 1, 1, 1]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("kinds", ["one", "all"])
def test_the_page_is_small(collector, opened, each, kinds):
    """Below 60 KB for a single question in English and 90 KB with all kinds, as sent over the wire."""
    name = each if kinds == "all" else collector.begin(HEALTH)
    page = opened("/", tokens=False)
    loaded = set()
    page.on("response", lambda answer: loaded.add(answer.url))
    page.goto(f"{collector.url}/answer/{name}")
    page.get_by_role("radio").first.wait_for()
    page.wait_for_load_state("networkidle")
    # a browser says 0 of what a page and its worker both load, so each file is weighed by itself
    sizes = {url: int(page.request.get(url).headers["content-length"]) for url in loaded}
    assert {url.rpartition("/")[2] for url in sizes if "/languages/" in url} == {"en.js"}  # the others are not loaded
    names = {url.rpartition("/")[2] for url in sizes}
    assert {"answer.js", "worker.js", "participant.js", "chunk.js"} <= names
    assert ("questionnaire.js" in names) == (kinds == "all")  # what several questions need is loaded with them
    assert all(size > 0 for size in sizes.values())
    assert 40_000 < sum(sizes.values()) < {"one": 60_000, "all": 90_000}[kinds]


def test_results_are_in_the_words_of_the_reader_and_scales_in_their_order(collector, opened, tmp_path):
    """Questions, answers, yes and no, units and background questions; a file keeps the collection's own words."""
    name = collector.declare(declaration("each"))
    for _ in range(2):
        page = opened(f"/answer/{name}", tokens=False)
        page.locator("#agreed").check()
        fill(page)
        send(page)
        page.locator("pre").wait_for()
    results = opened(f"/results/{name}?lang=de")
    results.get_by_role("heading", name="Arbeit und Gesundheit").wait_for()
    results.get_by_text("„Ja“").wait_for()
    results.get_by_text("Stunden“ geantwortet").wait_for()
    content = results.get_by_role("img", name="Wie zufrieden sind Sie mit Ihrer Arbeit?")
    scale = ["0, gar nicht", *map(str, range(1, 10)), "10, vollkommen", "keine Angabe"]
    drawn = [text.strip("\u2068\u2069") for text in content.locator("text").all_text_contents()]
    assert [text for text in drawn if text in scale] == scale
    results.locator("option", has_text="Wo wohnen Sie?").wait_for(state="attached")
    results.get_by_role("combobox", name="Frage", exact=True).select_option("content")
    results.get_by_role("heading", name="Wie zufrieden sind Sie mit Ihrer Arbeit?").wait_for()
    table = results.get_by_role("table", name="Jeder Anteil mit seinem Konfidenzintervall")
    table.wait_for()
    rows = table.locator("tbody th").all_inner_texts()
    assert [row.strip("\u2068\u2069") for row in rows] == scale
    kept = saved(results, "CSV", tmp_path / "content.csv").read_text(encoding="utf-8")
    assert [line.split('"')[1] if '"' in line else line.split(",")[0] for line in kept.splitlines()[1:]] == [
        "0, not at all",
        *map(str, range(1, 10)),
        "10, completely",
        HOLDS,
    ]
