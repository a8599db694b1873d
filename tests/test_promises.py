"""The documentation names tests for what it promises; they exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"\b(tests/[\w/]+\.py)(?:::(\w+))?")
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})


def missing(text: str) -> list[str]:
    """The tests that a page names and that do not exist."""
    absent = []
    for file, name in NAMED.findall(text):
        path = ROOT / file
        found = (
            {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}
            if path.exists()
            else set()
        )
        if not path.exists() or (name and name not in found):
            absent.append(f"{file}::{name}" if name else file)
    return absent


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_test_that_a_page_names_exists(page):
    assert missing(page.read_text(encoding="utf-8")) == []


def test_the_security_page_names_a_test_for_every_promise():
    page = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
    table = page.split("## Promises and their tests")[1]
    rows = [line for line in table.split("##")[0].splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 20
    assert [row for row in rows if not NAMED.search(row)] == []


def test_a_test_that_does_not_exist_is_noticed():
    here = "tests/test_promises.py::test_every_test_that_a_page_names_exists"
    assert missing(here) == []
    assert missing(f"{here}_not tests/no_such_file.py") == [f"{here}_not", "tests/no_such_file.py"]
