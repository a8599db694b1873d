from __future__ import annotations

from discreet.papers import acharya2020_figure3 as figure
from discreet.papers.setting import Setting


def test_the_maps_are_drawn_beside_their_errors(made_up, tmp_path):
    made = figure.run(Setting())
    errors = {row[0]: row[1] for row in made.tables[0].rows}
    assert (
        errors["25 x 35 blocks, ours"]
        < errors["25 x 35 blocks, the paper's method"]
        < errors["LDP, the paper's method"]
    )
    assert made.save(tmp_path)[0][1].stat().st_size > 3000
