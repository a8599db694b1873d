"""The tutorial of ten minutes as somebody follows it: its commands by bash, and what lies between them in a Chromium.

With PICTURES, a folder, in the environment, the pictures of the page are written there: ``make screenshots``.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from ..docs.test_blocks import blocks, run_console

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "ten-minutes.md"
PICTURES = os.environ.get("PICTURES")


class Reader:
    """Somebody who reads the page from the top, runs what it shows, and stops at headings."""

    def __init__(self, folder):
        self.folder = folder
        self.sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.DOTALL | re.MULTILINE))

    def follow(self, *headings):
        """Run the blocks below these headings."""
        for heading in headings:
            for block in blocks(self.sections[heading]):
                run_console(block, f"{PAGE.name}, {heading}")

    def known(self, name):
        """What the page has noted under a name in its file here.sh."""
        return subprocess.check_output(["bash", "-c", f". ./here.sh; echo ${name}"], text=True).strip()

    def end(self):
        """Stop the collector, unless the page got as far as that."""
        number = self.folder / "server.pid"
        if number.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(number.read_text()), signal.SIGTERM)


@pytest.fixture
def reader(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Reader(tmp_path)
    yield made
    made.end()


@pytest.fixture
def page(browser):
    """A tab of a new browser, in which nothing may go wrong unseen."""
    problems = []
    context = browser.new_context(viewport={"width": 900, "height": 800}, color_scheme="light")
    tab = context.new_page()
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
    yield tab
    context.close()
    assert not problems


def picture(page, name):
    if PICTURES:
        page.wait_for_timeout(300)
        page.screenshot(path=Path(PICTURES) / f"ten-minutes-{name}.png")


def pick_and_send(page, answer):
    page.get_by_role("radio", name=answer).check()
    page.get_by_role("button", name="send").click()


def test_the_tutorial_of_ten_minutes_is_what_happens(reader, page):
    reader.follow("Write the question down", "Look at the promise", "Start a collector", "Ask")
    base, name = reader.known("COLLECTOR"), reader.known("ID")

    page.goto(f"{base}/answer/{name}")
    page.get_by_role("heading", name="Why did you last call in sick?").wait_for()
    page.get_by_role("radio", name="burnout").check()
    told = page.locator("section[aria-label='What your report can reveal']").inner_text()
    assert "at most 2.72 times as likely as before" in told
    picture(page, "answer")
    pick_and_send(page, "burnout")
    page.get_by_role("heading", name="Your report was sent").wait_for()
    sent = json.loads(page.locator("pre").inner_text())
    assert sent["reports"] in ([0], [1])
    assert sent["fingerprint"] in reader.sections["Look at the promise"]
    page.get_by_text("Privacy budget used: 1 of 12.").wait_for()
    picture(page, "receipt")

    page.reload()
    pick_and_send(page, "injury")
    page.get_by_role("alert").get_by_text("takes no change").wait_for()
    pick_and_send(page, "burnout")
    page.get_by_role("heading", name="Your report was sent").wait_for()
    assert json.loads(page.locator("pre").inner_text()) == sent

    page.goto(f"{base}/results/{name}#analyst={reader.known('DISCREET_ANALYST')}")
    page.get_by_text("Fewer than 100 reports").wait_for()
    reader.follow("Let 499 others answer", "Read the result")
    page.reload()
    page.get_by_text("500 reports").wait_for()
    page.get_by_role("button", name="Release report", exact=True).wait_for()
    rows = page.get_by_role("table").first.locator("tbody tr")
    assert sorted(row.split("\t")[0] for row in rows.all_inner_texts()) == sorted(
        ["burnout", "cold or flu", "injury", "not really ill"]
    )
    picture(page, "results")

    reader.follow("Close it and publish")
    published = reader.folder.joinpath("release.html").read_text()
    assert "Why did you last call in sick?" in published
    assert "500" in published
    assert sent["fingerprint"] in published


def test_the_numbers_of_reports_are_as_the_tutorial_says(reader):
    """0 is burnout, 1 not really ill, 2 a cold, 3 an injury; who had no burnout sends 0 or 1 more often than not."""
    from discreet.wire import Spec

    reader.follow("Write the question down")
    mechanism = Spec.read("survey.toml").mechanism
    likelihood = [[float(mechanism.sampler.probability(x, y)) for y in range(4)] for x in range(4)]
    assert [y for row in likelihood for y in range(4) if row[y] == 0] == [3, 2, 2, 3, 2, 3]
    assert likelihood[2][0] > likelihood[2][1]
    assert likelihood[3][1] > likelihood[3][0]
    assert likelihood[0][0] + likelihood[0][1] > 0.5
    assert likelihood[1][0] + likelihood[1][1] > 0.5
