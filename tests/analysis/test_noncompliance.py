"""People who evade: the curve of one survey, its tipping points, and what is refused."""

import json

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.diagnostics.noncompliance import HIGHEST, LIKE_OTHERS, LOWEST, READINGS
from discreet.core.errors import DiscreetError, InvalidInput, NotIdentifiable, UnknownValue
from discreet.estimation.decoders import decoder_of

K = 5
HELD = np.array([0.3, 0.3, 0.2, 0.15, 0.05])


def mechanisms():
    uniform = dc.Context.uniform(range(K), "2")
    return {
        "hadamard": dc.mechanism(uniform, "hadamard"),
        "randomized_response": dc.mechanism(uniform, "randomized_response"),
        "subset": dc.mechanism(uniform, "subset"),
        "blocks": dc.mechanism(dc.Context.blocks({"a": [0, 1, 2], "b": [3, 4]}, "2"), "hadamard"),
    }


def with_evaders(mechanism, share, n, seed, *, report=None, to=None):
    """The tally of n people of whom a share evades, whatever they hold."""
    rng = np.random.default_rng(seed)
    held, evades = rng.choice(K, n, p=HELD), rng.random(n) < share
    if to is not None:
        held = np.where(evades, to, held)
    reports = mechanism.randomize_indices(held, dc.random.seeded(seed))
    if report is not None:
        reports[evades] = report
    return mechanism.tally(reports)


@pytest.mark.parametrize("name", ["hadamard", "randomized_response", "subset", "blocks"])
@pytest.mark.parametrize("way", [{"report": 1}, {"to": 0}])
def test_the_truth_is_found_where_the_share_is_known(name, way):
    """With the share that evaded each estimate is within 5 standard errors: a false alarm in 1e-6 a query."""
    mechanism = mechanisms()[name]
    if name == "subset" and "report" in way:
        way = {"report": mechanism.reports()[0]}
    tally = with_evaders(mechanism, 0.25, 60_000, 21, **way)
    for query in ({3: 1, 4: 1}, [0, 1, 2, 3, 4]):
        weights = np.array([0, 0, 0, 1, 1]) if isinstance(query, dict) else np.arange(5)
        found = dc.noncompliance(tally, query=query, **way)
        value, error = found.at(0.25)
        assert abs(value - weights @ HELD) < 5 * error
        assert abs(found.at(0.0)[0] - weights @ HELD) > 5 * found.at(0.0)[1], "the control: evasion shows if ignored"
        low, high = (found.at(0.25, reading)[0] for reading in (LOWEST, HIGHEST))
        assert low < value < high
        assert high - low == pytest.approx(0.25 * (weights.max() - weights.min()))
    shares, errors = dc.noncompliance(tally, query="mean", **way).compliant(0.25)
    assert (np.abs(shares - HELD) < 5 * errors).all()


def test_a_query_uses_the_totals_that_reports_show():
    """The error of a mean under Hadamard is that of the calibrated query, half of the plain one."""
    tally = with_evaders(mechanisms()["hadamard"], 0.0, 20_000, 22)
    found = dc.noncompliance(tally, to=0, query="mean")
    p, weights = dc.estimate(tally).plug_in, np.arange(5.0)
    plain = np.sqrt(
        (decoder_of(tally.mechanism.sampler).cross_moment(p, weights, weights)[0] - (weights @ p) ** 2) / tally.n
    )
    assert found.stderr < 0.7 * plain
    assert abs(found.value - np.arange(5) @ HELD) < 5 * found.stderr


def test_tipping_points_solve_their_equation():
    tally = with_evaders(mechanisms()["randomized_response"], 0.0, 5000, 23)
    found = dc.noncompliance(tally, report=0, query={4: 1}, threshold=0.06)
    for reading in READINGS:
        share, error = found.tipping(reading)
        assert found.at(share, reading)[0] == pytest.approx(0.06)
        step = 1e-6
        moved = dc.noncompliance(tally, report=0, query={4: 1}, threshold=0.06 + step).tipping(reading)[0] - share
        near = abs(moved / step) * found.at(share, reading)[1]
        assert error == pytest.approx(near, rel=1e-3)
    far = dc.noncompliance(tally, to=4, query={4: 1}, threshold=0.9)
    assert far.tipping() is None
    assert "never reached" in str(far)
    with pytest.raises(InvalidInput, match="threshold must be given"):
        dc.noncompliance(tally, to=0).tipping()


def test_tipping_points_cover():
    """Of 400 surveys at a true tipping point the intervals hold .95 but for one time in a million."""
    mechanism, truth, times = mechanisms()["randomized_response"], HELD[4], 400
    law = HELD @ np.array([[float(q) for q in row] for row in mechanism.channel()])
    share, rng, covered = 0.1, np.random.default_rng(24), 0
    for counts in rng.multinomial(3000, 0.9 * law + 0.1 * np.eye(5)[0], size=times):
        found = dc.noncompliance(dc.Tally(mechanism, counts, 3000), report=0, query={4: 1}, threshold=truth)
        slope = found.moved - truth
        covered += abs((found.value - truth) / slope - share) < 1.96 * found.stderr / abs(slope)
    assert abs(covered / times - 0.95) < 4.9 * np.sqrt(0.95 * 0.05 / times)


def test_the_largest_share_leaves_nothing_negative():
    tally = with_evaders(mechanisms()["hadamard"], 0.1, 20_000, 25, report=1)
    found = dc.noncompliance(tally, report=1, query={4: 1})
    left = found.estimate.shares - found.largest * found.evaders.decode(tally.mechanism)
    assert 0 < found.largest < 1
    assert min(left) == pytest.approx(0, abs=1e-12)
    assert found.shares[-1] == pytest.approx(found.largest)
    claimed = dc.noncompliance(tally, to=3)
    assert claimed.largest == pytest.approx(dc.estimate(tally)[3])
    assert claimed.weights.tolist() == [1, 1, 1, 0, 1]


def test_laws_of_several_reports_and_words():
    design = dc.by_hand.forced_response(["no", "yes"], truth="2/3")
    tally = design.tally(design.reports_of(["no"] * 60 + ["yes"] * 40))
    by_word, by_number = (dc.noncompliance(tally, report=report, query={"yes": 1}) for report in ("no", 0))
    assert by_word.moved == by_number.moved == pytest.approx(-0.25)
    assert "'no'" in str(by_number)
    half = dc.noncompliance(tally, report={"no": 0.5, "yes": 0.5}, query={"yes": 1})
    assert half.moved == pytest.approx((-0.25 + 1.25) / 2)
    with pytest.raises(InvalidInput, match="'no', 'yes'"):
        dc.noncompliance(tally, report="maybe", query={"yes": 1})


def test_the_result_is_one_of_the_analysis(tmp_path):
    tally = with_evaders(mechanisms()["hadamard"], 0.1, 2000, 26, report=1)
    found = dc.noncompliance(
        dc.Survey(tally.mechanism, [1, 2, 3] * 50), report=1, query="mean", share=[0, 0.1], threshold=1
    )
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["evading"] == [0, 0.1]
    assert plain["estimate"][0] == found.value
    assert list(found.to_pandas().columns) == ["evading", "estimate", "stderr", "low", "high", LOWEST, HIGHEST]
    assert set(plain["tipping"]) == set(READINGS)
    assert repr(found).startswith("<Noncompliance")
    assert "second arm" in str(found)
    found.plot(tmp_path / "curve.svg")
    assert LIKE_OTHERS in (tmp_path / "curve.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "said", "kind"),
    [
        ({}, "one of to=", InvalidInput),
        ({"to": 0, "report": 1}, "one of to=", InvalidInput),
        ({"to": 9}, "value=9", UnknownValue),
        ({"report": 99, "query": {0: 1}}, "report=99", DiscreetError),
        ({"report": 1}, "query must be given", InvalidInput),
        ({"report": {1: 0.4}, "query": {0: 1}}, "add up to 1", InvalidInput),
        ({"to": 0, "share": 1.0}, "share=1.0", InvalidInput),
        ({"to": 0, "share": []}, "share must not be empty", InvalidInput),
        ({"to": 0, "share": "0.1"}, "share='0.1'", InvalidInput),
        ({"to": 0, "threshold": float("nan")}, "threshold=nan", InvalidInput),
    ],
)
def test_what_is_refused(arguments, said, kind):
    tally = mechanisms()["hadamard"].tally([0, 1, 2])
    with pytest.raises(kind, match=said):
        dc.noncompliance(tally, **arguments)


def test_an_unknown_reading_and_an_empty_survey_are_refused():
    mechanism = mechanisms()["hadamard"]
    with pytest.raises(InvalidInput, match="reading='other'"):
        dc.noncompliance(mechanism.tally([1]), to=0).at(0.1, "other")
    with pytest.raises(InvalidInput, match="first must have reports"):
        dc.noncompliance(mechanism.tally(), to=0)
    with pytest.raises(InvalidInput, match="one survey"):
        dc.noncompliance(mechanism.tally([1]), mechanism.tally([1]), report=0, share=0.1)
    with pytest.raises(NotIdentifiable, match="different laws"):
        dc.noncompliance(mechanism.tally([1]), mechanism.tally([1]), report=0)


def test_where_a_share_is_not_above_0_nobody_is_seen_to_evade():
    mechanism = dc.mechanism(dc.Context.uniform(range(K), "1"), "randomized_response")
    tally = dc.Tally(mechanism, np.array([100, 400, 300, 300, 300]), 1400)
    assert dc.estimate(tally).shares[0] < 0
    found = dc.noncompliance(tally, to=0)
    assert found.largest == 0
    assert list(found.shares) == [0.0]
    assert any("no sign that anybody evades" in remark for remark in found.remarks())
    asked = dc.noncompliance(tally, to=0, share=[0.0, 0.1])
    assert len(asked.table()["estimate"]) == 2
    some = dc.noncompliance(with_evaders(mechanism, 0.2, 4000, 1, to=0), to=0)
    assert len(set(some.shares)) == 6, "the control"
    assert any("would leave a share below 0" in remark for remark in some.remarks())
