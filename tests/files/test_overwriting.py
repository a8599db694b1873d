"""Laws of outputs: none of them is an input, by whatever name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.core.errors import InvalidInput
from discreet.files.overwriting import check_outputs


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("kept")
    Path("other.txt").write_text("kept")
    Path("sub").mkdir()
    Path("soft").symlink_to("in.txt")
    Path("softer").symlink_to("soft")
    Path("by").symlink_to(".")
    os.link("in.txt", "hard")
    Path("dangling").symlink_to("new.txt")
    return tmp_path


NAMES = ["in.txt", "./in.txt", "sub/../in.txt", "soft", "softer", "hard", "by/in.txt", "by/by/soft"]


@pytest.mark.parametrize("output", [*NAMES, "{}/in.txt"])
def test_an_input_by_any_name_is_no_output(folder, output):
    output = output.format(folder)
    with pytest.raises(InvalidInput) as said:
        check_outputs([None, output], ["other.txt", "in.txt"])
    assert str(said.value) == f"{output}: is also read, as in.txt; write to another file"
    with pytest.raises(InvalidInput):
        check_outputs([Path("in.txt")], [output])
    check_outputs([output], ["other.txt", "-", "none.txt", "hdfs:///in.txt"])  # the control


def test_a_file_that_is_not_there_yet_has_its_name(folder):
    check_outputs(["new.txt"], ["in.txt"])
    for output in ("./new.txt", "dangling"):
        with pytest.raises(InvalidInput, match=r"is also read, as new\.txt"):
            check_outputs([output], ["new.txt"])


def test_two_outputs_are_two_files(folder):
    check_outputs(["a", "b", None, "-", "/dev/null", "/dev/null"], ["/dev/null"])
    with pytest.raises(InvalidInput, match="by/a: is to be written twice"):
        check_outputs(["a", "by/a"], [])


def test_a_folder_is_not_written_where_it_is_read(folder):
    with pytest.raises(InvalidInput, match="by/sub: is also read, as sub"):
        check_outputs(["by/sub"], ["sub"])


SCRIPT = """
import sys
from discreet.files.overwriting import check_outputs
check_outputs([sys.argv[1]], [sys.argv[2]])
"""


@pytest.mark.skipif(os.name != "posix", reason="descriptors of files")
@pytest.mark.parametrize(
    ("arguments", "stdin", "stdout", "refused"),
    [
        (["in.txt", "-"], "in.txt", None, True),
        (["-", "in.txt"], None, "in.txt", True),
        (["-", "-"], "in.txt", "hard", True),
        (["other.txt", "-"], "in.txt", None, False),
        (["-", "in.txt"], None, "other.txt", False),
        (["-", "-"], "in.txt", "other.txt", False),
    ],
)
def test_standard_input_and_output_that_are_files_are_seen(folder, arguments, stdin, stdout, refused):
    with open(stdin or os.devnull) as source, open(stdout or os.devnull, "a") as sink:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, *arguments], stdin=source, stdout=sink, stderr=subprocess.PIPE, text=True
        )
    assert ("is also read" in done.stderr) is refused
    assert done.returncode == int(refused)
