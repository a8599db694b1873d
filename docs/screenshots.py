"""The pictures of the documentation: ``make screenshots``.

Every page in both themes, from a collector with made-up people; what the tutorial on surveys draws by itself; and the
pages of the tutorial of ten minutes, which a test goes through.
"""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
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
            for theme in ("light", "dark"):
                context = browser.new_context(color_scheme=theme, viewport={"width": 1100, "height": 900})
                shoot(context.new_page(), base, link, theme)
                context.close()
            browser.close()
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(30)


if __name__ == "__main__":
    main()
