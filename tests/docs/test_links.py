"""The links of the pages that are read outside the built documentation, and the checker of those that are."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\((?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
FENCED = re.compile(r"^(`{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})
broken = runpy.run_path(str(ROOT / "docs" / "check_links.py"))["broken"]


def slug(heading: str) -> str:
    """The anchor that readers of Markdown give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """The anchors of a page."""
    return {slug(line.lstrip("#")) for line in FENCED.sub("", text).splitlines() if re.match(r"#{1,6} ", line)}


def lost(page: Path, text: str) -> list[str]:
    """The links of a page to files and headings that are not there."""
    found = []
    for link in LINK.finditer(FENCED.sub("", text)):
        if "://" in link["path"] or link["path"].startswith("mailto:"):
            continue
        target = page.parent / link["path"] if link["path"] else page
        if not target.exists():
            found.append(link[0])
        elif link["anchor"] and target.suffix == ".md":
            known = text if target == page else target.read_text(encoding="utf-8")
            found += [link[0]] if link["anchor"] not in anchors(known) else []
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page):
    assert lost(page, page.read_text(encoding="utf-8")) == []


def test_links_that_lead_nowhere_are_found():  # the control
    page = ROOT / "README.md"
    text = "# One\n[a](nowhere.md) [b](#one) [c](#two) [d](docs/index.md#discreet) [e](docs/index.md#nothing)"
    assert lost(page, text) == ["](nowhere.md)", "](#two)", "](docs/index.md#nothing)"]


def test_the_built_pages_are_searched_for_links_anchors_and_pictures(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.html").write_text('<p id="here">')
    (tmp_path / "a.html").write_text(
        '<a href="sub/b.html#here"></a><a href="https://example.org/x"></a><a href="#a" id="a"></a>'
        '<a href="sub/b.html#gone"></a><a href="c.html"></a><img src="d.svg"><a href="#b"></a>'
    )
    assert broken(tmp_path) == [f"a.html: {link}" for link in ("sub/b.html#gone", "c.html", "d.svg", "#b")]
