"""Laws of documents: bounded before they are read, plain, and with files only from beside them."""

import gzip
import json
import os

import pytest

from discreet import limits
from discreet.core.canonical import loads
from discreet.core.documents import check_plain, parse_toml, read_document
from discreet.core.errors import BeyondLimits, InvalidInput, InvalidSpec
from discreet.wire import Spec

UNIFORM = {"form": "uniform", "epsilon": 1}


def spec_naming(folder, file, column=None):
    domain = {"file": str(file)} | ({} if column is None else {"column": column})
    path = folder / "spec.json"
    path.write_text(json.dumps({"domain": domain, "context": UNIFORM}))
    return path


@pytest.fixture
def survey(tmp_path):
    """A folder for a spec, with a file beside it and one outside."""
    folder = tmp_path / "survey"
    (folder / "more").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("secret\nother\n")
    for file in ("cells.txt", "more/cells.txt"):
        (folder / file).write_text("a\nb\n")
    return folder


@pytest.mark.parametrize("file", ["cells.txt", "./cells.txt", "more/cells.txt", "more/../cells.txt"])
def test_files_in_the_folder_of_a_spec_are_read(survey, file):
    assert list(Spec.read(spec_naming(survey, file)).context.values) == ["a", "b"]


@pytest.mark.parametrize(
    "file",
    ["../outside.txt", "more/../../outside.txt", "/dev/zero", "/etc/hostname", "-", "absent.txt", ".", "more", ""],
)
def test_files_elsewhere_and_what_is_no_file_are_refused(survey, file):
    with pytest.raises(InvalidSpec, match=r"spec\.json: domain\.file="):
        Spec.read(spec_naming(survey, file))


def test_an_absolute_name_is_refused_even_of_a_file_inside(survey):
    with pytest.raises(InvalidSpec, match="must be relative to the spec"):
        Spec.read(spec_naming(survey, survey / "cells.txt"))


@pytest.mark.parametrize("name", ["a\0b", "\x1b[2J", "a" * 5000])
def test_names_that_no_file_has_are_refused_in_one_printable_line(survey, name):
    with pytest.raises(InvalidSpec) as refused:
        Spec.read(spec_naming(survey, name))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 1000


def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_followed(survey):
    (survey / "out.txt").symlink_to(survey.parent / "outside.txt")
    (survey / "in.txt").symlink_to("more/cells.txt")
    (survey / "loop.txt").symlink_to("loop.txt")
    (survey / "folder").symlink_to(survey.parent)
    for file in ("out.txt", "loop.txt", "folder/outside.txt"):
        with pytest.raises(InvalidSpec, match=r"domain\.file="):
            Spec.read(spec_naming(survey, file))
    assert list(Spec.read(spec_naming(survey, "in.txt")).context.values) == ["a", "b"]


def test_the_owner_of_a_survey_can_name_another_folder(survey):
    (survey / "out.txt").symlink_to(survey.parent / "outside.txt")
    for file in ("outside.txt", "survey/out.txt"):
        spec = Spec.read(spec_naming(survey, file), folder=survey.parent)
        assert list(spec.context.values) == ["secret", "other"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes have names here")
def test_a_pipe_is_refused_without_waiting_for_it(survey):
    os.mkfifo(survey / "pipe.txt")
    with pytest.raises(InvalidSpec, match="there is none"):
        Spec.read(spec_naming(survey, "pipe.txt"))


def test_a_file_is_held_to_the_limits_unpacked(survey):
    (survey / "packed.txt.gz").write_bytes(gzip.compress(b"0" * (1 << 22)))
    (survey / "many.txt").write_text("".join(f"{i}\n" for i in range(1000)))
    with limits.raised(bytes=1 << 20), pytest.raises(BeyondLimits, match=r"domain\.file: bytes="):
        Spec.read(spec_naming(survey, "packed.txt.gz"))
    with limits.raised(values=999), pytest.raises(BeyondLimits, match=r"domain\.file: values=1000"):
        Spec.read(spec_naming(survey, "many.txt"))
    assert Spec.read(spec_naming(survey, "many.txt")).context.size == 1000


def test_a_document_is_not_read_beyond_its_bytes(tmp_path):
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({"domain": {"size": 3}, "context": UNIFORM}))
    with limits.raised(bytes=10), pytest.raises(BeyondLimits, match=r"spec\.json: bytes=11"):
        read_document(path)
    assert read_document(path) == path.read_bytes()


def nested(depth, entry=1):
    for _ in range(depth):
        entry = [entry]
    return entry


def test_depth_and_digits_are_bounded_and_what_is_below_passes():
    for sound in (nested(limits.DEPTH), 10**limits.DIGITS, {"a": [1, "\u00e9", None, True, 1.5]}):
        check_plain(sound, InvalidInput)
    for data, message in (
        (nested(limits.DEPTH + 1), "deep in each other"),
        (100 * 10**limits.DIGITS, "at most 600 digits"),
        (["\ud800"], "lone surrogates"),
        ({"\ud800": 1}, "lone surrogates"),
    ):
        with pytest.raises(InvalidInput, match=message):
            check_plain(data, InvalidInput)


def test_a_key_of_toml_can_be_as_deep_as_a_table_but_no_deeper():
    assert parse_toml(".".join(["a"] * 20) + " = 1")
    for written in (
        ".".join(["a"] * 1000) + " = 1",
        "[" + ".".join(['"a"'] * 1000) + "]",
        "b = {" + "a." * 1000 + "a = 1}",
    ):
        with pytest.raises(InvalidSpec, match="at most 24 deep"):
            parse_toml(written)


def test_text_with_many_dots_is_no_key():
    assert parse_toml('a = "' + "b." * 1000 + '"')["a"] == "b." * 1000
    assert parse_toml("a = [" + "0.5, " * 1000 + "]")


@pytest.mark.parametrize("written", ["1e" + "9" * 1000, "[" * 10_000, '{"a":' * 10_000, "9" * 10_000, "\0", ""])
def test_json_that_python_cannot_hold_is_refused(written):
    with pytest.raises(InvalidSpec, match="this is not JSON"):
        loads(written, InvalidSpec)


@pytest.mark.parametrize("line", ["k{}=1\n", "[t{}]\n", "x{}=[[1],[2]]\n"])
def test_toml_of_very_many_keys_is_refused_before_it_is_parsed(line, monkeypatch):
    monkeypatch.setattr("discreet.core.documents.tomllib.loads", lambda *_, **__: pytest.fail("it was parsed"))
    written = "".join(map(line.format, range(1_000)))
    with limits.raised(work=10_000), pytest.raises(BeyondLimits, match=r"work=\d+ is beyond the limit"):
        parse_toml(written)
    with pytest.raises(BeyondLimits):
        parse_toml(written * 1_000)


def test_toml_of_many_values_is_read():
    listed = ",".join(f'"{number}"' for number in range(20_000))
    assert len(parse_toml(f"values = [{listed}]")["values"]) == 20_000


@pytest.mark.parametrize("begun", ["9", "-1.", "0x", "0b1", "1_0", "1e"])
def test_a_giant_number_of_toml_is_refused_before_it_is_parsed(begun, monkeypatch):
    number = begun + "1" * 20_000
    assert parse_toml(f"note = '{number}'  # {begun}")["note"] == number
    monkeypatch.setattr("discreet.core.documents.tomllib.loads", lambda *_, **__: pytest.fail("it was parsed"))
    for written in (f"a = {number}", f"a={number}", f"a = [1,{number}]", f"a = [\n{number}]"):
        with pytest.raises(InvalidSpec, match="a number must have at most 600 digits"):
            parse_toml(written)
