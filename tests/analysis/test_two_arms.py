"""Two arms that measure how many people evade."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, NotIdentifiable

from .reference import B2, ROWS, answers, figures


def reference_arms():
    held, arms = answers(B2), []
    for epsilon, rest, seed in (("1", 0, 5), ("3", 1, 6)):
        mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon))
        rows = ROWS[rest::2]
        reports = mechanism.randomize_indices(held[rows], dc.random.seeded(seed))
        reports[(rows // 2) % 8 == 0] = 0
        arms.append(mechanism.tally(reports))
    return arms


def test_the_reference_survey():
    share, error, yes = figures()["E evading share, stderr, compliant yes"]
    found = dc.noncompliance(*reference_arms(), report=0)
    assert found.share == pytest.approx(share, abs=1e-9)
    assert found.stderr == pytest.approx(error, abs=1e-9)
    assert found.compliant[1] == pytest.approx(yes, abs=1e-9)
    assert found.compliant.sum() == pytest.approx(1 - share)
    assert found.interval()[0] < share < found.interval()[1]
    assert 0.01 < found.p < 0.02


def estimates_of(times, seed, first, second, n, share, held):
    """The results of many pairs of arms, of whose people a share sends report 1 whatever they hold."""
    rng = np.random.default_rng(seed)
    laws = []
    for mechanism in (first, second):
        law = held @ np.array([[float(q) for q in row] for row in mechanism.channel()])
        laws.append((1 - share) * law + share * np.eye(len(law))[1])
    for _ in range(times):
        arms = [
            dc.Tally(mechanism, rng.multinomial(n, law / law.sum()), n)
            for mechanism, law in zip((first, second), laws, strict=True)
        ]
        yield dc.noncompliance(*arms, report=1)


@pytest.mark.parametrize(("one", "other"), [("hadamard", "hadamard"), ("hadamard", "randomized_response")])
def test_intervals_cover(one, other):
    """300 pairs of arms: coverage within .062 of .95, but for one time in a million for each of 6 figures."""
    held = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
    first = dc.mechanism(dc.Context.uniform(range(5), "1"), one)
    second = dc.mechanism(dc.Context.uniform(range(5), "3"), other)
    found = list(estimates_of(300, 31, first, second, 4000, 0.15, held))
    shares = np.array([[result.share, *result.compliant] for result in found])
    errors = np.array([[result.stderr, *result.compliant_stderr] for result in found])
    truth = np.array([0.15, *(0.85 * held)])
    covered = (np.abs(shares - truth) < 1.96 * errors).mean(axis=0)
    assert (np.abs(covered - 0.95) < 4.9 * np.sqrt(0.95 * 0.05 / 300)).all()
    assert shares.std(axis=0) == pytest.approx(errors.mean(axis=0), rel=0.2)
    ignored = np.array([result.first.shares for result in found])
    assert (np.abs(ignored - held) < 1.96 * np.array([result.first.stderr for result in found])).mean() < 0.8, "control"


def test_nobody_evades():
    held = np.array([0.6, 0.4])
    arms = [dc.mechanism(dc.Context.uniform(range(2), epsilon)) for epsilon in ("1", "3")]
    p = [result.p for result in estimates_of(300, 32, *arms, 2000, 0.0, held)]
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < 4.9 * np.sqrt(0.05 * 0.95 / 300)


def test_the_result_is_one_of_the_analysis(tmp_path):
    found = dc.noncompliance(*reference_arms(), report=0)
    assert found.table()["of"] == ["(evading)", "no", "yes"]
    assert found.to_dict()["share"] == found.share
    assert found.to_pandas()["estimate"].iloc[0] == found.share
    assert "send the report 0" in str(found)
    assert repr(found).startswith("<TwoArms: 0.0993")
    covariance = np.array(found.to_dict()["covariance"])
    assert np.sqrt(np.diag(covariance)) == pytest.approx([found.stderr, *found.compliant_stderr])
    found.plot(tmp_path / "arms.png")
    assert (tmp_path / "arms.png").stat().st_size > 1000


def test_values_of_which_few_could_tell_are_remarked_on():
    arms = [dc.mechanism(dc.Context.blocks({"a": [0, 1], "b": [2, 3]}, e)) for e in ("1", "3")]
    few = [arm.tally(arm.randomize_indices(np.arange(100) % 2, dc.random.seeded(3))) for arm in arms]
    assert "reports tell of" in str(dc.noncompliance(*few, report=0))
    assert "reports tell of" not in str(dc.noncompliance(*reference_arms(), report=0))


def test_what_is_refused():
    first, second = reference_arms()
    with pytest.raises(NotIdentifiable, match="claim a value"):
        dc.noncompliance(first, second, to="no")
    other = dc.mechanism(dc.Context.uniform(["no", "maybe"], "1"))
    with pytest.raises(InvalidInput, match="the same values"):
        dc.noncompliance(first, other.tally([1]), report=0)
    large = [dc.mechanism(dc.Context.uniform(range(2001), e), "hadamard").tally([1]) for e in ("1", "2")]
    with pytest.raises(InvalidInput, match="at most 2000"):
        dc.noncompliance(*large, report=0)
