"""What the answer page shows of a checked law is E, for every form."""

import json
import math
import subprocess
from pathlib import Path

import pytest

import discreet as dc
from discreet.wire import law_text

MODULES = Path(__file__).parents[2] / "src" / "discreet" / "collector" / "pages" / "made"
C = dc.Context
CONTEXTS = {
    "uniform": C.uniform(["a", "b", "c"], "1"),
    "blocks": C.blocks({"x": ["a", "b"], "y": ["c", "d"]}, "0.5"),
    "blocks of their own": C.blocks({"x": ["a", "b"], "y": ["c", "d"]}, {"x": "1", "y": "1/3"}),
    "high_low": C.high_low([1, 2, 3], [1, 3], "1"),
    "binary": C.binary("no", "yes", ("inf", "1")),
    "nested": C.nested({"a": {"b": [1, 2], "c": [3, 4]}, "d": {"e": [5]}}, ["1", "2", "inf"]),
    "graded": C.graded({"a": "1", "b": "2", "c": "inf"}),
    "line": C.metric([0, 1, 5], "line", epsilon="0.5"),
    "ring": C.metric(range(7), "ring", epsilon="0.5"),
    "l1": C.metric([(0, 0), (1, 2), (3, 1)], "l1", epsilon="0.5"),
    "l2": C.metric([(0, 0), (1, 2), (3, 1)], "l2", epsilon="0.5"),
    "linf": C.metric([(0, 0), (1, 2), (3, 1)], "linf", epsilon="0.5"),
    "product": C.uniform(["a", "b"], "1") * C.high_low([1, 2, 3], [1], "2"),
    "product of three": C.uniform(["a", "b"], "1") * C.high_low([1, 2, 3], [1], "2") * C.uniform([0, 1], "0.5"),
    "product, nested to the right": C.uniform([0, 1], "1") * (C.uniform(["a", "b"], "1") * C.uniform([3, 4, 5], "2")),
    "matrix": C.matrix(["a", "b"], [["0", "1"], ["inf", "0"]]),
}
SCRIPT = """
const { checkLaw, entriesOf } = await import(process.argv[1]);
const law = await checkLaw(process.argv[2]);
const rows = law.values.map((_, x) => Array.from(entriesOf(law)(x), (entry) => (entry === Infinity ? "inf" : entry)));
console.log(JSON.stringify(rows));
"""


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_entries_are_those_of_the_context(node, context):
    module = (MODULES / "participant.js").as_uri()
    line = [node.path, "--input-type=module", "-e", SCRIPT, module, law_text(dc.mechanism(context))]
    rows = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    for x in range(context.size):
        for z in range(context.size):
            expected = float(context.at(x, z)) if x != z else 0.0
            entry = math.inf if rows[x][z] == "inf" else rows[x][z]
            assert entry == pytest.approx(expected, abs=1e-9), (x, z)
