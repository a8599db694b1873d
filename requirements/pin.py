"""Write the pinned requirements anew: ``python requirements/pin.py``, with the oldest supported Python.

One environment is resolved with every extra, so that all files agree; each file then holds the part of
it that its extras reach, as plain ``name==version`` lines without addresses.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

# build.txt is installed first, so that what is built from source is built by pinned tools.
BUILD = ["hatchling", "editables", "setuptools", "wheel"]
FILES = {"run": ["plot", "serve", "pages"], "dev": ["dev"], "docs": ["docs"], "bench": ["bench"]}

CLOSURE = """
import sys
from importlib.metadata import distribution
from packaging.requirements import Requirement

pins, todo = {}, [Requirement(text) for text in sys.argv[1:]]
while todo:
    wanted = todo.pop()
    found = distribution(wanted.name)
    key = (found.metadata["Name"], frozenset(wanted.extras))
    if key in pins:
        continue
    pins[key] = found.version
    for text in found.requires or ():
        need = Requirement(text)
        if need.marker is None or any(need.marker.evaluate({"extra": e}) for e in (*wanted.extras, "")):
            todo.append(need)
print(*sorted({f"{name.lower()}=={version}" for (name, _), version in pins.items()}), sep="\\n")
"""


def requirements(extra: str) -> list[str]:
    """The requirements of one extra, with references to the project's own extras followed."""
    found: list[str] = []
    for text in EXTRAS[extra]:
        own = re.fullmatch(rf"{PROJECT['name']}\[(.*)\]", text)
        found += [r for name in own[1].split(",") for r in requirements(name)] if own else [text]
    return found


def main() -> None:
    """Resolve once, then write every file."""
    core: list[str] = PROJECT["dependencies"]
    wanted = {name: core + [r for e in extras for r in requirements(e)] for name, extras in FILES.items()}
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        subprocess.run([*pip, "--upgrade", "packaging", *BUILD], check=True)
        everything = {r for part in wanted.values() for r in part}
        subprocess.run([*pip, "--no-build-isolation", *sorted(everything)], check=True)
        for name, part in {"build": BUILD, **wanted}.items():
            here = [r.partition(";")[0] for r in part]  # a package pinned for one Python is harmless on another
            text = subprocess.run([python, "-c", CLOSURE, *here], check=True, text=True, capture_output=True)
            (HERE / f"{name}.txt").write_text(text.stdout)
            print(f"{name}.txt: {len(text.stdout.splitlines())} packages", file=sys.stderr)


if __name__ == "__main__":
    main()
