"""Values in order: cumulative shares and quantiles, and how often their intervals cover."""

import json
import math

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.checks.statistics import enumerate_channel
from discreet.core.errors import InvalidInput, Unavailable, UnknownValue
from discreet.estimation.results import cumulative
from discreet.estimation.tally import Tally

from ..analysis.reference import B5, figures, survey

HADAMARD = dc.mechanism(Context.uniform(range(5), "1"), "hadamard")
WORDS = ["never", "seldom", "often", "always"]
GIVEN = Context.uniform(["often", "never", "always", "seldom"], "1")


def simulated(mechanism, n=3000, seed=1):
    values = np.random.default_rng(seed).binomial(mechanism.context.size - 1, 0.4, size=n)
    return dc.estimate(mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(seed))))


def test_the_reference_figures():
    expected = figures()
    curve = dc.estimate(survey(HADAMARD, B5, 2).tally).cumulative()
    assert curve.raw == pytest.approx(expected["B cumulative calibrated"], abs=1e-9)
    assert curve.stderr == pytest.approx(expected["B cumulative stderr"], rel=0.01)  # theirs by the sample
    assert curve.shares[-1] == 1.0
    assert curve.stderr[-1] == 0.0


@pytest.mark.parametrize("slab", [1 << 20, 7])
@pytest.mark.parametrize("name", ["hadamard", "unary", "randomized_response"])
def test_each_point_is_a_calibrated_query(name, slab, monkeypatch):
    monkeypatch.setattr(cumulative, "SLAB", slab)
    estimate = simulated(dc.mechanism(Context.uniform([30, 10, 20, 40], "1"), name))
    curve = estimate.cumulative()
    assert curve.values == [10, 20, 30, 40]
    low, high = curve.interval(0.9)
    for place, t in enumerate(curve.values[:-1]):
        query = estimate.query({x: 1 for x in curve.values if x <= t})
        assert curve.raw[place] == pytest.approx(query.value, abs=1e-12)
        assert curve.stderr[place] == pytest.approx(query.stderr, rel=1e-9)
        ends = np.clip(query.interval(0.9), 0, 1)
        assert (low[place], high[place]) == pytest.approx(ends, abs=0.02)  # on the way to other values of like weight
        assert curve[t] == curve.shares[place]
    assert (low[-1], high[-1], curve[40]) == (1, 1, 1)
    wide = curve.simultaneous_interval(0.9)
    assert (wide[0] <= low).all()
    assert (wide[1] >= high).all()


def test_the_curve_rises_within_0_and_1_and_errs_less():
    """200 surveys of 200 people, ten values: the curve that is shown is nearer to the truth than the raw one."""
    mechanism = dc.mechanism(Context.uniform(range(10), "1"), "hadamard")
    channel, _, cells = enumerate_channel(mechanism)
    p = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1, 0, 0, 0, 0])
    raw = shown = fell = 0.0
    for reports in np.random.default_rng(3).multinomial(200, p @ channel, size=200):
        curve = dc.estimate(Tally(mechanism, np.rint(reports @ cells).astype(np.int64), 200)).cumulative()
        assert (np.diff(curve.shares) >= 0).all()
        assert 0 <= curve.shares[0] <= curve.shares[-1] == 1
        fell += (np.diff(curve.raw) < 0).any()
        raw += np.sum((curve.raw - np.cumsum(p)) ** 2)
        shown += np.sum((curve.shares - np.cumsum(p)) ** 2)
    assert shown < 0.94 * raw
    assert fell > 100


@pytest.mark.parametrize("name", ["hadamard", "randomized_response"])
def test_intervals_of_the_curve_and_of_quantiles_cover(name):
    """300 surveys of 400 people: at 95 %, fewer than 264 of 300 covered has probability below 1e-6 (binomial)."""
    mechanism = dc.mechanism(Context.uniform(range(6), "1"), name)
    channel, _, cells = enumerate_channel(mechanism)
    p = np.array([0.1, 0.15, 0.3, 0.2, 0.15, 0.1])
    F, covered, together, quantiles, narrow = np.cumsum(p), np.zeros(6), 0, np.zeros(3), np.zeros(6)
    for reports in np.random.default_rng(4).multinomial(400, p @ channel, size=300):
        curve = dc.estimate(Tally(mechanism, np.rint(reports @ cells).astype(np.int64), 400)).cumulative()
        low, high = curve.interval(0.95)
        covered += (low - 1e-12 <= F) & (high + 1e-12 >= F)
        low, high = curve.simultaneous_interval(0.95)
        together += ((low - 1e-12 <= F) & (high + 1e-12 >= F)).all()
        narrow += np.abs(curve.raw - F) <= curve.stderr / 2 + 1e-12
        for place, (level, true) in enumerate([(0.2, 1), (0.5, 2), (0.8, 4)]):
            first, last = curve.quantile(level).interval(0.95)
            quantiles[place] += first <= true <= last
    assert (covered >= 264).all()
    assert together >= 264
    assert (quantiles >= 264).all()
    assert narrow[:-1].max() < 264  # the control: a quarter as wide


def test_an_order_is_given_for_values_that_are_no_numbers():
    estimate = simulated(dc.mechanism(GIVEN, "hadamard"))
    curve = estimate.cumulative(WORDS)
    assert curve.values == WORDS
    assert curve.raw[1] == pytest.approx(estimate.query({"never": 1, "seldom": 1}).value)
    assert estimate.quantile(0.5, WORDS).value in WORDS
    scores = {word: place for place, word in enumerate(WORDS)}
    assert estimate.mean(scores).value == pytest.approx(np.sum(1 - curve.raw), abs=1e-9)
    for ask in (estimate.cumulative, lambda: estimate.quantile(0.5)):
        with pytest.raises(InvalidInput, match="order must list all values from the lowest to the highest"):
            ask()
    for wrong in (WORDS[:3], [*WORDS, "never"]):
        with pytest.raises(InvalidInput, match="order must list each of the 4 values once"):
            estimate.cumulative(wrong)
    with pytest.raises(UnknownValue):
        estimate.cumulative(["never", "ever", "often", "always"])
    with pytest.raises(InvalidInput, match='scores="mean" needs values that are numbers'):
        estimate.mean()


def test_intervals_of_quantiles_of_more_confidence_hold_those_of_less():
    mechanism, order = dc.mechanism(Context.metric(range(30), "line", "0.5")), list(range(30))
    for seed in range(40):
        curve, before = simulated(mechanism, n=60, seed=seed).cumulative(), None
        for confidence in (1e-6, 0.3, 0.5, 0.68, 0.8, 0.9, 0.95, 0.99, 0.9999):
            low, high = map(order.index, curve.quantile(0.5).interval(confidence))
            assert before is None or low <= before[0] <= before[1] <= high
            before = low, high


def test_a_quantile_is_the_first_value_with_enough_below():
    estimate = simulated(HADAMARD, n=50_000)
    curve = estimate.cumulative()
    for level in (0.05, 0.3, 0.5, 0.9, 0.999):
        found = estimate.quantile(level)
        assert found.value == curve.values[int(np.argmax(curve.shares >= level))]
        low, high = found.interval()
        wide = found.interval(0.999999)
        assert wide[0] <= low <= found.value <= high <= wide[1]
    for level in (0, 1, -1, True, "0.5", math.nan):
        with pytest.raises(InvalidInput, match=r"level=.* must be between 0 and 1"):
            estimate.quantile(level)
    with pytest.raises(InvalidInput, match="confidence=2 must be between 0 and 1"):
        estimate.quantile(0.5).interval(2)


def test_what_is_printed():
    estimate = simulated(HADAMARD)
    curve, median = estimate.cumulative(), estimate.quantile(0.5)
    text = str(curve)
    assert text.splitlines()[0].split() == ["up", "to", "share", "stderr", "low", "high"]
    assert (
        text.splitlines()[-1] == "3,000 reports of hadamard; unbiased, made to rise; each interval at 0.95 confidence"
    )
    assert len(text.splitlines()) == 7
    assert "<table>" in curve._repr_html_()
    assert repr(curve) == "<Cumulative of 5 values, 3,000 reports of hadamard>"
    assert (
        str(median)
        == f"{median.value}, from {median.interval()[0]} to {median.interval()[1]} at 0.95 confidence (quantile 0.5)"
    )
    assert repr(median) == f"<Quantile 0.5: {median.value!r} from 3,000 reports>"
    wide = simulated(dc.mechanism(Context.uniform(range(70), "1"), "hadamard")).cumulative()
    assert "50 values are left out" in str(wide)
    assert "50 values are left out" in wide._repr_html_()


def test_no_reports_say_nothing():
    nothing = dc.estimate(HADAMARD.tally())
    curve = nothing.cumulative()
    assert np.isnan(curve.raw).all()
    assert np.isinf(curve.stderr).all()
    low, high = curve.interval()
    assert (low == 0).all()
    assert (high == 1).all()
    assert "up to" in str(curve)
    with pytest.raises(Unavailable, match="no reports"):
        _ = nothing.quantile(0.5).value


def test_means_of_every_result_are_queries():
    tally = simulated(HADAMARD).tally
    for make in (dc.estimate, dc.project, dc.likelihood, dc.shrink):
        result = make(tally)
        assert result.mean().value == result.query("mean").value
        assert result.mean([0, 1, 4, 9, 16]).value == result.query([0, 1, 4, 9, 16]).value


def test_a_curve_is_plain_data_and_a_frame():
    curve = simulated(HADAMARD).cumulative()
    told, (low, high) = curve.to_dict(confidence=0.9), curve.interval(0.9)
    assert json.loads(json.dumps(told)) == told
    assert told["values"] == [0, 1, 2, 3, 4]
    assert (told["shares"], told["low"], told["high"]) == (curve.shares.tolist(), low.tolist(), high.tolist())
    assert (told["n"], told["confidence"], told["mechanism"]) == (3000, 0.9, HADAMARD.name)
    empty = dc.estimate(HADAMARD.tally()).cumulative().to_dict()
    assert empty["shares"] == empty["stderr"] == [None] * 5
    pytest.importorskip("pandas")
    frame = curve.to_pandas(confidence=0.9)
    assert list(frame) == ["value", "share", "raw", "stderr", "low", "high"]
    assert frame["raw"].tolist() == curve.raw.tolist()
    assert frame.attrs["n"] == 3000
