"""The client is built from its sources: small, in five modules; a new kind of law is one file."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import discreet

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client"
MODULES = ("discreet.min.js", "participant.min.js", "questionnaire.min.js", "node.min.js", "numbers.min.js")
ELEMENT = ("element.min.js", "element_worker.min.js", "languages/en.js", "languages/ar.js")
PAGES = Path("src") / "discreet" / "collector" / "pages"
MAX_BYTES = {"": 25_000, " with gzip": 10_000, " with brotli": 10_000}


def read(folder, name):
    return json.loads((ROOT / folder / name).read_text(encoding="utf-8"))


def build(node, folder, *arguments):
    line = [node.path, folder / "build.mjs", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def built(node, tmp_path_factory):
    """A folder that was built just now, and what was printed."""
    folder = tmp_path_factory.mktemp("built")
    done = build(node, CLIENT, folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.fixture
def workshop(tmp_path):
    """A copy of what builds the client, of its sources, and of the modules of the answer page."""
    shutil.copytree(ROOT / PAGES, tmp_path / PAGES, ignore=shutil.ignore_patterns("made", "*.py", "__pycache__"))
    folder = tmp_path / "client"
    shutil.copytree(CLIENT / "src", folder / "src")
    for name in (
        "build.mjs",
        "bundle.mjs",
        "bundle_element.mjs",
        "package.json",
        "tsconfig.json",
        "tsconfig.types.json",
    ):
        shutil.copyfile(CLIENT / name, folder / name)
    (folder / "node_modules").symlink_to(CLIENT / "node_modules")
    return folder


def test_the_version_is_that_of_the_project():
    assert read("client", "package.json")["version"] == discreet.__version__
    assert read("client", "package-lock.json")["version"] == discreet.__version__


@pytest.mark.parametrize("folder", ["client", "pages"])
def test_what_is_locked_is_known_by_its_hash_and_not_by_an_address(folder):
    assert "://" not in (ROOT / folder / "package-lock.json").read_text(encoding="utf-8").replace(
        '"url": "https://', ""
    )
    locked = {name: entry for name, entry in read(folder, "package-lock.json")["packages"].items() if name}
    assert len(locked) > 4
    assert [name for name, entry in locked.items() if not entry["integrity"].startswith("sha512-")] == []


def test_client_and_pages_are_bundled_by_the_same_version():
    client, pages = (read(folder, "package.json")["devDependencies"]["esbuild"] for folder in ("client", "pages"))
    assert client == pages


def test_the_client_that_is_tested_is_what_its_sources_build_to(built):
    folder, _ = built
    for name in MODULES + ELEMENT:
        assert (folder / name).read_bytes() == (CLIENT / "dist" / name).read_bytes(), "run make client"


def test_sizes_and_integrity_are_those_of_the_files_and_the_first_is_small(built):
    folder, said = built
    for name in MODULES:
        content = (folder / name).read_bytes()
        digest = base64.b64encode(hashlib.sha384(content).digest()).decode()
        assert f"{name}: {len(content)} bytes, " in said
        assert f"\n  integrity sha384-{digest}\n" in said
    line = said.splitlines()[0].removeprefix("discreet.min.js: ").replace(" bytes", "")
    sizes = {re.sub(r"\d+", "", part, count=1): int(part.split()[0]) for part in line.split(", ")}
    assert sizes.keys() == MAX_BYTES.keys()
    assert all(sizes[form] < most for form, most in MAX_BYTES.items()), sizes


def test_modules_import_each_other_and_hold_what_must_be_one_once(built):
    folder, _ = built
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in MODULES}
    imported = {name: set(re.findall(r'from"\./([\w.]+)"', text)) for name, text in texts.items()}
    first, participant, questionnaire, in_a_file, numbers = MODULES
    alone = {first: set(), participant: {first}, questionnaire: {first}, numbers: {first}}
    assert imported == {**alone, in_a_file: {first, participant}}
    for later, loads in ((questionnaire, participant), (numbers, first)):
        assert [name for name, text in texts.items() if f'import("./{later}")' in text] == [loads]
    for once in ("extends Error", "getRandomValues"):
        assert [name for name, text in texts.items() if once in text] == [MODULES[0]]


def test_the_element_is_one_file_whose_worker_imports_the_client(built):
    folder, _ = built
    element, worker = ((folder / name).read_text(encoding="utf-8") for name in ELEMENT[:2])
    assert re.findall(r'from"([^"]+)"', element) == []
    assert re.findall(r'from"([^"]+)"', worker) == ["./participant.min.js"]
    assert "eval(" not in element + worker
    assert "new Function" not in element + worker


def test_the_element_can_be_named_where_there_is_no_page(node):
    script = (
        "const { DiscreetQuestionnaire } = await import(process.argv[1]); console.log(typeof DiscreetQuestionnaire)"
    )
    line = [node.path, "--input-type=module", "-e", script, (CLIENT / "dist" / ELEMENT[0]).as_uri()]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == "function\n"


def test_types_are_written_for_every_module(built):
    folder, _ = built
    assert "export { checkLaw }" in (folder / "types" / "discreet.d.ts").read_text(encoding="utf-8")
    assert "class Participant" in (folder / "types" / "participant.d.ts").read_text(encoding="utf-8")
    assert "FileStore" in (folder / "types" / "node.d.ts").read_text(encoding="utf-8")
    assert "class DiscreetQuestionnaire" in (folder / "types" / "element.d.ts").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (f"export const large = {json.dumps([hashlib.sha256(bytes([i])).hexdigest() for i in range(99)])};\n", "below"),
        ("/** @type {string} */\nexport const one = 1;\n", "not assignable"),
        ('export { none } from "./check.js";\n', "none"),
    ],
    ids=["too large", "wrong type", "missing name"],
)
def test_what_is_too_large_or_wrong_is_not_built(node, workshop, more, said):
    with (workshop / "src" / "discreet.js").open("a", encoding="utf-8") as file:
        file.write(more)
    done = build(node, workshop)
    assert done.returncode == 1
    assert said in done.stderr + done.stdout
    assert not (workshop / "dist" / ".done").exists()


NOISE = """
import { ONE } from "../exact.js";
import { exchangeable, position, samplerFor } from "./sampler.js";

/** @type {import("./sampler.js").Kind<[size: number]>} */
export const noise = ["size:n word_bits:w", (size) =>
  samplerFor(size, 1, BigInt(size), exchangeable, () => ONE, (x, [u]) => BigInt(position(u, size)))];
"""
DRAW = """
const { checkLaw } = await import(process.argv[1]);
const law = await checkLaw(process.argv[2]);
console.log(String(law.draw(0, new BigUint64Array([1n << 63n]))));
"""
LAW = (
    '{"context":{"epsilon":"1","form":"uniform"},"domain":{"size":4},'
    '"law":{"kind":"noise","size":4,"word_bits":64},"version":2}'
)


def test_a_new_kind_of_law_is_one_file_and_its_name_among_the_kinds(node, workshop):
    line = [node.path, "--input-type=module", "-e", DRAW, (workshop / "src" / "discreet.js").as_uri(), LAW]
    before = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert "its law is not known" in before.stderr
    laws = workshop / "src" / "laws"
    (laws / "noise.js").write_text(NOISE, encoding="utf-8")
    kinds = (laws / "kinds.js").read_text(encoding="utf-8")
    named = kinds.replace("const KINDS = {\n", "const KINDS = {\n  noise,\n")
    (laws / "kinds.js").write_text(f'import {{ noise }} from "./noise.js";\n{named}', encoding="utf-8")
    assert subprocess.run(line, capture_output=True, text=True, timeout=60, check=True).stdout == "2\n"
