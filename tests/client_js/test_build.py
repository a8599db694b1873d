"""The committed client is what its sources build to, and what cannot be joined is refused."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import discreet

CLIENT = Path(__file__).parents[2] / "client"


@pytest.fixture
def build(node, tmp_path):
    """Build a client from these modules in a folder of its own."""
    for name in ("build.mjs", "package.json", "tsconfig.json"):
        shutil.copyfile(CLIENT / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(CLIENT / "node_modules")
    (tmp_path / "src").mkdir()

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


def test_what_is_for_node_alone_is_a_module_of_its_own(build, tmp_path):
    names = 'export { one, inc } from "./index.js";\nexport { read } from "./files.js";\n'
    files = 'import { one } from "./one.js";\n\nexport const read = () => [one];\n'
    done = build(one=ONE, index=INDEX, files=files, node=names)
    assert done.returncode == 0, done.stderr
    assert "read" not in (tmp_path / "discreet.js").read_text()
    assert (tmp_path / "discreet.node.js").read_text().endswith("export { inc, one, read };\n")
    assert "declare const read" in (tmp_path / "discreet.node.d.ts").read_text()


def test_the_integrity_is_that_of_the_minified_file(build, tmp_path):
    told = build(one=ONE, index=INDEX).stdout
    digest = hashlib.sha384((tmp_path / "dist" / "discreet.min.js").read_bytes()).digest()
    assert re.search(r"sha384-\S+", told)[0] == f"sha384-{base64.b64encode(digest).decode()}"


def test_building_twice_gives_the_same_and_a_change_is_found(build, tmp_path):
    assert build(one=ONE, index=INDEX).returncode == 0
    assert build("--check").returncode == 0
    done = build("--check", one=ONE.replace("1n", "2n"))
    assert done.returncode == 1
    assert done.stderr == "build.mjs: discreet.js is not what src/ builds to: run make client\n"


def test_the_minified_client_writes_the_same_reports(build, node, tmp_path):
    shutil.copytree(CLIENT / "tests", tmp_path / "tests")
    done = build(**{path.stem: path.read_text(encoding="utf-8") for path in (CLIENT / "src").glob("*.js")})
    assert done.returncode == 0, done.stderr
    (tmp_path / "dist" / "discreet.min.js").replace(tmp_path / "discreet.js")
    line = [node.path, tmp_path / "tests" / "vectors.mjs", CLIENT / "vectors.small.jsonl"]
    told = subprocess.run(line, capture_output=True, text=True, timeout=300, check=True).stdout
    assert '"wrong":0' in told


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
        ({"one": "/** @type {string} */\nexport const one = 1;\nexport const inc = 1;\n", "index": INDEX}, "types: "),
        ({"one": LARGE, "index": 'export { large } from "./one.js";\n'}, "must be below 10000 bytes with gzip"),
    ],
)
def test_what_cannot_be_joined_is_refused(build, modules, said):
    done = build(**{"one": ONE, **modules})
    assert done.returncode == 1
    assert said in done.stderr
