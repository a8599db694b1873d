from __future__ import annotations

import numpy as np
import pytest

from discreet.papers import shrunk
from discreet.papers.report import Setting


@pytest.mark.parametrize(
    "case",
    [
        "Gowalla real subset, 25 x 70 blocks",
        "pages, classical",
        "census, blocks, race and sex show",
        "affairs, classical",
    ],
)
def test_shrinkage_is_no_worse_than_projection_on_shared_data(case, shared):
    found = shrunk.measure(case, "1", 0)
    assert found["shrunk squared"] <= found["squared"] * (1 + 1e-9)


def test_the_report_says_when_shrinkage_projected(made_up, monkeypatch, tmp_path):
    all_of_them = shrunk.cases()
    assert len(all_of_them) == 4 + 4 + 3 + 6
    some = {
        name: case
        for name, case in all_of_them.items()
        if "70 blocks" in name or ("classical" in name and len(case[0]) < 99)
    }
    monkeypatch.setattr(shrunk, "cases", lambda: some)
    made = shrunk.run(Setting(runs=1, workers=1))
    assert "chosen after looking at these data sets" in " ".join(made.paragraphs)
    assert {row[0] for row in made.tables[0].rows} == set(some)
    assert all(row[-1] in (0.0, 1.0) for row in made.tables[0].rows)
    assert "Gowalla semi-synthetic" in made.data
    assert made.save(tmp_path)[0][1].stat().st_size > 3000


def test_without_data_population_is_used(no_data, monkeypatch):
    counts = np.ones((125, 350), dtype=np.int64)
    monkeypatch.setattr(shrunk, "population", lambda: type("Grid", (), {"counts": counts})())
    assert len(shrunk.cases()) == 4
