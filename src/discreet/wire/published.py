"""Published law files: the law of one question, or those of a form of several, read strictly and certified."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ..contexts import Context
from ..core.canonical import loads
from ..core.errors import InvalidInput, InvalidSpec, shown
from ..core.fields import Fields, as_list, text, whole
from ..core.limits import allowed, check, metering
from ..mechanisms.mechanism import Mechanism
from .form import MAX_QUESTIONS, STRATEGIES, TOGETHER, VERSION, Form, check_question
from .spec import Spec, located, parse_law

Law: TypeAlias = Mechanism | Form
"""What people answer under, and a law file holds: the mechanism of a single question, or the form of several."""

ENTRIES = {"version", "domain", "context", "law"}
"""What a published law holds."""


def parse_published(written: str) -> Law:
    """The mechanism, or the form, that a law file describes: every part is certified from its integers alone.

    `InvalidSpec` unless the text is exactly what `law_text` or `Form.published` gives; `PrivacyViolation` if a law
    breaks its context. What the parts ask for is held to `discreet.core.limits` together.

    >>> import discreet as dc
    >>> form = dc.Form({"smokes": ["no", "yes"], "travels": ["bus", "car"]}, "one at random", epsilon="1")
    >>> dc.wire.parse_published(form.published).fingerprint == form.fingerprint
    True
    """
    data = loads(written, InvalidSpec)
    if not isinstance(data, dict) or "form" not in data:
        return parse_law(written)
    with metering(allowed()):
        form = _form_of(data)
    _ = form.mechanisms
    if form.published != written:
        raise InvalidSpec(
            "the published laws of a form must be canonical JSON: keys sorted, no spaces, each number written in one "
            "way only"
        )
    return form


def _form_of(data: Mapping[str, Any]) -> Form:
    """The form whose parts are the laws of a file, not yet certified."""
    fields = Fields(data, "")
    if (version := whole(fields.required("version"), "version")) != VERSION:
        raise InvalidSpec(f"version={version} must be {VERSION}, the only known version")
    entries = Fields(fields.required("form"), "form")
    fields.close()
    strategy = text(entries.required("strategy"), "form.strategy")
    if strategy not in STRATEGIES:
        raise InvalidSpec(f"form.strategy={shown(strategy)} must be one of {', '.join(map(repr, STRATEGIES))}")
    names = as_list(entries.required("questions"), "form.questions")
    laws = as_list(entries.required("laws"), "form.laws")
    entries.close()
    if not 2 <= len(names) <= MAX_QUESTIONS:
        raise InvalidSpec(f"form.questions: {len(names)} must be from 2 to {MAX_QUESTIONS}")
    try:
        checked = [check_question(name) for name in names]
    except InvalidInput as problem:
        raise InvalidSpec(f"form.questions: {problem}") from None
    if len(set(checked)) != len(checked):
        raise InvalidSpec("form.questions: names must differ")
    count = 1 if strategy == TOGETHER else len(names)
    if len(laws) != count:
        raise InvalidSpec(f"form.laws: {len(laws)} must be {count}, one for each part of the form")
    limits = replace(allowed(), work=allowed().work // count)
    specs = [replace(_law_of(law, place), limits=limits) for place, law in enumerate(laws)]
    check("values", sum(spec.context.size for spec in specs), "form.laws")
    if strategy != TOGETHER:
        return Form(dict(zip(checked, specs, strict=True)), strategy, limits=limits)
    (joint,) = specs
    if joint.context.factors is None and joint.context.smallest == joint.context.largest:  # one epsilon for all
        answers = dict(zip(checked, _places(joint.context, len(checked)), strict=True))
        return Form(answers, strategy, epsilon=joint.context.largest, choice=joint.choice, limits=limits)
    contexts = _factors(joint.context)
    if len(contexts) != len(checked):
        raise InvalidSpec(f"form.laws[0] must be about {len(checked)} questions, not {len(contexts)}")
    return Form(dict(zip(checked, contexts, strict=True)), strategy, choice=joint.choice, limits=limits)


def _law_of(law: object, place: int) -> Spec:
    with located(f"form.laws[{place}]"):
        if not isinstance(law, dict) or set(law) != ENTRIES:
            raise InvalidSpec("a published law must hold version, domain, context and law, and nothing else")
        return Spec.in_form(law, None, "")


def _places(context: Context, count: int) -> list[list[Any]]:
    """The answers to each question of a context whose values are all tuples of them."""
    values = list(context.values)
    if not all(isinstance(value, tuple) and len(value) == count for value in values):
        raise InvalidSpec(f"form.laws[0]: values must be tuples of {count} answers, one to each question")
    places = [list(dict.fromkeys(column)) for column in zip(*values, strict=True)]
    if math.prod(map(len, places)) != len(values):
        raise InvalidSpec("form.laws[0]: values must be all tuples of answers, the last question's running fastest")
    return places


def _factors(context: Context) -> list[Context]:
    """The contexts of the questions of a product, in order."""
    return [context] if context.factors is None else [one for side in context.factors for one in _factors(side)]
