"""What everybody can call refuses arguments of a wrong type with an error of its own, never one of Python's insides."""

import copy
import inspect
import json
import pickle
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.checks.execution import is_identifiable
from discreet.contexts.forms.metric import Metric
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.mechanisms.build import BASES, OTHERS
from discreet.questionnaires.xlsform.reading import form_of_sheets
from discreet.questionnaires.xlsform.workbook import Row, Sheet

CONTEXT = dc.Context.uniform(range(2), "1")
MECHANISM = dc.mechanism(CONTEXT, "randomized_response")
TALLY = MECHANISM.tally([0, 1, 1] * 20)
SECOND = dc.mechanism(dc.Context.uniform(range(2), "3"), "randomized_response").tally([0, 1, 1] * 20)
ESTIMATE = dc.estimate(TALLY)
QUERY = ESTIMATE.query({0: 1})
RNG = dc.random.secure()
SURVEY = dc.Survey(MECHANISM, [0, 1, 1] * 20, labels={"age": range(60), "group": ["a", "b", "c", "d"] * 15})
REGRESSION = dc.regress(SURVEY, {1: 1}, on=["age", "group"])
MULTINOMIAL = dc.multinomial(SURVEY, on=["age"])
SECOND = dc.Survey(MECHANISM, [1, 1, 0] * 20)
SHEETS = {
    "survey": Sheet("survey", [Row(1, {0: "type", 1: "name"}), Row(2, {0: "select_one l", 1: "a"})]),
    "choices": Sheet("choices", [Row(1, {0: "list_name", 1: "name"}), *(Row(n, {0: "l", 1: n}) for n in (2, 3))]),
}
FORM = dc.Form({"a": MECHANISM, "b": MECHANISM}, "each")


def between(x, z=0):
    return abs(x - z)


VALID = {
    "adaptive": (dc.adaptive, [MECHANISM, {0: MECHANISM, 1: MECHANISM}], {}),
    "audit": (
        dc.audit,
        [MECHANISM],
        {"context": CONTEXT, "samples": 600, "confidence": 0.9, "pairs": None, "rng": RNG},
    ),
    "batch_needed": (dc.batch_needed, [MECHANISM, 0.5, 1e-3], {}),
    "compare": (
        dc.compare,
        [SURVEY],
        {"by": "group", "query": {1: 1}, "pairs": "all", "paired": None, "omnibus": "plain", "rng": None},
    ),
    "compare, waves": (dc.compare, [SURVEY.tallies("group")], {"wave": "group", "paired": None}),
    "GroupTallies": (dc.GroupTallies, [MECHANISM, ["group"], {"a": TALLY}], {}),
    "GroupTallies.by": (SURVEY.tallies("group", "age").by, ["age"], {}),
    "Survey": (
        dc.Survey,
        [MECHANISM, [0, 1, 1]],
        {"labels": {"a": [1, 2, 3]}, "weights": [1, 2, 3], "clusters": "abc", "strata": None, "population": 9},
    ),
    "Survey, labels": (lambda column: dc.Survey(MECHANISM, [0, 1, 1], labels={"a": column}), [[1, 2, 3]], {}),
    "Survey.by": (SURVEY.by, ["group"], {"query": {1: 1}}),
    "Survey.from_frame": (dc.Survey.from_frame, [MECHANISM, {"report": [0, 1]}], {"labels": [], "weights": None}),
    "Survey.only": (SURVEY.only, [[0, 1]], {}),
    "Survey.query": (SURVEY.query, [{1: 1}], {}),
    "Survey.read": (dc.Survey.read, [MECHANISM, ["reports.csv"]], {"labels": [], "weights": None, "missing": "drop"}),
    "Survey.tallies": (SURVEY.tallies, ["group"], {}),
    "compose": (dc.compose, [MECHANISM, MECHANISM], {}),
    "design": (
        dc.design,
        [CONTEXT],
        {
            "query": None,
            "worst": False,
            "prior": None,
            "seconds": 0.01,
            "seed": 0,
            "bits": None,
        },  # progress is code of theirs
    ),
    "estimate": (dc.estimate, [TALLY], {}),
    "noncompliance": (dc.noncompliance, [TALLY], {"to": 0, "share": 0.1, "query": {1: 1}, "threshold": 0.5}),
    "noncompliance, two arms": (dc.noncompliance, [TALLY, SECOND], {"report": 0}),
    "explain": (dc.explain, [CONTEXT], {"prior": None, "bits": 64}),
    "exposure": (dc.exposure, [MECHANISM], {"prior": None}),
    "Exposure.posterior": (dc.exposure(MECHANISM).posterior, [0], {}),
    "Exposure.range": (dc.exposure(MECHANISM).range, [0], {}),
    "Exposure.test": (dc.exposure(MECHANISM).test, [0, 1], {}),
    "likelihood": (dc.likelihood, [TALLY], {}),
    "crosstab": (
        dc.crosstab,
        [SURVEY, dc.Survey(MECHANISM, [1, 1, 0] * 20)],
        {"names": ("a", "b"), "questions": (0, 1), "scores": None, "rng": None},
    ),
    "Form": (dc.Form, [{"a": CONTEXT, "b": CONTEXT}, "each"], {"epsilon": None, "choice": None}),
    "Form.randomize": (FORM.randomize, [{"a": 0, "b": 1}, RNG], {}),
    "Form.randomize_many": (FORM.randomize_many, [{"a": [0, 1], "b": [1, 1]}, RNG], {"unknown": "error"}),
    "Form.tally": (FORM.tally, [[{"a": 0, "b": 1}]], {}),
    "Form.plan": (FORM.plan, [], {"n": 100, "prior": None}),
    "margins": (dc.margins, [FORM.tally([{"a": 0, "b": 1}])], {}),
    "mechanism": (dc.mechanism, [CONTEXT, "auto"], {"prior": None, "bits": 64}),
    "multinomial": (dc.multinomial, [SURVEY], {"on": ["age"], "against": 1, "factors": []}),
    "Multinomial.predict": (MULTINOMIAL.predict, [{"age": 3}], {}),
    "Multinomial.test": (MULTINOMIAL.test, ["age"], {}),
    "Multinomial.without": (MULTINOMIAL.without, ["age"], {}),
    "plan": (dc.plan, [CONTEXT], {"n": 1000, "tv": None, "stderr": None, "prior": None, "bits": 64}),
    "post_process": (dc.post_process, [MECHANISM, [[1, 0], [0, 1]]], {}),
    "project": (dc.project, [TALLY], {"onto": "blocks"}),
    "regress": (
        dc.regress,
        [SURVEY, {1: 1}],
        {"on": ["age"], "link": "identity", "errors": "HC1", "factors": ["age"]},
    ),
    "Regression.interval": (REGRESSION.interval, [0.9], {}),
    "Regression.predict": (REGRESSION.predict, [{"age": 3, "group": "a"}], {}),
    "Regression.predict, of a number": (lambda age: REGRESSION.predict({"age": age, "group": "a"}), [3], {}),
    "Regression.predict, of a level": (lambda group: REGRESSION.predict({"age": 3, "group": group}), ["a"], {}),
    "Regression.test": (REGRESSION.test, ["group"], {}),
    "regress_on": (dc.regress_on, [SURVEY, "age", {1: 1}], {"on": ["group"], "link": "identity", "factors": []}),
    "regress_on, to a column": (lambda column: dc.regress_on(SURVEY, ("x", column), {1: 1}), [range(60)], {}),
    "regress, on a column": (lambda column: dc.regress(SURVEY, {1: 1}, on=[("x", column)]), [range(60)], {}),
    "release": (
        dc.release,
        [ESTIMATE],
        {"title": "A survey", "question": "", "words": {}, "confidence": 0.9, "notes": ()}
        | {"period": "", "asked_by": "", "asked": 90, "randomized": "file", "order": "given"},
    ),
    "repeated": (dc.repeated, [MECHANISM, 3], {}),
    "Repeated.delta": (dc.repeated(MECHANISM, 3).delta, [0, 1, 0.5], {}),
    "Repeated.epsilon": (dc.repeated(MECHANISM, 3).epsilon, [0, 1, 1e-3], {}),
    "goodness_of_fit": (dc.goodness_of_fit, [TALLY], {}),
    "shuffled": (dc.shuffled, [MECHANISM, 100], {"among": None}),
    "Shuffled.delta": (dc.shuffled(MECHANISM, 100).delta, [0, 1, 0.5], {}),
    "Shuffled.epsilon": (dc.shuffled(MECHANISM, 100).epsilon, [0, 1, 1e-3], {}),
    "shrink": (dc.shrink, [TALLY], {"rule": "mean", "coordinates": None}),
    "smooth": (dc.smooth, [TALLY], {}),
    "verify": (dc.verify, [MECHANISM], {"context": CONTEXT}),
    "by_hand.crosswise": (dc.by_hand.crosswise, [], {"values": [0, 1], "prevalence": "1/4", "reports": ["a", "b"]}),
    "by_hand.forced_response": (dc.by_hand.forced_response, [], {"truth": "2/3", "forced": None, "reports": None}),
    "by_hand.kuk": (dc.by_hand.kuk, [], {"yes": "0.8", "no": "0.2", "draws": 2, "reports": None}),
    "by_hand.rounded": (dc.by_hand.rounded, [[[0.7, 0.3], [0.3, 0.7]], CONTEXT], {"reports": None}),
    "by_hand.table": (dc.by_hand.table, [range(2), [["1/2", "1/2"], [0, 1]]], {"reports": None}),
    "by_hand.triangular": (dc.by_hand.triangular, [], {"prevalence": "1/4"}),
    "by_hand.unrelated_question": (dc.by_hand.unrelated_question, [], {"p": "0.7", "prevalence": "1/12"}),
    "by_hand.warner": (dc.by_hand.warner, [["no", "yes"]], {"p": "0.7", "reports": ["no", "yes"]}),
    "Context.uniform": (dc.Context.uniform, [range(3), "1"], {}),
    "Context.blocks": (dc.Context.blocks, [{"a": [1, 2], "b": [3]}, "1"], {}),
    "Context.high_low": (dc.Context.high_low, [range(3), [0], "1"], {}),
    "Context.binary": (dc.Context.binary, ["a", "b", ("1", "2")], {}),
    "Context.nested": (dc.Context.nested, [{"a": {"b": [1, 2]}, "c": {"d": [3]}}, ["1", "2", "3"]], {}),
    "Context.graded": (dc.Context.graded, [{"a": "1", "b": "2"}], {}),
    "Context.metric": (dc.Context.metric, [range(3), between, "1"], {"points": None, "around": None}),
    "Context.metric, ring": (dc.Context.metric, [range(3), "ring", "1"], {"points": [0, 1, 2], "around": 3}),
    "Context.metric, l2": (dc.Context.metric, [range(2), "l2", "1"], {"points": [[0, 1], [2, 3]]}),
    "Context.matrix": (dc.Context.matrix, [range(2), [[0, 1], [1, 0]]], {}),
    "Context.epsilon": (CONTEXT.epsilon, [0, 1], {}),
    "Context.error_region": (CONTEXT.error_region, [0, 1], {}),
    "Context.implies": (CONTEXT.implies, [CONTEXT], {}),
    "Context.posterior_odds_bound": (CONTEXT.posterior_odds_bound, [0, 1, 1.0], {}),
    "Domain": (dc.Domain, [range(3)], {}),
    "Domain.index": (CONTEXT.domain.index, [0], {}),
    "Mechanism": (dc.Mechanism, [CONTEXT, MECHANISM.sampler], {"served": CONTEXT}),
    "Mechanism.randomize": (MECHANISM.randomize, [1, RNG], {}),
    "Mechanism.randomize_index": (MECHANISM.randomize_index, [1, RNG], {}),
    "Mechanism.randomize_indices": (MECHANISM.randomize_indices, [[1, 0], RNG], {}),
    "Mechanism.randomize_many": (MECHANISM.randomize_many, [[1, 0], RNG], {"unknown": "error"}),
    "Mechanism.reports_of": (MECHANISM.with_report_names(["no", "yes"]).reports_of, [["no", "yes"]], {}),
    "Mechanism.with_report_names": (MECHANISM.with_report_names, [["no", "yes"]], {}),
    "Mechanism.tally": (MECHANISM.tally, [[0, 1]], {}),
    "Tally": (dc.Tally, [MECHANISM, TALLY.counts, TALLY.n], {}),
    "Shares[...]": (ESTIMATE.__getitem__, [0], {}),
    "Shares.interval": (ESTIMATE.interval, [0.9], {}),
    "Shares.simultaneous_interval": (ESTIMATE.simultaneous_interval, [0.9], {}),
    "Shares.query": (ESTIMATE.query, [[1, 0]], {}),
    "Shares.to_dict": (ESTIMATE.to_dict, [], {"confidence": 0.9}),
    "Shares.to_pandas": (ESTIMATE.to_pandas, [], {"confidence": 0.9}),
    "Shares.to_arrow": (ESTIMATE.to_arrow, [], {"confidence": 0.9}),
    "Estimate.covariance": (ESTIMATE.covariance, [[1, 0], {1: 1}], {}),
    "Query.interval": (QUERY.interval, [0.9], {}),
    "Spec.of": (dc.Spec.of, [{"domain": {"size": 2}, "context": {"form": "uniform", "epsilon": "1"}}], {}),
    "Spec.read": (dc.Spec.read, ["spec.toml"], {}),
    "read_xlsform": (dc.read_xlsform, ["form.xlsx"], {"epsilon": "1", "strategy": "each"}),
    "read_xlsform, its sheets": (
        lambda **said: form_of_sheets(SHEETS, **said),
        [],
        {"epsilon": "1", "strategy": "each"},
    ),
    "write_xlsform": (dc.write_xlsform, [None, "form.xls"], {}),
    "random.seeded": (dc.random.seeded, [1], {}),
    "random.replay": (dc.random.replay, [[1, 2]], {}),
}
WRONG = [
    *(None, "x", "", b"x", 1, -1, 0, 1.5, float("nan"), float("inf"), True, 10**400, Fraction(1, 3), 1j),
    *([], [1, 2, 3], [None], ["x"], {}, {"a": 1}, (), {1, 2}, range(3), object(), between),
    *(np.array([1, 2]), np.array(["a"]), np.zeros((2, 2)), np.random.default_rng(1), np.int8(3), np.float32(0.5)),
    *(CONTEXT, MECHANISM, TALLY, ESTIMATE, RNG, dc),
]


def places(label):
    _, args, kwargs = VALID[label]
    return [*range(len(args)), *kwargs]


@pytest.mark.parametrize(("label", "place"), [(label, place) for label in VALID for place in places(label)])
def test_an_argument_of_a_wrong_type_is_refused_by_an_error_of_ours(label, place):
    """Anything goes, or a `DiscreetError` says what must hold; a file that is not there is Python's own error."""
    call, args, kwargs = VALID[label]
    for wrong in WRONG:
        given, named = list(args), dict(kwargs)
        (given if isinstance(place, int) else named)[place] = wrong
        with suppress(DiscreetError, FileNotFoundError):
            call(*given, **named)


def test_every_public_function_is_tried():
    functions = {name for name in dc.__all__ if inspect.isfunction(getattr(dc, name))}
    assert functions == functions & VALID.keys()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: dc.estimate([1, 2, 3]), r"tally=\[1, 2, 3\] must be a tally or a result, such as that of dc.estimate"),
        (lambda: dc.Context.metric(range(3), "l3", 1), "distance='l3' must be one of line, ring, l1, l2, linf"),
        (lambda: dc.Context.metric(range(3), "l1", 1), r"points: 0 must be coordinates, such as \(0, 1.5\)"),
        (lambda: MECHANISM.randomize(1, np.random.default_rng()), "rng of type Generator must be a source of words"),
        (lambda: dc.mechanism(range(3)), "context of type range must be a context"),
        (lambda: dc.compose(MECHANISM, CONTEXT), "second of type Uniform must be a mechanism"),
        (lambda: dc.Context.blocks({"a": "abc"}, 1), r"blocks\['a'\]='abc' must be a collection of values"),
        (lambda: ESTIMATE.query({0: 10**400}), "weights=.* must be 2 finite numbers"),
        (lambda: ESTIMATE.query(np.ma.masked_array([1, 2], [0, 1])), "weights of type MaskedArray"),
        (lambda: ESTIMATE.interval(Fraction(2)), r"confidence=Fraction\(2, 1\) must be between 0 and 1"),
    ],
)
def test_the_message_names_the_argument_and_what_must_hold(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()


def test_numbers_of_numpy_are_taken_exactly():
    whole = dc.Context.matrix(range(2), np.array([[0, 2], [3, 0]], dtype=np.int8))
    assert whole.matrix() == dc.Context.matrix(range(2), [[0, 2], [3, 0]]).matrix()
    assert all(type(entry.numerator) is int for row in whole.matrix() for entry in row)
    tenth = dc.Context.uniform(range(2), np.float32(0.1))
    assert tenth.epsilon(0, 1) == Fraction(1, 10), "as it prints, like any float"
    identity = dc.post_process(MECHANISM, np.eye(2, dtype=np.int64))
    assert identity.channel() == MECHANISM.channel()
    with pytest.raises(InvalidInput, match="must be exact"):
        dc.post_process(MECHANISM, np.eye(2))


def test_confidence_may_be_any_number():
    plain = ESTIMATE.to_dict(confidence=0.75)
    for same in (Fraction(3, 4), np.float32(0.75)):
        assert json.loads(json.dumps(ESTIMATE.to_dict(confidence=same))) == plain
        assert json.loads(ESTIMATE.to_arrow(confidence=same).schema.metadata[b"discreet"])["confidence"] == 0.75


def test_confidence_may_be_as_near_to_one_as_floats_go():
    near, nearer = ESTIMATE.interval(1 - 1e-15), ESTIMATE.interval(1 - 2**-53)
    assert np.isfinite(nearer).all()
    assert (nearer[0] <= near[0]).all()
    assert (nearer[0] < ESTIMATE.interval(0.9)[0]).all()
    assert np.isfinite(ESTIMATE.simultaneous_interval(1 - 2**-53)).all()
    assert np.isfinite(ESTIMATE.interval(Fraction(10**400 - 1, 10**400))).all()


# -- what people see ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["discreet", *(f"discreet.{module}" for module in sorted(dc._MODULES))])
def test_completion_offers_public_names_only(name):
    """In a fresh process, where nothing else has been imported, and after everything has been."""
    code = f"""
import operator, discreet
module = discreet if {name!r} == "discreet" else operator.attrgetter({name.partition(".")[2]!r})(discreet)
before = [n for n in dir(module) if not n.startswith("_")]
if {name!r} == "discreet":
    [getattr(module, n) for n in module.__all__]
after = [n for n in dir(module) if not n.startswith("_")]
assert before == after == sorted(module.__all__), (before, after)
[getattr(module, n) for n in before]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# -- packing -----------------------------------------------------------------------------------------------

CONTEXTS = {
    "uniform": dc.Context.uniform(range(9), "1"),
    "blocks": dc.Context.blocks({"a": range(5), "b": range(5, 8), "c": [8]}, {"a": "1", "b": "0.5", "c": "2"}),
    "high_low": dc.Context.high_low(range(9), [0, 3, 4], "1"),
    "binary": dc.Context.binary("a", "b", ("inf", "1")),
    "metric": dc.Context.metric(range(9), lambda x, z: abs(x - z), "0.5"),
    "points": Metric.from_points(dc.Domain(range(9)), [[i, i * i] for i in range(9)], "l2", "0.5"),
    "matrix": dc.Context.matrix(range(3), [[0, 1, 2], [1, 0, 1], ["1.5", 1, 0]]),
    "sum": dc.Context.uniform(range(4), "1") + dc.Context.matrix(range(4), 2 - 2 * np.eye(4, dtype=int)),
    "both": dc.Context.uniform(range(3), "1") & dc.Context.matrix(range(3), [[0, 0.5, 2], [1, 0, 2], [2, 2, 0]]),
}
NAMES = [
    "auto",
    *BASES,
    *OTHERS,
    "binary",
    "warner",
    "mangat",
    "exponential",
    "geometric",
    "levels",
    "nested",
    "ring",
    "torus",
    "tight",
    "mixture",
    "utility_rappor",
]
WAYS = {"pickled": lambda it: pickle.loads(pickle.dumps(it)), "copied": copy.copy, "copied deeply": copy.deepcopy}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", CONTEXTS)
def test_contexts_are_packed_and_copied(form, way):
    context = CONTEXTS[form]
    again = WAYS[way](context)
    assert again == context
    assert again.matrix() == context.matrix()
    assert again.describe() == context.describe()
    assert repr(again) == repr(context)
    assert len(pickle.dumps(context)) < 3000


@pytest.mark.parametrize("form", CONTEXTS)
def test_mechanisms_are_packed_and_copied(form):
    made = 0
    for name in NAMES:
        try:
            mechanism = dc.mechanism(CONTEXTS[form], name)
        except DiscreetError:
            continue
        made += 1
        indices = np.arange(60) % mechanism.context.size
        for used in (False, True):  # what is worked out on the way is packed or left out, and does no harm
            for way in WAYS.values():
                again = way(mechanism)
                assert again.fingerprint == mechanism.fingerprint
                assert (again.name, again.bits, again.certificate) == (
                    mechanism.name,
                    mechanism.bits,
                    mechanism.certificate,
                )
                reports = again.randomize_indices(indices, dc.random.seeded(1))
                assert np.array_equal(reports, mechanism.randomize_indices(indices, dc.random.seeded(1)))
                assert again.tally(reports) == mechanism.tally(reports)
            assert len(pickle.dumps(mechanism)) < 20_000
            if not used and is_identifiable(mechanism.sampler):
                estimate = dc.estimate(mechanism.tally(reports))
                assert pickle.loads(pickle.dumps(estimate)).shares.tolist() == estimate.shares.tolist()
                estimate.query(np.ones(mechanism.context.size)).interval()
    assert made


def test_a_large_context_of_distances_is_refused_rather_than_written_out(monkeypatch):
    monkeypatch.setattr("discreet.contexts.forms.metric.MATRIX_LIMIT", 8)
    with pytest.raises(InvalidInput, match="size=9 must be at most 8 to pack every distance"):
        pickle.dumps(CONTEXTS["metric"])
    assert pickle.loads(pickle.dumps(CONTEXTS["points"])) == CONTEXTS["points"]
