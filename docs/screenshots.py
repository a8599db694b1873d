"""The pictures of the documentation: ``make screenshots``.

Every page in both themes, from a collector with made-up people; a questionnaire in three languages; what the tutorial
on surveys draws by itself; and the pages of the tutorial of ten minutes, which a test goes through.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
REPORTS = 3000
"""The reports that results are shown with."""


def ready(page: Page, text: str) -> None:
    """Wait until a page shows a text."""
    page.get_by_text(text).first.wait_for()
    page.wait_for_timeout(300)


def shoot(page: Page, base: str, link: str, theme: str) -> None:
    """Go through the pages, with a picture of each."""
    page.goto(link)
    ready(page, "Refused before")
    page.screenshot(path=PICTURES / f"overview-{theme}.png")
    ids = [
        href.rpartition("/")[2]
        for href in page.eval_on_selector_all("a", "all => all.map((a) => a.href)")
        if "/results/" in href
    ]
    for number, name in ((1, "results"), (0, "results-map")):
        page.goto(f"{base}/results/{ids[number]}")
        ready(page, "Save and publish")
        for _ in range(600):
            count = int(re.sub(r"\D", "", page.locator("strong", has_text="reports").inner_text()))
            if count >= REPORTS:
                break
            page.wait_for_timeout(500)
        page.screenshot(path=PICTURES / f"{name}-{theme}.png", full_page=name == "results-map")
    page.goto(f"{base}/design")
    ready(page, "Proved with whole numbers")
    page.screenshot(path=PICTURES / f"design-{theme}.png")
    page.goto(f"{base}/answer/{ids[1]}")
    page.get_by_role("radio").nth(5).check()
    page.wait_for_timeout(200)
    page.screenshot(path=PICTURES / f"answer-{theme}.png", full_page=True)
    page.get_by_role("button", name="send").click()
    ready(page, "Everything that was sent")
    page.screenshot(path=PICTURES / f"receipt-{theme}.png")


def looked_at(page: Page, base: str, tokens: str, ids: dict[str, str], theme: str) -> None:
    """A questionnaire as it is built, previewed, sent out and read."""
    from tests.pages.building import build

    page.goto(f"{base}/design{tokens}")
    ready(page, "Proved with whole numbers")
    build(page)
    page.get_by_role("button", name="How content are you?").click()
    ready(page, "An answer uses")
    page.wait_for_timeout(1500)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=PICTURES / f"questionnaire-design-{theme}.png", clip=wide(1250), full_page=True)
    page.get_by_role("button", name="Preview").click()
    page.wait_for_timeout(300)
    page.screenshot(path=PICTURES / f"questionnaire-preview-{theme}.png")
    page.goto(f"{base}/")
    page.get_by_role("region", name="By invitation", exact=True).get_by_role(
        "button", name="Invite", exact=True
    ).click()
    ready(page, "Invite people")
    page.get_by_role("region", name="Invite to By invitation").screenshot(
        path=PICTURES / f"questionnaire-invite-{theme}.png"
    )
    page.goto(f"{base}/results/{ids['filled']}")
    ready(page, "The most frequent pair")
    page.screenshot(path=PICTURES / f"questionnaire-results-{theme}.png", clip=wide(1150), full_page=True)
    page.get_by_role("heading", name="Two questions crossed").scroll_into_view_if_needed()
    page.screenshot(path=PICTURES / f"questionnaire-crossed-{theme}.png")


def wide(height: int) -> FloatRect:
    """The upper part of a page."""
    return {"x": 0, "y": 0, "width": 1100, "height": height}


def designed(browser: Browser) -> None:
    """The pictures of questionnaires, from a collector of their own."""
    sys.path.insert(0, str(ROOT))
    from tests.pages.conftest import Collector
    from tests.pages.filled import fill

    with tempfile.TemporaryDirectory() as folder:
        collector = Collector(Path(folder), "--public-url", "https://survey.example.org")
        try:
            fill(collector, "each", 0, access="invitation", title="By invitation")
            ids = {"filled": fill(collector, "each", 2000)}
            for theme in THEMES:
                context = browser.new_context(color_scheme=theme, viewport={"width": 1100, "height": 900})
                looked_at(context.new_page(), collector.url, collector.link, ids, theme)
                context.close()
        finally:
            collector.stop()


def questionnaires(browser: Browser, base: str, link: str) -> None:
    """Answer the questionnaire of the tests in three languages."""
    sys.path.insert(0, str(ROOT))
    from tests.pages.questionnaires import declaration

    token = re.search("admin=([^&]+)", link)
    assert token is not None
    headers = {"authorization": f"Bearer {token[1]}", "content-type": "application/json"}
    body = json.dumps(declaration("each")).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{base}/collections", body, headers)) as answer:
        name = json.loads(answer.read())["id"]
    for picture, theme, locale, width in (
        ("questionnaire-light", "light", "en-US", 1000),
        ("questionnaire-de-light", "light", "de-DE", 360),
        ("questionnaire-ar-dark", "dark", "ar", 1000),
    ):
        context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900}, locale=locale)
        page = context.new_page()
        page.goto(f"{base}/answer/{name}")
        page.locator("#agreed").check()
        page.locator("#q0 input").nth(3).check()
        page.locator("#q1 input[type=range]").fill("7")
        page.locator("#q2 input").first.fill("35")
        page.locator("#q3 input").first.check()
        page.locator("#q4 input").first.check()
        page.locator("#q0 summary").click()
        page.wait_for_timeout(300)
        page.screenshot(path=PICTURES / f"{picture}.png", full_page=True)
        context.close()


def tutorial() -> None:
    """Run the lines of the tutorial on surveys where its pictures are to be."""
    text = (ROOT / "docs" / "tutorials" / "survey.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    lines = [line[4:] for block in blocks for line in block.splitlines() if line.startswith((">>> ", "... "))]
    os.chdir(PICTURES)
    exec("\n".join(lines), {})
    Path("release.html").unlink()


def ten_minutes() -> None:
    """Follow the tutorial of ten minutes with a camera."""
    line = [sys.executable, "-m", "pytest", "-q", "-n", "0", "tests/pages/test_tutorial.py"]
    subprocess.run(line, cwd=ROOT, env={**os.environ, "PICTURES": str(PICTURES)}, check=True)


def main() -> None:
    """Follow both tutorials; start the demonstration, go through it twice, and end it."""
    PICTURES.mkdir(exist_ok=True)
    ten_minutes()
    tutorial()
    node = ROOT / ".venv" / "bin" / "node"
    where = json.loads(subprocess.check_output([node, ROOT / "client" / "tests" / "chromium.mjs"], text=True))
    libraries = {"LD_LIBRARY_PATH": where["libraries"]} if where["libraries"] else {}
    demo = subprocess.Popen(
        [sys.executable, "-m", "discreet.gallery.demo", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert demo.stdout is not None
    link = next(line.strip() for line in demo.stdout if "#admin=" in line)
    base = link.partition("/#")[0]
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=where["executable"], args=["--no-sandbox"], env={**os.environ, **libraries}
            )
            designed(browser)
            for theme in THEMES:
                context = browser.new_context(color_scheme=theme, viewport={"width": 1100, "height": 900})
                shoot(context.new_page(), base, link, theme)
                context.close()
            questionnaires(browser, base, link)
            browser.close()
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(30)


if __name__ == "__main__":
    main()
