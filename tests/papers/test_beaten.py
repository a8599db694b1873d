from __future__ import annotations

import pytest

from discreet.papers import beaten
from discreet.papers.acharya2020_table1 import PARTS
from discreet.papers.report import Setting


def test_ours_is_below_the_papers_on_the_semi_synthetic_grid(shared, monkeypatch):
    """One seeded survey in the coarse blocks, where the gain is 35 % and its spread below 2 %."""
    monkeypatch.delitem(beaten.METHODS, "likelihood")
    found = beaten.measure(Setting(), "(5, 7)", 1)
    assert found["spatial"]["tv"] <= (1 - beaten.GOALS["(5, 7)"]) * found["paper"]["tv"]
    assert found["shrink"]["squared"] <= found["projection"]["squared"] <= found["paper"]["squared"]


def test_the_report_has_every_method(made_up, monkeypatch, tmp_path):
    for parts in ("LDP", "(5, 7)", "(25, 35)"):
        monkeypatch.delitem(PARTS, parts)
    made = beaten.run(Setting(runs=2, workers=1))
    assert [row[2] for row in made.tables[0].rows] == [finish for _, finish, _ in beaten.METHODS.values()]
    assert made.tables[0].rows[0][5] == pytest.approx(0)  # the paper's own row
    assert "(25, 70)" in made.checks[0].found
    assert "semi-synthetic stand-in" in made.checks[0].claim
    assert made.save(tmp_path)[0][1].stat().st_size > 3000
