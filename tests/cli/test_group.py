from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import discreet
from discreet import cli
from discreet.cli import group, main
from discreet.core.errors import InvalidInput, MissingExtra

SOURCE = str(Path(cli.__file__).parents[2])
START = f"import sys; sys.path.insert(0, {SOURCE!r}); from discreet.cli import main; main()"


def run(*args, **more):
    return CliRunner().invoke(main, list(args), **more)


def failing(problem):
    """The command with one subcommand that ends in `problem`."""

    class Failing(group.Commands):
        def get_command(self, ctx, name):
            @click.command()
            def command():
                raise problem

            return command

    return CliRunner().invoke(Failing("discreet"), ["fail"])


def test_the_registry_is_the_files_that_hold_a_command():
    files = [file for file in Path(cli.__file__).parent.glob("*/*.py") if "@click.command()" in file.read_text()]
    assert {file.stem.replace("_", "-"): file.parent.name for file in files} == {
        name: at for name, (at, _) in group.COMMANDS.items()
    }
    for name in group.COMMANDS:
        assert isinstance(main.get_command(click.Context(main), name), click.Command)


def test_help_lists_every_command():
    done = run("--help")
    assert done.exit_code == 0
    listed = [line.split()[0] for line in done.output.partition("Commands:")[2].splitlines() if line.strip()]
    assert listed == list(group.COMMANDS)


def test_no_argument_is_a_call_for_help():
    assert run().exit_code == 0
    assert run().output == run("--help").output == run("-h").output


def test_the_version_is_told():
    done = run("--version")
    assert done.exit_code == 0
    assert done.output == f"discreet {discreet.__version__}\n"


@pytest.mark.parametrize("name", ["verify", "randomize", "tally", "estimate"])
def test_every_command_has_its_own_help_and_loads_nothing_for_it(name):
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); sys.argv = ['discreet', {name!r}, '--help']\n"
    code += "from discreet.cli import main\ntry:\n    main()\nfinally:\n    print('loaded:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"Usage: discreet {name}" in done.stdout
    loaded = set(done.stdout.rpartition("loaded:")[2].split())
    assert f"discreet.cli.{group.COMMANDS[name][0]}.{name}" in loaded
    assert not loaded & {"numpy", "matplotlib", "cryptography", "discreet.planning.choose", "discreet.wire"}
    others = {"verify", "randomize", "tally", "estimate"} - {name}
    assert not loaded & {f"discreet.cli.{other}" for other in others}


USAGE = {
    "an unknown command": (["nothing"], "No such command 'nothing'. Try 'discreet --help'."),
    "an unknown option": (["verify", "--colour"], "No such option '--colour'. Try 'discreet verify --help'."),
    "an option misspelt": (
        ["tally", "--b", "x"],
        "No such option '--b'. Did you mean '--by'? Try 'discreet tally --help'.",
    ),
    "a missing argument": (["verify"], "Missing argument 'SPEC'. Try 'discreet verify --help'."),
    "an argument too many": (["verify", "a", "b"], "Got unexpected extra argument (b). Try 'discreet verify --help'."),
    "no number": (
        ["randomize", "a", "--insecure-seed", "x"],
        "Invalid value for '--insecure-seed': 'x' is not a valid integer. Try 'discreet randomize --help'.",
    ),
}


@pytest.mark.parametrize(("args", "message"), USAGE.values(), ids=USAGE.keys())
def test_wrong_usage_is_one_line_and_exit_code_two(args, message):
    done = run(*args)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"discreet: {message}\n")


PROBLEMS = {
    "bad input": (InvalidInput("x=1 must be 2"), "discreet: x=1 must be 2\n"),
    "a message of two lines": (InvalidInput("one\ntwo"), "discreet: one two\n"),
    "a missing extra": (
        MissingExtra("matplotlib", "plot"),
        "discreet: matplotlib is not installed: pip install 'discreet[plot]'\n",
    ),
    "a missing file": (FileNotFoundError(2, "No such file", "f.txt"), "discreet: f.txt: No such file\n"),
    "an error without a file": (
        OSError(28, "No space left on device"),
        "discreet: [Errno 28] No space left on device\n",
    ),
    "click's own": (click.ClickException("no"), "discreet: no\n"),
}


@pytest.mark.parametrize(("problem", "line"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_a_problem_is_one_line_and_exit_code_two(problem, line):
    done = failing(problem)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", line)


def test_a_mistake_of_ours_is_not_hidden():
    assert isinstance(failing(ZeroDivisionError("ours")).exception, ZeroDivisionError)


def test_an_interruption_says_so():
    done = failing(KeyboardInterrupt())
    assert (done.exit_code, done.stderr) == (130, "\ndiscreet: stopped\n")


def test_a_closed_pipe_is_quiet():
    done = failing(BrokenPipeError(errno.EPIPE, "Broken pipe"))
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", "")


def test_a_reader_that_leaves_early_is_no_error_message(tmp_path):
    (tmp_path / "s.toml").write_text('[domain]\nsize = 9\n[context]\nform = "uniform"\nepsilon = 1\n')
    (tmp_path / "values.txt").write_text("3\n" * 300_000)
    command = [sys.executable, "-c", START, "randomize", "s.toml", "values.txt", "--quiet"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline().startswith(b"#discreet reports")
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 1


def test_a_real_run_ends_with_its_exit_code_and_no_traceback(tmp_path):
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", START, "verify", "no\nne.toml"], capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "discreet: no ne.toml: No such file or directory\n")


def test_limits_are_raised_for_one_command(tmp_path):
    spec = tmp_path / "s.toml"
    spec.write_text(
        '[domain]\nsize = 1100000\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "hadamard"\n'
    )
    refused = run("verify", str(spec))
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "discreet --limits values=..." in refused.stderr
    assert run("--limits", "values=2000000,work=99999999", "verify", str(spec)).exit_code == 0
    assert run("verify", str(spec)).exit_code == 2  # the next command is under the usual limits again
    for wrong in ("values", "values=x", "values=１", "=5", "values=" + "9" * 50, "size=5", "values=0"):
        assert run("--limits", wrong, "verify", str(spec)).exit_code == 2
