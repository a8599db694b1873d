"""How long regressions of surveys take, in seconds of processor time, and the memory that they hold beside the survey.

    python bench/survey_regression.py [--quick]

Nothing is asserted. The aims are 2 seconds for least squares of a million reports of 1,000 values on ten labels, and
for the likelihood of 100,000 reports of ten values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from measure import least, memory_beside

import discreet as dc


def survey(name: str, k: int, n: int, labels: int) -> dc.Survey:
    """People whose values go with the first label."""
    draws = np.random.default_rng(1)
    columns = draws.normal(size=(labels, n))
    held = np.clip((k * (0.5 + 0.15 * columns[0] + 0.1 * draws.normal(size=n))).astype(int), 0, k - 1)
    mechanism = dc.mechanism(dc.Context.uniform(range(k), "2"), name)
    reports = mechanism.randomize_indices(held, dc.random.seeded(1))
    return dc.Survey(mechanism, reports, labels={f"c{i}": column for i, column in enumerate(columns)})


def show(what: str, work: Callable[[], Any]) -> None:
    """Print the least time of three tries, and the memory of a fourth."""
    print(f"{what:64s} {least(work, tries=3):7.2f} s {memory_beside(work):8.1f} MB", flush=True)


def main() -> None:
    """Time every kind of regression."""
    part = 10 if "--quick" in sys.argv else 1
    n = 1_000_000 // part
    many = survey("hadamard", 1000, n, 10)
    event, on = (np.arange(1000) >= 500).astype(float), list(many.labels)
    show(f"scores, hadamard k = 1,000, n = {n:,}", lambda: many.scores(event))
    show(f"regress, identity, k = 1,000, n = {n:,}, 10 labels", lambda: dc.regress(many, event, on=on))
    show(f"regress, logit, k = 1,000, n = {n:,}, 10 labels", lambda: dc.regress(many, event, on=on, link="logit"))
    show(f"regress_on, k = 1,000, n = {n:,}, 9 labels", lambda: dc.regress_on(many, "c0", event, on=on[1:]))
    n = 100_000 // part
    for name, k, labels in (("randomized_response", 10, 2), ("hadamard", 10, 2), ("subset", 10, 2), ("subset", 10, 5)):
        some = survey(name, k, n, labels)
        what = f"multinomial, {name} k = {k}, n = {n:,}, {labels} labels"
        show(what, lambda some=some: dc.multinomial(some, on=list(some.labels)))  # type: ignore[misc]
    some = survey("subset", 50, n // 2, 1)
    show(f"multinomial, subset k = 50, n = {n // 2:,}, 1 label", lambda: dc.multinomial(some, on=["c0"]))


if __name__ == "__main__":
    main()
