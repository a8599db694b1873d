from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from discreet.core.errors import InvalidInput
from discreet.geo import north_america
from discreet.plots import (
    picture,
    plot_bars,
    plot_curves,
    plot_dots,
    plot_maps,
    plot_matrices,
    plot_partitions,
    plot_points,
    plot_ratios,
    plot_regions,
)
from discreet.plots.maps import borders, one_in

matplotlib = pytest.importorskip("matplotlib")
np = pytest.importorskip("numpy")
BOX = (25.0, 50.0, -130.0, -60.0)
LABELS = np.repeat([[0, 0, 1, 1], [0, 0, 2, 2]], 2, axis=0)
PANELS = [{"title": name, "x": [1, 10, 100], "series": {"one": [3, 2, 1], "two": [2, 1, 0.5]}} for name in "AB"]
SHADED = [panel | {"bands": {"one": ([2, 1, 0.5], [4, 3, 2]), "shade": ([0, 0, 0], [1, 1, 1])}} for panel in PANELS]
NAN = float("nan")
PICTURES = {
    "curves": (
        lambda path, **more: plot_curves(PANELS, path, x_label="n", y_label="TV", log_x=True, columns=2, **more),
        "A B one two n TV",
    ),
    "bands": (lambda path, **more: plot_curves(SHADED, path, x_label="n", y_label="TV", **more), "A one two shade"),
    "titled": (
        lambda path, **more: plot_curves(PANELS, path, x_label="n", y_label="TV", log_y=True, title="T", **more),
        "T one two",
    ),
    "ratios": (
        lambda path, **more: plot_ratios(
            {"a": ([2, 4], [1, 2]), "b": ([2, 4], [1, 1])},
            path,
            title="R",
            x_label="d",
            errors={"a": [0.1, NAN], "b": [0.1, 0.2]},
            **more,
        ),
        "R a b d 2 4 ratio",
    ),
    "matrices": (
        lambda path, **more: plot_matrices(
            [
                {"title": "E", "rows": [[0, 1], [float("inf"), 0]], "x_label": "z", "y_label": "x", "x_names": "ab"},
                {"title": "Q", "rows": [[0.7, 0.3], [0.3, 0.7]], "x_label": "y", "y_label": "x", "y_names": "ab"},
            ],
            path,
            bars={"classical": 12.5, "ours": 3},
            bars_title="error",
            title="M",
            **more,
        ),
        "M;E;Q;x;z;y;a;b;classical;ours;12.5;3;error;hatched: no protection",
    ),
    "bars": (
        lambda path, **more: plot_bars(
            ["g", "h"],
            {"a": [1, None], "b": [2, 0.25]},
            path,
            y_label="TV",
            x_label="X",
            title="B",
            errors={"b": [0.1, NAN]},
            **more,
        ),
        "g h a b B X 0.25",
    ),
    "dots": (
        lambda path, **more: plot_dots(
            ["g", "h"],
            {"a": [1, 0.5], "b": [2, 0.7]},
            path,
            x_label="X",
            title="D",
            errors={"a": [0.1, None]},
            **more,
        ),
        "g h a b X D",
    ),
    "dots on a logarithmic scale": (
        lambda path, **more: plot_dots(["g", "h"], {"a": [0.01, 0.5]}, path, x_label="X", log_x=True, **more),
        "g h a X 0.1",
    ),
    "points": (
        lambda path, **more: plot_points(
            {"P": {"a": ([10, 1], [5, 1], [0.1, NAN]), "b": ([5], [2], [0.1])}},
            path,
            x_label="cells",
            y_label="TV",
            **more,
        ),
        "P a b cells TV",
    ),
    "maps": (
        lambda path, **more: plot_maps(
            {"m": LABELS / 10, "o": LABELS / 20, "q": LABELS / 5},
            path,
            box=BOX,
            title="T",
            unit="check-ins",
            places={"Denver": (39.74, -104.99)},
            **more,
        ),
        "T;m;o;q;1 in 1 million;1 in 100;A cell of this colour holds at least … of all check-ins",
    ),
    "partitions": (
        lambda path, **more: plot_partitions({"k-d": LABELS}, path, box=BOX, weights=LABELS * 10_000, **more),
        "k-d;10,000 inhabitants;1,000,000 inhabitants;border",
    ),
    "regions": (
        lambda path, **more: plot_regions(
            {"r": [(0, 1), (0.2, 0.3), (1, 0)]}, path, x_label="FA", y_label="MD", **more
        ),
        "r;FA;MD;(0.20, 0.30);allowed",
    ),
}
"""How each is drawn, and the words that must stand in it."""


@pytest.fixture(autouse=True)
def words_as_text(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")


def written(path):
    nodes = ElementTree.parse(path).iter()
    return {"".join(node.itertext()).strip() for node in nodes if node.tag.endswith("}text")}


@pytest.mark.parametrize(("draw", "words"), PICTURES.values(), ids=PICTURES.keys())
def test_a_picture_holds_its_words(draw, words, tmp_path):
    draw(tmp_path / "p.svg", note="Data, a stand-in: not the real ones.")
    found = written(tmp_path / "p.svg")
    assert set(words.split(";") if ";" in words else words.split()) <= found
    assert "Data, a stand-in: not the real ones." in found


def test_without_a_note_nothing_is_said(tmp_path):
    PICTURES["curves"][0](tmp_path / "p.svg")
    assert not any("Data" in words for words in written(tmp_path / "p.svg"))


@pytest.mark.parametrize(("draw", "words"), PICTURES.values(), ids=PICTURES.keys())
def test_a_picture_of_points_is_small_and_has_200_per_inch(draw, words, tmp_path):
    image = pytest.importorskip("PIL.Image")
    draw(tmp_path / "p.png", note="a note")
    assert 1000 < (tmp_path / "p.png").stat().st_size < 100_000
    with image.open(tmp_path / "p.png") as drawn:
        assert drawn.format == "PNG"
        assert drawn.info["dpi"] == pytest.approx((200, 200), abs=0.1)
        assert drawn.width > 600


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
@pytest.mark.parametrize("name", ["bands", "maps"])
def test_the_same_picture_has_the_same_bytes(name, kind, tmp_path):
    draw, _ = PICTURES[name]
    for stem, note in (("first", "a note"), ("again", "a note"), ("other", "another note")):
        draw(tmp_path / f"{stem}.{kind}", note=note)
    first, again, other = ((tmp_path / f"{stem}.{kind}").read_bytes() for stem in ("first", "again", "other"))
    assert first == again
    assert first != other  # the control
    assert not any(word in first for word in (b"CreationDate", b"<dc:date>"))


def test_a_band_is_shaded_in_the_colour_of_its_line(tmp_path):
    PICTURES["bands"][0](tmp_path / "p.svg")
    PICTURES["curves"][0](tmp_path / "q.svg")
    shade = f"fill: {picture.COLOURS[0]}; fill-opacity: 0.22"
    assert shade in (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert shade not in (tmp_path / "q.svg").read_text(encoding="utf-8")


def test_a_region_is_shaded_with_its_reflection(tmp_path):
    PICTURES["regions"][0](tmp_path / "p.svg")
    assert f"fill: {picture.INTERVAL}; opacity: 0.55" in (tmp_path / "p.svg").read_text(encoding="utf-8")


def test_borders_run_between_cells_of_different_blocks():
    assert sorted(map(sorted, borders(LABELS))) == [[(2, 0), (2, 4)], [(2, 2), (4, 2)]]
    assert borders(np.zeros((3, 3))) == []


def test_borders_are_joined_around_corners_and_cover_every_edge_once():
    labels = np.random.default_rng(1).integers(0, 3, (20, 30))
    apart = int((labels[1:] != labels[:-1]).sum() + (labels[:, 1:] != labels[:, :-1]).sum())
    lines = borders(labels)
    steps = [abs(a - c) + abs(b - d) for line in lines for (a, b), (c, d) in pairwise(line)]
    assert sum(steps) == apart
    assert any(len({x for x, _ in line}) > 1 and len({y for _, y in line}) > 1 for line in lines)


def test_a_map_names_the_source_of_its_outline_and_is_clipped_to_its_rim(tmp_path):
    PICTURES["maps"][0](tmp_path / "p.svg", outline=north_america(), note="Data, made up.")
    PICTURES["maps"][0](tmp_path / "q.svg", note="Data, made up.")
    assert "Data, made up. Outline: Natural Earth 1:50m (public domain)." in written(tmp_path / "p.svg")
    assert "Data, made up." in written(tmp_path / "q.svg")  # the control: no outline, no source
    text = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert text.count("clip-path") > 10
    assert f"fill: {picture.LAND}" in text
    assert f"fill: {picture.LAND}" not in (tmp_path / "q.svg").read_text(encoding="utf-8")


def test_places_and_the_scale_are_named_on_the_first_map_only(tmp_path):
    def pieces(**more):
        plot_maps({"m": LABELS / 10, "o": LABELS / 20}, tmp_path / "p.svg", box=BOX, **more)
        return (tmp_path / "p.svg").read_text(encoding="utf-8").count(f"stroke: {picture.PAPER}")

    bare, named = pieces(), pieces(places={"Denver": (39.74, -104.99), "Miami": (25.76, -80.19)})
    assert named - bare >= 4  # a dot and a name with a halo, twice
    assert bare == 1  # that of the scale


def test_shares_are_said_in_words():
    assert [one_in(share) for share in (1e-6, 1e-4, 0.01, 0.25)] == [
        "1 in 1 million",
        "1 in 10,000",
        "1 in 100",
        "1 in 4",
    ]


def test_the_steps_of_a_map_go_evenly_from_light_to_dark():
    def lightness(colour):
        rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return 116 * np.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16

    steps = -np.diff([lightness(colour) for colour in picture.HEAT])
    assert steps.min() > 12
    assert steps.max() < 1.6 * steps.min()
    assert nearest(picture.HEAT, DEUTERANOPIA) > 12
    assert nearest(picture.HEAT, PROTANOPIA) > 12


DEUTERANOPIA = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])
PROTANOPIA = np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]])
"""What the colour-blind see, as a matrix on linear colours (Machado, Oliveira and Fernandes 2009)."""


def nearest(colours, seen):
    """The least distance, in units of lightness and hue (CIE Lab), between two of the colours as they are seen."""
    rgb = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = (
        np.clip(linear @ seen.T, 0, 1)
        @ np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T
    )
    scaled = np.cbrt(np.maximum(xyz / [0.9505, 1.0, 1.089], 1e-9))
    lab = np.stack(
        [116 * scaled[:, 1], 500 * (scaled[:, 0] - scaled[:, 1]), 200 * (scaled[:, 1] - scaled[:, 2])], axis=1
    )
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    return apart[np.triu_indices(len(colours), 1)].min()


@pytest.mark.parametrize("seen", [np.eye(3), DEUTERANOPIA, PROTANOPIA], ids=["all", "deuteranopia", "protanopia"])
def test_the_first_six_colours_stay_apart_for_everyone(seen):
    assert nearest(picture.COLOURS[:6], seen) > 12
    if not np.array_equal(seen, np.eye(3)):
        assert nearest(("#7a8b3a", "#a5742f"), seen) < 12  # the control: a green and a brown run together


@pytest.mark.parametrize(("draw", "words"), PICTURES.values(), ids=PICTURES.keys())
def test_another_kind_of_file_is_refused(draw, words, tmp_path):
    with pytest.raises(InvalidInput, match=r"a picture must be a \.png, \.svg or \.pdf file"):
        draw(tmp_path / "p.gif")
    assert list(tmp_path.iterdir()) == []
