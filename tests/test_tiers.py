"""Which tests are long: the longest are left out of the quick tier until the rest fits, and some never are."""

from __future__ import annotations

import importlib.util
from pathlib import Path

HERE = Path(__file__).parent


def tiers():
    spec = importlib.util.spec_from_file_location("tests_tiers", HERE / "tiers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOG = """
3.00s call     tests/a/test_x.py::test_one
1.00s setup    tests/a/test_x.py::test_one
2.00s call     tests/a/test_x.py::test_two[a b]
9.00s call     tests/pages/test_answering.py::test_a_person_answers_and_is_counted
"""


def test_the_longest_are_left_out_until_the_rest_fits_but_never_those_that_are_kept():
    module = tiers()
    seconds = module.durations(LOG)
    assert seconds["a/test_x.py::test_one"] == 4.0
    assert module.long_tests(seconds, 11.0) == ["a/test_x.py::test_one"]
    assert module.long_tests(seconds, 15.0) == []  # the control: all fit
    assert len(module.long_tests(seconds, 0.0)) == 2


def test_what_is_listed_and_what_is_kept_exists():
    listed = [line for line in (HERE / "long.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    for name in (*listed, *tiers().KEPT):
        file, _, function = name.partition("::")
        assert f"def {function.partition('[')[0]}" in (HERE / file).read_text(encoding="utf-8"), name
