"""Every link, anchor and picture of the built pages leads somewhere: ``python docs/check_links.py docs/_build/html``.

Links to other hosts are not followed: the pages are built and checked without a network.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page can be entered by, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note names and addresses."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append(value)


def broken(folder: Path) -> list[str]:
    """The links of the pages in a folder that lead nowhere, as `page: address`."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            known = pages[target].anchors if target in pages else set()
            if not target.exists() or (anchor and target in pages and anchor not in known):
                found.append(f"{path.relative_to(folder.resolve())}: {link}")
    return found


def main(folder: Path) -> int:
    """Say what is broken; 1 if anything is, or if there are no pages."""
    wrong = broken(folder)
    for line in wrong:
        print(line, file=sys.stderr)
    return int(bool(wrong) or not any(folder.rglob("*.html")))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
