"""Scores and likelihoods of many reports: the same however they are added up, refused where one is impossible."""

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.bulk import scores
from discreet.core.errors import InvalidInput, InvalidReport
from discreet.estimation.arrays import acceleration
from discreet.estimation.decoders import Decoder, decoder_of

TREE = Context.nested({b: range(4 * b, 4 * b + 4) for b in range(3)}, ["1", "3"])
BLOCKS = Context.blocks({"a": range(9), "b": range(9, 18), "c": [18], "d": range(19, 24)}, "1")
HIGH_LOW = Context.high_low(range(80), range(70), "1")
MECHANISMS = {
    "hadamard": dc.mechanism(Context.uniform(range(100), "1"), "hadamard"),
    "projective": dc.mechanism(Context.uniform(range(40), "1"), "projective"),
    "small sets": dc.mechanism(Context.uniform(range(11), "1"), "unary"),
    "sets of a word": dc.mechanism(Context.uniform(range(64), "1"), "subset"),
    "sets of two words": dc.mechanism(Context.uniform(range(70), "1"), "subset"),
    "blocks, numbered": dc.mechanism(BLOCKS, "hadamard"),
    "blocks, sets": dc.mechanism(BLOCKS, "subset"),
    "blocks, wide sets": dc.mechanism(Context.blocks({0: range(70), 1: range(70, 140)}, "1"), "unary"),
    "high-low, numbered": dc.mechanism(Context.high_low(range(20), range(8), "1"), "hadamard"),
    "high-low, sets": dc.mechanism(HIGH_LOW, "subset"),
    "mixture": dc.mechanism(
        Context.high_low(range(9), range(6), "1"),
        "mixture",
        parts=[{"name": "subset", "d": d} for d in (1, 2)],
        units=[1 << 63, 1 << 63],
    ),
    "nested": dc.mechanism(TREE, "nested"),
    "levels": dc.mechanism(TREE, "levels"),
    "graded": dc.mechanism(Context.graded({x: ("1", "2")[x % 2] for x in range(7)}), "graded_unary"),
    "table": dc.mechanism(Context.metric(range(6), lambda x, z: abs(x - z), "1"), "exponential"),
}
every = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)


def drawn(mechanism, n):
    values = np.random.default_rng(3).integers(0, mechanism.context.size, n)
    return mechanism.randomize_indices(values, dc.random.seeded(3))


@every
def test_sums_over_cells_are_the_same_compiled_in_numpy_in_parts_on_threads_and_by_counting(mechanism, monkeypatch):
    decoder, reports = decoder_of(mechanism), drawn(mechanism, 5000)
    entries = np.random.default_rng(4).normal(size=decoder.cells)
    plain = scores.gather_sums(decoder, entries, reports)
    assert plain == pytest.approx(Decoder.gather(decoder, entries, reports, 0), abs=1e-12)
    monkeypatch.setattr(acceleration, "MIN_COMPILED_SIZE", 1000)
    assert scores.gather_sums(decoder, entries, reports) == pytest.approx(plain, abs=1e-12)
    monkeypatch.setattr(scores, "CHUNK", 3 << 10)
    assert scores.gather_sums(decoder, entries, reports, threads=3) == pytest.approx(plain, abs=1e-12)
    assert scores.gather_sums(decoder, entries + 1, reports) != pytest.approx(plain, abs=1e-12), "the control"


@every
def test_the_mean_of_scores_is_the_query_of_the_tally(mechanism):
    reports, w = drawn(mechanism, 3000), np.random.default_rng(5).normal(size=mechanism.context.size)
    estimate = dc.estimate(mechanism.tally(reports))
    even = np.full(len(w), 1 / len(w))
    for calibrated, at in ((False, None), (True, even)):
        found, query = mechanism.score(reports, w, shares=at), estimate.query(w, calibrated=calibrated)
        assert found.shape == (3000,)
        assert found.mean() == pytest.approx(query.value, abs=1e-10)
        assert found.std() / np.sqrt(3000) == pytest.approx(query.stderr, rel=0.2)  # one by the sample, one exact


@every
def test_impossible_reports_are_refused_whether_many_or_few(mechanism, monkeypatch):
    sampler, reports = mechanism.sampler, drawn(mechanism, 2000)
    wrong = reports.copy()
    wrong[1500] = ~wrong.dtype.type(0)
    w = np.ones(mechanism.context.size)
    for worth in (acceleration.MIN_COMPILED_SIZE, 1000):
        monkeypatch.setattr(acceleration, "MIN_COMPILED_SIZE", worth)
        mechanism.score(reports, w)
        mechanism.columns(reports)
        for ask in (mechanism.tally, lambda y: mechanism.score(y, w), mechanism.columns):
            with pytest.raises(InvalidReport, match="reports"):
                ask(wrong)
    assert not sampler.is_report((1 << 8 * wrong[1500].nbytes) - 1)


def test_sets_of_the_wrong_size_are_refused():
    mechanism = MECHANISMS["sets of a word"]
    for ask in (lambda y: mechanism.score(y, "mean"), mechanism.columns):
        with pytest.raises(InvalidReport, match="a set of 1 values; every report must hold exactly"):
            ask([1])


@every
def test_columns_of_many_reports_are_those_of_each_alone(mechanism):
    reports = drawn(mechanism, 300)
    found = mechanism.columns(reports)
    assert found.shape == (300, mechanism.context.size)
    for row in (0, 17, 299):
        assert mechanism.columns(reports[row : row + 1])[0] == pytest.approx(found[row], rel=1e-12)


@pytest.mark.parametrize("name", ["unary", "optimised_unary"])
def test_columns_of_wide_sets_are_proportional_to_the_exact_channel(name):
    mechanism = dc.mechanism(Context.uniform(range(70), "1"), name)
    reports = drawn(mechanism, 3)
    numbers = [int(low) | int(high) << 64 for low, high in reports.tolist()]
    for row, y in zip(mechanism.columns(reports), numbers, strict=True):
        exact = [mechanism.sampler.probability(x, y) for x in range(70)]
        assert row / row.max() == pytest.approx([float(p / max(exact)) for p in exact], rel=1e-12)


def test_the_likelihood_of_columns_is_largest_near_the_truth():
    """Subset of 64 values, 20,000 reports, half of them of value 7: EM on the columns finds it, within five errors."""
    mechanism = MECHANISMS["sets of a word"]
    values = np.where(np.arange(20_000) % 2, 7, np.arange(20_000) % 64)
    likely = mechanism.columns(mechanism.randomize_indices(values, dc.random.seeded(9)))
    shares = np.full(64, 1 / 64)
    for _ in range(60):
        posterior = likely * shares
        shares = (posterior / posterior.sum(axis=1, keepdims=True)).mean(axis=0)
    estimate = dc.estimate(mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(9))))
    assert abs(shares[7] - np.mean(values == 7)) < 5 * estimate.stderr[7]
    assert shares[7] > 0.3
    assert shares[8] < 0.1


def test_weights_and_shares_of_scores_are_checked():
    mechanism = MECHANISMS["hadamard"]
    with pytest.raises(InvalidInput, match="must be 100 finite numbers"):
        mechanism.score([1], [1, 2])
    for shares in (np.zeros(100), np.linspace(-1, 1, 100)):
        with pytest.raises(InvalidInput, match="shares must be a distribution"):
            mechanism.score([1], "mean", shares=shares)
    assert mechanism.score([], "mean").shape == (0,)
    assert mechanism.columns([]).shape == (0, 100)
