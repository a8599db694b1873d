"""The surveys of fixed numbers that reference figures were computed for, and the figures where they are at hand."""

import json
from pathlib import Path

import numpy as np
import pytest

import discreet as dc

N = 6000
ROWS = np.arange(N)
COVARIATE = ((37 * ROWS) % 101) / 50 - 1
B2 = np.array([[0, 0], [-0.8, 0.9]])
B5 = np.array([[0, 0], [0.5, 0.2], [0.8, 0.4], [0.3, 0.6], [-0.4, 0.9]])
FIGURES = Path(__file__).parents[3] / "shared" / "data" / "survey_reference.json"


def answers(coefficients):
    """The number of the value that each of the 6,000 people holds."""
    logits = np.stack([np.ones(N), COVARIATE], axis=1) @ np.asarray(coefficients).T
    odds = np.exp(logits)
    cumulative = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)[:, :-1]
    u = np.modf(0.6180339887498949 * ROWS)[0]
    return (cumulative <= u[:, None]).sum(axis=1)


def survey(mechanism, coefficients, seed, **columns):
    """The survey of these people under a mechanism, with the covariate c as a label."""
    reports = mechanism.randomize_indices(answers(coefficients), dc.random.seeded(seed))
    return dc.Survey(mechanism, reports, labels={"c": COVARIATE, **columns.pop("labels", {})}, **columns)


def figures():
    """The reference figures by name; the test is skipped where the file is absent."""
    if not FIGURES.exists():
        pytest.skip("the file of reference figures is not at hand")
    return json.loads(FIGURES.read_text())
