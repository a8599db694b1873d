"""A whole questionnaire on the pages: designed, kept as a file and read again, started, invited to, and looked at."""

import csv
import json
import re
import tomllib
from fractions import Fraction

import pytest

import discreet as dc
from discreet.wire.questionnaire import Questionnaire

from .building import add, begun, build
from .filled import fill
from .test_common import AXE

NAMES = ["treated", "content", "old", "smoke", "car", "bicycle"]


def saved(page, button, path):
    """The file that a button gives."""
    with page.expect_download() as kept:
        page.get_by_role("button", name=button, exact=True).click()
    kept.value.save_as(path)
    return path


def started(page):
    """The id of the collection that the page starts."""
    page.get_by_role("button", name="Start this collection").click()
    return page.get_by_role("link", name="the page to answer").get_attribute("href").rpartition("/")[2]


def violations(page):
    page.context.pages[0].evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    return [(one["id"], one["nodes"][0]["html"][:120]) for one in found]


@pytest.fixture(scope="module")
def habits(collector):
    return fill(collector, "each", 1500)


def test_a_questionnaire_of_five_kinds_becomes_one_collection(collector, opened):
    page = opened("/design")
    build(page)
    made = collector.ask(f"/collections/{started(page)}")
    assert [one["name"] for one in made["questions"]] == NAMES
    assert [one.get("kind") for one in made["questions"]] == [None, "scale", "scale", "yes/no", "box", "box"]
    assert made["questions"][4]["group"] == "What do you own?"
    assert made["labels"] == {"region_live": ["north", "south"]}
    assert made["background"][0]["question"] == "Which region do you live in?"
    assert made["consent"].startswith("I am 18")
    german = made["translations"]["de"]
    assert german["title"] == "Gesundheit und Gewohnheiten"
    assert german["questions"]["treated"]["words"] == {"cold": "Erkältung"}
    assert german["questions"]["bicycle"] == {"question": "ein Fahrrad", "group": "Was besitzen Sie?"}
    law = collector.ask(f"/collections/{made['law'].split('/')[2]}/law")
    contexts = [one["context"] for one in law["form"]["laws"]]
    assert (law["form"]["strategy"], contexts[0]["form"]) == ("each", "uniform")
    points = [str(first) for first in range(18, 89, 10)]
    assert contexts[2] == {"form": "metric", "distance": "line", "epsilon": "0.05", "points": points}


def test_its_file_is_a_questionnaire_and_gives_the_same_again(opened, tmp_path):
    page = opened("/design")
    build(page)
    path = saved(page, "Download the questionnaire file", tmp_path / "first.toml")
    questionnaire = Questionnaire.read(path)
    assert questionnaire.names == tuple(NAMES)
    page.get_by_text("Open a questionnaire or spec file").click()
    page.get_by_label("A file (TOML or JSON)").set_input_files(path)
    page.get_by_text("Read first.toml: 5 questions.").wait_for()
    again = saved(page, "Download the questionnaire file", tmp_path / "second.toml")
    assert tomllib.loads(again.read_text()) == tomllib.loads(path.read_text())


SPECS = {
    "uniform": dc.Context.uniform(["a", "b", "c"], "1"),
    "third": dc.Context.uniform(["a", "b", "c"], "1/3"),
    "blocks": dc.Context.blocks({"n": ["a", "b"], "s": ["c", "d"]}, "1"),
    "ages": dc.Context.metric(range(18, 99), "line", epsilon="1/10").with_outside(["prefer not to say"], "2"),
    "grid": dc.Context.metric([(x, y) for x in range(3) for y in range(3)], "l1", epsilon="1"),
}


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_that_is_opened_is_not_changed(opened, name, tmp_path):
    path = tmp_path / "spec.json"
    spec = dc.Spec(SPECS[name])
    spec.write(path)
    page = opened("/design")
    page.get_by_text("Open a questionnaire or spec file").click()
    page.get_by_label("A file (TOML or JSON)").set_input_files(path)
    page.get_by_text("Read spec.json: one question.").wait_for()
    again = dc.Spec.read(saved(page, "Download the survey file", tmp_path / "again.toml"))
    assert again.mechanism.fingerprint == spec.mechanism.fingerprint


def test_a_file_that_says_nothing_of_a_survey_is_refused(opened, tmp_path):
    (tmp_path / "list.json").write_text('{"a": 1}')
    (tmp_path / "broken.toml").write_text("a = ")
    page = opened("/design", quiet=False)
    page.get_by_text("Open a questionnaire or spec file").click()
    (tmp_path / "strange.json").write_text('{"context": {"form": "outside", "outside": 1}}')
    for name, said in (
        ("list.json", "neither questions nor a context"),
        ("broken.toml", "this is not TOML"),
        ("strange.json", "not written as questionnaires"),
    ):
        page.get_by_label("A file (TOML or JSON)").set_input_files(tmp_path / name)
        page.get_by_text(said).wait_for()
    page.get_by_label("One answer per line").wait_for()


def test_questions_are_reordered_and_removed_and_one_is_open(opened):
    page = opened("/design")
    begun(page, "First?", "yes/no")
    add(page, "Second?", "yes/no")
    add(page, "Third?", "yes/no")
    assert page.get_by_label("as people will read it").count() == 1
    page.get_by_role("button", name="Move question 3 up").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move question 2 up"
    assert page.locator(".asked").all_inner_texts() == ["First?", "Third?", "Second?"]
    page.get_by_role("button", name="Remove question 1").click()
    assert page.locator(".asked").all_inner_texts() == ["Third?", "Second?"]
    page.get_by_role("button", name="Second?").click()
    assert page.get_by_label("as people will read it").input_value() == "Second?"


def test_the_ways_to_ask_are_compared_by_cost_and_accuracy(opened):
    page = opened("/design")
    begun(page, "Do you smoke?", "yes/no")
    for number in range(4):
        add(page, f"Question {number}?", "yes/no")
    page.get_by_text("An answer uses 5 of a person's privacy budget").wait_for()
    table = page.get_by_role("region", name="Ways to ask compared")
    costs = {row.split("\t")[0]: row.split("\t")[1] for row in table.locator("tbody").inner_text().splitlines()}
    assert list(costs.values()) == ["1", "5", "5"]
    page.get_by_label("Everybody answers one question").check()
    page.get_by_text("An answer to the whole questionnaire uses 1 of").wait_for()
    page.get_by_label("One epsilon for the whole questionnaire").check()
    page.get_by_label("Epsilon of the whole questionnaire").fill("3")
    page.get_by_text("An answer to the whole questionnaire uses 3 of").wait_for()


def test_what_is_wrong_with_a_question_is_said_with_its_number_and_shows_nothing_stale(opened):
    page = opened("/design")
    begun(page, "Do you smoke?", "yes/no")
    page.get_by_role("button", name="Add a question").click()
    page.get_by_text("Question 2: There must be at least two answers").wait_for()
    assert page.get_by_role("region", name="The accuracy of each question").count() == 0
    page.get_by_role("button", name="Start this collection").click()
    page.get_by_text("Question 2 has no text yet.").wait_for()


@pytest.mark.long
def test_a_number_is_spoken_of_in_the_units_typed(opened):
    page = opened("/design")
    page.get_by_label("Kind of answer").select_option("number")
    page.get_by_text("compared with one that is 10 away").wait_for()
    page.get_by_label("Unit, such as years").fill("years")
    page.get_by_text("compared with one that is 10 years away").wait_for()
    page.get_by_label("this far apart, in years").fill("5")
    page.get_by_text("compared with one that is 5 years away").wait_for()
    page.get_by_text('an answer at a distance of 5 "years"').wait_for()
    add(page, "Do you smoke?", "yes/no")
    page.locator("summary", has_text="question_1").click()
    page.get_by_text('an answer at a distance of 5 "years"').wait_for()


def test_prefer_not_to_say_is_nobodys_neighbour(opened, tmp_path):
    page = opened("/design")
    page.get_by_label("Kind of answer").select_option("number")
    page.get_by_label("Also offer “prefer not to say”").check()
    page.get_by_label("Epsilon between such an answer").fill("2")
    page.get_by_text("Proved with whole numbers").wait_for()
    context = dc.Spec.read(saved(page, "Download the survey file", tmp_path / "ages.toml")).context
    assert context.epsilon(99, "prefer not to say") == 2
    assert context.epsilon(98, 99) == Fraction(1, 10)


def test_the_preview_is_called_one_and_shows_every_language(opened):
    page = opened("/design")
    build(page)
    page.get_by_role("button", name="Preview").click()
    window = page.get_by_role("dialog")
    window.get_by_text("This is a preview of what people read.").wait_for()
    assert window.get_by_role("checkbox").count() == 4, "consent, two boxes and their confirmation"
    assert window.get_by_role("slider").count() == 1, "eight bands"
    window.get_by_label("Language").select_option("de")
    window.get_by_text("Weswegen wurden Sie zuletzt behandelt?").wait_for()
    assert window.get_by_text("Erkältung").count() == 1
    assert window.get_by_text("Ich habe das gelesen").count() == 1
    assert window.get_by_role("button").last.is_disabled()
    window.get_by_role("button", name="Close the preview").click()
    assert page.get_by_role("dialog").count() == 0
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["en", "ltr"]


def test_people_are_invited_by_links_and_codes_and_reminded(collector, opened, tmp_path):
    name = fill(collector, "one at random", access="invitation", title="By invitation")
    page = opened("/")
    card = page.get_by_role("region", name="By invitation", exact=True)
    card.get_by_role("button", name="Invite", exact=True).click()
    panel = page.get_by_role("region", name="Invite to By invitation")
    panel.get_by_label("Public address").fill("https://survey.example.org")
    panel.get_by_role("button", name="Use this address").click()
    people = 'address,name\nann@example.org,"Ann, B."\nbo@example.org,=Bo\n'
    page.get_by_label("or the list itself").fill(people)
    kept = {}
    page.on("download", lambda one: kept.update({one.suggested_filename: one}))
    page.get_by_role("button", name="Make the invitations").click()
    page.get_by_text("2 invitations, each good for one answer").wait_for()
    page.wait_for_timeout(300)
    kept[f"invitations-{name}.csv"].save_as(tmp_path / "links.csv")
    rows = list(csv.DictReader((tmp_path / "links.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["name"] for row in rows] == ["Ann, B.", "'=Bo"]
    link = rf"https://survey\.example\.org/answer/{name}#invitation=[0-9a-f]{{32}}"
    assert all(re.fullmatch(link, row["link"]) for row in rows)
    assert rows[0]["qr"].startswith("<svg")
    assert f"cards-{name}.html" in kept
    card.get_by_text("2 invitations; fewer than 50 used; nobody is told which.").wait_for()
    page.get_by_label("A CSV file").set_input_files(tmp_path / "links.csv")
    page.get_by_role("button", name="Remind").click()
    page.get_by_text("2 reminders, one for everybody").wait_for()
    assert violations(page) == []


def test_every_question_is_told_in_words_and_two_are_crossed(opened, habits, tmp_path):
    page = opened(f"/results/{habits}")
    page.get_by_text("All questions at a glance").wait_for()
    said = page.locator("main").inner_text()
    assert re.search(r"About 2\d\.\d% answered “Yes”: probably between", said)
    assert "ticked this box" in said
    page.get_by_label("Columns").select_option("car")
    page.get_by_text("The answers to the two questions go together").wait_for()
    table = page.get_by_role("region", name="Two questions crossed")
    share = float(re.search(r"Yes\s+[\d.]+%[^%]+%[^%]+%\s+([\d.]+)", table.inner_text())[1])
    assert 20 < share < 30
    whole = saved(page, "Release report", tmp_path / "release.html").read_text(encoding="utf-8")
    assert all(text in whole for text in ("Do you smoke?", "How content are you?", "What do you own? a boat"))
    page.get_by_label("Among").select_option("region")
    page.get_by_role("region", name="Two questions crossed: south").wait_for()
    assert page.get_by_text("The most frequent pair").count() == 2
    assert violations(page) == []


def test_one_question_is_looked_at_with_its_groups_and_report(opened, habits, tmp_path):
    page = opened(f"/results/{habits}")
    page.get_by_role("button", name="More about this question: How do you travel to work?").click()
    page.get_by_text("The most frequent answer. About").wait_for()
    page.get_by_text("No difference between the two groups is larger").wait_for()
    path = saved(page, "Release report, JSON", tmp_path / "release.json")
    assert json.loads(path.read_text())["question"] == "How do you travel to work?"
    saved(page, "CSV", tmp_path / "shares.csv")
    assert "by bicycle" in (tmp_path / "shares.csv").read_text()


@pytest.mark.parametrize("strategy", ["one at random", "together"])
def test_one_question_is_looked_at_by_every_strategy(collector, opened, strategy, tmp_path):
    page = opened(f"/results/{fill(collector, strategy, 1000, names=('smoke', 'travel'))}")
    page.get_by_role("button", name="More about this question: How do you travel").click()
    page.get_by_text("The most frequent answer. About").wait_for()
    page.get_by_role("heading", name="By group").wait_for()
    page.get_by_role("combobox", name="Method").select_option("project")
    page.get_by_text("The closest shares that are not negative").first.wait_for()
    assert "by bicycle" in saved(page, "Release report", tmp_path / "release.html").read_text(encoding="utf-8")


def test_what_cannot_be_crossed_is_said(collector, opened):
    page = opened(f"/results/{fill(collector, 'one at random', 600)}")
    page.get_by_text("questions of this survey cannot be crossed").wait_for()
    together = fill(collector, "together", 600, names=("smoke", "travel"))
    page = opened(f"/results/{together}")
    page.get_by_text("The most frequent pair").wait_for()


def test_nobody_is_kept_out_of_questionnaires(opened, habits, theme):
    page = opened(f"/results/{habits}", theme=theme)
    page.get_by_text("The most frequent pair").wait_for()
    assert violations(page) == []
    page = opened("/design", theme=theme)
    build(page)
    assert violations(page) == []
    page.get_by_role("button", name="Preview").click()
    assert violations(page) == []


def test_a_phone_is_wide_enough_for_questionnaires(opened, habits):
    page = opened(f"/results/{habits}", width=360)
    page.get_by_text("The most frequent pair").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page = opened("/design", width=360)
    build(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_interval_that_says_hardly_anything_is_called_so(opened, habits):
    page = opened(f"/results/{habits}")
    page.get_by_text("All questions at a glance").wait_for()
    told = page.evaluate(
        """async () => {
          const { sentence } = await import("/pages/glance.js");
          return [[-0.1, 0.7], [0.1, 0.5]].map(([low, high]) => sentence({ name: "22", share: 0.3, low, high }, false));
        }"""
    )
    assert told[0] == "Too uncertain to say how many answered “22”: it may be anything between 0% and 70.0%."
    assert "probably between" in told[1]


def test_of_an_interval_outside_the_scale_what_is_shown_is_no_point(opened, habits):
    """It is moved along with the share, so that it holds whatever of 0 to 1 it held before."""
    page = opened(f"/results/{habits}")
    shown = page.evaluate(
        """async () => {
          const { shownWithin } = await import("/pages/charts.js");
          const cases = [[-0.05, -0.09, -0.01], [1.02, 0.97, 1.08], [0.25, 0.125, 0.5], [0.25, null, undefined]];
          return cases.map((one) => Object.values(shownWithin(...one)));
        }"""
    )
    assert shown[0] == pytest.approx([0, 0, 0.04])
    assert shown[1] == pytest.approx([1, 0.95, 1])
    assert shown[2:] == [[0.25, 0.125, 0.5], [0.25, None, None]]
