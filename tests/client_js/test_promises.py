"""What a person reads in a browser is what Python says, answer by answer, and both refuse the same words."""

import importlib.util
import json
import sys
import unicodedata
from pathlib import Path

import pytest

import discreet as dc
from discreet.client.promise import promise, promise_for
from discreet.client.words import appearance, check_words
from discreet.core.errors import InvalidInput
from discreet.wire import law_text

C = dc.Context
CONTEXTS = {
    "uniform": C.uniform(["a", "b", "c"], "1"),
    "one value": C.uniform(["a"], "1"),
    "numbers": C.uniform(range(5), "0.1"),
    "high-low": C.high_low(["none", "cold", "hiv"], ["hiv"], "1"),
    "many": C.high_low(range(20), range(15), "1"),
    "quotes": C.high_low(['a", "b', "b", "c"], ['a", "b'], "1"),
    "right to left": C.high_low(
        ["\u0628\u0631\u062f", "\u05d0", "\U0001e900", "b"], ["\u05d0", "\U0001e900", "b"], "1"
    ),
    "blocks": C.blocks({"x": list("ab"), "y": list("cd")}, "1"),
    "blocks of two levels": C.blocks({"x": list("ab"), "y": list("cd")}, {"x": "1", "y": "2"}),
    "nothing": C.blocks({"x": ["a"], "y": ["b"]}, "1"),
    "graded": C.graded({"a": "1", "b": "2", "c": "2"}),
    "graded, some shown": C.graded({"a": "1", "b": "2", "c": "inf"}),
    "matrix": C.matrix(["a", "b", "c"], [[0, 1, "inf"], [1, 0, 1], ["inf", 1, 0]]),
    "matrix, all finite": C.matrix(["a", "b", "c"], [[0, 1, 2], [1, 0, "0.5"], [2, 1, 0]]),
    "binary": C.binary("a", "b", ("1", "inf")),
    "line": C.metric(range(6), "line", "1/2"),
    "ages": C.metric(range(18, 100), "line", "0.1"),
    "far apart": C.metric([0, 3, 9], "line", "2"),
    "thirds": C.metric(range(9), "line", "1/3"),
    "places": C.metric([(0, 0), (1, 2), (3, 1)], "l1", "0.25"),
    "ring": C.metric(range(7), "ring", "1/2", around=7),
    "outside a line": C.metric(range(6), "line", "1").with_outside(["prefer not to say"], "2"),
    "outside ages": C.metric(range(18, 100), "line", "0.1").with_outside(["prefer not to say"], "2"),
    "outside bands": C.metric(["0.5+", "-3.25 to 0", "2"], "line", "1/3", points=["0.5", "-3.25", "2"]).with_outside(
        ["other", "b"], "1"
    ),
    "outside steps": C.metric(["never", "often", "always"], "line", "3/7", points=range(3))
    .with_outside(["refused"], "0.4")
    .closure(),
    "outside a line that is bent": C.matrix(range(4), [[0, 1, 3, 2], [1, 0, 1, 2], [3, 1, 0, 2], [2, 2, 2, 0]]),
    "outside a ring": C.metric(range(24), "ring", "1/4").with_outside(["prefer not to say"], "2"),
    "outside a capped ring": C.metric([0, 6, 12, 18], "ring", "1/3", around=24).with_outside(["other"], "1"),
    "outside capped equals": C.uniform(range(4), "2").with_outside(["other"], "1"),
    "outside equals": C.uniform(range(4), "1").with_outside(["other"], "2"),
    "outside two": C.metric([0, 1], "line", "1").with_outside(["other"], "2"),
    "outside blocks": C.blocks({"x": ["a", "b"], "y": ["c"]}, "1").with_outside(["other", "none"], "2"),
    "product": C.high_low(["a", "b"], ["a"], "1") * C.blocks({"x": ["c", "d"], "y": ["e"]}, "2"),
}
NUMBERS = {
    "numbers": C.numbers(0, 4000, "1", clip=True),
    "numbers that are refused beyond their bounds": C.numbers("-2.5", "2.5", "0.3", step="0.25"),
    "numbers by distance": C.numbers(0, 100, "0.1", distance="line", clip=True),
    "numbers by a small distance": C.numbers(0, 1, "0.03", step="0.125", distance="line"),
    "numbers by a large distance": C.numbers(0, 3, "7", step="0.001", distance="line"),
    "graded numbers": C.numbers(0, 80, "3", step=10, grades={(0, 25): "1/3", (60, 80): "2"}),
    "numbers by distance and other answers": C.numbers(0, 3, "1", step="0.25", distance="line").with_outside(
        ["prefer not to say"], "2"
    ),
    "numbers to the nearest and other answers": C.numbers(0, 3, "1", rounding="nearest").with_outside(["other"], "2"),
    "numbers and other answers": C.numbers(0, 70, "1", step=10).with_outside(["prefer not to say"], "2"),
    "nearest numbers": C.numbers(0, 70, "1", step=10, rounding="nearest", clip=True),
}
WORDS = {"hiv": "HIV infection", "\u05d0": "\u05d1", "b": 'bee", "c', "('a', 'c')": "both"}


@pytest.fixture
def promised(node, tmp_path):
    def ask(collections):
        path = tmp_path / "collections.json"
        path.write_text(json.dumps(collections), encoding="utf-8")
        return node.json("tests/promises.mjs", path)

    return ask


def test_both_languages_say_the_same_of_every_context_and_answer(promised):
    laws = {name: dc.mechanism(context) for name, context in CONTEXTS.items()}
    words = {
        name: {key: word for key, word in WORDS.items() if key in map(str, laws[name].context.values)} for name in laws
    }
    said = promised([[law_text(laws[name]), {"words": words[name], "access": "invitation"}] for name in laws])
    for name, found in zip(laws, said, strict=True):
        context = laws[name].context
        assert found["sentences"] == promise(context, "refuse", words[name], access="invitation"), name
        assert found["each"] == [promise_for(context, x) for x in range(context.size)], name
        units = promised([[law_text(laws[name]), {"unit": "years", "kind": "number"}]])
        assert units[0]["sentences"][0] == promise(context, "refuse", {}, unit="years")[0], name
        assert units[0]["each"] == [promise_for(context, x, "years") for x in range(context.size)], name
    assert 'Protected: "hiv" (shown as "HIV infection"). All other' in said[3]["sentences"][1]
    assert said[5]["sentences"][1].startswith("""Protected: "a', 'b". All""")


def test_both_languages_say_the_same_of_every_number(promised):
    for name, context in NUMBERS.items():
        law, domain = dc.mechanism(context), context.domain
        held = [str(value) for value in (0, "0.5", "0.125", "2.4", 1, "0.0004", *domain[-2:])]
        held = [value for value in held if value not in ("2.4", "1") or domain.high > 1]
        found = promised([[law_text(law), {"unit": "euros", "access": "invitation"}, held]])[0]
        assert found["sentences"] == promise(context, "refuse", {}, access="invitation", unit="euros"), name
        assert found["each"] == [promise_for(context, domain.around(value), "euros") for value in held], name
    said = promise(NUMBERS["numbers"], "refuse", {})
    assert said[0].startswith("Compared with any other number from 0 to 4000, your report")
    assert said[1] == "Numbers above 4000 count as 4000, and numbers below 0 as 0."
    assert not any("count as" in sentence for sentence in promise(NUMBERS["graded numbers"], "refuse", {}))


def test_by_distance_what_is_said_of_numbers_is_not_that_of_their_nodes(promised):
    """A control: the epsilon of the law, which is about nodes, would promise too much for the numbers between them."""
    context = C.numbers(0, 100, "0.1", step=10, distance="line")
    sentence = promised([[law_text(dc.mechanism(context)), {}, []]])[0]["sentences"][0]
    assert "at a distance of 10, your report makes yours at most 2.72 times" in sentence
    assert "(epsilon 1, in proportion" in sentence
    assert context.distance_epsilon < context.number_bounds.a_unit


def test_both_languages_refuse_words_that_look_like_numbers_beside_a_scale(promised):
    context = NUMBERS["numbers and other answers"]
    law = law_text(dc.mechanism(context))
    for word in ("850", "4,000", "\u0664", "1 000", "\u00bd", "+5 %"):
        assert promised([[law, {"words": {"prefer not to say": word}}]])[0].get("code") == "words", word
        with pytest.raises(InvalidInput, match="must not look like a number"):
            check_words(context.domain, {"prefer not to say": word})
    assert "sentences" in promised([[law, {"words": {"prefer not to say": "No answer 5", "0": "nothing"}}]])[0]
    check_words(context.domain, {"prefer not to say": "No answer 5", "0": "nothing"})
    assert "sentences" in promised([[law_text(dc.mechanism(CONTEXTS["uniform"])), {"words": {"a": "5"}}]])[0]


def test_both_languages_refuse_the_same_words(promised):
    spec = importlib.util.spec_from_file_location(
        "words_of_tests", Path(__file__).parents[1] / "client" / "test_words.py"
    )
    tests = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tests)
    law = law_text(dc.mechanism(C.high_low(list(tests.DISEASES), ["cold"], "1")))
    refused = promised([[law, {"words": words}] for words in tests.HOSTILE.values()])
    assert {found.get("code") for found in refused} == {"words", "document"}  # some are no texts of a document
    assert all(
        "sentences" in found for found in promised([[law, {"words": words}] for words in tests.HARMLESS.values()])
    )
    labels = promised([[law, tests.swapped_labels(words)] for words in tests.HOSTILE.values()])
    assert {found.get("code") for found in labels} == {"words", "document"}
    assert "sentences" in promised([[law, tests.swapped_labels({"cold": "a cold town"})]])[0]
    named = [C.blocks({"A": ["a", "b"], name: ["c", "d"]}, "1") for name in (*tests.NAMES.values(), "B")]
    *refused, opened = promised([[law_text(dc.mechanism(context)), {}] for context in named])
    assert {found.get("code") for found in refused} == {"words"}
    assert "sentences" in opened


SHOW = """
const { appearance } = await import(process.argv[1]);
const all = [];
for (let code = 0; code < 0x110000; code += 1) {
  if (code < 0xd800 || code > 0xdfff) all.push(appearance(String.fromCodePoint(code)));
}
process.stdout.write(JSON.stringify(all));
"""


def test_every_character_has_one_appearance_in_both_languages(node):
    import subprocess

    source = (Path(__file__).parents[2] / "client" / "src" / "words.js").as_uri()
    line = [node.path, "--input-type=module", "-e", SHOW, source]
    theirs = json.loads(subprocess.run(line, capture_output=True, check=True, timeout=60).stdout)
    codes = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    differ = [
        chr(code)
        for code, seen in zip(codes, theirs, strict=True)
        if seen != appearance(chr(code)) and unicodedata.category(chr(code)) != "Cn"  # of a later Unicode
    ]
    assert differ == []
