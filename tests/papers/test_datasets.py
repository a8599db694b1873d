from __future__ import annotations

import numpy as np
import pytest

from discreet.papers import data


def test_the_shared_tables_have_their_people(shared):
    people = {s.name: (len(s.values), int(s.counts.sum())) for s in (data.pages(), data.census(), data.affairs())}
    assert people == {"pages": (17, 989_818), "census": (1050, 48_842), "affairs": (240, 6366)}
    assert data.affair().counts.tolist() == [6366 - 2053, 2053]


@pytest.mark.parametrize("survey", [data.pages, data.census, data.affairs, data.affair])
def test_contexts_and_counts_are_over_the_same_values(made_up, survey):
    made = survey()
    assert len(made.values) == len(made.counts) == len(made.asked)
    assert 0 < made.asked @ made.shares < 1
    for context in made.contexts.values():
        assert list(context("1").values) == made.values


def test_people_keep_their_values_when_blocks_reorder_them(made_up):
    made = data.census()
    held = dict(zip(made.values, made.counts.tolist(), strict=True))
    assert held["Widowed", "Sales", "White", "Male"] == 50 * 36
    assert held["Single", "Tech", "Other", "Male"] == 10
    assert (
        np.array(made.contexts["blocks, race and sex show"]("1").class_of).tolist()
        == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6
    )
