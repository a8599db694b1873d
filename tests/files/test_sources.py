"""Laws of what a name stands for: a file, a folder, a pattern or the pipe; nothing twice, nothing left out unseen."""

import gzip
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from discreet.core.errors import InvalidInput
from discreet.files.sources import files_in, inputs, source_of
from discreet.files.text_reader import read_values


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def touch(*names):
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("a\n")


def test_a_folder_is_all_its_files_in_order_of_names_but_hidden_ones(folder):
    wanted = ["data/_x=1/c.csv", "data/a.csv", "data/b.csv.gz", "data/inner/deep/z.CSV", "data/k=1/c.csv"]
    touch(*wanted, "data/_SUCCESS", "data/_metadata", "data/.a.csv.crc", "data/_temporary/q.csv", "data/.git/r.csv")
    assert inputs(["data"]) == wanted
    assert inputs(["data/"]) == wanted


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("data/*.csv", ["data/a.csv", "data/b.csv"]),
        ("data/[ab].csv", ["data/a.csv", "data/b.csv"]),
        ("data/k=*", ["data/k=1/c.csv", "data/k=2/c.csv"]),
        ("data/k=?/c.csv", ["data/k=1/c.csv", "data/k=2/c.csv"]),
        ("data/**", ["data/a.csv", "data/b.csv", "data/k=1/c.csv", "data/k=2/c.csv"]),
        ("data/**/c.csv", ["data/k=1/c.csv", "data/k=2/c.csv"]),
        ("_d/*.csv", ["_d/a.csv"]),
    ],
)
def test_a_pattern_is_every_file_it_matches_once(folder, pattern, found):
    touch(
        "data/b.csv", "data/a.csv", "data/k=1/c.csv", "data/k=2/c.csv", "data/_SUCCESS", "data/_tmp/c.csv", "_d/a.csv"
    )
    assert inputs([pattern]) == found


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder):
    touch("a[1].csv", "a1.csv")
    assert inputs(["a[1].csv"]) == ["a[1].csv"]
    assert inputs(["a[0-9].csv"]) == ["a1.csv"]


def test_names_keep_their_order_and_a_missing_one_is_left_to_its_reader(folder):
    touch("b/x.csv", "a.csv")
    assert inputs(["b", "none.csv", "a.csv", "-"]) == ["b/x.csv", "none.csv", "a.csv", "-"]


def test_nothing_is_an_error(folder):
    touch("only/_SUCCESS", "only/.x.csv")
    for name in ("only", "only/*.parquet"):
        with pytest.raises(InvalidInput, match=re.escape(f"{name}: there are no files")):
            inputs([name])


@pytest.mark.parametrize(
    "names", [["d", "d/a.csv"], ["d/*", "d/a.csv"], ["-", "-"], ["d/a.csv", "d/../d/a.csv"], ["e"]]
)
def test_a_file_that_is_there_twice_is_refused(folder, names):
    touch("d/a.csv", "e/a.csv")
    (folder / "e/b.csv").symlink_to(folder / "e/a.csv")
    with pytest.raises(InvalidInput, match="is given twice; everyone in it would count twice"):
        inputs(names)


def test_links_are_followed_but_not_round_and_round(folder):
    touch("d/a.csv", "far/b.csv")
    (folder / "d/link").symlink_to(folder / "far")
    assert inputs(["d"]) == ["d/a.csv", "d/link/b.csv"]
    (folder / "far/back").symlink_to(folder / "d")
    with pytest.raises(InvalidInput, match="leads back to a folder that it is in"):
        inputs(["d"])


def test_formats_are_not_mixed_in_a_folder_nor_foreign_files_skipped(folder):
    touch("d/a.csv", "d/a.parquet", "e/a.csv", "e/notes.docx")
    with pytest.raises(InvalidInput, match=r"d: must hold files of one format; there are d/a\.csv and d/a\.parquet"):
        files_in("d")
    with pytest.raises(InvalidInput, match=r"e/notes\.docx: the name must end in"):
        files_in("e")


def test_folders_with_names_and_values_are_columns():
    source = source_of("x=0/city=New%20York/day=__HIVE_DEFAULT_PARTITION__/=1/plain/e=a=b/part=0.parquet")
    assert source.partitions == {"x": "0", "city": "New York", "day": None, "e": "a=b"}


def test_a_delimiter_is_for_csv():
    assert source_of("a.csv").delimiter == ","
    assert source_of("a.tsv").delimiter == "\t"
    assert source_of("a.csv", delimiter=";").delimiter == source_of("a.txt", delimiter=";").delimiter == ";"
    with pytest.raises(InvalidInput, match=r"a\.parquet: Parquet has no delimiter; only CSV has"):
        source_of("a.parquet", delimiter=";")
    for wrong in ("", ",,", '"', "\n", "é", "\0"):
        with pytest.raises(InvalidInput, match="must be one ASCII character"):
            source_of("a.csv", delimiter=wrong)


def test_a_hard_link_is_the_same_file(folder):
    Path("one.txt").write_text("a\n")
    os.link("one.txt", "other.txt")
    with pytest.raises(InvalidInput, match=r"one\.txt: is given twice"):
        inputs(["one.txt", "other.txt"])


def test_a_pipe_with_a_name_is_known_by_its_first_bytes(folder):
    os.mkfifo("flow")
    content = gzip.compress(b"a\nb\n")
    with ThreadPoolExecutor() as pool:
        written = pool.submit(Path("flow").write_bytes, content)
        source = source_of("flow")
        assert list(read_values(source)) == [["a", "b"]]
        assert written.result() == len(content)
