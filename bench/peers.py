"""Published libraries beside ours, each in a throwaway virtual environment that is made here when it can be.

    python bench/peers.py [NAME ...] [--quick]

A library is installed as its own page says, imported, and asked for what it does best of what we do too, in its own
plain way. Ours is measured in the same run on the same people. Times are seconds of processor time, the median of a few
repeats; what is compared are ratios. Errors are n times the total squared error of the shares of these very people, the
mean of the repeats. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import HELD, Result, table
from peer_programs import (
    EACH,
    LINE,
    MULTI_FREQ,
    MULTI_FREQ_FIRST,
    OPENDP_BITS,
    OPENDP_RR,
    OUR_LINE,
    OUR_ONE,
    OURS,
    PURE,
    PURE_ONE,
    TOOLBOX,
    TOOLBOX_FIRST,
)

HOME = Path(tempfile.gettempdir()) / "discreet-peers"
"""Where their environments are kept until the machine forgets them."""

LARGE = {1000: 20_000, 43_750: 400}
"""People asked where a report takes time in proportion to k."""

MANY = {1000: 200_000, 43_750: 200_000}
"""People asked where it does not."""


@dataclass(frozen=True)
class Task:
    """What a library is asked for: a protocol of ours to set beside it, people by k, and its program."""

    title: str
    base: str
    people: dict[int, int]
    program: str
    finish: str = "dc.estimate(tally).shares"
    """How ours makes shares of a tally, to be like theirs."""


@dataclass(frozen=True)
class Peer:
    """A library: what its page says to install, the line that imports it, what it does not ask for but needs."""

    name: str
    imports: str
    tasks: tuple[Task, ...] = ()
    missing: tuple[str, ...] = ()
    others: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Other programs by title: theirs, and ours where there is one. Each prints lines for people."""


CLIPPED = "dc.project(tally, onto='clip').shares"

PEERS = [
    Peer(
        "pure-ldp",
        "from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient",
        (Task("Hadamard response", "hadamard", MANY, PURE),),
        ("scikit-learn", "statsmodels"),
        {"one report at a time, k = 1000": (PURE_ONE, OUR_ONE)},
    ),
    Peer(
        "multi-freq-ldpy",
        "from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client",
        (Task("subset selection, clipped", "subset", LARGE, MULTI_FREQ, CLIPPED),),
        others={"what the first place of a set tells, at epsilon 1": (MULTI_FREQ_FIRST, "")},
    ),
    Peer(
        "opendp",
        "import opendp.prelude",
        (
            Task("k-ary randomized response", "randomized_response", {1000: 10_000, 43_750: 5_000}, OPENDP_RR),
            Task("bit vectors", "unary", {1000: 2_000, 43_750: 100}, OPENDP_BITS),
        ),
        ("numpy",),
    ),
    Peer(
        "qif",
        "import qif",
        others={"E along a line and on a map, epsilon 0.5 a step": (LINE, OUR_LINE)},
    ),
    Peer(
        "ldp-toolbox",
        "from ldp_toolbox.protocols.frequency.ss import SubsetSelection",
        (Task("subset selection, clipped", "subset", LARGE, TOOLBOX, CLIPPED),),
        others={"what the first place of a set tells, at epsilon 1": (TOOLBOX_FIRST, "")},
    ),
]


def install(peer: Peer) -> tuple[str, str]:
    """Make the library's environment unless it is there: what keeps it from use, and what was said on the way."""
    home, said = HOME / peer.name, ""
    if not (home / "made").exists():
        try:
            venv.create(home, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as problem:
            return f"no environment could be made ({problem})", ""
        if problem := _pip(home, peer.name):
            return f"it cannot be installed ({problem})", ""
        if problem := _last_line(_python(home, peer.imports)):
            said = f"a fresh install fails: {problem}"
            if not peer.missing:
                return said, ""
        if peer.missing and (problem := _pip(home, *peer.missing)):
            return f"what it lacks cannot be installed ({problem})", said
        (home / "made").write_text(said)
    said = (home / "made").read_text()
    return _last_line(_python(home, peer.imports)), said


def version(peer: Peer) -> str:
    """The version that is installed."""
    asked = f"import importlib.metadata as m; print(m.version({peer.name!r}))"
    return _python(HOME / peer.name, asked).stdout.strip()


def _pip(home: Path, *packages: str) -> str:
    command = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return _last_line(done, "ERROR")


def _python(home: Path | None, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in an environment, ours where none is named."""
    python = sys.executable if home is None else home / "bin" / "python"
    command = [python, "-W", "ignore", "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _last_line(done: subprocess.CompletedProcess[str], beginning: str = "") -> str:
    """The last line of what a failed program said, empty for one that did not fail."""
    lines = [line for line in done.stderr.splitlines() if line.startswith(beginning)]
    return "".join(lines[-1:])[:160] if done.returncode else ""


def peers(ks: list[int], *, names: list[str] | None = None, quick: bool = False) -> Iterator[Result]:
    """Lines for each library, task and k: how many reports a second, and how many times faster ours is."""
    for peer in PEERS:
        if names and peer.name not in names:
            continue
        problem, said = install(peer)
        if problem:
            yield Result("peers", peer.name, 0, 0, 0.0, note=f"skipped: {problem}")
            continue
        yield Result("peers", f"{peer.name} {version(peer)}", 0, 0, 0.0, note=said)
        for task in peer.tasks:
            for k in ks:
                yield from _measured(peer, task, k, max(20, task.people[k] // (10 if quick else 1)))


def _measured(peer: Peer, task: Task, k: int, n: int) -> Iterator[Result]:
    repeats = "3" if k * n > 10**8 else "5"
    harness = "import json, resource, sys, time\n" + HELD + EACH
    done = _python(HOME / peer.name, harness.replace("PROGRAM", task.program), str(k), str(n), repeats)
    if problem := _last_line(done):
        yield Result("peers", f"{peer.name} {task.title}", k, n, 0.0, note=f"fails: {problem}")
        return
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = {name: _ours(harness, name, task, k, n, repeats) for name in (task.base, "auto")}
    for part in ("privatise", "decode"):
        if theirs[part]:
            ratios = {f"ours/theirs ({name})": theirs[part] / own[part] for name, own in ours.items()}
            case = f"{peer.name} {task.title}, {part}"
            yield Result("peers", case, k, n, n / theirs[part], megabytes=theirs["memory"], ratios=ratios)
    errors = {name: own["error"] for name, own in ours.items()}
    told = ", ".join(f"{name} {error:.4g}" for name, error in errors.items())
    own = f"theirs {theirs['error']:.4g}" if theirs["error"] else "theirs none: no estimate is offered"
    yield Result("peers", f"{peer.name} {task.title}, error", k, n, 0.0, note=f"n x error: {own}; ours: {told}")


def _ours(harness: str, name: str, task: Task, k: int, n: int, repeats: str) -> dict[str, Any]:
    program = OURS.replace("NAME", name).replace("FINISH", task.finish)
    done = _python(None, harness.replace("PROGRAM", program), str(k), str(n), repeats)
    done.check_returncode()
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _others(names: list[str]) -> Iterator[str]:
    """What the other programs of the libraries say, and ours beside them."""
    for peer in PEERS:
        if (names and peer.name not in names) or not peer.others or install(peer)[0]:
            continue
        for title, (theirs, ours) in peer.others.items():
            yield f"\n{peer.name}: {title}"
            for whose, home, program in (("theirs", HOME / peer.name, theirs), ("ours", None, ours)):
                done = _python(home, program)
                yield "\n".join(f"  {whose}  {line}" for line in (_last_line(done) or done.stdout).splitlines())


def main() -> None:
    """Print the lines of the libraries asked for, of all if none is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(peer.name for peer in PEERS))
    parser.add_argument("--quick", action="store_true", help="a tenth of the people")
    asked = parser.parse_args()
    for line in peers([1000, 43_750], names=asked.names, quick=asked.quick):
        print("\n".join(table([line]).splitlines()[2:]), flush=True)
    for text in _others(asked.names):
        print(text, flush=True)


if __name__ == "__main__":
    main()
