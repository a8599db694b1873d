from __future__ import annotations

import numpy as np
import pytest

from discreet.papers import acharya2020_figure2 as figure
from discreet.papers.report import Setting


@pytest.mark.parametrize(
    ("name", "people", "blocks", "earlier"),
    [value for value in figure.earlier_values() if value[1] == 64_000 and value[2] != 10],
)
def test_the_values_of_the_earlier_simulation_come_out(name, people, blocks, earlier):
    """20 repetitions, fixed seeds; the earlier values have the noise of 10."""
    found = figure.measure(name, blocks, people, runs=20)
    assert abs(found.value - earlier) <= 0.05 * earlier + 3 * found.stderr_beside(figure.EARLIER_RUNS)
    assert found.value != pytest.approx(figure.measure(name, 20, people, runs=5).value, rel=0.1)  # the control


def test_the_four_distributions():
    generator = np.random.default_rng(0)
    made = {name: figure.distribution(name, generator) for name in figure.TITLES}
    assert all(shares.sum() == pytest.approx(1) for shares in made.values())
    assert made["geometric"][1] / made["geometric"][0] == pytest.approx(0.95)
    assert made["zipf"][1] / made["zipf"][0] == pytest.approx(0.5)
    assert sorted(made["permuted"]) == pytest.approx(sorted(made["geometric"]))
    assert not np.array_equal(made["permuted"], made["geometric"])


def test_blocks_are_the_papers():
    assert figure.hadamard(1).name == "hadamard"
    assert figure.hadamard(10).sampler.outputs == 10 * 128
    assert figure.hadamard(100).sampler.outputs == 100 * 16


def test_the_report_orders_the_curves(tmp_path):
    made = figure.run(Setting(runs=2, workers=1))
    compared, ordered = made.checks
    assert "of 36" in compared.found
    assert ordered.found == "160 of 160 comparisons" or int(ordered.found.split()[0]) > 150
    assert len(made.tables[1].rows) == 20
    assert "The *earlier* values are our own" in " ".join(made.paragraphs)
    assert "our own earlier simulation" in made.tables[0].caption
    assert made.save(tmp_path)[0][1].stat().st_size > 3000
