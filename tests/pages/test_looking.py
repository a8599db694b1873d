"""The pages of whoever asks: results, the release report, a design that becomes a collection, and the overview."""

import json

import pytest

from .conftest import HEALTH


def test_results_are_shown_by_label_with_their_differences(opened, health):
    page = opened(f"/results/{health}")
    page.get_by_role("heading", name="By group").wait_for()
    text = page.locator("main").inner_text()
    assert "800 reports" in text
    assert "north minus south" in text
    assert page.get_by_role("img", name="Shares by region").count() == 1
    assert page.get_by_role("table").count() >= 2
    assert page.evaluate("location.hash") == ""


def test_shares_are_sorted_and_searched(opened, places):
    page = opened(f"/results/{places}")
    page.get_by_role("heading", name="On the map").wait_for()
    region = page.get_by_role("region", name="Every share with its interval")
    region.get_by_role("button", name="answer").click()
    assert region.locator("tbody th").first.inner_text() == "Aldermoor A1"
    page.get_by_label("Search").first.fill("dunmere")
    assert region.locator("tbody tr").count() == 9
    assert page.get_by_role("img", name="Shares of 9 values with their intervals").count() == 1
    assert "Groups, which reports show openly" in page.locator("main").inner_text()


def test_every_method_can_be_chosen(opened, health):
    page = opened(f"/results/{health}")
    page.get_by_role("heading", name="Save and publish").wait_for()
    for method, said in (
        ("project", "closest shares"),
        ("likelihood", "most likely: never"),
        ("shrink", "Pulled towards"),
    ):
        page.get_by_role("combobox", name="Method").select_option(method)
        page.get_by_text(said).first.wait_for()


def test_too_few_reports_are_told_and_not_shown(collector, opened):
    page = opened(f"/results/{collector.begin(HEALTH, 10, first='north')}")
    page.get_by_text("Fewer than 50 reports").wait_for()
    assert page.get_by_role("table").count() == 0


@pytest.mark.parametrize(("button", "name"), [("CSV", "csv"), ("JSON", "json"), ("PNG", "png")])
def test_results_can_be_kept(opened, health, button, name, tmp_path):
    page = opened(f"/results/{health}")
    with page.expect_download() as kept:
        page.get_by_role("button", name=button, exact=True).click()
    kept.value.save_as(tmp_path / "kept")
    content = (tmp_path / "kept").read_bytes()
    assert kept.value.suggested_filename == f"results-{health}.{name}"
    if name == "csv":
        assert content.decode().splitlines()[0] == "value,share,stderr,low,high"
        assert len(content.decode().splitlines()) == 6
        assert "an HIV infection,0." in content.decode()
    elif name == "json":
        assert len(json.loads(content)["shares"]) == 5
    else:
        assert content.startswith(b"\x89PNG")


def test_the_release_report_opens_from_the_disk(opened, browser, health, tmp_path):
    page = opened(f"/results/{health}")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Release report", exact=True).click()
    kept.value.save_as(tmp_path / "release.html")
    with browser.new_context(offline=True) as context:
        report, said = context.new_page(), []
        report.on("console", lambda message: said.append(message.text))
        report.goto((tmp_path / "release.html").as_uri())
        text = report.locator("body").inner_text()
        assert "800 reports." in text
        assert "an HIV infection" in text
        data = json.loads(
            report.locator("#data").inner_text() or report.evaluate("document.querySelector('#data').textContent")
        )
        assert data["law"]["fingerprint"] in text
        assert not said


def test_people_who_answer_again_are_told_of(collector, opened):
    name = collector.begin({**HEALTH, "period": "region"}, 100, first="north", second="south")
    page = opened(f"/results/{name}", quiet=False)
    page.get_by_text("These are 2 periods together").wait_for()
    page.get_by_role("button", name="Release report", exact=True).click()
    page.get_by_role("alert").get_by_text("choose one by period=").wait_for()


def test_a_design_becomes_a_collection(collector, opened):
    page = opened("/design")
    page.get_by_role("heading", name="What this gives").wait_for()
    page.get_by_label("One answer per line").fill("town: a\ntown: b\ntown: c\nland: d\nland: e")
    page.get_by_label("Which answer within a group", exact=True).check()
    page.get_by_text("Your report shows which of 2 groups").wait_for()
    page.get_by_role("button", name="Save for comparison").click()
    page.get_by_label("Epsilon: the lower").fill("3")
    page.get_by_text("the design you saved").wait_for()
    page.get_by_text("(epsilon 3)").wait_for()
    page.get_by_label("No standard error above").fill("0.9")
    page.get_by_role("button", name="Find epsilon").click()
    page.get_by_text("(epsilon 1.", exact=False).first.wait_for()
    page.get_by_label("Title").fill("Where they live")
    page.get_by_label("The question").fill("Where do you live?")
    page.get_by_role("button", name="Start this collection").click()
    page.get_by_role("link", name="the page to answer").click()
    page.get_by_role("heading", name="Where do you live?").wait_for()
    assert page.get_by_role("radio").count() == 5


@pytest.mark.parametrize("form", ["Every answer", "Some answers", "Exact positions on a scale", "Certain pairs"])
def test_every_way_to_be_sensitive_is_worked_out(opened, form):
    page = opened("/design")
    page.get_by_label(form, exact=True).check()
    if form == "Certain pairs":
        page.get_by_text("at least one pair").wait_for()
        page.get_by_label("Pairs to hide").fill("HIV - nothing")
    page.get_by_text("Proved with whole numbers").wait_for()
    page.wait_for_timeout(400)
    assert page.get_by_role("alert").first.inner_text() == ""


def test_what_cannot_be_designed_is_said(opened):
    page = opened("/design")
    page.get_by_label("One answer per line").fill("a\na")
    page.get_by_text("appears twice").wait_for()
    page.get_by_label("One answer per line").fill("a\nb")
    page.get_by_label("Which answer within a group", exact=True).check()
    page.get_by_text("Write the group of every answer").wait_for()


def test_a_design_in_error_shows_no_other_design_and_the_example_is_called_one(opened):
    page = opened("/design", quiet=False)
    page.get_by_text("Proved with whole numbers").wait_for()
    assert page.get_by_text("This is an example").is_visible()
    assert page.locator("output").inner_text() == "1"
    page.get_by_label("One answer per line").fill("a\na")
    page.get_by_text("Nothing yet:").wait_for()
    alarm, heading = page.locator(".alarm"), page.get_by_role("heading", name="What this gives")
    assert abs(alarm.bounding_box()["x"] - heading.bounding_box()["x"]) < 2  # where the design would be, in sight
    assert page.get_by_role("table").count() == 0
    assert not page.get_by_text("This is an example").is_visible()
    page.get_by_label("One answer per line").fill("18..99")
    page.get_by_label("Every answer", exact=True).check()
    page.get_by_text("Proved with whole numbers").wait_for()
    page.get_by_label("People who will answer").fill("20")
    page.get_by_label("No standard error above").fill("0.5")
    page.get_by_role("button", name="Find epsilon").click()
    page.get_by_text("20 people are too few for a standard error of 0.5 points").wait_for()


def test_a_design_that_the_usual_budget_refuses_says_so(opened):
    page = opened("/design")
    page.get_by_label("One answer per line").fill("18..99")
    page.get_by_label("Exact positions on a scale").check()
    page.get_by_text("An answer uses 81 of a person's privacy budget.").wait_for()
    page.get_by_label("Epsilon: the lower").fill("0.1")
    page.get_by_text("whoever chose the strict one of 4 cannot answer").wait_for()
    page.get_by_label("so many steps apart").fill("10")
    page.get_by_text("compared with one that is 10 steps away").wait_for()
    page.get_by_text("An answer uses").wait_for(state="detached")


def test_a_collection_is_declared_whole_on_the_page(collector, opened):
    page = opened("/design")
    page.get_by_label("Title").fill("By invitation")
    page.get_by_label("The question").fill("What were you treated for?")
    page.get_by_label("Who can answer").select_option("invitation")
    page.get_by_label("First day").fill("2026-01-01")
    page.get_by_label("Last day").fill("2099-12-31")
    page.get_by_text("More about this question").click()
    page.get_by_label("How answers are shown").fill("HIV = an HIV infection")
    page.get_by_text("Background questions", exact=True).click()
    for question, answers in (("Which region?", "north\nsouth"), ("Your age?", "under 40\n40 or older = 40 and more")):
        page.get_by_role("button", name="Add a background question").click()
        page.get_by_role("textbox", name="Background question").last.fill(question)
        page.get_by_label("Its answers, one per line").last.fill(answers)
    page.get_by_role("button", name="Move background question 2 up").click()
    page.get_by_role("button", name="Start this collection").click()
    href = page.get_by_role("link", name="the page to answer").get_attribute("href")
    made = collector.ask(f"/collections/{href.rpartition('/')[2]}")
    assert made["access"] == "invitation"
    assert made["words"] == {"HIV": "an HIV infection"}
    assert made["labels"] == {"age": ["under 40", "40 or older"], "region": ["north", "south"]}
    assert [one["question"] for one in made["background"]] == ["Your age?", "Which region?"]
    assert made["background"][0]["words"] == {"40 or older": "40 and more"}
    assert (made["opens"], made["closes"]) == ("2026-01-01T00:00:00Z", "2100-01-01T00:00:00Z")


def test_the_overview_closes_a_collection(collector, opened):
    name = collector.begin({**HEALTH, "title": "To be closed"})
    page = opened("/")
    card = page.get_by_role("region", name="To be closed")
    page.on("dialog", lambda dialog: dialog.accept())
    card.get_by_role("button", name="Close").click()
    card.get_by_text("closed;").wait_for()
    assert collector.ask(f"/collections/{name}/progress", role="analyst")["state"] == "closed"


def test_a_wrong_token_is_asked_for_again(opened):
    page = opened("/design", tokens=False, quiet=False)
    page.get_by_label("The admin token").fill("wrong")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("alert").get_by_text("This is not the token.").wait_for()


def test_tokens_can_be_forgotten(opened):
    page = opened("/")
    page.get_by_role("button", name="Forget them in this tab").click()
    page.get_by_label("The admin token").wait_for()
    assert page.evaluate("sessionStorage.length") == 0
