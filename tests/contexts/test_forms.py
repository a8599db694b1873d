"""Adding a form is its file and one line in a registry: shown with a form that exists only here."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet import bounds, checks
from discreet.cli import main
from discreet.contexts import FORMS, Context, Part
from discreet.contexts.reading import epsilon_in, require_domain
from discreet.core.domain import Domain
from discreet.core.exact import Epsilon, positive_finite, text_of
from discreet.core.fields import Fields, whole
from discreet.wire import Spec, law_text, parse_law


class Halves(Context):
    """The first `count` values must not be told apart, nor the others, each at its own epsilon: a form of the tests."""

    form = "halves"
    is_canonical = True

    def __init__(self, domain: Domain, count: int, first: object, second: object) -> None:
        self.domain, self.count = domain, count
        self.levels = positive_finite(first), positive_finite(second)

    @property
    def class_of(self) -> Sequence[int]:
        return [int(x >= self.count) for x in range(self.size)]

    def between(self, c: int, d: int) -> Epsilon:
        return self.levels[c] if c == d else math.inf

    def finite(self) -> Iterator[tuple[int, int]]:
        return iter([(0, 0), (1, 1)])

    @property
    def parts(self) -> tuple[Part, ...]:
        ranges = range(self.count), range(self.count, self.size)
        return tuple(Part(f"half {c}", ranges[c], ranges[c], self.levels[c]) for c in (0, 1))

    @classmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Context:
        second = fields.optional("second", default="1")
        return cls(
            require_domain(domain), whole(fields.required("count"), fields.name("count")), epsilon_in(fields), second
        )

    def describe(self) -> dict[str, Any]:
        first, second = map(text_of, self.levels)
        return {"form": self.form, "count": self.count, "epsilon": first, "second": second}


class Wards(Halves):
    """Two halves in each of which only the first `hidden` values are sensitive: parts that have others."""

    form = "wards"
    hidden = 2

    @property
    def class_of(self) -> Sequence[int]:
        return [2 * int(x >= self.count) + int(x % self.count >= self.hidden) for x in range(self.size)]

    def between(self, c: int, d: int) -> Epsilon:
        return self.levels[c // 2] if c // 2 == d // 2 and c % 2 == 0 else math.inf

    def finite(self) -> Iterator[tuple[int, int]]:
        return iter([(0, 0), (0, 1), (2, 2), (2, 3)])

    @property
    def parts(self) -> tuple[Part, ...]:
        whole = super().parts
        return tuple(Part(part.name, part.members, part.members[: self.hidden], part.level) for part in whole)


@pytest.fixture
def wards(monkeypatch):
    monkeypatch.setitem(FORMS, Wards.form, Wards)
    return Wards(Domain(range(10)), 5, "1", "0.5")


def test_parts_with_sensitive_values_and_others_are_served_each_by_its_own_high_low(wards):
    chosen = dc.explain(wards)
    named = {name: dc.mechanism(wards, name) for name in ("subset", "hadamard", "randomized_response")}
    assert {made.name for made in named.values()} == {f"blocks({name})" for name in named}
    assert list(named["subset"].sampler.disclosed) == [2, 3, 4, 7, 8, 9]
    errors = [float(c.error) for c in chosen.candidates]
    halves = dc.explain(Halves(Domain(range(10)), 5, "1", "0.5"))
    assert errors[0] < halves.candidates[0].error / 2  # what needs no protection is not paid for
    assert "unbiased" in checks.check_mechanism(chosen.chosen)
    assert Spec.of_mechanism(chosen.chosen).mechanism.fingerprint == chosen.chosen.fingerprint


def test_bounds_for_such_parts_hold_for_the_mechanisms_that_serve_them(wards):
    found = bounds.bounds_for(wards, 1000)
    attained = dc.explain(wards).candidates[0].error / 1000
    assert found.lower["squared_error"].value <= attained
    assert found.lower["squared_error_worst"].value <= found.upper["squared_error_worst"].value


def test_results_keep_the_totals_of_such_parts(wards):
    mechanism = dc.mechanism(wards)
    tally = mechanism.tally(mechanism.randomize_indices(np.repeat(range(10), 40), dc.random.seeded(1)))
    for result in (dc.project(tally), dc.likelihood(tally), dc.shrink(tally)):
        assert result.shares[:5].sum() == pytest.approx(0.5)


@pytest.fixture
def context(monkeypatch):
    monkeypatch.setitem(FORMS, Halves.form, Halves)
    return Halves(Domain(range(9)), 4, "1", "0.5")


def test_the_best_mechanism_is_certified_and_passes_the_conformance_suite(context):
    mechanism = dc.mechanism(context)
    same = dc.mechanism(Context.blocks({0: range(4), 1: range(4, 9)}, {0: "1", 1: "0.5"}))
    assert mechanism.law() == same.law()
    assert "unbiased" in checks.check_mechanism(mechanism)
    for name in ("hadamard", "subset", "randomized_response"):
        assert dc.mechanism(context, name).certificate.claimed in (1, Fraction(1, 2))


def test_it_is_planned_bounded_and_compared(context):
    same = Context.blocks({0: range(4), 1: range(4, 9)}, {0: "1", 1: "0.5"})
    assert context == same
    assert dc.plan(context, n=1000).expected.total_squared_error == dc.plan(same, n=1000).expected.total_squared_error
    ours, theirs = (bounds.bounds_for(one, 1000) for one in (context, same))
    assert ours.lower["squared_error"].value == theirs.lower["squared_error"].value
    assert ours.upper["squared_error"].value == theirs.upper["squared_error"].value
    assert (context + same).parts is not None
    assert (context & same) == same


def test_results_know_its_parts(context):
    mechanism = dc.mechanism(context)
    values = np.repeat(range(9), 30)
    tally = mechanism.tally(mechanism.randomize_indices(values, dc.random.seeded(1)))
    assert dc.estimate(tally).block_totals == {"half 0": 4 / 9, "half 1": 5 / 9}
    for result in (dc.project(tally), dc.likelihood(tally), dc.shrink(tally)):
        assert result.shares[:4].sum() == pytest.approx(4 / 9)


def test_specs_laws_and_commands_take_it(context, tmp_path, capsys):
    mechanism = dc.mechanism(context)
    spec = Spec.of_mechanism(mechanism)
    assert Spec.of(spec.as_dict()).mechanism.fingerprint == mechanism.fingerprint
    assert parse_law(law_text(mechanism)).fingerprint == mechanism.fingerprint
    spec.write(tmp_path / "spec.toml")
    for command in ("verify", "law"):
        with pytest.raises(SystemExit) as end:
            main([command, str(tmp_path / "spec.toml")])
        assert end.value.code == 0
        assert "halves" in capsys.readouterr().out.lower()


def test_without_the_line_in_the_registry_it_is_refused(tmp_path):
    mechanism = dc.mechanism(Halves(Domain(range(9)), 4, "1", "0.5"))
    with pytest.raises(dc.errors.InvalidSpec, match="form='halves' must be one of uniform"):
        parse_law(law_text(mechanism))
