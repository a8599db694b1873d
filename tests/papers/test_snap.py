from __future__ import annotations

import gzip
import re

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.papers.data import SHAPE, cells, read_snap


def test_check_ins_are_counted_in_the_cell_below_them(snap_file):
    counts = read_snap(snap_file)
    assert counts.shape == SHAPE
    assert {tuple(map(int, at)): int(counts[tuple(at)]) for at in np.argwhere(counts)} == {
        (26, 161): 2,
        (1, 1): 1,
        (124, 349): 1,
    }


def test_a_gzipped_file_counts_the_same(snap_file, tmp_path):
    packed = tmp_path / "checkins.txt.gz"
    packed.write_bytes(gzip.compress(snap_file.read_bytes()))
    assert np.array_equal(read_snap(packed), read_snap(snap_file))


def test_every_decimal_on_an_edge_belongs_to_the_cell_above_it():
    edges = np.array([float(f"{25 + i / 5:.1f}") for i in range(125)])
    assert np.array_equal(cells(edges, edges)[0], np.arange(125))
    west = np.array([float(f"{-130 + i / 5:.1f}") for i in range(350)])
    assert np.array_equal(cells(west, west)[1], np.arange(350))
    below = np.nextafter(edges - 1e-6, -np.inf)
    assert np.array_equal(cells(below, below)[0], np.arange(125) - 1)  # the control: just below is the one before


@pytest.mark.parametrize(
    "line",
    [
        "0\t2010\t30.1",
        "0\t2010\t30.1\t-97.1",
        "0\t2010\t30.1\t-97.1\t5\t6",
        "0\t2010\tnorth\t-97.1\t5",
        "0\t2010\tnan\t-97.1\t5",
        "0\t2010\t30.1\tinf\t5",
        "0,2010,30.1,-97.1,5",
        "30.1,-97.1",
        "",
    ],
)
def test_a_broken_line_is_named(snap_file, line):
    text = snap_file.read_text().splitlines()
    text.insert(3, line)
    snap_file.write_text("\n".join(text) + "\n")
    with pytest.raises(InvalidInput, match=re.escape(f"{snap_file}, line 4: must be user, time")):
        read_snap(snap_file)


def test_a_place_that_is_nowhere_on_earth_is_left_out(snap_file):
    """The public file has a few."""
    before = read_snap(snap_file)
    with snap_file.open("a") as file:
        file.write("3\t2010-10-12T23:58:03Z\t1e300\t-97.1\t1\n3\t2010-10-12T23:58:03Z\t405.2\t-1e9\t1\n")
    assert np.array_equal(read_snap(snap_file), before)


def test_a_gzipped_file_is_known_by_its_content(snap_file, tmp_path):
    named = tmp_path / "checkins.txt"
    named.write_bytes(gzip.compress(snap_file.read_bytes()))
    assert np.array_equal(read_snap(named), read_snap(snap_file))


@pytest.mark.parametrize("damage", [lambda b: b[:-12], lambda b: b[:20] + b"\xff" * 20 + b[40:], lambda b: b[:3]])
def test_a_damaged_gzipped_file_is_refused_in_one_line(snap_file, tmp_path, damage):
    packed = tmp_path / "checkins.txt.gz"
    packed.write_bytes(damage(gzip.compress(snap_file.read_bytes() * 50)))
    with pytest.raises(InvalidInput, match="the gzipped file is cut off or damaged"):
        read_snap(packed)


def test_a_file_without_a_check_in_of_the_box_is_refused(tmp_path):
    path = tmp_path / "checkins.txt"
    path.write_text("0\t2010-10-19T23:55:27Z\t59.3\t18.1\t22847\n")
    with pytest.raises(InvalidInput, match="no check-in lies in 25-50 N, 130-60 W"):
        read_snap(path)
