"""Drawings on dark ground have no colour left that was meant for paper."""

import re
import runpy
from pathlib import Path

from discreet.plots import picture

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
