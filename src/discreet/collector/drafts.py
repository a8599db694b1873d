"""Drafts: the errors, an attacker's success and a preview of results that a spec would give as a collection."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bulk.words import seeded
from ..client.promise import promise
from ..contexts import Context
from ..core.documents import parse_toml
from ..core.errors import DiscreetError, InvalidInput, InvalidSpec, shown
from ..core.exact import text_of
from ..core.fields import Fields, exact, text, to_plain, whole
from ..core.numbers import NumberDomain
from ..estimation.results.projection import project
from ..estimation.results.unbiased import estimate
from ..leakage.profiles import profile_of
from ..mechanisms.mechanism import Mechanism
from ..planning.choose import compare_mechanisms, prior_of
from ..planning.expected import detectable_share, deviations_of
from ..planning.objective import objective_of
from ..questionnaires.strategies import strategies, variance
from ..wire.form import ONE, TOGETHER, Form
from ..wire.questionnaire import SETTINGS, plain_setting
from ..wire.spec import Spec, dumps, is_form

Array = NDArray[np.float64]

MAX_PEOPLE = 10**9
MAX_COUNT = 10**15
MAX_PREVIEW_PEOPLE = 50_000
"""The most people of a preview."""
MAX_PREVIEW_VALUES = 200
"""The most values of a preview."""
MAX_PREVIEW_TUPLES = 600
"""The most tuples of answers for which a form is compared with itself asked together, while somebody waits."""
Z = 1.959963984540054
SEARCH_STEPS = 12
"""How often the interval of the search for an epsilon is halved."""
EPSILON_RANGE = Fraction(1, 50), Fraction(12)
"""The interval in which an epsilon is searched."""


def evaluate_draft(data: object) -> dict[str, Any]:
    """What the spec in a request would give; with `stderr` in it, at the smallest epsilon that reaches it.

    Of a form: what each question gives away, its errors, and the ways to ask them compared.
    """
    fields = Fields(data, "")
    if isinstance(given := fields.optional("spec"), Mapping) and is_form(given):
        return _evaluate_form(fields)
    spec, n = Spec.of(fields.required("spec")), _people(fields)
    counts, stderr, units = fields.optional("counts"), fields.optional("stderr"), _units(fields, ("",))
    fields.close()
    shares = _shares(spec.context, counts)
    epsilon = None
    if stderr is not None:
        epsilon = _smallest_epsilon(data, float(exact(stderr, "stderr")), n, shares)
        spec = _spec_at(data, epsilon)
    mechanism = spec.mechanism
    return {
        "epsilon": None if epsilon is None else text_of(epsilon),
        "mechanism": mechanism.name,
        "bits": mechanism.bits,
        "fingerprint": mechanism.fingerprint,
        "certificate": mechanism.certificate.as_dict(),
        "cost": text_of(spec.context.largest),
        "promise": promise(spec.context, "refuse", {}, unit=units[""])[:-1],
        **_accuracy(mechanism, n, shares),
        "spec": spec.to_toml(),
    }


def _accuracy(mechanism: Mechanism, n: int, shares: Array) -> dict[str, Any]:
    """The errors to expect and made-up results; of numbers the error of their mean, for which they are asked."""
    mean = _mean(mechanism, n, shares)
    if mean is not None:
        return {"mean": mean, "people": n, "rows": [], "preview": None}
    rows, preview = _rows(mechanism.context, mechanism, n, shares), _preview(mechanism, n, shares)
    return {"rows": rows, "preview": preview}


def _mean(mechanism: Mechanism, n: int, shares: Array) -> dict[str, float] | None:
    """The standard error of the mean of numbers, and what it would be without randomization; None for other values."""
    domain = mechanism.context.domain
    if not isinstance(domain, NumberDomain):
        return None
    on_scale = np.arange(len(domain)) < domain.nodes
    numbers = np.array([*map(float, domain.grid), *[0.0] * len(domain.outside)])
    given = float(shares[on_scale].sum())
    centred = np.where(on_scale, numbers - float(shares @ numbers) / given, 0.0) / given
    plain = float(shares @ centred**2)
    return {"stderr": math.sqrt(variance(mechanism, centred, shares) / n), "plain": math.sqrt(plain / n)}


def read_file(data: object) -> dict[str, Any]:
    """A questionnaire or spec as plain data and as TOML, whichever of the two a request holds."""
    fields = Fields(data, "")
    if fields.has("toml") == fields.has("document"):
        raise InvalidSpec("the body must have either toml, the text of a file, or document, what it says")
    if "toml" in fields:
        document: Any = parse_toml(text(fields.required("toml"), "toml"))
    else:
        document = fields.required("document")
    fields.close()
    if not isinstance(document, Mapping):
        raise InvalidSpec("document must be a table")
    settings = {key: plain_setting(document[key]) for key in SETTINGS if key in document}
    plain = _without_decimals(to_plain({**document, **settings}))
    return {"document": plain, "toml": dumps(plain)}


def _without_decimals(entry: Any) -> Any:
    """Plain data with every decimal as its text, which JSON keeps exact."""
    if isinstance(entry, Mapping):
        return {key: _without_decimals(inner) for key, inner in entry.items()}
    if isinstance(entry, list):
        return [_without_decimals(inner) for inner in entry]
    if isinstance(entry, (Decimal, float)):
        return str(entry)
    if isinstance(entry, bool) or not isinstance(entry, (str, int)):
        raise InvalidSpec(f"document: {shown(entry)} must be text, a number, a list or a table")
    return entry


def _people(fields: Fields) -> int:
    n = whole(fields.required("n"), "n")
    if not 1 <= n <= MAX_PEOPLE:
        raise InvalidSpec(f"n must be from 1 to {MAX_PEOPLE}")
    return n


def _units(fields: Fields, names: Iterable[str]) -> dict[str, str]:
    """The unit of each question, by its name, or nothing."""
    given = fields.optional("units", default={})
    if not isinstance(given, Mapping) or not set(given) <= set(names):
        raise InvalidSpec("units must be a table by the names of questions")
    return {name: text(given[name], f"units.{name}") if name in given else "" for name in names}


def _evaluate_form(fields: Fields) -> dict[str, Any]:
    """What a form would give: its cost and promises, the error of each question, and its strategies compared."""
    form, n, counts = Form.of(fields.required("spec")), _people(fields), fields.optional("counts", default={})
    units = _units(fields, form.names)
    fields.close()
    if not isinstance(counts, Mapping) or not set(counts) <= set(form.names):
        raise InvalidSpec("counts must be a table by the names of questions")
    contexts = {name: spec.context for name, spec in form.questions.items()}
    shares = {name: _shares(contexts[name], entry) for name, entry in counts.items()}
    compared = strategies(form, n=n, prior=shares or None, tuples=MAX_PREVIEW_TUPLES)
    asked = compared[form.strategy]
    if asked.shares is None:
        raise InvalidInput(f"form.strategy={form.strategy!r} cannot be worked out: {asked.reason}")
    return {
        "mechanism": ", ".join(dict.fromkeys(asked.mechanisms)),
        "bits": asked.bits,
        "fingerprint": form.fingerprint,
        "cost": text_of(_cost(form)),
        "strategy": form.strategy,
        "questions": [_question(form, name, asked.shares[name], n, units[name]) for name in form.names],
        "strategies": [
            {
                "strategy": one.strategy,
                "cost": None if one.shares is None else text_of(_cost(form.asking(one.strategy))),
                "stderr": one.shares,
                "joint": one.joint,
                "reason": one.reason,
            }
            for one in compared.strategies
        ],
        "best_for_shares": compared.best_for_shares,
        "best_for_joint": compared.best_for_joint,
        "promise": promise(_joint(form), "refuse", {})[:-1] if form.strategy == TOGETHER else [],
        "spec": form.to_toml(),
    }


def _cost(form: Form) -> Fraction:
    """What an answer to the whole form uses of a budget: of one question at random, the most; else all added up."""
    costs = [Fraction(spec.context.largest) for spec in form.parts.values()]
    return max(costs) if form.strategy == ONE else sum(costs, Fraction(0))


def _joint(form: Form) -> Context:
    """The context of all answers together."""
    (spec,) = form.parts.values()
    return spec.context


def _question(form: Form, name: str, stderr: float, n: int, unit: str) -> dict[str, Any]:
    context = form.questions[name].context
    people = max(1, n // len(form.names)) if form.strategy == ONE else n
    return {
        "name": name,
        "values": [str(value) for value in context.values[:MAX_PREVIEW_VALUES]],
        "size": context.size,
        "cost": text_of(context.largest),
        "promise": [] if form.strategy == TOGETHER else promise(context, "refuse", {}, unit=unit)[:-1],
        "mechanism": None if form.strategy == TOGETHER else form.mechanisms[name].name,
        "stderr": stderr,
        "width": 2 * Z * stderr,
        "people_for_a_point": math.ceil(n * (stderr / 0.01) ** 2),
        "mean": None if form.strategy == TOGETHER else _mean(form.mechanisms[name], people, _shares(context, None)),
    }


def _shares(context: Context, counts: object) -> Array:
    if counts is None:
        return np.asarray(prior_of(context, None))
    fit = isinstance(counts, list) and all(type(one) in (int, float) and 0 <= one <= MAX_COUNT for one in counts)
    numbers = np.array(counts, dtype=float) if fit else np.zeros(0)
    if numbers.shape != (context.size,) or not numbers.sum():
        raise InvalidSpec(f"counts must be {context.size} numbers, one a value, none below 0 and not all 0")
    return np.asarray(numbers / numbers.sum())


def _rows(context: Context, mechanism: Mechanism, n: int, shares: Array) -> list[dict[str, Any]]:
    """No privacy, classical privacy at the smallest epsilon, and this context."""
    plain = np.sqrt(shares * (1 - shares))
    rows = [_row("no privacy", plain, n, -math.log(0.05) / n, 1.0)]
    try:
        uniform = Context.uniform(context.values, context.smallest)
        classical = compare_mechanisms(uniform, shares, None, objective_of(uniform)).chosen
        rows.append(_row_of("classical privacy", classical, n, shares))
    except DiscreetError:
        pass  # epsilon 0 or infinite has no classical form
    return [*rows, _row_of("this design", mechanism, n, shares)]


def _row_of(label: str, mechanism: Mechanism, n: int, shares: Array) -> dict[str, Any]:
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
    """Simulated people who follow the shares, and the estimate from their reports."""
    if mechanism.context.size > MAX_PREVIEW_VALUES:
        return None
    people = min(n, MAX_PREVIEW_PEOPLE)
    values = np.random.default_rng(1).choice(len(shares), people, p=shares)
    result = estimate(mechanism.tally(mechanism.randomize_indices(values, seeded(2))))
    low, high = result.interval()
    return {
        "n": people,
        "values": [str(value) for value in mechanism.context.values],
        "truth": (np.bincount(values, minlength=len(shares)) / people).tolist(),
        "shares": result.shares.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "projected": project(result).shares.tolist(),
    }


def _spec_at(data: Any, epsilon: Fraction) -> Spec:
    """The spec of a request at another epsilon."""
    return Spec.of({**data["spec"], "context": {**data["spec"]["context"], "epsilon": text_of(epsilon)}})


def _smallest_epsilon(data: Any, stderr: float, n: int, shares: Array) -> Fraction:
    """The smallest epsilon, to a hundredth, at which no standard error is above `stderr`."""
    if not 0 < stderr < 1:
        raise InvalidSpec("stderr must be between 0 and 1")
    if not isinstance(data["spec"]["context"].get("epsilon"), str):
        raise InvalidSpec("spec: an accuracy finds an epsilon only where the context has one for all, as text")

    def enough(epsilon: Fraction) -> bool:
        worst = float(deviations_of(_spec_at(data, epsilon).mechanism, shares).max())
        return worst / math.sqrt(n) <= stderr

    low, high = EPSILON_RANGE
    if not enough(high):
        raise InvalidInput(f"no epsilon up to {high} reaches a standard error of {stderr:g} with {n:,} people")
    for _ in range(SEARCH_STEPS):
        middle = Fraction(round((low + high) / 2 * 100), 100)
        if middle in (low, high):
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
