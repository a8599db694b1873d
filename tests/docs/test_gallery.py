"""Every figure of the gallery has its script, its drawing and its page; what is cheap is drawn again, byte for byte."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from discreet import plots

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FIGURES, GALLERY = DOCS / "figures", DOCS / "gallery"
DRAWN = re.compile(
    r"^```\{drawn\} \.\./(?P<file>(?:figures|results)/[\w-]+\.svg)\n(?P<options>(?::[\w-]+:.*\n)*)", re.MULTILINE
)
TEXT = {page.stem: page.read_text(encoding="utf-8") for page in GALLERY.glob("*.md")}
SHOWN = {stem: [(found["file"], found["options"]) for found in DRAWN.finditer(text)] for stem, text in TEXT.items()}
LARGE = [(stem, *one) for stem, shown in SHOWN.items() if stem != "index" for one in shown]

SHOWS = {
    "plot_bars": "acharya2020-table1",
    "plot_curves": "tradeoff_epsilon",
    "plot_design": "design_ages",
    "plot_deviations": "survey_goodness_of_fit",
    "plot_dots": "audit_pairs",
    "plot_error_region": "tradeoff_region",
    "plot_estimates": "survey_groups",
    "plot_noncompliance": "survey_noncompliance",
    "plot_exposure": "account_exposure",
    "plot_maps": "map_population",
    "plot_matrices": "gallery-ages",
    "plot_partitions": "partitions-map",
    "plot_points": "partitions",
    "plot_ratios": "wang2016-table1",
    "plot_regions": "acharya2020-figure1",
    "plot_repeated": "account_repeated",
    "plot_shares": "estimate_shares",
    "plot_shuffled": "account_shuffled",
    "plot_table": "survey_crosstab",
}
"""A figure of the gallery for each kind of picture."""

CHEAP = (
    "account_exposure",
    "account_repeated",
    "estimate_shares",
    "survey_noncompliance",
    "tradeoff_epsilon",
    "map_hexagons",
)


def test_every_kind_of_picture_is_in_the_gallery():
    assert set(SHOWS) == set(plots.__all__)
    assert set(SHOWS.values()) <= {Path(file).stem for _, file, _ in LARGE}


def test_every_figure_has_its_drawing_and_its_code():
    assert len(LARGE) >= 20
    for _, file, options in LARGE:
        drawing = DOCS / file
        assert 1000 < drawing.stat().st_size < 360_000, file
        code = re.search(r":code: (.+)", options)
        script = ROOT / code[1] if code else drawing.with_suffix(".py")
        assert "draw" in script.read_text(encoding="utf-8"), file
        assert ":alt: " in options, file


def test_every_script_of_the_gallery_is_shown_and_every_card_leads_to_a_figure():
    large = {Path(file).stem for _, file, _ in LARGE}
    assert len(large) == len(LARGE)  # each once
    assert {Path(file).stem for file, _ in SHOWN["index"]} == large
    mine = ("account_", "audit_", "design_", "estimate_", "map_", "survey_", "tradeoff_")
    assert {path.stem for path in FIGURES.glob("[!_]*.py") if path.stem.startswith(mine)} <= large
    targets = {target for text in TEXT.values() for target in re.findall(r"^\((gallery-[\w-]+)\)=", text, re.MULTILINE)}
    assert set(re.findall(r"^:link: (gallery-[\w-]+)", TEXT["index"], re.MULTILINE)) == targets


def glyphs_numbered(path):
    """A drawing whose glyphs are numbered as they come: their own numbers depend on the fonts of the machine."""
    numbers = {}
    text = path.read_text(encoding="utf-8")
    return re.sub(r"(?<=DejaVuSans)-[0-9a-f]+", lambda glyph: f"-{numbers.setdefault(glyph[0], len(numbers))}", text)


@pytest.mark.parametrize("name", CHEAP)
def test_a_script_draws_its_figure_again_byte_for_byte(name, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("h3")
    pinned = re.search(
        r"^matplotlib==(.+)$", (ROOT / "requirements/docs.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    if matplotlib.__version__ != pinned[1]:
        pytest.skip("another matplotlib draws other bytes")
    monkeypatch.setattr(sys, "path", [str(FIGURES), *sys.path])
    draw = runpy.run_path(str(FIGURES / f"{name}.py"))["draw"]
    draw(tmp_path / "again.svg")
    assert glyphs_numbered(tmp_path / "again.svg") == glyphs_numbered(FIGURES / f"{name}.svg")
    other = next(one for one in CHEAP if one != name)  # the control: another figure has other bytes
    assert glyphs_numbered(tmp_path / "again.svg") != glyphs_numbered(FIGURES / f"{other}.svg")
