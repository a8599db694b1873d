"""Questionnaires in JavaScript: the same reports and journals as in Python."""

import hashlib
import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet.client.addresses import address_of
from discreet.client.ledger import Ledger
from discreet.client.ledger.entries import data_of
from discreet.core.canonical import canonical
from discreet.core.errors import DamagedLedger, Overspent
from discreet.core.exact import text_of

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "client" / "vectors.forms.jsonl"
HERE = address_of("https://collector.example/c/")
C = dc.Context


def load(path):
    """A module of other tests, by its place."""
    name = "tests_" + "_".join(path.with_suffix("").parts[-2:])
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def test_the_tests_of_questionnaires_in_javascript_pass(node):
    done = node.run("tests/questionnaires.mjs")
    assert done.returncode == 0, done.stdout[-5000:]


# -- vectors --------------------------------------------------------------------------------------
IN_A_PAGE = """
async ([file, module]) => {
  const [client, { checkForms }] = await Promise.all([import(module), import("/tests/checking_forms.mjs")]);
  const text = await (await fetch(file)).text();
  return checkForms(text.trimEnd().split("\\n"), client);
}
"""


def announced(path):
    with path.open(encoding="utf-8") as file:
        told = json.loads(file.readline())
    return {"forms": told["forms"], "vectors": told["vectors"], "wrong": 0, "first": None}


def test_node_asks_and_writes_what_the_vectors_say(node):
    assert node.json("tests/forms.mjs", VECTORS) == announced(VECTORS)


@pytest.mark.parametrize("module", ["/src/participant.js", "/dist/participant.min.js"])
def test_chromium_asks_and_writes_what_the_vectors_say(page, site, module):
    shutil.copyfile(VECTORS, site[1] / "forms.jsonl")
    assert page.evaluate(IN_A_PAGE, ["/files/forms.jsonl", module]) == announced(VECTORS)


@pytest.mark.parametrize("key", ["asked", "report", "tag", "words"])
def test_a_vector_that_was_changed_is_found(node, tmp_path, key):
    lines = VECTORS.read_text(encoding="utf-8").splitlines()
    place = max(range(1, len(lines)), key=lambda i: len(json.loads(lines[i]).get("words", "")))
    changed = json.loads(lines[place])
    changed[key] = {"asked": ["nobody"], "report": 0, "tag": "0" * 64, "words": changed["words"][::-1]}[key]
    lines[place] = json.dumps(changed)
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = node.json("tests/forms.mjs", path)
    assert told["wrong"] >= 1
    assert told["first"].startswith(f"line {place + 1}: ")


# -- journals -------------------------------------------------------------------------------------
NAME = "https://collector.example/survey?wave=1"
ANSWERS = {"a": "y", "b": "u", "c": 1}
THREE = {"a": ["x", "y"], "b": ["u", "v"], "c": range(3)}
SAME = [dc.Form(THREE, strategy, epsilon="2") for strategy in ("one at random", "each", "together")]
PRODUCT = dc.Form(
    {"illness": C.high_low(["none", "hiv"], ["hiv"], "1"), "size": C.uniform(range(2), "1/2")}, "together"
)


SHORT = dc.Form(
    {"way": C.blocks({"wheels": ["bike", "car"], "feet": ["walk"]}, "2"), "size": C.uniform(range(2), "1/3")}, "each"
)


def wording_of(form):
    asked = ["A survey", [[name, f"What about {name}?", {}] for name in form.names], {}]
    return hashlib.sha256(canonical(asked).encode()).hexdigest()


def answers_to(form):
    return {name: ANSWERS[name] for name in form.names}


@pytest.mark.parametrize("form", SAME, ids=lambda form: form.strategy)
def test_a_questionnaire_goes_from_one_language_to_the_other_and_back(node, tmp_path, form):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    law.write_text(form.published, encoding="utf-8")
    first = node.json("tests/journals.mjs", "answer", path, law, NAME, json.dumps(answers_to(form)), "spend")
    assert first["state"] == "accepted", first
    ledger, rng = Ledger.existing(path), dc.random.secure()
    told = {"question": NAME, "url": f"{NAME}/reports", "labels": {}, "wording": wording_of(form)}
    assert tuple(node.json("tests/journals.mjs", "asked", path, law, NAME)) == ledger.asked(
        form, wording=wording_of(form)
    )
    upload = ledger.submit(form, answers_to(form), rng, **told)
    assert (upload.upload, upload.body) == (first["upload"], first["sent"])
    changed = {**answers_to(form), "a": "x", "b": "v"}
    other = ledger.submit(form, changed, rng, changes="spend", **told)
    again = node.json("tests/journals.mjs", "answer", path, law, NAME, json.dumps(changed), "spend")
    assert (again["upload"], again["sent"]) == (other.upload, other.body)
    elsewhere = node.json("tests/journals.mjs", "answer", path, law, f"{NAME}&b", json.dumps(changed))
    assert elsewhere["epsilon"] == "0"
    found = node.json("tests/journals.mjs", "summary", path)
    assert (found["spent"], found["text"]) == (text_of(ledger.spent), ledger.export())


@pytest.mark.parametrize("form", [*SAME, PRODUCT, SHORT], ids=lambda form: " ".join(form.names))
def test_both_languages_write_the_same_lines_before_a_report(node, tmp_path, form):
    answers = {name: spec.context.values[0] for name, spec in form.questions.items()}
    lines = []
    law = tmp_path / "law.json"
    law.write_text(form.published, encoding="utf-8")
    given = node.json("tests/journals.mjs", "answer", tmp_path / "theirs", law, NAME, json.dumps(answers))
    assert given["state"] == "accepted", given
    Ledger(tmp_path / "ours", "4").submit(
        form, answers, dc.random.secure(), question=NAME, url=f"{NAME}/reports", labels={}, wording=wording_of(form)
    )
    for name in ("theirs", "ours"):
        entries = [data_of(entry) for entry in Ledger.existing(tmp_path / name).entries]
        lines.append([entry for entry in entries if entry["kind"] in ("cap", "terms", "parts", "debit")])
        assert [entry["kind"] for entry in entries][-4 + (name == "ours") :][:2] == ["debit", "report"]
    assert lines[0] == lines[1]
    assert any(entry["kind"] == "parts" for entry in lines[0])


@pytest.mark.parametrize("strategy", ["each", "together"])
def test_a_budget_counts_the_parts_of_a_questionnaire_alike_in_both(node, tmp_path, strategy):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    context = C.graded({"a": "1", "b": "2", "c": "1/2"})
    form = dc.Form({"one": context, "two": context, "three": C.uniform(["x", "y"], "1")}, strategy)
    law.write_text(form.published, encoding="utf-8")
    ledger = Ledger(path, 99, budgets=[context + context + context])
    answers = json.dumps({"one": "a", "two": "b", "three": "x"})
    assert node.json("tests/journals.mjs", "answer", path, law, NAME, answers)["state"] == "accepted"
    (balance,) = ledger.budgets
    assert balance.spent.matrix() == (context + context).matrix()
    (told,) = node.json("tests/journals.mjs", "summary", path)["budgets"]
    _, _, budget, spent = balance.tightest()
    assert (told["tightest"]["budget"], told["tightest"]["spent"]) == (text_of(budget), text_of(spent))
    assert (
        node.json("tests/journals.mjs", "answer", path, law, f"{NAME}&b", answers.replace('"a"', '"c"'))["code"]
        == "overspent"
    )
    with pytest.raises(Overspent):
        ledger.submit(form, json.loads(answers), dc.random.secure(), question="b", url=f"{NAME}/reports", labels={})


def test_a_list_of_parts_that_is_wrong_is_damage_in_both(node, tmp_path):
    path = tmp_path / "ledger.jsonl"
    for wrong in ([], ["ab"], ["0" * 64] * 65, None, {"0": "0" * 64}):
        lines, chain = [], "0" * 64
        entries = [
            {"kind": "cap", "epsilon": "4", "version": 1},
            {"kind": "parts", "fingerprint": "0" * 64, "parts": wrong},
        ]
        for entry in entries:
            chain = hashlib.sha256((chain + canonical(entry)).encode()).hexdigest()
            lines.append(canonical({**entry, "chain": chain}) + "\n")
        path.write_text("".join(lines), encoding="utf-8")
        assert node.json("tests/journals.mjs", "summary", path)["code"] == "damaged"
        with pytest.raises(DamagedLedger):
            _ = Ledger.existing(path).entries


# -- pages ----------------------------------------------------------------------------------------
CALL = "([name, given]) => import('/tests/participant.page.mjs').then((tests) => tests[name](...given))"


@pytest.mark.parametrize("form", SAME[:2], ids=lambda form: form.strategy)
def test_a_page_that_is_loaded_again_asks_the_same_and_gives_the_same_report(page, site, form):
    """The ledger is in IndexedDB, whose key no script can read; several tabs at once agree too."""
    base, folder = site
    name = form.strategy.replace(" ", "-")
    (folder / f"{name}.law.json").write_text(form.published, encoding="utf-8")
    questions = [{"name": one, "question": f"What about {one}?"} for one in form.names]
    document = {"version": 1, "title": "A survey", "questions": questions, "fingerprint": form.fingerprint}
    document |= {"law": f"{name}.law.json", "reports": "reports", "changes": "refuse"}
    (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    page.context.route("**/reports", lambda route: route.fulfill(status=204))
    asked = ["answer", [f"forms {name}", f"{base}/files/{name}.json", ANSWERS, "4"]]
    first = page.evaluate(CALL, asked)
    assert first["state"] == "accepted", first
    for _ in range(3):
        page.reload()
        assert page.evaluate(CALL, asked) == first
    together = page.evaluate(f"(asked) => Promise.all([0, 1, 2].map(() => ({CALL})(asked)))", asked)
    assert together == [first] * 3
    found = page.evaluate(CALL, ["summary", [f"forms {name}"]])
    assert [entry["kind"] for entry in found["entries"]].count("debit") == 1
    assert found["spent"] == "2"


def test_a_budget_counts_one_epsilon_where_all_tuples_are_alike_in_both(node, tmp_path):
    path, law = tmp_path / "ledger.jsonl", tmp_path / "law.json"
    form = dc.Form({"one": ["a", "b"], "two": ["a", "b", "c"], "three": ["x", "y"]}, "together", epsilon="3/4")
    law.write_text(form.published, encoding="utf-8")
    ledger = Ledger(path, 99, budgets=[C.uniform(["b", "a"], "1"), C.uniform(["a", "x"], "1")])
    answers = json.dumps({"one": "a", "two": "b", "three": "x"})
    assert node.json("tests/journals.mjs", "answer", path, law, NAME, answers)["state"] == "accepted"
    told = node.json("tests/journals.mjs", "summary", path)["budgets"]
    assert (
        [one["tightest"]["spent"] for one in told]
        == ["0.75", "0"]
        == [text_of(one.spent.epsilon(*one.budget.values)) for one in ledger.budgets]
    )
    other = answers.replace('"two": "b"', '"two": "c"')
    assert node.json("tests/journals.mjs", "answer", path, law, f"{NAME}&b", other)["code"] == "overspent"
    with pytest.raises(Overspent):
        ledger.submit(form, json.loads(answers), dc.random.secure(), question="b", url=f"{NAME}/reports", labels={})
