from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from discreet.papers import acharya2020_table1, data, domains, partitions, shrunk

CACHED = [
    acharya2020_table1.mechanism_for,
    partitions.population,
    data.check_ins,
    data.pages,
    data.census,
    data.affairs,
    data.affair,
    domains.mechanism_for,
    partitions.grids,
    shrunk.cases,
    shrunk._mechanism_for,
]
LINES = """0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847
0\t2010-10-18T22:17:43Z\t30.2691029532\t-97.7493953705\t420315
1\t2010-10-17T23:42:03Z\t25.2\t-129.8\t316637
1\t2010-10-17T19:26:05Z\t49.9999999\t-60.0000001\t16516
2\t2010-10-16T18:50:42Z\t50.0\t-100.0\t5535878
2\t2010-10-12T23:58:03Z\t59.3293\t18.0686\t15372
"""
"""In the format of SNAP's file: two check-ins in one cell, one on a corner, one in the last cell, two outside."""


@pytest.fixture(autouse=True)
def fresh():
    """Nothing read in one test is left to the next."""
    for cached in CACHED:
        cached.cache_clear()
    yield
    for cached in CACHED:
        cached.cache_clear()


def crowd(shape, people, seed):
    """People around two towns on a grid of that shape."""
    generator = np.random.default_rng(seed)
    towns = np.array(shape) * np.array([[0.3, 0.4], [0.7, 0.8]])
    places = towns[generator.integers(0, 2, people)] + generator.normal(0, 4, (people, 2))
    rows, columns = np.clip(places.astype(int), 0, np.array(shape) - 1).T
    counts = np.zeros(shape, dtype=np.int32)
    np.add.at(counts, (rows, columns), 1)
    return counts


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A folder of made-up data in the form of the shared ones, as DISCREET_DATA."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("DISCREET_DATA", str(folder))
    np.savez(folder / "gowalla_composite_counts.npz", counts=crowd((125, 350), 20_000, 1))
    np.savez(folder / "gowalla_counts.npz", counts=crowd((125, 350), 10_000, 2))
    np.savez(folder / "gowalla_full_coarse.npz", counts=crowd((256, 256), 20_000, 3))
    heads = ["category\tpage_views\tfirst_page_users\tusers_visiting"]
    heads += [
        f"{name}\t9\t{count}\t9" for name, count in (("front", 4000), ("news", 2500), ("health", 500), ("bbs", 9))
    ]
    (folder / "msnbc_counts.tsv").write_text("\n".join(heads) + "\n")
    heads = ["marital-status\toccupation\trace\tsex\tcount"]
    heads += [
        f"{m}\t{o}\t{r}\t{s}\t{50 * (1 + len(m) * len(o)) if r == 'White' else 10}"
        for m in ("Widowed", "Single")
        for o in ("Sales", "Tech", "Craft")
        for r in ("White", "Other")
        for s in ("Female", "Male")
    ]
    (folder / "adult_joint_marital_occupation_race_sex.tsv").write_text("\n".join(heads) + "\n")
    heads = ["religious\trate_marriage\toccupation\taffair\tcount"]
    heads += [
        f"{r}\t{m}\t{o}\t{a}\t{40 * r * m if a == 'no' else 15 * m}"
        for r in (1, 2)
        for m in (1, 2)
        for o in (1, 2)
        for a in ("no", "yes")
    ]
    (folder / "fair_affairs_counts.tsv").write_text("\n".join(heads) + "\n")
    return folder


@pytest.fixture
def words_of(monkeypatch):
    """What gives the words inside an .svg drawn in this test."""
    matplotlib = pytest.importorskip("matplotlib")
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")

    def words(path):
        nodes = ElementTree.parse(path).iter()
        return {"".join(node.itertext()).strip() for node in nodes if node.tag.endswith("}text")}

    return words


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    """A machine without any of the shared data."""
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path / "nowhere"))


@pytest.fixture
def snap_file(tmp_path):
    """A tiny check-in file."""
    path = tmp_path / "loc-gowalla_totalCheckins.txt"
    path.write_text(LINES)
    return path


@pytest.fixture
def shared():
    """The real shared data, or the reason why there is nothing to test."""
    if data.find_file("gowalla_composite_counts.npz") is None:
        pytest.skip("the shared data sets are not here: DISCREET_DATA names no folder with them")
