"""Parts of the pages that need no browser: what is pasted as a domain, and what a CSV file holds."""

import json
import subprocess
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "src" / "discreet" / "collector" / "pages"
SCRIPT = """
const [module, name, given] = process.argv.slice(1);
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
    line = [node.path, "--input-type=module", "-e", SCRIPT, (PAGES / module).as_uri(), name, json.dumps(given)]
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


@pytest.mark.parametrize(("text", "said"), [("99..18", "smaller"), ("1..999999999", "5,000"), ("1..3\n2", "twice")])
def test_a_range_that_cannot_be_is_said(node, text, said):
    assert said in called(node, "domain.js", "pasted", [text])[0]
