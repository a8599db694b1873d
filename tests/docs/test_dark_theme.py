"""Drawings on dark ground have no colour left that was meant for paper."""

import re
import runpy
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from discreet.plots import picture, plot_maps

ROOT = Path(__file__).parents[2]
THEME = runpy.run_path(str(ROOT / "docs" / "dark_theme.py"))
PARTNERS, for_dark_ground = THEME["PARTNERS"], THEME["for_dark_ground"]


def brightness(colour: str) -> float:
    """Relative luminance (WCAG 2.2) of #rrggbb."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours (WCAG 2.2), 1 to 21."""
    dark, light = sorted((brightness(one), brightness(other)))
    return (light + 0.05) / (dark + 0.05)


def test_ink_and_data_can_be_told_from_the_ground_in_both_themes():
    ground = PARTNERS["#ffffff"]
    assert contrast(picture.INK, "#ffffff") >= 7
    assert contrast(PARTNERS[picture.INK], ground) >= 7
    for colour in (picture.ESTIMATE, picture.TRUTH):
        assert contrast(colour, "#ffffff") >= 3
        assert contrast(PARTNERS[colour], ground) >= 3
        assert contrast(PARTNERS[colour], ground) > contrast(colour, ground)


def test_a_drawing_has_no_colour_of_paper_on_dark_ground(tmp_path):
    figure = picture.new_figure(2, 2)
    axes = figure.subplots()
    axes.plot([0, 1], [1, 0], color=picture.ESTIMATE)
    picture.plain(axes, title="a title")
    picture.save(figure, tmp_path / "a.svg")
    light = (tmp_path / "a.svg").read_text(encoding="utf-8")
    dark = for_dark_ground(light)
    used = {colour for colour in PARTNERS if re.search(rf"(fill|stroke): {colour}", light)}
    assert used >= {"#ffffff", picture.INK, picture.ESTIMATE}  # the control: they were there
    assert not {colour for colour in PARTNERS if re.search(rf"(fill|stroke): {colour}", dark)}
    assert '<svg fill="#e6e6e6"' in dark


def test_more_is_darker_on_paper_and_lighter_on_dark_ground():
    for steps in (picture.HEAT, picture.SHADES):
        paper, dark = [brightness(one) for one in steps], [brightness(PARTNERS[one]) for one in steps]
        assert paper == sorted(paper, reverse=True)
        assert dark == sorted(dark)
    assert contrast(PARTNERS[picture.HEAT[0]], PARTNERS[picture.LAND]) > 1.4


def test_the_cells_of_a_map_change_their_colours_too(tmp_path):
    shares = np.array([[0.5, 0.0], [1e-5, 0.1]])
    plot_maps({"a map": shares}, tmp_path / "a.svg", box=(25.0, 50.0, -130.0, -60.0))
    light = (tmp_path / "a.svg").read_text(encoding="utf-8")
    inks = {theme: palette_of(drawing) for theme, drawing in (("light", light), ("dark", for_dark_ground(light)))}
    used = {picture.HEAT[1], picture.HEAT[4]}
    assert used <= inks["light"]
    assert {PARTNERS[colour] for colour in used} <= inks["dark"]
    assert not used & inks["dark"]


def palette_of(drawing: str) -> set[str]:
    """The colours of the image inside a drawing."""
    found = re.search(r'data:image/png;base64,([^"]*)"', drawing)
    with Image.open(BytesIO(b64decode(found[1]))) as image:
        palette = bytes(image.getpalette())
    return {f"#{palette[place : place + 3].hex()}" for place in range(0, len(palette), 3)}
