"""`discreet vectors`: a file to check other clients with."""

from discreet.checks.vectors.file import read
from discreet.wire import Spec


def test_the_vectors_of_a_spec_are_written_whole_and_checked(discreet, folder):
    assert discreet("vectors", "survey.toml", "--count", 40, "-o", "vectors.jsonl").output == ""
    (section,) = read(folder / "vectors.jsonl")
    assert section.mechanism.fingerprint == Spec.read(folder / "survey.toml").mechanism.fingerprint
    assert len(section.vectors) == 40
    told = discreet("vectors", "--check", "vectors.jsonl").output
    assert told == "1 laws; the reports are those of 40 vectors by plain integers, 40 by NumPy and 40 by Numba\n"


def test_without_a_file_they_go_to_standard_output(discreet, folder):
    printed = discreet("vectors", "survey.toml", "--count", 40, "--seed", 3).output
    discreet("vectors", "survey.toml", "--count", 40, "--seed", 3, "-o", "vectors.jsonl")
    assert printed == (folder / "vectors.jsonl").read_text(encoding="utf-8")


def test_the_small_laws_of_one_kind(discreet):
    printed = discreet("vectors", "--small", "--kind", "torus", "--count", 9).output
    assert printed.startswith('{"laws":3,"vectors":9,"version":1}\n')
    assert printed.count("\n") == 13


def test_questionnaires_have_a_file_of_their_own(discreet, refused, folder):
    assert discreet("vectors", "--forms", "--count", 1, "-o", "forms.jsonl").output == ""
    assert discreet("vectors", "--check", "forms.jsonl").output == (
        "13 forms; all is as the 13 vectors say: 4 one at random, 6 each, 3 together\n"
    )
    assert refused("vectors", "--forms", "--small").startswith("--forms goes with --count and --seed alone")


def test_what_cannot_be_used_is_refused_in_one_line(refused, folder):
    assert refused("vectors", "--kind", "unicorn").startswith("kind='unicorn' must be one of")
    assert refused("vectors", "--check", "answers.txt").startswith("line 1: this is not JSON")
    assert refused("vectors", "survey.toml", "-o", "survey.toml")
