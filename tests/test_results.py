"""Every result that the library gives offers the same: a picture, plain data, data frames, a length and a table."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, Unavailable
from discreet.estimation.results.covariance import MAX_COVARIANCE
from discreet.estimation.results.table import Tabular

RNG = np.random.default_rng(1)
HELD = RNG.choice([1, 2, 3, 4], size=1200, p=[0.1, 0.4, 0.3, 0.2])
MECHANISM = dc.mechanism(dc.Context.uniform(range(1, 5), "2"))
REPORTS = MECHANISM.randomize_many(HELD, dc.random.seeded(1))
OTHER = MECHANISM.randomize_many(HELD, dc.random.seeded(2))
TALLY = MECHANISM.tally(REPORTS)
LABELS = {"town": np.array(["lima", "oslo", "rome"])[RNG.integers(3, size=1200)], "age": RNG.integers(20, 70, 1200)}
WEIGHTS = RNG.uniform(1, 3, size=1200)
PLAIN = dc.Survey(MECHANISM, REPORTS, labels=LABELS)
WEIGHTED = dc.Survey(MECHANISM, REPORTS, labels=LABELS, weights=WEIGHTS, clusters=RNG.integers(60, size=1200))
PEOPLE = dc.Survey(MECHANISM, REPORTS, labels=LABELS, population=5000)
STRATA = dc.Survey(
    MECHANISM, REPORTS, labels=LABELS, weights=WEIGHTS, strata=np.arange(1200) % 2, population={0: 3000, 1: 2000}
)
HALF = dc.mechanism(dc.Context.uniform(range(1, 5), "1"))
ARMS = dc.estimate(TALLY), dc.estimate(HALF.tally(HALF.randomize_many(HELD, dc.random.seeded(3))))
FORM = {
    way: dc.Form({"ill": ["no", "yes"], "old": ["no", "yes", "very"]}, way, epsilon="2")
    for way in ("each", "one at random", "together")
}
ANSWERS = {"ill": ["no", "yes"] * 600, "old": ["no", "yes", "very"] * 400}


def margins(way: str) -> Any:
    return dc.margins(FORM[way].tally(FORM[way].randomize_many(ANSWERS, dc.random.seeded(1))))


RESULTS: dict[str, Callable[[], Any]] = {
    "estimate": lambda: dc.estimate(TALLY),
    "projected": lambda: dc.project(TALLY),
    "likelihood": lambda: dc.likelihood(TALLY),
    "shrunk": lambda: dc.shrink(TALLY),
    "smoothed": lambda: dc.smooth(TALLY),
    "query": lambda: dc.estimate(TALLY).query("mean"),
    "query of a projection": lambda: dc.project(TALLY).query("mean"),
    "cumulative": lambda: dc.estimate(TALLY).cumulative(),
    "cumulative in an order": lambda: dc.estimate(WORDS).cumulative(order=["low", "middle", "high"]),
    "quantile": lambda: dc.estimate(TALLY).quantile(0.5),
    "quantile in an order": lambda: dc.estimate(WORDS).quantile(0.5, order=["low", "middle", "high"]),
    "shares of a survey": PLAIN.shares,
    "shares, weighted": WEIGHTED.shares,
    "query of a survey": lambda: PLAIN.query("mean"),
    "groups": lambda: PLAIN.by("town"),
    "groups, weighted": lambda: WEIGHTED.by("town"),
    "groups of a finite population": lambda: PEOPLE.by("town"),
    "groups of a stratified one": lambda: STRATA.by("town"),
    "comparison": lambda: dc.compare(PLAIN, by="town", pairs="all"),
    "comparison, weighted": lambda: dc.compare(WEIGHTED, by="town"),
    "regression": lambda: dc.regress(PLAIN, "mean", on=["age", "town"]),
    "prediction": lambda: dc.regress(PLAIN, "mean", on=["town"]).predict({"town": ["lima", "oslo"]}),
    "multinomial": lambda: dc.multinomial(PLAIN, on=["town"]),
    "regression on the answer": lambda: dc.regress_on(PLAIN, "age", "mean"),
    "crosstab": lambda: dc.crosstab(PLAIN, dc.Survey(MECHANISM, OTHER), permutations=0),
    "conditional": lambda: dc.crosstab(PLAIN, dc.Survey(MECHANISM, OTHER), permutations=0).given(first=2),
    "goodness of fit": lambda: dc.goodness_of_fit(TALLY),
    "noncompliance": lambda: dc.noncompliance(TALLY, report=0, query="mean"),
    "two arms": lambda: dc.noncompliance(ARMS[0], ARMS[1], report=0),
    "margins, each": lambda: margins("each"),
    "margins, one at random": lambda: margins("one at random"),
    "margins, together": lambda: margins("together"),
    "strategies": lambda: FORM["each"].plan(n=1000),
}
WORD_MECHANISM = dc.mechanism(dc.Context.uniform(["low", "middle", "high"], "2"))
WORDS = WORD_MECHANISM.tally(WORD_MECHANISM.randomize_many(["low", "middle", "high"] * 300, dc.random.seeded(1)))
OFFERED = ("plot", "to_pandas", "to_polars", "to_arrow", "to_dict", "to_text", "__len__", "_repr_html_")


def missing_of(kind: type) -> list[str]:
    """What a kind of result does not offer."""
    return [name for name in OFFERED if not callable(getattr(kind, name, None))]


def kinds() -> set[type]:
    """The kinds of result in the rooms that give any: frozen classes with an interval, or with a table."""
    found = set()
    for room in ("estimation.results", "analysis", "questionnaires"):
        package = importlib.import_module(f"discreet.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"discreet.{room}."):
            for thing in vars(importlib.import_module(module.name)).values():
                if isinstance(thing, type) and thing.__module__ == module.name and not thing.__name__.startswith("_"):
                    found.add(thing)
    return {
        kind
        for kind in found
        if (hasattr(kind, "interval") or hasattr(kind, "table")) and not getattr(kind, "__abstractmethods__", None)
    }


PARTS = {
    "CoefficientTests",
    "Correlation",
    "Event",
    "IntervalTests",
    "InvertedMoments",
    "ScoreTests",
    "ShareTests",
    "ShrinkResult",
}
"""What is a number inside a result, or what one is made from."""


def test_every_kind_of_result_offers_the_same_and_is_tried_here():
    there = {kind for kind in kinds() if kind.__name__ not in PARTS}
    assert len(there) > 15
    assert {kind.__name__: missing_of(kind) for kind in there if missing_of(kind)} == {}
    assert {kind.__name__ for kind in there if not issubclass(kind, Tabular)} == set()
    assert {kind.__name__ for kind in there} == {type(make()).__name__ for make in RESULTS.values()}


def test_a_kind_that_offers_less_is_noticed():
    class Bare:
        def to_dict(self) -> dict[str, Any]:
            return {}

    assert missing_of(Bare) == [name for name in OFFERED if name != "to_dict"]
    assert any(kind.__name__ == "Correlation" for kind in kinds())


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)
def test_a_result_is_read_as_text_data_and_frames(make):
    result = make()
    frame, polars, arrow = result.to_pandas(), result.to_polars(), result.to_arrow()
    assert len(result) == len(frame) == len(polars) == arrow.num_rows > 0
    assert list(frame.columns) == list(polars.columns) == arrow.column_names
    assert result._repr_html_().count("<tr>") == len(result) + 1
    assert str(result) == result.to_text()
    assert result.to_text(0.8) != result.to_text() or not any("low" in name for name in frame.columns)
    told = json.loads(json.dumps(result.to_dict(confidence=0.9), allow_nan=False))
    assert told["confidence"] == 0.9
    json.loads(arrow.schema.metadata[b"discreet"])


VARIANTS = ("weighted", "finite", "stratified", "of a projection", "one at random", "together")
DRAWN = [name for name in RESULTS if not any(word in name for word in VARIANTS)]


@pytest.mark.parametrize("name", DRAWN)
def test_a_result_is_drawn(name, tmp_path):
    RESULTS[name]().plot(tmp_path / "result.svg", title="A result")
    assert "A result" in (tmp_path / "result.svg").read_text(encoding="utf-8")


# -- the covariance of the estimates ---------------------------------------------------------------------------

WITH_COVARIANCE = [
    "estimate",
    "likelihood",
    "cumulative",
    "shares of a survey",
    "shares, weighted",
    "query of a survey",
    "groups",
    "groups, weighted",
    "groups of a finite population",
    "groups of a stratified one",
    "comparison",
    "comparison, weighted",
    "margins, one at random",
    "margins, together",
]
MIXED = np.array([1.0, -1.0, 0.5, 2.0])


@pytest.mark.parametrize("name", WITH_COVARIANCE)
def test_the_covariance_stands_in_plain_data_with_the_squared_errors_on_its_diagonal(name):
    told = RESULTS[name]().to_dict()
    covariance = np.array(told["covariance"])
    assert np.sqrt(covariance.diagonal()) == pytest.approx(told["stderr"], rel=1e-12)
    assert (covariance == covariance.T).all() or np.abs(covariance - covariance.T).max() < 1e-15
    assert np.linalg.eigvalsh(covariance).min() > -1e-12


@pytest.mark.parametrize("name", ["projected", "shrunk", "margins, each"])
def test_what_has_no_honest_covariance_says_so(name):
    result = RESULTS[name]()
    assert result.to_dict()["covariance"] is None
    with pytest.raises(Unavailable):
        _ = result.covariance_matrix


def test_the_covariance_gives_the_error_of_any_sum():
    """Of randomized response, whose plain shares are calibrated, so that both ways must agree to rounding."""
    estimate, likely = dc.estimate(TALLY), dc.likelihood(TALLY)
    for result in (estimate, likely):
        assert MIXED @ result.covariance_matrix @ MIXED == pytest.approx(result.query(MIXED).stderr ** 2, rel=1e-9)
    for survey in (PLAIN, WEIGHTED, PEOPLE, STRATA):
        whole = survey.by("town").covariance_matrix.reshape(3, 4, 3, 4)
        asked = survey.by("town", query=MIXED)
        errors = np.sqrt([MIXED @ whole[g, :, g] @ MIXED for g in range(3)])
        assert errors == pytest.approx(asked.stderr.ravel(), rel=1e-4)
        between = dc.compare(survey, by="town", pairs="all")
        apart = between.covariance_matrix.reshape(3, 4, 3, 4)
        gaps = np.sqrt([MIXED @ apart[g, :, g] @ MIXED for g in range(3)])
        assert gaps == pytest.approx(dc.compare(survey, by="town", pairs="all", query=MIXED).stderr.ravel(), rel=0.02)


def test_a_covariance_without_the_terms_between_values_would_be_noticed():
    covariance = dc.estimate(TALLY).covariance_matrix
    alone = np.diag(covariance.diagonal())
    assert abs(MIXED @ alone @ MIXED / dc.estimate(TALLY).query(MIXED).stderr ** 2 - 1) > 0.05


def test_the_covariance_of_very_many_values_is_left_out_of_plain_data():
    for size in (MAX_COVARIANCE, MAX_COVARIANCE + 1):
        mechanism = dc.mechanism(dc.Context.uniform(range(size), "4"), "hadamard")
        result = dc.estimate(mechanism.tally(mechanism.randomize_many(range(size), dc.random.seeded(1))))
        assert (result.to_dict()["covariance"] is None) == (size > MAX_COVARIANCE)
        assert result.covariance_matrix.shape == (size, size)
    with pytest.raises(Unavailable, match="too few reports"):
        _ = dc.estimate(MECHANISM.tally()).covariance_matrix


# -- what is shown in a notebook before anything is collected ---------------------------------------------------

ODD = dc.Context.high_low(["<b>", "x", "y"], ["<b>"], "1")


@pytest.mark.parametrize(
    "thing",
    [
        ODD,
        dc.Context.uniform(range(40), "1"),
        dc.mechanism(ODD),
        dc.mechanism(ODD).certificate,
        dc.explain(ODD),
        dc.plan(ODD, n=1000),
    ],
    ids=["context", "large context", "mechanism", "certificate", "explanation", "plan"],
)
def test_a_notebook_shows_a_table_and_no_markup_of_others(thing):
    page = thing._repr_html_()
    assert page.startswith("<table>")
    assert page.count("<tr>") > 1
    assert "<b>" not in page


def test_nothing_is_drawn_of_no_reports(tmp_path):
    empty = dc.estimate(MECHANISM.tally())
    for result in (empty, empty.query("mean"), empty.cumulative()):
        with pytest.raises(InvalidInput, match="nothing to draw"):
            result.plot(tmp_path / "nothing.svg")
    assert list(tmp_path.iterdir()) == []
