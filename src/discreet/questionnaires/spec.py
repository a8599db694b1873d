"""Forms in TOML or JSON: ``[form]`` with a strategy, and ``[[questions]]``, each as the spec of one question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..contexts.reading import describe_domain
from ..core.errors import InvalidInput, InvalidSpec, shown
from ..core.exact import positive_finite, text_of
from ..core.fields import Fields, listed, number, text, whole, written
from ..core.limits import allowed, check, metered
from ..wire.spec import FINGERPRINT, Spec, check_name, is_form, located, named_files, parsed_document
from .form import MAX_QUESTIONS, STRATEGIES, TOGETHER, VERSION, Form, check_question, question_epsilon


def read_form(path: str | Path, *, folder: str | Path | None = None) -> Form:
    """The form in a file, TOML or JSON by its name; files that it names are in its folder, or in `folder`."""
    path = check_name(path)
    with located(str(path)):
        return _form_in_file(parsed_document(path), path, path.parent if folder is None else Path(folder))


def read_spec_or_form(path: str | Path) -> Spec | Form:
    """The spec of one question, or the form of several, whichever a file holds."""
    path = check_name(path)
    with located(str(path)):
        data = parsed_document(path)
        several = isinstance(data, Mapping) and is_form(data)
        return _form_in_file(data, path, path.parent) if several else Spec.in_file(data, path, path.parent)


def _form_in_file(data: Any, path: Path, folder: Path) -> Form:
    form = form_of(data, folder, str(path))
    form.files = (path, *(folder / name for name in named_files(data)))
    return form


def form_of(data: object, folder: Path | None, source: str) -> Form:
    """The form that plain data describe."""
    with metered(allowed()):
        fields = Fields(data, "")
        about = {key: text(fields.optional(key, default=""), key) for key in ("name", "note", "fingerprint")}
        if "fingerprint" in fields and not FINGERPRINT.fullmatch(about["fingerprint"]):
            raise InvalidSpec("fingerprint must be the 64 hexadecimal digits that `discreet verify` shows")
        if (version := whole(fields.optional("version", default=VERSION), "version")) != VERSION:
            raise InvalidSpec(f"version={version} must be {VERSION}, the only known version")
        entries = Fields(fields.required("form"), "form")
        strategy, epsilon = _strategy(entries.required("strategy")), _epsilon(entries)
        entries.close()
        asked = listed(fields.required("questions"), "questions")
        if not 2 <= len(asked) <= MAX_QUESTIONS:
            raise InvalidSpec(f"questions: {len(asked)} must be from 2 to {MAX_QUESTIONS}")
        share = None if epsilon is None else question_epsilon(epsilon, strategy, len(asked))
        choice = fields.optional("mechanism") if strategy == TOGETHER else None
        fields.close()
        if choice is not None and not isinstance(choice, Mapping):
            raise InvalidSpec("mechanism must be a table")
        questions = _questions(asked, share, strategy, folder, source)
        form = Form(
            questions, strategy, epsilon=epsilon, choice=choice, name=about["name"], source=source, limits=allowed()
        )
        form.note, form.pinned = about["note"], about["fingerprint"]
        return form


def _strategy(data: object) -> str:
    strategy = text(data, "form.strategy")
    if strategy not in STRATEGIES:
        raise InvalidSpec(f"form.strategy={shown(strategy)} must be one of {', '.join(map(repr, STRATEGIES))}")
    return strategy


def _epsilon(entries: Fields) -> Fraction | None:
    if not entries.has("epsilon"):
        return None
    return positive_finite(number(entries.required("epsilon"), "form.epsilon"), name="form.epsilon")


def _questions(
    asked: list[Any], share: Fraction | None, strategy: str, folder: Path | None, source: str
) -> dict[str, Spec]:
    """The spec of every question by its name; what a document may ask for is for all of them together."""
    found: dict[str, Spec] = {}
    limits = replace(allowed(), work=allowed().work // len(asked))
    for place, data in enumerate(asked):
        with located(f"questions[{place}]"):
            fields = Fields(data, "")
            try:
                name = check_question(text(fields.required("name"), "name"))
            except InvalidInput as problem:
                raise InvalidSpec(str(problem)) from None
            if name in found:
                raise InvalidSpec(f"name={shown(name)} is that of an earlier question; names must differ")
            entries = fields.rest()
            if strategy == TOGETHER and not entries.keys().isdisjoint(("mechanism", "law")):
                raise InvalidSpec('mechanism must stand beside the form, which has one for all answers "together"')
            if share is not None:
                if "context" in entries:
                    raise InvalidSpec("context must be left out: form.epsilon is that of the whole form")
                entries["context"] = {"form": "uniform", "epsilon": text_of(share)}
            found[name] = replace(Spec.in_form(entries, folder, source), limits=limits)
    check("values", sum(spec.context.size for spec in found.values()), "questions")
    return found


def as_dict(form: Form) -> dict[str, Any]:
    """The form as plain data, with mechanisms named as chosen: `Form.of` gives the same fingerprint."""
    about = {"name": form.name, "note": form.note, "version": VERSION, "fingerprint": form.pinned}
    entries: dict[str, Any] = {"strategy": form.strategy}
    if form.epsilon is not None:
        entries["epsilon"] = text_of(form.epsilon)
    joint = form.strategy == TOGETHER
    questions = []
    for name, spec in form.questions.items():
        context = spec.context
        told = {"domain": describe_domain(context.domain), "context": context.describe()}
        if form.epsilon is not None:
            del told["context"]
        question = {"name": name, **written(told)}
        questions.append(question if joint else question | {"mechanism": spec.as_dict()["mechanism"]})
    mechanism = {"mechanism": next(iter(form.parts.values())).as_dict()["mechanism"]} if joint else {}
    return {
        **{key: entry for key, entry in about.items() if entry},
        "form": entries,
        **mechanism,
        "questions": questions,
    }


def write_form(form: Form, path: str | Path) -> None:
    """Write the form to a .toml or .json file, whole or not at all."""
    from ..core.documents import replacing

    path = check_name(path)
    content = (
        form.to_toml() if path.suffix == ".toml" else json.dumps(as_dict(form), ensure_ascii=False, indent=2) + "\n"
    )
    with replacing(path) as file:
        file.write(content.encode())
