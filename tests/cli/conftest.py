from __future__ import annotations

import pytest
from click.testing import CliRunner

from discreet.cli import main

SPEC = """
name = "districts"
[context]
form = "blocks"
epsilon = "1"
[context.blocks]
north = ["n1", "n2", "n3"]
south = ["s1", "s2"]
[mechanism]
name = "hadamard"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a spec and answers in each format, as the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(SPEC)
    values = ["n1", "s2", "n3", "n1", "s1", "n2"] * 50
    (tmp_path / "answers.txt").write_text("".join(f"{value}\n" for value in values))
    (tmp_path / "answers.csv").write_text("id,district\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
    (tmp_path / "answers.jsonl").write_text(
        "".join(f'{{"id": {i}, "district": "{v}"}}\n' for i, v in enumerate(values))
    )
    return tmp_path


@pytest.fixture
def discreet(folder):
    """Run the command in the folder."""

    def run(*args, **more):
        return CliRunner().invoke(main, [str(arg) for arg in args], catch_exceptions=False, **more)

    return run


@pytest.fixture
def refused(discreet, folder):
    """Run the command, which must end with exit code 2, one line of error and the folder as it was."""

    def run(*args, **more):
        before = {file.name: file.read_bytes() for file in folder.iterdir()}
        done = discreet(*args, **more)
        assert done.exit_code == 2
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
        return done.stderr.removeprefix("discreet: ").removesuffix("\n")

    return run
