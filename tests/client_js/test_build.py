"""The committed client is what its sources build to, and what cannot be joined is refused."""

import base64
import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

import discreet

from .conftest import workshop

CLIENT = Path(__file__).parents[2] / "client"


@pytest.fixture
def build(node, tmp_path):
    """Build a client from these modules in a folder of its own."""
    workshop(tmp_path)

    def run(*flags, **modules):
        for name, text in modules.items():
            (tmp_path / "src" / f"{name}.js").write_text(text, encoding="utf-8")
        return subprocess.run(
            [node.path, tmp_path / "build.mjs", *flags], capture_output=True, text=True, timeout=300, check=False
        )

    return run


ONE = "/** One. */\nexport const one = 1n;\n\n/** @param {bigint} x */\nexport const inc = (x) => x + one;\n"
INDEX = 'export { one, inc } from "./one.js";\n'


def test_the_version_is_that_of_the_project():
    package, lock = (json.loads((CLIENT / name).read_text()) for name in ("package.json", "package-lock.json"))
    assert package["version"] == lock["version"] == discreet.__version__


def test_what_is_locked_is_known_by_its_hash_and_not_by_an_address():
    text = (CLIENT / "package-lock.json").read_text()
    assert "://" not in text
    locked = {name: entry for name, entry in json.loads(text)["packages"].items() if name}
    assert len(locked) > 4
    assert [name for name, entry in locked.items() if not entry["integrity"].startswith("sha512-")] == []


def test_the_committed_client_is_what_its_sources_build_to(node):
    done = node.run("build.mjs", "--check")
    assert done.returncode == 0, done.stderr


def test_modules_are_joined_in_the_order_of_their_imports(build, node, tmp_path):
    two = 'import { one } from "./one.js";\n\n/** Two. */\nexport const two = one + one;\n'
    index = 'export { inc } from "./one.js";\nexport { two } from "./two.js";\n'
    done = build(one=ONE, two=two, index=index)
    assert done.returncode == 0, done.stderr
    for name in ("discreet.js", "dist/discreet.min.js"):
        line = f'import("{(tmp_path / name).as_uri()}").then((m) => console.log(Object.keys(m), m.inc(m.two)))'
        told = subprocess.run([node.path, "-e", line], capture_output=True, text=True, check=True).stdout
        assert told == "[ 'inc', 'two' ] 3n\n"
    joined = (tmp_path / "discreet.js").read_text()
    assert joined.index("const one") < joined.index("const two")
    assert "import" not in joined
    assert "declare const two: bigint" in (tmp_path / "discreet.d.ts").read_text()


TWO = 'import { one } from "./one.js";\n\n/** @import { Pair } from "./one.js" */\n\n' + (
    "/** @type {Pair} */\nexport const two = [one, one];\n"
)
MODULES = {
    "one": "/** @typedef {bigint[]} Pair */\n\n" + ONE,
    "two": TWO,
    "index": 'export { inc } from "./one.js";\n',
    "participant": 'import { two } from "./two.js";\n\nexport { inc } from "./one.js";\n\n'
    "export const sum = () => two[0] + two[1];\n",
    "files": 'import { inc, one } from "./one.js";\nimport { two } from "./two.js";\n\n'
    "export const read = () => [inc(one), two];\n",
    "node": 'export { inc, sum } from "./participant.js";\nexport { read } from "./files.js";\n',
}


def test_each_file_goes_into_the_first_module_that_reaches_it(build, node, tmp_path):
    done = build(**MODULES)
    assert done.returncode == 0, done.stderr
    made = {name: (tmp_path / f"{name}.js").read_text() for name in ("discreet", "participant", "node")}
    held = {name: re.findall(r"^// -- src/(\w+)", text, re.MULTILINE) for name, text in made.items()}
    assert held == {"discreet": ["one"], "participant": ["two", "participant"], "node": ["files"]}
    assert made["discreet"].endswith("export { inc, one };\n")
    assert 'import { one } from "./discreet.js";' in made["participant"]
    assert '@import { Pair } from "./discreet.js"' in made["participant"]
    assert made["participant"].endswith('export { sum, two };\nexport { inc } from "./discreet.js";\n')
    assert 'import { inc, one } from "./discreet.js";\n\nimport { two } from "./participant.js";' in made["node"]
    assert made["node"].endswith(
        'export { read };\nexport { inc } from "./discreet.js";\nexport { sum } from "./participant.js";\n'
    )
    assert "declare const read" in (tmp_path / "node.d.ts").read_text()
    for name in ("node.js", "dist/node.min.js"):
        line = f'import("{(tmp_path / name).as_uri()}").then((m) => console.log(Object.keys(m), m.sum(), m.read()))'
        told = subprocess.run([node.path, "-e", line], capture_output=True, text=True, check=True).stdout
        assert told == "[ 'inc', 'read', 'sum' ] 2n [ 2n, [ 1n, 1n ] ]\n"


def test_sizes_and_integrity_are_those_of_the_minified_files(build, tmp_path):
    told = build(**MODULES).stdout
    for name in ("discreet", "participant", "node"):
        small = (tmp_path / "dist" / f"{name}.min.js").read_bytes()
        digest = base64.b64encode(hashlib.sha384(small).digest()).decode()
        assert (
            re.search(rf"^{name}.min.js: {len(small)} bytes.*\n  integrity sha384-(\S+)", told, re.MULTILINE)[1]
            == digest
        )


def test_building_twice_gives_the_same_and_a_change_is_found(build, tmp_path):
    assert build(one=ONE, index=INDEX).returncode == 0
    assert build("--check").returncode == 0
    done = build("--check", one=ONE.replace("1n", "2n"))
    assert done.returncode == 1
    assert done.stderr == "build.mjs: discreet.js is not what src/ builds to: run make client\n"


ENTRIES = ",".join(f'"{hashlib.sha256(str(i).encode()).hexdigest()}"' for i in range(300))
LARGE = f"export const large = [{ENTRIES}];\n"


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        (
            {"two": "export const one = 2;\n", "index": INDEX + 'export { one } from "./two.js";\n'},
            '"one" stands at the',
        ),
        (
            {"two": "/** @typedef {bigint} one */\n", "index": INDEX + 'export {} from "./two.js";\n'},
            '"one" stands at the',
        ),
        ({"index": 'export { one as two } from "./one.js";\n'}, '"one as two" is renamed'),
        ({"index": 'export { three } from "./one.js";\n'}, 'does not export "three"'),
        ({"index": 'export * from "./one.js";\n'}, "import and export by name only"),
        ({"index": INDEX + "const { a } = { a: 1 };\n"}, "must be of one name"),
        ({"one": 'import { one } from "./index.js";\n', "index": INDEX}, "in a circle"),
        (
            {
                "one": 'import { two } from "./two.js";\n' + ONE,
                "two": 'import { one } from "./one.js";\nexport const two = 2;\n',
                "index": INDEX,
            },
            "in a circle",
        ),
        ({**MODULES, "node": "export const one = 2;\n"}, '"one" stands at the'),
        ({**MODULES, "node": 'const at = import("./two.js");\n'}, "import and export by name only"),
        ({"one": "/** @type {string} */\nexport const one = 1;\nexport const inc = 1;\n", "index": INDEX}, "types: "),
        ({"one": LARGE, "index": 'export { large } from "./one.js";\n'}, "must be below 10000 bytes with gzip"),
    ],
)
def test_what_cannot_be_joined_is_refused(build, modules, said):
    done = build(**{"one": ONE, **modules})
    assert done.returncode == 1
    assert said in done.stderr
