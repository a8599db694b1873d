"""Drafts: what a spec would give before it is a collection, in errors, people, an attacker's success and a preview."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.words import seeded
from ..client.promise import promise
from ..contexts import Context
from ..core.errors import DiscreetError, InvalidInput, InvalidSpec
from ..core.exact import text_of
from ..core.fields import Fields, exact, whole
from ..estimation.results.projection import project
from ..estimation.results.unbiased import estimate
from ..leakage.profiles import profile_of
from ..mechanisms.mechanism import Mechanism
from ..planning.choose import compare_mechanisms, prior_of
from ..planning.expected import detectable_share, deviations_of
from ..planning.objective import objective_of
from ..wire.spec import Spec

Array = NDArray[np.float64]

MOST_PEOPLE = 10**9
MOST_COUNT = 10**15
PREVIEWED = 50_000
"""The most people of a preview."""
SHOWN = 200
"""The most values of a preview."""
Z = 1.959963984540054
STEPS = 12
"""How often the search for an epsilon is halved."""
RANGE = Fraction(1, 50), Fraction(12)
"""Where an epsilon is searched."""


def drafted(data: object) -> dict[str, Any]:
    """What the spec in a request would give; with `stderr` in it, the smallest epsilon that reaches it is taken."""
    fields = Fields(data, "")
    spec, n = Spec.of(fields.required("spec")), whole(fields.required("n"), "n")
    if not 1 <= n <= MOST_PEOPLE:
        raise InvalidSpec(f"n must be from 1 to {MOST_PEOPLE}")
    counts, wanted = fields.optional("counts"), fields.optional("stderr")
    fields.close()
    shares = _shares(spec.context, counts)
    found = None
    if wanted is not None:
        found = _reaching(data, float(exact(wanted, "stderr")), n, shares)
        spec = _at(data, found)
    mechanism = spec.mechanism
    return {
        "epsilon": None if found is None else text_of(found),
        "mechanism": mechanism.name,
        "bits": mechanism.bits,
        "fingerprint": mechanism.fingerprint,
        "certificate": mechanism.certificate.as_dict(),
        "promise": promise(spec.context, "refuse", {})[:-1],
        "rows": _rows(spec.context, mechanism, n, shares),
        "preview": _preview(mechanism, n, shares),
        "spec": spec.to_toml(),
    }


def _shares(context: Context, counts: object) -> Array:
    if counts is None:
        return np.asarray(prior_of(context, None))
    fit = isinstance(counts, list) and all(type(one) in (int, float) and 0 <= one <= MOST_COUNT for one in counts)
    found = np.array(counts, dtype=float) if fit else np.zeros(0)
    if found.shape != (context.size,) or not found.sum():
        raise InvalidSpec(f"counts must be {context.size} numbers, one a value, none below 0 and not all 0")
    return np.asarray(found / found.sum())


def _rows(context: Context, mechanism: Mechanism, n: int, shares: Array) -> list[dict[str, Any]]:
    """No privacy, classical privacy at the smallest epsilon, and this context."""
    plain = np.sqrt(shares * (1 - shares))
    rows = [_row("no privacy", plain, n, -math.log(0.05) / n, 1.0)]
    try:
        uniform = Context.uniform(context.values, context.smallest)
        classical = compare_mechanisms(uniform, shares, None, objective_of(uniform)).chosen
        rows.append(_of("classical privacy", classical, n, shares))
    except DiscreetError:
        pass  # epsilon 0 or infinite has no classical form
    return [*rows, _of("this design", mechanism, n, shares)]


def _of(label: str, mechanism: Mechanism, n: int, shares: Array) -> dict[str, Any]:
    guess = profile_of(mechanism).bayes_success(shares)
    return _row(label, deviations_of(mechanism, shares), n, detectable_share(mechanism, n, shares), guess)


def _row(label: str, deviations: Array, n: int, detectable: float, guess: float | None) -> dict[str, Any]:
    worst = float(deviations.max())
    return {
        "label": label,
        "stderr": worst / math.sqrt(n),
        "width": 2 * Z * float(np.median(deviations)) / math.sqrt(n),
        "detectable": detectable,
        "people_for_a_point": math.ceil((worst / 0.01) ** 2),
        "guess": guess,
    }


def _preview(mechanism: Mechanism, n: int, shares: Array) -> dict[str, Any] | None:
    """Made-up people who follow the shares, and what would be found."""
    if mechanism.context.size > SHOWN:
        return None
    people = min(n, PREVIEWED)
    held = np.random.default_rng(1).choice(len(shares), people, p=shares)
    found = estimate(mechanism.tally(mechanism.randomize_indices(held, seeded(2))))
    low, high = found.interval()
    return {
        "n": people,
        "values": [str(value) for value in mechanism.context.values],
        "truth": (np.bincount(held, minlength=len(shares)) / people).tolist(),
        "shares": found.shares.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "projected": project(found).shares.tolist(),
    }


def _at(data: Any, epsilon: Fraction) -> Spec:
    """The spec of a request at another epsilon."""
    return Spec.of({**data["spec"], "context": {**data["spec"]["context"], "epsilon": text_of(epsilon)}})


def _reaching(data: Any, wanted: float, n: int, shares: Array) -> Fraction:
    """The smallest epsilon, to a hundredth, at which no standard error is above the one wanted."""
    if not 0 < wanted < 1:
        raise InvalidSpec("stderr must be between 0 and 1")
    if not isinstance(data["spec"]["context"].get("epsilon"), str):
        raise InvalidSpec("spec: an accuracy finds an epsilon only where the context has one for all, as text")

    def enough(epsilon: Fraction) -> bool:
        worst = float(deviations_of(_at(data, epsilon).mechanism, shares).max())
        return worst / math.sqrt(n) <= wanted

    low, high = RANGE
    if not enough(high):
        raise InvalidInput(f"no epsilon up to {high} reaches a standard error of {wanted:g} with {n:,} people")
    for _ in range(STEPS):
        middle = Fraction(round((low + high) / 2 * 100), 100)
        if middle in (low, high):
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
