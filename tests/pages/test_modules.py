"""Parts of the pages that need no browser: what is pasted as a domain, and what a CSV file holds."""

import json
import subprocess
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "src" / "discreet" / "collector" / "pages"
SCRIPT = """
const [module, name, given, languages] = process.argv.slice(1);
await (await import(languages)).speak("en", "design");
const call = (await import(module))[name];
const answered = JSON.parse(given).map((one) => {
  try {
    return call(one);
  } catch (problem) {
    return problem.message;
  }
});
console.log(JSON.stringify(answered));
"""


def called(node, module, name, given):
    given = [(PAGES / module).as_uri(), name, json.dumps(given), (PAGES / "languages.js").as_uri()]
    line = [node.path, "--input-type=module", "-e", SCRIPT, *given]
    return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)


FIELDS = {
    "plain": "plain",
    "=HYPERLINK(1)": "'=HYPERLINK(1)",
    "+1 555": "'+1 555",
    "-x": "'-x",
    "@x": "'@x",
    "\tx": "'\tx",
    "\rx": '"\'\rx"',
    "a\rb": '"a\rb"',
    'say "so", ok': '"say ""so"", ok"',
    "-5": "-5",
}


def test_no_text_of_a_csv_file_is_a_formula_and_numbers_stay_numbers(node):
    assert called(node, "table.js", "csvField", list(FIELDS)) == list(FIELDS.values())
    assert called(node, "table.js", "csvField", [-0.25, 1e-7, None, 3]) == ["-0.25", "1e-7", "", "3"]


def test_a_range_is_the_numbers_in_it(node):
    found = called(node, "domain.js", "pasted", ["18..99", "-1 .. 1\nnone"])
    assert found[0]["values"] == [str(age) for age in range(18, 100)]
    assert found[1]["values"] == ["-1", "0", "1", "none"]


NAMED = {
    "How old are you?": "old",
    "What were you last treated for?": "treated",
    "Êtes-vous content de votre santé ?": "etes_vous_content",
    "Do you?": "q_you",
    "report": "q_report",
    "123": "q_123",
    "年齢": "",
}


def test_a_short_name_is_made_of_what_tells_most(node):
    given = json.dumps(list(NAMED))
    script = """
    const { nameOf } = await import(process.argv[1]);
    console.log(JSON.stringify(JSON.parse(process.argv[2]).map((text) => nameOf(text, ""))));
    """
    line = [node.path, "--input-type=module", "-e", script, (PAGES / "design-model.js").as_uri(), given]
    found = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    assert dict(zip(NAMED, found, strict=True)) == {**NAMED, "Do you?": found[3]}
    assert found[3]


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ('address,name\r\na@b.c,"B, ""A"""\r\n', ["address", "name"], [["a@b.c", 'B, "A"']]),
        ("\ufeffid;name\n1;x\n2;y", ["id", "name"], [["1", "x"], ["2", "y"]]),
        ("a@b.c\nd@e.f\n", ["address"], [["a@b.c"], ["d@e.f"]]),
        ('id,note\n1,"two\nlines"\n', ["id", "note"], [["1", "two\nlines"]]),
    ],
)
def test_a_list_of_people_is_read_as_spreadsheets_write_it(node, text, names, rows):
    assert called(node, "lists.js", "listOf", [text]) == [{"names": names, "rows": rows}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The list is empty."),
        ("id,name\n1", "Row 1 has 1 entry,"),
        ("id,id\n1,2", "no two the same"),
        ("id\nx\nx", "Row 2 is the same as row 1"),
        ("id\n", "nobody below"),
        ('id\n"x', "never closed"),
    ],
)
def test_a_list_that_invites_nobody_or_somebody_twice_is_refused(node, text, said):
    assert said in called(node, "lists.js", "listOf", [text])[0]


@pytest.mark.parametrize(("text", "said"), [("99..18", "smaller"), ("1..999999999", "5,000"), ("1..3\n2", "twice")])
def test_a_range_that_cannot_be_is_said(node, text, said):
    assert said in called(node, "domain.js", "pasted", [text])[0]


CODE = """
const { encodeQR } = await import(process.argv[1]);
const { default: decodeQR } = await import(process.argv[2]);
const picture = encodeQR(process.argv[3], "raw", { ecc: "medium", border: 4 });
const width = 4 * picture.length;
const data = new Uint8Array(4 * width * width).fill(255);
for (let y = 0; y < width; y++) {
  for (let x = 0; x < width; x++) {
    const at = 4 * (y * width + x);
    if (picture[y >> 2][x >> 2]) data.fill(0, at, at + 3);
  }
}
console.log(decodeQR({ width, height: width, data }));
"""


def test_a_code_to_scan_says_its_link(node):
    link = f"https://survey.example.org/answer/{'4f1d' * 4}#invitation={'0123' * 8}"
    decoder = Path(__file__).parents[2] / "pages" / "node_modules" / "qr" / "decode.js"
    line = [node.path, "--input-type=module", "-e", CODE, (PAGES / "made" / "qr.js").as_uri(), decoder.as_uri(), link]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip() == link
