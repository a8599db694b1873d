"""Numbers between bounds in JavaScript: read, placed, kept and refused as in Python, whatever is written."""

import copy
import json
import math
import random

import pytest

import discreet as dc
from discreet.checks import check_vectors, write_vectors
from discreet.client.ledger.account import describe_context
from discreet.core.canonical import canonical
from discreet.core.errors import CheckFailed, DiscreetError, UnknownValue
from discreet.wire import law_text, parse_law

C = dc.Context
LAWS = {
    "incomes": dc.mechanism(C.numbers(0, 4000, "1", nodes=5, clip=True)),
    "refused beyond": dc.mechanism(C.numbers("-1.5", "2.5", "1", nodes=9)),
    "nearest": dc.mechanism(C.numbers(18, 100, "1", step=2, decimals=1, rounding="nearest", clip=True)),
    "by distance": dc.mechanism(C.numbers(0, 1, "2", step="0.125", distance="line")),
    "beside": dc.mechanism(C.numbers(0, 70, "1", step=10, clip=True).with_outside(["none", "prefer not to say"], "1")),
    "long": dc.mechanism(C.numbers(0, "0.001", "1", nodes=2, decimals=12)),
    "negative": dc.mechanism(C.numbers(-4000, -1000, "1", step=500, decimals=3)),
}
STRANGE = [
    "", " ", "5 ", " 5", "5\n", "+5", "-0", "-0.0", ".5", "5.", ".", "+", "-", "--5", "1_000", "1,000", "0x10", "1/2",
    "00005", "1e3", "1E3", "1e", "e3", "1e+3", "1e-999", "1e999", "1e600", "1e601", "1e0001", "5e-600", "5e-601", "inf",
    "NaN", "none", "None", "None ", "prefer not to say", "true", "null", "[5]", "\u0664", "\uff15", "4000.5", "-0.5",
    "-0.50001", "4000.4999999999999999999", "5" * 600, "5" * 601, "0." + "3" * 600,
    *("1." + "0" * count for count in (700, 1200, 1201, 1300)),
]  # fmt: skip
OTHERS = [None, True, False, [5], {"tuple": [5]}, {}, [], 5, 0, -1, 4000, 10**15]


def held_of(domain, rng):
    """Numbers near units, their halves, nodes and bounds, as text and as doubles, and what is none."""
    unit = 10.0**-domain.decimals
    near = [domain.first, domain.last, *(rng.randrange(domain.first - 9, domain.last + 9) for _ in range(60))]
    near += [domain.first + domain.units * rng.randrange(domain.nodes) + by for by in (0, 1, -1) for _ in range(9)]
    doubles = [(number + by) * unit for number in near for by in (0, 0.5, rng.random())]
    doubles += [math.nextafter(double, math.inf) for double in doubles]
    doubles += [5e-324, 1e308, -1e308, 1e21, 1e-7, 123456789012345680.0]
    texts = [f"{number}{rng.choice(['', '.5', '.49', '.0'])}e-{domain.decimals}" for number in near]
    return [*texts, *map(str, doubles), *STRANGE, *OTHERS, *({"double": repr(double)} for double in doubles)]


def ours(domain, held):
    """What Python makes of it: its position, how it is kept, whether it counts, and the values it may become."""
    if isinstance(held, dict) and "double" in held:
        held = float(held["double"])
    elif isinstance(held, dict):
        held = tuple(held.get("tuple", ())) or None
    try:
        position = domain.position(held)
    except UnknownValue:
        return [None, None, "refused", None]
    standing = "clipped" if domain.clips(held) else "accepted"
    return [position, domain.normalized(held), standing, list(domain.around(held))]


@pytest.fixture(scope="module")
def told(node, tmp_path_factory):
    """What is asked of the client, and what it says."""
    rng = random.Random(5)
    scales = [[law_text(law), held_of(law.context.domain, rng)] for law in LAWS.values()]
    same = ["850", 850, "850.4", "8.5e2", "0850.0"]
    answers = [
        [law_text(LAWS["incomes"]), [*same, "851", 9000, "4000", "1e9", "x", None, "0850"]],
        [law_text(LAWS["refused beyond"]), ["2.5001", "3", "2.5", 2.5]],
        [law_text(LAWS["beside"]), ["none", "35", "none", "None"]],
        [law_text(LAWS["incomes"]), ["1", "2"], [describe_context(C.numbers(0, 4000, "1.5", nodes=5, clip=True))]],
    ]
    path = tmp_path_factory.mktemp("numbers") / "numbers.json"
    path.write_text(json.dumps({"scales": scales, "answers": answers}), encoding="ascii")
    return scales, node.json("tests/numbers.mjs", path)


def test_every_number_is_read_kept_and_placed_as_in_python(told):
    scales, found = told
    counted = {"accepted": 0, "clipped": 0, "refused": 0}
    for law, (_, held), said in zip(LAWS.values(), scales, found["scales"], strict=True):
        domain = law.context.domain
        assert said["values"] == list(domain)
        assert (said["positions"], said["words"]) == (domain.positions, law.words)
        for one, theirs in zip(held, said["read"], strict=True):
            expected = ours(domain, one)
            assert [*theirs[:3], theirs[3] and sorted(theirs[3])] == expected, one
            counted[expected[2]] += 1
    assert min(counted.values()) > 150


def test_the_same_number_has_one_report_and_another_number_another_one(told):
    incomes, refused, beside, _ = told[1]["answers"]
    first, *again = incomes["said"]
    assert again[:4] == [first] * 4
    assert incomes["said"][-1] == [first[0], "3"], "three numbers were paid for: 850, 851 and 4000"
    assert [paid for _, paid in again[4:8]] == ["2", "3", "3", "3"]
    assert again[8:10] == ["value", "value"]
    assert incomes["reports"] == 3
    assert refused["said"][:2] == ["value", "value"]
    assert refused["said"][2] == refused["said"][3]
    assert beside["said"][0][0] == beside["said"][2][0] != beside["said"][1][0]
    assert beside["said"][3] == "value"


def test_what_a_page_needs_to_ask_for_a_number_is_with_the_question(told):
    for said, name in zip(told[1]["answers"], ("incomes", "refused beyond", "beside", "incomes"), strict=True):
        domain = LAWS[name].context.domain
        assert (said["kind"], said["low"], said["values"]) == ("number", str(domain.describe()["low"]), list(domain))


def test_the_terms_of_a_law_over_numbers_are_those_that_python_writes_and_reads(told):
    for said, name in zip(told[1]["answers"], ("incomes", "refused beyond", "beside", "incomes"), strict=True):
        expected = describe_context(LAWS[name].context)
        assert {key: said["terms"][key] for key in ("context", "domain")} == expected


IN_A_PAGE = """
async ([text, module]) => {
  const [client, { checkVectors }] = await Promise.all([import(module), import("/tests/checking.mjs")]);
  return checkVectors(text.trimEnd().split("\\n"), client);
}
"""


@pytest.fixture(scope="module")
def vectors():
    """Vectors of these laws, as text."""
    return "".join(write_vectors(LAWS.values(), count=700))


@pytest.mark.parametrize("module", ["/src/discreet.js", "/dist/discreet.min.js"])
def test_chromium_writes_the_reports_of_numbers(page, vectors, module):
    told = {"laws": len(LAWS), "vectors": 700, "wrong": 0, "first": None}
    assert page.evaluate(IN_A_PAGE, [vectors, module]) == told


def test_another_rounding_is_found(page, vectors, tmp_path):
    """A control: numbers that are rounded down write other reports, in Python as in a browser."""
    lines = vectors.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("[") and (row := json.loads(line))[0] not in ("none", "prefer not to say"):
            lines[at] = json.dumps([str(math.floor(float(row[0]))), *row[1:]], separators=(",", ":"))
    text = "\n".join([*lines, ""]).replace('"-2"', '"-1"')
    path = tmp_path / "down.jsonl"
    path.write_text(text, encoding="ascii")
    with pytest.raises(CheckFailed, match="reports differ"):
        check_vectors(path)
    assert page.evaluate(IN_A_PAGE, [text, "/dist/discreet.min.js"])["wrong"] > 10


def test_budgets_over_numbers_are_kept_to(told):
    limited = told[1]["answers"][3]
    assert limited["said"][0][1] == "1"
    assert limited["said"][1] == "overspent"
    assert limited["left"] == [{"x": 0, "z": 1000, "budget": "1.5", "spent": "1"}]


# -- domains that lie -------------------------------------------------------------------------------
TEXTS = [
    "0", "-0", "+0", "00", "0.0", "1000", "1e3", "1000.0", "4000/4", "500", "4000", "5000", "-1000", "300", "inf", "",
    "1/3", "0.001", 1000, None, 0.5,
]  # fmt: skip
ENTRIES = {
    "low": TEXTS,
    "high": [*TEXTS, "4294967296000", "1000000000000000", "1000000000000001"],
    "step": TEXTS,
    "decimals": [0, 1, 2, 3, 6, 7, 15, 16, -1, 0.5, "0", None, True, [0]],
    "clip": [True, False, None, 0, 1, "true", "false"],
    "rounding": ["at random", "nearest", "down", "", None, "At random", "__proto__", ["at random"]],
    "outside": [
        *([], ["no"], ["no", "no"], ["5"], ["1/3"], ["+1/3"], ["1e5"], [5], [True], "no", "", None, [""]),
        *([{"tuple": ["a"]}], ["\u0664"], ["1/0"], ["inf"]),
    ],
    "size": [5],
    "values": [[0, 1000, 2000, 3000, 4000]],
    "nodes": [5],
}


def domains_that_differ():
    """Laws over numbers with one or two entries of their domain changed, written as if they were honest."""
    rng = random.Random(7)
    data = json.loads(law_text(LAWS["incomes"]))
    changes = [{key: entry} for key, entries in ENTRIES.items() for entry in entries]
    keys = ["low", "high", "step", "decimals", "outside"]
    changes += [{key: rng.choice(ENTRIES[key]) for key in rng.sample(keys, 2)} for _ in range(400)]
    laws = {}
    for change in changes:
        for size in (5, 6):
            one = copy.deepcopy(data)
            one["domain"] |= change
            if size == 6:  # as many values as with one outside
                one["law"] = json.loads(law_text(dc.mechanism(C.uniform(range(6), "1"))))["law"]
            laws[canonical(one)] = change
    for key in data["domain"]:
        one = copy.deepcopy(data)
        del one["domain"][key]
        laws[canonical(one)] = {key: "left out"}
    return laws


def test_a_domain_that_lies_or_is_written_otherwise_is_refused_by_both(node, tmp_path):
    laws = domains_that_differ()
    path = tmp_path / "laws.json"
    path.write_text(json.dumps({text: {"law": text, "fingerprint": None} for text in laws}), encoding="ascii")
    verdicts = node.json("tests/verdicts.mjs", path)
    accepted = 0
    for text, change in laws.items():
        try:
            parse_law(text)
            mine = "accepted"
        except DiscreetError:
            mine = "law:"
        assert verdicts[text].startswith(mine), (change, verdicts[text])
        accepted += mine == "accepted"
    assert 20 < accepted < len(laws) / 2


def test_a_domain_that_was_changed_has_another_fingerprint(node, tmp_path):
    law = LAWS["incomes"]
    honest = law_text(law)
    others = {
        "clip": honest.replace('"clip":true', '"clip":false'),
        "rounding": honest.replace("at random", "nearest"),
        "decimals": honest.replace('"decimals":0', '"decimals":1'),
        "bounds and step": honest.replace('"4000"', '"8000"').replace('"1000"', '"2000"'),
    }
    asked = {name: {"law": text, "fingerprint": law.fingerprint} for name, text in others.items()}
    asked |= {f"{name}, as it is": {"law": text, "fingerprint": None} for name, text in others.items()}
    path = tmp_path / "laws.json"
    path.write_text(json.dumps({"honest": {"law": honest, "fingerprint": law.fingerprint}, **asked}), encoding="ascii")
    verdicts = node.json("tests/verdicts.mjs", path)
    for name, verdict in verdicts.items():
        assert verdict.startswith("fingerprint: " if name in others else "accepted 1"), name
    assert len({parse_law(text).fingerprint for text in (honest, *others.values())}) == 5


def test_numbers_that_are_not_all_hidden_from_each_other_are_refused(node, tmp_path):
    """Between two blocks a rounded number would show in which it is; the nearest node is a value like any other."""
    blocks = json.loads(law_text(dc.mechanism(C.blocks({"low": [0, 1], "high": [2, 3]}, "1"))))
    scale = C.numbers(0, 3, "1", step=1).domain.describe()
    asked = {
        rounding: canonical({**blocks, "domain": {**scale, "rounding": rounding}})
        for rounding in ("at random", "nearest")
    }
    product = json.loads(law_text(dc.mechanism(C.uniform(range(4), "1") * C.uniform(["a"], "1"))))
    product["context"]["first"]["domain"] = scale
    asked["in a product"] = canonical(product)
    path = tmp_path / "laws.json"
    path.write_text(json.dumps({name: {"law": text, "fingerprint": None} for name, text in asked.items()}))
    verdicts = node.json("tests/verdicts.mjs", path)
    assert verdicts["at random"].startswith("law: ")
    assert "between which nodes" in verdicts["at random"]
    assert verdicts["nearest"].startswith("accepted 1 and shows")
    assert verdicts["in a product"].startswith("law: ")
    parse_law(asked["nearest"])
    for name in ("at random", "in a product"):
        with pytest.raises(DiscreetError):
            parse_law(asked[name])
