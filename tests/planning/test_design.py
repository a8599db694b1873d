"""Laws of designs: certified, never worse than a closed form, honest about the gap, repeatable."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidInput, NotIdentifiable
from discreet.planning.design import run, search, table
from discreet.planning.design.search import Search
from discreet.planning.objective import objective_of
from discreet.planning.optimize import generation, master, one_query, semidefinite
from discreet.wire import Spec, law_text, parse_law

LINE = dc.Context.metric(range(6), lambda x, z: abs(x - z), "0.5")
ASYMMETRIC = dc.Context.matrix(["a", "b", "c"], [[0, 1, "inf"], [1, 0, 2], [2, "1/3", 0]])
FAR = ["inf"] * 3
BLOCKS = dc.Context.matrix(
    range(6),
    [
        [0, 1, 2, *FAR],
        [1, 0, 1, *FAR],
        [2, 1, 0, *FAR],
        [*FAR, 0, "0.5", "inf"],
        [*FAR, "1.5", 0, "inf"],
        [*FAR, "inf", "inf", 0],
    ],
)


@pytest.fixture(scope="module")
def line():
    return dc.design(LINE, seconds=120)


def test_a_design_beats_the_closed_forms_and_is_proved(line):
    assert line.label == "optimal, all types checked"
    assert line.gap < 1e-4
    assert line.converged
    assert 1.2 < line.gain == line.compared[0].error / line.error
    assert line.error == pytest.approx(dc.plan(line.mechanism, n=1).expected.total_squared_error, rel=1e-9)
    assert line.bound <= line.error <= line.worst_case


@pytest.mark.parametrize("context", [LINE, ASYMMETRIC, BLOCKS], ids=["line", "asymmetric", "parts"])
def test_designed_mechanisms_keep_every_law(context):
    designed = dc.design(context, seconds=120)
    assert set(check_mechanism(designed.mechanism)) >= {"certificate", "every word", "unbiased", "moments"}
    certificate = dc.verify(designed.mechanism)
    assert certificate.realised <= certificate.claimed
    assert parse_law(law_text(designed.mechanism)).fingerprint == designed.mechanism.fingerprint


def test_what_is_written_to_a_spec_estimates_as_designed():
    prior = [0.5, 0.2, 0.1, 0.1, 0.05, 0.05]
    for context in (LINE, BLOCKS):
        designed = dc.design(context, prior=prior, seconds=120)
        spec = (
            Spec(context, {"name": "auto", "prior": list(designed.prior)}).with_mechanism(designed.mechanism).resolved()
        )
        again = Spec.of(spec.as_dict()).mechanism
        assert again.fingerprint == designed.mechanism.fingerprint
        rates = [dc.plan(one, n=1, prior=prior).expected.total_squared_error for one in (designed.mechanism, again)]
        assert rates == pytest.approx([designed.error] * 2, rel=1e-9)


def test_rounding_to_whole_units_costs_next_to_nothing(line):
    assert line.error == pytest.approx(line.history[-1].error, rel=1e-6)


def test_parts_are_designed_one_by_one_and_joined():
    designed = dc.design(BLOCKS, seconds=120)
    alone = [
        dc.design(dc.Context.matrix(range(len(of)), [[BLOCKS.at(x, z) for z in of] for x in of]), seconds=120)
        for of in ([0, 1, 2], [3, 4])
    ]
    parts = [size / 6 * (one.error + 1 / size) for size, one in zip((3, 2), alone, strict=True)]
    whole = sum(parts) + 1 / 6 - 1 / 6  # the value by itself is seen, and |p|^2 is 1/6
    assert designed.error == pytest.approx(whole, rel=1e-5)
    assert designed.label == "optimal, all types checked"
    assert designed.expected_distance is None


@pytest.mark.parametrize("form", ["uniform", "high_low", "binary", "single"])
def test_a_closed_form_that_cannot_be_beaten_is_taken(form):
    context = {
        "uniform": dc.Context.uniform(range(5), "1"),
        "high_low": dc.Context.high_low(range(5), [0], "1"),
        "binary": dc.Context.binary("no", "yes", ("0.4", "2")),
        "single": dc.Context.blocks({"a": [1], "b": [2]}, "1"),
    }[form]
    designed = dc.design(context, seconds=120)
    assert designed.error == pytest.approx(designed.compared[0].error, rel=1e-6)
    assert designed.mechanism.fingerprint == designed.compared[0].mechanism.fingerprint
    assert designed.label == "optimal, all types checked"


def test_a_query_gets_a_mechanism_of_its_own(line):
    """On a line the geometric response is the best for a mean; it is not for the shares."""
    mean = dc.design(LINE, query="mean", seconds=120)
    assert mean.mechanism.name == "geometric"
    assert mean.label.startswith("optimal")
    of_line = objective_of(LINE, "mean").error(line.mechanism, np.full(6, 1 / 6))
    assert mean.error < of_line


def test_several_targets_are_balanced():
    alone = [dc.design(LINE, query=query, seconds=120).error for query in ("shares", "mean")]
    both = dc.design(LINE, query=["shares", "mean"], seconds=120)
    ratios = [error / best for (_, error), best in zip(both.targets, alone, strict=True)]
    assert both.error == pytest.approx(np.mean(ratios), rel=1e-3)
    assert all(1 - 1e-6 < ratio < 1.3 for ratio in ratios)
    assert both.bound <= both.error


def test_the_worst_case_can_be_made_small():
    even, worst = dc.design(LINE, seconds=120), dc.design(LINE, worst=True, seconds=120)
    assert worst.error == worst.worst_case < even.worst_case
    assert even.error <= worst.bound <= worst.error
    assert worst.gap < 0.02


def test_a_prior_is_designed_for_and_kept():
    prior = [0.9, 0.1, 0.0]
    designed = dc.design(ASYMMETRIC, prior=dict(zip("abc", prior, strict=True)), seconds=120)
    even = dc.design(ASYMMETRIC, seconds=120)
    assert designed.prior == tuple(prior)
    at = dc.plan(even.mechanism, n=1, prior=prior).expected.total_squared_error
    assert designed.error < at
    assert pickle.loads(pickle.dumps(designed.mechanism)).fingerprint == designed.mechanism.fingerprint


def test_the_same_seed_finds_the_same():
    one, other = (dc.design(ASYMMETRIC, seconds=120, seed=5) for _ in range(2))
    assert one.converged
    assert one.mechanism.fingerprint == other.mechanism.fingerprint


def test_ctrl_c_keeps_the_best_so_far():
    steps = []

    def stop(step):
        steps.append(step)
        if len(steps) == 3:
            raise KeyboardInterrupt

    context = dc.Context.metric(range(12), lambda x, z: abs(x - z), "0.5")
    designed = dc.design(context, seconds=60, progress=stop)
    assert designed.stopped
    assert not designed.converged
    assert designed.error <= designed.compared[0].error
    assert designed.mechanism.certificate.realised <= 0.5


def test_ctrl_c_while_a_bound_is_proved_leaves_the_bound_out(monkeypatch):
    def stop(*args, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "prove_bound", stop)
    designed = dc.design(LINE, seconds=120)
    assert designed.bound == pytest.approx(1 - 1 / 6)  # what is left without any privacy
    assert designed.label == "best found, no certificate"
    assert "stopped" in designed.notes[0]


def test_values_that_must_be_reported_alike_are_refused():
    for entries in ([[0, 0], [0, 0]], [[0, 0], ["inf", 0]], [[0, 1], [0, 0]]):
        with pytest.raises(NotIdentifiable, match="make them one value"):
            dc.design(dc.Context.matrix(["a", "b"], entries), seconds=1)


def test_too_large_a_part_is_served_by_closed_forms():
    context = dc.Context.uniform(range(1000), "1")
    designed = dc.design(context, seconds=1)
    assert designed.error == dc.explain(context, bits=None).candidates[0].error
    assert "closed forms" in str(designed)
    assert designed.history == ()


def test_too_small_an_epsilon_for_doubles_is_served_by_closed_forms():
    tiny = dc.Context.metric(range(5), lambda x, z: abs(x - z), "1e-9")
    for query in (None, ["shares", "mean"]):
        designed = dc.design(tiny, query=query, seconds=5)
        assert "in doubles" in designed.notes[0]
        assert designed.mechanism.certificate.realised <= 1e-9
        assert designed.error == designed.compared[0].error


def test_a_single_value_needs_nothing():
    designed = dc.design(dc.Context.uniform(["only"], "1"), seconds=1)
    assert designed.error == designed.gap == 0
    assert "optimal" in str(designed)


def test_few_bits_are_kept_to():
    context = dc.Context.metric(range(10), lambda x, z: abs(x - z), "0.5")
    few = dc.design(context, bits=5, seconds=120)
    assert few.mechanism.bits <= 5
    assert few.error < few.compared[0].error
    assert few.error >= dc.design(context, seconds=120).error * (1 - 1e-9)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seconds": 0}, "seconds=0 must be a positive number"),
        ({"seconds": math.inf}, "seconds=inf must be a positive number"),
        ({"seconds": "1"}, "seconds='1' must be a positive number"),
        ({"seed": -1}, "seed=-1 must be a whole number"),
        ({"progress": 3}, "progress=3 must be a function"),
        ({"bits": 0}, "bits=0 must be"),
        ({"query": "median"}, "query='median' must be"),
        ({"prior": [1]}, "prior must be 6"),
    ],
)
def test_wrong_arguments_are_named(wrong, said):
    with pytest.raises(InvalidInput, match=said.replace("(", r"\(")):
        dc.design(LINE, **wrong)


def test_a_design_says_what_it_is(line):
    said, data = str(line), line.as_dict()
    assert "no mechanism below" in said
    assert "optimal, all types checked" in said
    assert data["n_error"] == line.error
    assert data["label"] == line.label
    assert data["compared"][0]["mechanism"] == line.compared[0].name
    assert len(data["history"]) == len(line.history)
    assert 0 < line.expected_distance < float(Fraction(5, 2))


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e8, 1e20])
def test_the_units_of_a_query_change_nothing(unit):
    plain, other = (dc.design(LINE, query={0: size, 5: -size}, seconds=120) for size in (1.0, unit))
    assert other.error / unit**2 == pytest.approx(plain.error, rel=1e-6)
    assert other.bound / unit**2 == pytest.approx(plain.bound, rel=1e-6)
    assert other.label == plain.label
    assert other.history[-1].error / unit**2 == pytest.approx(plain.history[-1].error, rel=1e-6)


@pytest.mark.parametrize("unit", [1e160, 1e-170])
def test_weights_beyond_doubles_are_refused(unit):
    with pytest.raises(InvalidInput, match="its weights must differ by 1e-50 to 1e"):
        dc.design(LINE, query={0: unit}, seconds=1)


def test_ctrl_c_before_the_search_gives_the_best_closed_form(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.planning.design.run._starting_columns", interrupted)
    designed = dc.design(LINE, seconds=120)
    assert designed.stopped
    assert designed.mechanism.fingerprint == dc.mechanism(LINE, bits=None).fingerprint
    assert "the search was stopped before it had found a table" in str(designed)
    assert designed.label == "best found, no certificate"


MARGINS = [{"".join(v): int(v[place]) for v in itertools.product("01", repeat=4)} for place in range(4)]


@pytest.mark.parametrize(("count", "skewed"), [(4, False), (3, False), (3, True)])
def test_margins_of_several_answers_are_designed_for(count, skewed):
    """For four answers at epsilon 2 a variance of 1.3221 each, where subsets have 2.72."""
    prior = [(x + 1) / 136 for x in range(16)] if skewed else None
    designed = dc.design(dc.Context.uniform(MARGINS[0], "2"), query=MARGINS[:count], prior=prior, seconds=300)
    assert designed.label == "optimal, all types checked"
    errors = [error for _, error in designed.targets]
    if not skewed:
        assert errors == pytest.approx([{4: 1.32205, 3: 0.99154}[count]] * count, rel=1e-4)
    assert designed.bound <= designed.error < designed.compared[0].error


@pytest.mark.parametrize("query", [["mean", "cumulative"], ["mean", {0: 1}], "mean", {2: 1}])
@pytest.mark.parametrize("epsilon", ["1e-6", "1e-3", "25"])
def test_extreme_epsilons_give_a_design_or_a_closed_form(query, epsilon):
    for prior in (None, [0.9, 0.1, 0.0, 0.0]):
        designed = dc.design(dc.Context.uniform(range(4), epsilon), query=query, prior=prior, seconds=1)
        assert designed.bound <= designed.error <= designed.compared[0].error * (1 + 1e-8)
        assert dc.verify(designed.mechanism).realised <= float(epsilon)


def test_a_table_that_takes_too_long_to_certify_is_not_searched_for(monkeypatch):
    monkeypatch.setattr(Search, "solve", lambda *args: pytest.fail("a search was begun"))
    context = dc.Context.uniform(range(150), "1")
    designed = dc.design(context, query="cumulative", seconds=1)
    assert designed.notes == (run.TOO_LONG,)
    assert designed.error == dc.explain(context, bits=None, query="cumulative").candidates[0].error
    assert designed.bound == pytest.approx(dc.bounds.unbiased_queries(context, "cumulative").value)
    assert designed.bound > 50 * 150 / 6  # far above the variance without privacy


@pytest.mark.parametrize("size", [20, 140, 200, 320])
@pytest.mark.parametrize("seconds", [1.0, 5.0, 60.0])
def test_certifying_is_counted_before_it_is_done(size, seconds):
    (component,) = run.components_of(dc.Context.uniform(range(size), "1"))
    reports = run._certifiable(component, [component], run.CERTIFYING_SHARE * seconds)
    assert run._certifying(size, reports) <= run.CERTIFYING_SHARE * seconds
    assert run._certifying(size, run._max_reports(component, None)) > 5 or size == 20  # the control: it can be long


def test_few_bits_are_no_lack_of_time():
    designed = dc.design(dc.Context.uniform(range(17), "1"), query="mean", bits=5, seconds=60)
    assert designed.mechanism.bits <= 5
    assert run.TOO_LONG not in designed.notes


CLOCKED = (generation, master, one_query, run, search, semidefinite, table)


def reached(context, query, seconds, *, worst, monkeypatch):
    """The worst error of a design, by a clock that goes on whenever somebody looks at it, and not by this machine's."""
    ticks = itertools.count()
    for module in CLOCKED:
        monkeypatch.setattr(module, "monotonic", lambda: next(ticks) / 100)
    return dc.design(context, query=query, worst=worst, seconds=seconds).worst_case


def test_asking_for_the_worst_case_makes_no_channel_worse_where_the_search_is_cut_short(monkeypatch):
    """As it did for prefixes, whose first search lost a quarter of its time to others that promised nothing."""
    context = dc.Context.uniform(range(24), "1")
    even, worst = (reached(context, "cumulative", 3, worst=worst, monkeypatch=monkeypatch) for worst in (False, True))
    assert worst <= 1.001 * even
    monkeypatch.setattr(run, "_first_share", lambda *given: search.FIRST_SHARE)  # the control
    assert reached(context, "cumulative", 3, worst=True, monkeypatch=monkeypatch) > 1.003 * even


def test_many_queries_leave_half_of_the_time_for_all_of_them_together(monkeypatch):
    """Each of them searched for by itself takes a second, whatever it is given."""
    now, alone, at = [0.0], [], Search.at

    def slow(self, objective, shares, until):
        alone.append(len(objective.targets) == 1)
        now[0] += 1
        return at(self, objective, shares, until)

    for module in CLOCKED:
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    monkeypatch.setattr(Search, "at", slow)
    prefixes = np.tri(12)[:-1]
    dc.design(dc.Context.uniform(range(12), "1"), query=list(prefixes), seconds=6)
    assert 1 <= sum(alone) <= 3
    assert not all(alone)
