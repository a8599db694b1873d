"""Every block of the documentation runs, in order, one folder and one namespace a file.

- ``python``: executed; where it shows ``>>>`` prompts, as a doctest.
- ``console``: its ``$`` commands are run by bash with the installed command on the path; here-documents and
  lines continued by a backslash belong to their command; any other line is expected output, ``...`` for
  anything. A block of nothing but `SETUP` commands is not run: it would start the tests within the tests.
- a block below ``<!-- not run: reason -->`` is left out, and the reason is printed.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted({*ROOT.glob("README.md"), *ROOT.glob("docs/**/*.md")})
SETUP = ("cd ", "git ", "make", "pip ", "python -m pip ", "python -m venv ", "python3 -m venv ")
MATCH = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>python|pycon|console) *$")
NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(?P<end>\w+)\1")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int
    reason: str | None


@dataclass(frozen=True)
class Command:
    text: str
    shown: str


def blocks(text: str) -> list[Block]:
    """The runnable blocks of a page, each with the reason it is not to be run, if it has one."""
    found = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        if opening := FENCE.match(lines[at]):
            end = lines.index(opening["fence"], at + 1)
            above = next((line for line in reversed(lines[:at]) if line.strip()), "")
            reason = NOT_RUN.match(above)
            body = "\n".join(lines[at + 1 : end]) + "\n"
            found.append(Block(opening["language"], body, at + 1, reason["reason"] if reason else None))
            at = end
        at += 1
    return found


def commands(text: str) -> list[Command]:
    """The commands of a console block, each with the output shown below it."""
    found = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = [line.removeprefix("$ ")]
            while command[-1].endswith("\\"):
                command.append(next(lines).removeprefix("> "))
            if document := HERE_DOCUMENT.search("\n".join(command)):
                while command[-1] != document["end"]:
                    command.append(next(lines).removeprefix("> "))
            found.append(Command("\n".join(command), ""))
        elif found:
            found[-1] = Command(found[-1].text, found[-1].shown + line + "\n")
        else:
            raise AssertionError(f"a console block begins with `$ `, not {line!r}")
    return found


def run_python(block: Block, page: str, namespace: dict[str, object]) -> None:
    if ">>> " in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, namespace, page, page, block.line)
        test.globs = namespace
        said: list[str] = []
        doctest.DocTestRunner(optionflags=MATCH).run(test, out=said.append, clear_globs=False)
        assert not said, "".join(said)
    else:
        exec(compile("\n" * block.line + block.text, page, "exec"), namespace)


def run_console(block: Block, page: str) -> None:
    """Run the commands in one shell that stops at the first failure, and compare what each one shows."""
    found = commands(block.text)
    if all(command.text.startswith(SETUP) for command in found):
        return
    mark = "<end of command>"
    script = "".join(f"{command.text}\necho '{mark}'\n" for command in found)
    where = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        env={**os.environ, "PATH": where, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    place = f"{page}, line {block.line}"
    printed = done.stdout.split(f"{mark}\n")
    assert done.returncode == 0, f"{place}: {found[len(printed) - 1].text}\n{printed[-1]}{done.stderr}"
    for command, output in zip(found, printed, strict=False):
        same = not command.shown or doctest.OutputChecker().check_output(command.shown, output, MATCH)
        assert same, f"{place}: {command.text}\nshown:\n{command.shown}\nprinted:\n{output}"


def run_page(text: str, page: str) -> list[str]:
    """Run a page in the current folder; what it left out, with the reasons."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    left_out = []
    for block in blocks(text):
        if block.reason:
            left_out.append(f"{page}, line {block.line}: not run: {block.reason}")
        elif block.language == "console":
            run_console(block, page)
        else:
            run_python(block, page, namespace)
    return left_out


def of_page(page: Path) -> object:
    """A page as a parameter, by its name; one that starts a Spark is marked."""
    marks = [pytest.mark.spark] if page.name == "spark.md" else []
    return pytest.param(page, id=str(page.relative_to(ROOT)), marks=marks)


@pytest.mark.parametrize("page", [of_page(page) for page in PAGES])
def test_every_block_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # a Java that starts soon
    left_out = run_page(page.read_text(encoding="utf-8"), str(page.relative_to(ROOT)))
    with capsys.disabled():
        for line in left_out:
            print(f"\n{line}", end="")


def test_the_readme_is_among_the_pages():
    assert ROOT / "README.md" in PAGES


# The runner itself: pages that hold, and controls that must fail.

GOOD = {
    "blocks share a namespace": "```python\nx = 1\n```\ntext\n```python\nassert x == 1\n```\n",
    "prompts are a doctest": "```python\n>>> 1 + 1\n2\n```\n",
    "a name outlives a doctest": "```python\n>>> x = 5\n```\n```python\nassert x == 5\n```\n",
    "files pass between blocks": "```console\n$ echo 1 > a\n```\n```python\nimport os\nos.remove('a')\n```\n",
    "a here-document is one command": "```console\n$ cat > a <<EOF\n$ two\nlines\nEOF\n$ wc -l < a\n2\n```\n",
    "a backslash continues a line": "```console\n$ echo one \\\n>   two\none two\n```\n",
    "dots stand for anything": "```console\n$ echo a b c\na ... c\n```\n",
    "setting up the project is not run": "```console\n$ make no-such-target\n```\n",
    "other languages are left alone": "```sh\nfalse\n```\n```text\n$ false\n```\n",
}
BAD = {
    "an exception": "```python\n1 / 0\n```\n",
    "a wrong answer to a prompt": "```python\n>>> 1 + 1\n3\n```\n",
    "a wrong output": "```console\n$ echo yes\nno\n```\n",
    "a missing output": "```console\n$ true\nyes\n```\n",
    "a failing command before a good one": "```console\n$ false\n$ true\n```\n",
    "a failing command in a pipe": "```console\n$ false | cat\n```\n",
    "an unknown command": "```console\n$ discreet-no-such-command\n```\n",
    "output before any command": "```console\nyes\n```\n",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_the_runner_accepts(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(text, "page.md") == []


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_the_runner_refuses(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, ZeroDivisionError)):
        run_page(text, "page.md")


def test_a_block_is_left_out_only_with_a_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "<!-- not run: needs a cluster -->\n```python\n1 / 0\n```\n"
    assert run_page(text, "page.md") == ["page.md, line 2: not run: needs a cluster"]
    with pytest.raises(ZeroDivisionError):
        run_page(text.replace(": needs a cluster", ""), "page.md")
