"""Vectors cover all there is, are found at the thresholds, and a file that says otherwise is refused."""

import json
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import pytest

import discreet as dc
from discreet.checks import CheckFailed, check_vectors, write_vectors
from discreet.checks.vectors import laws
from discreet.checks.vectors.file import read
from discreet.checks.vectors.making import FEW, shared, vectors
from discreet.contexts import FORMS
from discreet.core.errors import InvalidInput
from discreet.mechanisms.build import BASES, MAKERS, OTHERS
from discreet.mechanisms.laws import FOLLOWERS
from discreet.wire import law_text

COMMITTED = Path(__file__).parents[2] / "client" / "vectors.small.jsonl"
HADAMARD = dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard")
UNARY = dc.mechanism(dc.Context.uniform(range(70), "1"), "unary")


def written(tmp_path, *made, **more):
    path = tmp_path / "vectors.jsonl"
    path.write_text("".join(write_vectors(made, **more)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def small():
    return list(laws.small_laws())


def test_every_kind_of_law_is_among_them(small):
    texts = [law_text(mechanism) for mechanism in small]
    assert [kind for kind in FOLLOWERS if not any(f'"kind":"{kind}"' in text for text in texts)] == []
    assert {mechanism.law().kind for mechanism in small} == set(FOLLOWERS)


def test_every_name_of_a_mechanism_and_every_form_of_a_context_is_among_them(monkeypatch):
    asked = []
    monkeypatch.setattr(
        laws, "named", lambda context, name, **more: asked.append(name) or dc.mechanism(context, name, **more)
    )
    forms = {json.loads(law_text(mechanism))["context"]["form"] for mechanism in laws.small_laws()}
    named = {*BASES, *OTHERS, *MAKERS, "mixed"} - {"law", "types"}  # these two are given a law, which others make
    assert named <= set(asked)
    assert forms == set(FORMS)


def test_reports_pass_53_and_64_bits(small):
    bits = {mechanism.bits for mechanism in small}
    assert any(bits_ <= 53 for bits_ in bits)
    assert {53, 64, 65} <= bits
    assert any(bits_ > 128 for bits_ in bits)


def test_a_law_of_one_word_has_both_sides_of_its_thresholds():
    reports = {(v.x, v.words[0]): v.report for v in vectors(HADAMARD, 400, 1)}
    assert len(reports) == 400
    jumps = [(x, word) for x, word in reports if reports.get((x, word + 1), reports[x, word]) != reports[x, word]]
    assert sum((x, word + 2) in reports for x, word in jumps) > 30
    assert {(x, word) for x in (0, 4) for word in (0, (1 << 64) - 1)} <= set(reports)


def test_a_law_of_many_words_has_both_sides_of_the_thresholds_of_one():
    own, other = UNARY.law().own, UNARY.law().other
    near = {bound + by for bound in (own, other) for by in (-1, 0, 1)}
    met = {word for v in vectors(UNARY, 200, 1) for word in v.words}
    assert near <= met


def test_the_same_laws_and_seed_give_the_same_file_and_another_seed_another():
    one, two = ("".join(write_vectors([HADAMARD, UNARY], count=60, seed=seed)) for seed in (1, 1))
    assert one == two
    assert one != "".join(write_vectors([HADAMARD, UNARY], count=60, seed=2))


def test_the_vectors_of_a_law_do_not_depend_on_the_other_laws():
    first, second = shared([HADAMARD, UNARY], 40)
    assert first + second == 40
    assert first > second
    for made, count in ((HADAMARD, first), (UNARY, second)):
        alone = "".join(islice(write_vectors([made], count=count), 1, None))
        assert alone in "".join(write_vectors([HADAMARD, UNARY], count=40))


@pytest.mark.parametrize("count", [1, 5, 107, 2000, 9999])
def test_as_many_vectors_are_made_as_are_asked_for(small, count):
    assert sum(shared(small, count)) == count


def test_a_file_is_read_back_and_every_engine_writes_its_reports(tmp_path):
    path = written(tmp_path, HADAMARD, UNARY, count=300)
    assert [section.mechanism.fingerprint for section in read(path)] == [HADAMARD.fingerprint, UNARY.fingerprint]
    assert asdict(check_vectors(path)) == {"laws": 2, "integers": 300, "numpy": 300, "numba": 300}


def test_without_numba_the_others_are_checked(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.checks.vectors.file.present", lambda: False)
    assert check_vectors(written(tmp_path, HADAMARD, count=30)).numba == 0


def test_kinds_are_chosen_anywhere_in_a_law():
    blocks = dc.mechanism(dc.Context.blocks({"a": range(3), "b": range(3, 6)}, "1"), "hadamard")
    chosen = [json.loads(line) for line in write_vectors([blocks, UNARY], count=8, kinds=["hadamard"])]
    assert chosen[0]["laws"] == 1
    assert chosen[1]["fingerprint"] == blocks.fingerprint
    with pytest.raises(InvalidInput, match="kind='unicorn' must be one of adaptive, "):
        next(write_vectors([blocks], kinds=["unicorn"]))
    with pytest.raises(InvalidInput, match="kind=ring or table is in none of these laws"):
        next(write_vectors([blocks], kinds=["ring", "table"]))


@pytest.mark.slow
def test_the_committed_file_is_small_and_every_engine_writes_its_reports():
    assert COMMITTED.stat().st_size < 300_000
    done = check_vectors(COMMITTED)
    assert done.integers == done.numpy == FEW
    assert done.numba > FEW / 3


def test_one_changed_report_is_named_by_its_line(tmp_path):
    path = written(tmp_path, HADAMARD, count=30)
    lines = path.read_text().splitlines()
    x, words, report = json.loads(lines[9])
    lines[9] = json.dumps([x, words, report ^ 1], separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n")
    said = rf"line 10: hadamard: value {x} writes {report} by integers, not {report ^ 1} \(3 of 90 reports differ\)"
    with pytest.raises(CheckFailed, match=said):
        check_vectors(path)


CASES = {
    "nothing": (lambda lines: [], "line 1: the file ends here"),
    "another version": (lambda lines: [lines[0].replace('version":1', 'version":2'), *lines[1:]], "line 1: a file of"),
    "no table": (lambda lines: ["[]", *lines[1:]], "line 1: a file of vectors must begin"),
    "text for a count": (lambda lines: [lines[0].replace('laws":1', 'laws":"1"'), *lines[1:]], "line 1: laws must be"),
    "cut off": (lambda lines: lines[:-1], "line 12: the file ends here"),
    "one more": (lambda lines: [*lines, lines[-1]], "line 12: there must be as many vectors"),
    "fewer than announced": (lambda lines: [lines[0].replace('vectors":10', 'vectors":11'), *lines[1:]], "as many"),
    "spaces": (lambda lines: [*lines[:5], lines[5].replace(",", ", "), *lines[6:]], "line 6: JSON must be written"),
    "no JSON": (lambda lines: [*lines[:5], "{", *lines[6:]], "line 6: this is not JSON"),
    "another key": (
        lambda lines: [lines[0], lines[1].replace('"law"', '"lie"'), *lines[2:]],
        "line 2: a law must come",
    ),
    "another law": (
        lambda lines: [lines[0], lines[1].replace("uniform", "unicorn"), *lines[2:]],
        "line 2: context.form=",
    ),
    "a fingerprint": (lambda lines: [lines[0], lines[1].replace(lines[1][16:24], "0" * 8, 1), *lines[2:]], "SHA-256"),
    "no vector": (lambda lines: [*lines[:5], '{"x":1}', *lines[6:]], "line 6: a vector must be a list"),
    "a value": (lambda lines: [*lines[:5], f'[5,"{"0" * 16}",0]', *lines[6:]], "line 6: the number of a value must be"),
    "a flag": (lambda lines: [*lines[:5], f'[true,"{"0" * 16}",0]', *lines[6:]], "line 6: the number of a value must"),
    "words": (lambda lines: [*lines[:5], f'[0,"{"0" * 15}",0]', *lines[6:]], "line 6: 1 words must be 16 lowercase"),
    "capitals": (lambda lines: [*lines[:5], f'[0,"{"A" * 16}",0]', *lines[6:]], "line 6: 1 words must be 16 lowercase"),
    "a report": (lambda lines: [*lines[:5], f'[0,"{"0" * 16}",8]', *lines[6:]], "line 6: report=8"),
    "text for a report": (lambda lines: [*lines[:5], f'[0,"{"0" * 16}","1"]', *lines[6:]], "line 6: report='1'"),
}


@pytest.mark.parametrize(("change", "said"), CASES.values(), ids=CASES)
def test_a_file_that_is_not_as_it_must_be_is_refused_by_its_line(tmp_path, change, said):
    path = written(tmp_path, HADAMARD, count=10)
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))
    with pytest.raises(InvalidInput, match=said):
        check_vectors(path)
