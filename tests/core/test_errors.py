"""Laws of the error tree."""

import pickle
import re
import traceback
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet import errors
from discreet.bulk import jobs
from discreet.bulk.words import seeded

CLASSES = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_is_a_discreet_error_with_a_docstring_and_a_place_in_the_tree(kind):
    assert issubclass(kind, errors.DiscreetError)
    assert kind.__doc__
    assert re.search(rf"\b{kind.__name__}\b", errors.__doc__)


def test_the_tree_names_no_error_that_does_not_exist():
    drawn = re.findall(r"[├└]── (\w+)", errors.__doc__)
    assert sorted(drawn) == sorted(kind.__name__ for kind in CLASSES if kind is not errors.DiscreetError)


def test_wrong_input_is_a_value_error_and_a_broken_promise_is_not():
    assert issubclass(errors.InvalidEpsilon, ValueError)
    assert issubclass(errors.UnknownValue, ValueError)
    assert not issubclass(errors.PrivacyViolation, ValueError)


def test_a_failed_check_is_an_assertion_error():
    assert issubclass(errors.CheckFailed, AssertionError)


def test_a_missing_extra_names_the_install_line():
    missing = errors.MissingExtra("pyarrow", "files")
    assert isinstance(missing, ImportError)
    assert "pip install 'discreet[files]'" in str(missing)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("a\nb\r\nc\u2028d", "a b c d"),
        ("a\x1b[2Jb\0\ud800", "a\\x1b[2Jb\\x00\\ud800"),
        ("x" * 5000 + " must end", "x" * 500 + " ... " + "x" * 241 + " must end"),
        ("été", "été"),
    ],
)
def test_a_message_is_one_printable_line_whatever_it_quotes(message, line):
    assert str(errors.InvalidInput(message)) == line
    assert str(pickle.loads(pickle.dumps(errors.InvalidInput(message)))) == line


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), [10**5000], "x" * 5000, list(range(5000))],
    ids=["large", "negative", "inside", "long", "many"],
)
def test_any_value_can_be_shown(value):
    assert len(errors.shown(value)) <= 60
    assert errors.shown(7) == "7"
    assert errors.shown("a") == "'a'"
    assert errors.shown(Decimal("1.50")) == "1.50"


SECRET = "HIV positive"
COLUMNS = {
    "alone": lambda m: m.randomize(SECRET, seeded(1)),
    "alone, unhashable": lambda m: m.randomize([SECRET], seeded(1)),
    "a list": lambda m: m.randomize_many(["flu", SECRET], seeded(1)),
    "a NumPy array": lambda m: m.randomize_many(np.array(["flu", SECRET]), seeded(1)),
    "objects": lambda m: m.randomize_many(np.array(["flu", SECRET], dtype=object), seeded(1)),
    "a series": lambda m: m.randomize_many(pd.Series(["flu", SECRET]), seeded(1)),
    "categories": lambda m: m.randomize_many(pd.Series(["flu", SECRET], dtype="category"), seeded(1)),
    "Arrow": lambda m: m.randomize_many(pa.array(["flu", SECRET]), seeded(1)),
    "a dictionary": lambda m: m.randomize_many(pa.array(["flu", SECRET]).dictionary_encode(), seeded(1)),
    "lists of lists": lambda m: m.randomize_many([["flu"], [SECRET]], seeded(1)),
    "nested Arrow": lambda m: m.randomize_many(pa.array([["flu"], [SECRET]]), seeded(1)),
    "one text": lambda m: m.randomize_many(SECRET, seeded(1)),
    "a mapping": lambda m: m.randomize_many({SECRET: 1}, seeded(1)),
    "the index of a value": lambda m: m.randomize_index(SECRET, seeded(1)),
    "indices": lambda m: m.randomize_indices([SECRET], seeded(1)),
    "two releases": lambda m: dc.compose(m, m).randomize(SECRET, seeded(1)),
}


@pytest.fixture
def survey():
    return dc.mechanism(dc.Context.uniform(["flu", "cold", "none"], "1"))


@pytest.mark.parametrize("way", COLUMNS)
def test_no_error_shows_a_persons_value(survey, way):
    with pytest.raises(errors.InvalidInput) as refused:
        COLUMNS[way](survey)
    told = "".join(traceback.format_exception(refused.value)) + repr(refused.value.__dict__)
    told = "\n".join(line for line in told.splitlines() if "SECRET" not in line)  # the lines of this file
    assert "HIV" not in told
    assert refused.value.__context__ is None or "HIV" not in str(refused.value.__context__)


@pytest.mark.parametrize("way", ["alone", "a list", "a series", "Arrow", "the index of a value"])
def test_values_are_shown_to_those_who_ask(survey, way, monkeypatch):
    monkeypatch.setattr(errors, "show_values", True)
    with pytest.raises(errors.UnknownValue, match="'HIV positive'"):
        COLUMNS[way](survey)


FILES = {
    "a.txt": SECRET,
    "a.csv": f"value\n{SECRET}\n",
    "two.csv": f'value\n"{SECRET}\n',
    "wide.csv": f"value\nflu\n{SECRET},{SECRET}\n",
    "a.jsonl": f'{{"value": "{SECRET}"}}\n',
    "list.jsonl": f'{{"value": ["{SECRET}"]}}\n',
    "broken.jsonl": f'{{"value": "{SECRET}\n',
    "latin.txt": f"{SECRET}: \xe9".encode("latin-1"),
}


@pytest.mark.parametrize("name", [*FILES, "a.parquet", "nested.parquet"])
def test_no_error_about_a_file_shows_a_persons_value(survey, name, tmp_path, monkeypatch):
    path, out = tmp_path / name, tmp_path / "out.txt"
    if name in FILES:
        content = FILES[name]
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    else:
        pq.write_table(pa.table({"value": ["flu", SECRET] if name == "a.parquet" else [["flu"], [SECRET]]}), path)
    for large in (1 << 24, 1):
        monkeypatch.setattr(jobs, "LARGE", large)
        with pytest.raises(errors.InvalidInput) as refused:
            jobs.randomize_files(survey, [str(path)], str(out), seeded(1))
        assert "HIV" not in "".join(traceback.format_exception(refused.value))
        assert not out.exists()
