"""Error bars of tables of two answers: cells, margins, shares given an answer, and correlations.

Answers are drawn, randomized and crossed. A figure fails where fewer surveys cover than a true coverage of .935 gives
with a probability of 1e-8 over all its cells; there are some 60 figures in the file. The control is the estimate and
1.96 standard errors: it fails by far. Where nobody seems to have given an answer, there are no shares among them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import Unavailable

COVERAGE, ALARM = 0.935, 1e-8
SHORT, LONG, LARGE = 12, 1_000, 250
"""Surveys in the quick tier, in the long one, and there of 20,000 people."""
RARE = np.array([0.6, 0.3, 0.05, 0.03, 0.02])
COMMON = np.array([0.3, 0.2, 0.2, 0.2, 0.1])


def uniform(k, epsilon, *name):
    return dc.mechanism(dc.Context.uniform(range(k), epsilon), *name)


TABLES = {
    "randomized response": (uniform(3, "4"), uniform(3, "4")),
    "steep": (uniform(5, "6"), uniform(5, "6")),
    "line": (dc.mechanism(dc.Context.metric(range(5), "line", "2")), uniform(3, "3")),
    "hadamard and subset": (uniform(5, "2", "hadamard"), uniform(3, "2", "subset")),
    "pairs": (dc.mechanism(dc.Context.uniform([(x, z) for x in range(3) for z in range(3)], "4")),),
}


def joint_law(mechanisms, shares):
    """Half of the people give the same answer twice, the others independent ones."""
    sizes = [mechanism.context.size for mechanism in mechanisms] if len(mechanisms) == 2 else [3, 3]
    one, two = (shares[:size] / shares[:size].sum() for size in sizes)
    law = np.outer(one, two)
    return (law + np.diag(one)) / 2 if sizes[0] == sizes[1] else law


def correlation_of(law):
    x, z = (np.arange(size) for size in law.shape)
    one, two = law.sum(axis=1), law.sum(axis=0)
    spread = (one @ x**2 - (one @ x) ** 2) * (two @ z**2 - (two @ z) ** 2)
    return float((x @ law @ z - (one @ x) * (two @ z)) / math.sqrt(spread))


DESIGNS = {
    "none": lambda n, rng: {},
    "weights": lambda n, rng: {"weights": rng.lognormal(0, math.sqrt(math.log(1 + 1.5**2)), n)},
    "clusters": lambda n, rng: {"clusters": np.arange(n) // 5},
    "strata": lambda n, rng: {"strata": np.arange(n) % 3},
}


def crossed(mechanisms, law, n, rng, design="none"):
    own = DESIGNS[design](n, rng)
    held = rng.choice(law.size, n, p=law.reshape(-1))
    answers = (held,) if len(mechanisms) == 1 else np.divmod(held, law.shape[1])
    words = [dc.random.seeded(int(rng.integers(1 << 60))) for _ in answers]
    return dc.crosstab(
        *(
            dc.Survey(m, m.randomize_indices(x, word), **own)
            for m, x, word in zip(mechanisms, answers, words, strict=True)
        )
    )


def inside(ends, truth):
    low, high = np.asarray(ends)
    return (low <= truth + 1e-12) & (truth <= high + 1e-12)


def coverage(mechanisms, law, n, count, seed=7, design="none"):
    """How many surveys cover, of those in which there is an estimate, for every figure."""
    rng, rho = np.random.default_rng(seed), correlation_of(law)
    margins = np.concatenate([law.sum(axis=1), law.sum(axis=0)])
    covered = {name: [] for name in ("cells", "margins", "given", "correlation", "old cells", "old given", "old r")}
    for _ in range(count):
        table = crossed(mechanisms, law, n, rng, design)
        assert inside(table.interval(), table.shares).all()
        covered["cells"].append(inside(table.interval(), law).reshape(-1))
        covered["old cells"].append(np.abs(table.shares - law).reshape(-1) <= 1.96 * table.stderr.reshape(-1))
        columns = table.table()
        covered["margins"].append(inside((columns["low"][law.size :], columns["high"][law.size :]), margins))
        for place in (0, len(law) - 1):
            covered_given(table, law, place, covered)
        r = table.correlation
        low, high = r.interval()
        assert math.isnan(r.estimate) or low <= r.estimate <= high
        assert low >= -1 or low == r.estimate
        assert high <= 1 or high == r.estimate
        covered["correlation"].append([low <= rho <= high])
        covered["old r"].append([abs(r.estimate - rho) <= 1.96 * r.stderr])
    return covered


def covered_given(table, law, place, covered):
    try:
        given = table.given(first=place)
    except Unavailable:
        return
    low, high = given.interval()
    assert inside((low, high), given.shares).all()
    assert ((low >= 0) | (low == given.shares)).all()
    assert ((high <= 1) | (high == given.shares)).all()
    truth = law[place] / law[place].sum()
    for name, hits in (
        ("given", inside((low, high), truth)),
        ("old given", np.abs(given.shares - truth) <= 1.96 * given.stderr),
    ):
        row = np.full(law.shape, np.nan)
        row[place] = hits
        covered[name].append(row.reshape(-1))


def check(gate, mechanisms, law, n, count, design="none"):
    drawn = "tables" if design == "none" else "tables by a design"

    def simulate(gate, count, seed):
        for name, hits in coverage(mechanisms, law, n, count, seed, design).items():
            if not name.startswith("old"):
                hits = np.array(hits, dtype=float)
                gate.covers(f"{drawn}, {name}", np.nansum(hits, axis=0), (~np.isnan(hits)).sum(axis=0), ALARM)

    gate.settle(simulate, count)


@pytest.mark.parametrize("name", ["randomized response", "line", "pairs"])
def test_tables_cover_in_some_surveys(name, gate):
    mechanisms = TABLES[name]
    check(gate, mechanisms, joint_law(mechanisms, RARE), 200, SHORT)


@pytest.mark.parametrize(("kind", "n"), [("rare", 100), ("common", 20_000)])
@pytest.mark.parametrize("name", TABLES)
def test_tables_cover(name, kind, n, gate):
    mechanisms = TABLES[name]
    law = joint_law(mechanisms, RARE if kind == "rare" else COMMON)
    check(gate, mechanisms, law, n, LONG if n < 20_000 else LARGE)


@pytest.mark.parametrize(
    "design", ["weights", *(pytest.param(one, marks=pytest.mark.long) for one in ("clusters", "strata"))]
)
def test_tables_of_people_drawn_by_a_design_cover_in_some_surveys_and_standard_errors_would_fail(design, gate):
    mechanisms = TABLES["steep"]
    check(gate, mechanisms, joint_law(mechanisms, RARE), 200, SHORT, design)
    old = coverage(mechanisms, joint_law(mechanisms, RARE), 200, SHORT, design=design)["old cells"]
    assert np.mean(old, axis=0).min() < 0.5


@pytest.mark.long
@pytest.mark.parametrize("n", [100, 2000])
@pytest.mark.parametrize("design", ["weights", "clusters", "strata"])
@pytest.mark.parametrize("name", ["randomized response", "hadamard and subset", "pairs"])
def test_tables_of_people_drawn_by_a_design_cover(name, design, n, gate):
    mechanisms = TABLES[name]
    check(gate, mechanisms, joint_law(mechanisms, RARE), n, LARGE, design)


def test_so_many_standard_errors_would_fail():
    """The control: rare pairs at a large epsilon; two rare answers that have nothing to do with each other."""
    mechanisms = TABLES["steep"]
    law = joint_law(mechanisms, RARE)
    covered = coverage(mechanisms, law, 200, SHORT)
    assert np.mean(covered["old cells"], axis=0).min() < 0.5
    assert np.nanmin(np.nansum(covered["old given"], axis=0)[-law.shape[1] :]) < 0.5 * SHORT
    rare = np.outer([0.95, 0.05], [0.95, 0.05])
    yes_no = uniform(2, "4"), uniform(2, "4")
    assert np.mean(coverage(yes_no, rare, 100, 3 * SHORT)["old r"]) < 0.7


@pytest.mark.parametrize("epsilon", ["1", "4"])
@pytest.mark.parametrize("n", [100, 1000, 20_000])
@pytest.mark.parametrize(("first", "second", "rho"), [(0.5, 0.5, 0.3), (0.05, 0.05, 0.0)])
def test_correlations_cover(epsilon, n, first, second, rho, gate):
    """Of two answers that are yes or no."""
    both = first * second + rho * math.sqrt(first * (1 - first) * second * (1 - second))
    law = np.array([[1 - first - second + both, second - both], [first - both, both]])
    mechanisms = uniform(2, epsilon), uniform(2, epsilon)
    rng, truth, hits = np.random.default_rng(3), correlation_of(law), 0
    count = LONG if n < 20_000 else LARGE
    for _ in range(count):
        low, high = crossed(mechanisms, law, n, rng).correlation.interval()
        hits += low <= truth <= high
    gate.covers("tables, correlation", hits, count, ALARM)
