from __future__ import annotations

from discreet.papers import acharya2020_figure3 as figure
from discreet.papers.report import Setting


def test_the_maps_are_drawn_beside_their_errors(made_up, tmp_path):
    made = figure.run(Setting())
    errors = {row[0]: row[3] for row in made.tables[0].rows}
    assert (
        errors["25 x 35 blocks, ours"]
        < errors["25 x 35 blocks, the paper's method"]
        < errors["LDP, the paper's method"]
    )
    assert {row[1] for row in made.tables[0].rows} == {"semi-synthetic stand-in"}
    assert "semi-synthetic stand-in" in made.tables[0].caption
    assert made.save(tmp_path)[0][1].stat().st_size > 3000


def test_the_picture_names_its_stand_in(made_up, tmp_path, words_of):
    made = figure.run(Setting())
    made.save(tmp_path, ("svg",))
    found = words_of(tmp_path / "acharya2020-figure3.svg")
    assert "The data: semi-synthetic stand-in" in found
    assert "not the paper's file" in " ".join(found)
    assert "Natural Earth" in " ".join(found)
    assert any(words.startswith("Block shown, ") and "check-ins are misplaced" in words for words in found)
