"""The gallery: every example is a spec that works, has comments to learn from, and gains over classical privacy."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

import discreet as dc
from discreet import gallery
from discreet.core.errors import InvalidInput
from discreet.gallery import EXAMPLES, FORMS, QUESTIONNAIRES, find
from discreet.gallery.page import MIN_GAIN, gain_of, page
from discreet.wire import Questionnaire, Spec
from discreet.wire.texts import KINDS

NAMES = [example.name for example in EXAMPLES]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_spec_with_a_certified_mechanism(name, tmp_path):
    example = find(name)
    path = tmp_path / f"{name}.toml"
    path.write_text(example.text)
    made = Spec.read(path).mechanism
    assert made.fingerprint == example.spec.mechanism.fingerprint
    tally = made.tally(made.randomize_indices(np.arange(made.context.size), dc.random.seeded(1)))
    assert float(dc.estimate(tally).shares.sum()) == pytest.approx(1)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_explains_itself_and_is_named(name):
    text = find(name).text
    assert text.startswith("# ")
    assert tomllib.loads(text)["name"] == name.replace("-", " ")
    assert max(map(len, text.splitlines())) <= 130


@pytest.mark.parametrize("example", FORMS, ids=lambda example: example.name)
def test_a_form_to_start_from_works_and_explains_itself(example, tmp_path):
    assert example.text.startswith("# ")
    assert tomllib.loads(example.text)["name"] == example.name.replace("-", " ")
    (tmp_path / "form.toml").write_text(example.text)
    form = dc.Form.read(tmp_path / "form.toml")
    assert form.fingerprint == example.form.fingerprint
    answers = {name: spec.context.values[0] for name, spec in form.questions.items()}
    assert form.tally([form.randomize(answers, dc.random.seeded(1)) for _ in range(3)]).n == 3


@pytest.mark.parametrize("example", QUESTIONNAIRES, ids=lambda example: example.name)
def test_a_questionnaire_to_start_from_can_be_read_answered_and_declared(example, tmp_path):
    assert example.text.startswith("# ")
    (tmp_path / "asked.toml").write_text(example.text)
    asked = Questionnaire.read(tmp_path / "asked.toml")
    assert asked.texts == example.questionnaire.texts
    kinds = {one.kind for one in asked.texts.questions.values()}
    if example.name == "health-questionnaire":
        assert kinds == set(KINDS)
        german = asked.texts.in_language("de")
        assert german.title != asked.texts.title
        assert all(one.question for one in asked.texts.translations["de"].questions.values())
    else:
        assert kinds == {"number"}
    answers = {name: spec.context.values[-1] for name, spec in asked.specs.items()}
    assert len(asked.spec.randomize(answers, dc.random.seeded(1))) == (
        1 if asked.spec.strategy == "one at random" else 2
    )
    assert asked.declaration()["title"] == asked.texts.title


def test_every_spec_in_the_folder_is_listed():
    folder = gallery.files(gallery.__name__)
    assert sorted(path.name for path in folder.iterdir() if path.name.endswith(".toml")) == sorted(
        f"{name}.toml" for name in (*NAMES, *(form.name for form in (*FORMS, *QUESTIONNAIRES)))
    )
    with pytest.raises(InvalidInput, match="name='age' must be one of ages, "):
        find("age")


def test_gains_are_compared_on_one_page_with_a_picture_each(tmp_path):
    gains = [gain_of(find(name), seconds=0.5) for name in ("likert", "answers")]
    for gain in gains:
        assert gain.without < gain.designed.bound <= gain.designed.error <= gain.error * (1 + 1e-9) < gain.classical
    made = page(gains, seconds=0.5)
    assert made.command == "discreet gallery all --seconds 0.5"
    assert [check.holds for check in made.checks] == [all(gain.ratio >= MIN_GAIN for gain in gains)] == [True]
    written, missing = made.save(tmp_path, ["png"])
    assert {path.name for path in written} >= {"gallery.md", "gallery-gains.tsv"}
    if not missing:
        assert (tmp_path / "gallery-likert.png").stat().st_size > 1000


def test_a_context_that_gains_nothing_fails_the_check():
    """The control: classical privacy beside itself."""
    from dataclasses import replace

    gain = gain_of(find("answers"), seconds=0.5)
    level = replace(gain, classical=gain.error)
    assert not page([level], seconds=0.5).checks[0].holds
