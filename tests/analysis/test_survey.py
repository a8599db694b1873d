"""Scores of surveys against the reference figures."""

import numpy as np
import pytest

import discreet as dc

from .reference import B2, B5, N, answers, figures, survey


def mean_and_error(scores, sample):
    return float(scores.mean()), float(np.sqrt(sample.covariance_of_sum(scores[:, None] / N)[0, 0]))


def test_the_share_of_yes():
    sample = survey(dc.mechanism(dc.Context.uniform(["no", "yes"], "1")), B2, 1)
    expected = figures()
    assert [answers(B2).sum(), sample.tally.counts[1]] == expected["A true yes, yes reports"]
    mean, error = mean_and_error(sample.scores({"yes": 1}), sample)
    assert mean == pytest.approx(expected["A share, stderr"][0], abs=1e-9)
    assert error * np.sqrt(1 - 1 / N) == pytest.approx(expected["A share, stderr"][1], abs=1e-9)


def test_calibrated_scores_of_hadamard():
    sample = survey(dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard"), B5, 2)
    expected = figures()
    for calibrated, name in ((False, "B mean raw, stderr"), (True, "B mean calibrated, stderr")):
        mean, error = mean_and_error(sample.scores("mean", calibrated=calibrated), sample)
        assert mean == pytest.approx(expected[name][0], abs=1e-9)
        assert error == pytest.approx(expected[name][1], rel=1e-6)
