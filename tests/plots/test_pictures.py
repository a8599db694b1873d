from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from discreet.errors import InvalidInput
from discreet.plots import (
    plot_bars,
    plot_curves,
    plot_dots,
    plot_maps,
    plot_partitions,
    plot_points,
    plot_ratios,
    plot_regions,
)

matplotlib = pytest.importorskip("matplotlib")
np = pytest.importorskip("numpy")
BOX = (25.0, 50.0, -130.0, -60.0)
LABELS = np.repeat([[0, 0, 1, 1], [0, 0, 2, 2]], 2, axis=0)
PANELS = [{"title": name, "x": [1, 10, 100], "series": {"one": [3, 2, 1], "two": [2, 1, 0.5]}} for name in "AB"]
PICTURES = {
    "curves": (
        lambda path: plot_curves(PANELS, path, x_label="n", y_label="TV", log_x=True, columns=2),
        "A B one two n TV",
    ),
    "titled": (lambda path: plot_curves(PANELS, path, x_label="n", y_label="TV", log_y=True, title="T"), "T one two"),
    "ratios": (
        lambda path: plot_ratios({"a": ([2, 4], [1, 2]), "b": ([2, 4], [1, 1])}, path, title="R", x_label="d"),
        "R a b d 2 4",
    ),
    "bars": (
        lambda path: plot_bars(["g", "h"], {"a": [1, None], "b": [2, 0.25]}, path, y_label="TV", title="B"),
        "g h a b B 0.25",
    ),
    "dots": (
        lambda path: plot_dots(["g", "h"], {"a": [1, 0.5], "b": [2, 0.7]}, path, x_label="X", title="D"),
        "g h a b X D",
    ),
    "points": (
        lambda path: plot_points({"P": {"a": ([1, 10], [1, 5]), "b": ([5], [2])}}, path, x_label="cells", y_label="TV"),
        "P a b cells TV",
    ),
    "maps": (lambda path: plot_maps({"m": LABELS / 10, "o": LABELS / 20, "q": LABELS / 5}, path, box=BOX), "m o q"),
    "partitions": (lambda path: plot_partitions({"k-d": LABELS}, path, box=BOX, weights=LABELS * 100), "k-d"),
    "regions": (
        lambda path: plot_regions({"r": [(0, 1), (0.2, 0.3), (1, 0)]}, path, x_label="FA", y_label="MD"),
        "r FA MD",
    ),
}
"""How each is drawn, and the words that must stand in it."""


@pytest.fixture(autouse=True)
def words_as_text(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")


@pytest.mark.parametrize(("draw", "words"), PICTURES.values(), ids=PICTURES.keys())
def test_a_picture_holds_its_words(draw, words, tmp_path):
    draw(tmp_path / "p.svg")
    nodes = ElementTree.parse(tmp_path / "p.svg").iter()
    found = {"".join(node.itertext()).strip() for node in nodes if node.tag.endswith("}text")}
    assert set(words.split()) <= found


@pytest.mark.parametrize(("draw", "words"), PICTURES.values(), ids=PICTURES.keys())
def test_a_picture_for_a_page_is_small(draw, words, tmp_path):
    draw(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    assert 1000 < (tmp_path / "p.png").stat().st_size < 100_000


@pytest.mark.parametrize(("draw", "words"), PICTURES.values(), ids=PICTURES.keys())
def test_another_kind_of_file_is_refused(draw, words, tmp_path):
    with pytest.raises(InvalidInput, match=r"a picture must be a \.png, \.svg or \.pdf file"):
        draw(tmp_path / "p.gif")
    assert list(tmp_path.iterdir()) == []
