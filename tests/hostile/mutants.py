"""Valid documents of every form and mechanism, and what a few changes make of them."""

import io
import json
from contextlib import suppress

import pyarrow as pa
from hypothesis import strategies as st
from pyarrow import feather, parquet

import discreet as dc
from discreet.checks.vectors.laws import small_examples
from discreet.core.errors import InvalidInput
from discreet.estimation.tally import tally_text
from discreet.mechanisms.build import BASES
from discreet.mechanisms.mechanism import Mechanism
from discreet.planning.classwise import certified_types, classes_of
from discreet.planning.optimize.types import best_types
from discreet.wire import Spec, law_text, reports_to_envelope
from discreet.wire.spec import dumps

ONE = "1"
UNIFORM = dc.Context.uniform(range(6), ONE)
BLOCKS = dc.Context.blocks({"a": ["p", "q", "r"], "b": ["s", "t"]}, {"a": "1", "b": "1/2"})
HIGH_LOW = dc.Context.high_low(["a", "b", "c", "d", "e"], ["a", "b", "c"], ONE)
NESTED = dc.Context.nested({"fr": {"x": ["a", "b"], "y": ["c"]}, "us": {"x": ["d"]}}, ["1", "2", "inf"])
GRADED = dc.Context.graded({"a": "1", "b": "1/2", "c": "inf", "d": "3"})
PRODUCT = dc.Context.uniform(["p", "q"], ONE) * dc.Context.metric(range(3), "line", "0.5")
METRIC = {"form": "metric", "epsilon": "0.5", "points": [[0, 0], [1, "0.5"], [2, 3]], "norm": "l2"}
MATRIX = {"form": "matrix", "E": [["0", "1", "inf"], ["1", "0", "2"], ["2", "1/3", "0"]]}


def _made():
    for name in BASES:
        for context in (UNIFORM, BLOCKS, HIGH_LOW):
            with suppress(InvalidInput):  # cyclotomic response is not for every size
                yield dc.mechanism(context, name)
    yield dc.mechanism(UNIFORM, "general_hadamard")
    for examples in small_examples().values():
        yield from examples
    units, parts = ["9223372036854775808"] * 2, [{"name": "subset", "d": d} for d in (1, 2)]
    yield dc.mechanism(HIGH_LOW, "mixture", parts=parts, units=units, prior=[0.2] * 5)
    both = dc.Context.uniform(range(6), 2) & dc.Context.high_low(range(6), [0, 1, 2], 1)
    classes = best_types(classes_of(both, [0.1, 0.1, 0.1, 0.2, 0.2, 0.3]), bits=None)
    yield Mechanism(both, certified_types(classes))
    for context in (NESTED, GRADED, PRODUCT):
        yield dc.mechanism(context, "randomized_response")
    yield dc.mechanism(dc.Context.uniform([("a", 1), ("b", ("c", 2)), "d"], ONE), "subset")
    yield Spec.of({"domain": {"size": 3}, "context": METRIC, "mechanism": {"name": "tight"}}).mechanism


MADE = list(_made())
DESIGNS = [
    {"name": "forced_response", "truth": "2/3", "forced": ["1/6", "1/6"]},
    {"name": "warner", "p": 0.7},
    {"name": "kuk", "yes": "0.8", "no": "0.3", "draws": 1},
    {"name": "table", "rows": [["1/2", "1/2"], ["0", 1]]},
]
SPECS = [
    *({"domain": {"values": ["no", "yes"]}, "reports": ["n", "y"], "mechanism": design} for design in DESIGNS),
    *(Spec.of_mechanism(mechanism, name="survey").as_dict() for mechanism in MADE),
    {"domain": {"size": 4}, "context": {"form": "uniform", "epsilon": 1.5}, "mechanism": {"bits": 8}},
    {"domain": {"size": 3}, "context": METRIC},
    {"domain": {"size": 3}, "context": MATRIX},
    {"domain": {"size": 5}, "context": {"form": "metric", "distance": "ring", "epsilon": 1}},
    {
        "domain": {"values": ["1.5", 3, "x"]},
        "context": {"form": "metric", "distance": "line", "epsilon": "1/3", "points": ["0.5", -1, 7]},
    },
    {
        "domain": {"values": ["a", "b", "c"]},
        "context": {"form": "metric", "distance": "ring", "epsilon": 1, "points": [0, 1, "2.5"], "around": "7.25"},
    },
    {"domain": {"size": 6}, "context": {"form": "nested", "sizes": [[2, 1], [3]], "epsilons": [1, "2", 3]}},
    {
        "context": {
            "form": "nested",
            "blocks": {"fr": {"x": ["a", "b"], "y": {"from": 3, "to": 5}}, "us": {"x": ["d"]}},
            "epsilons": ["1", "2", "inf"],
        }
    },
    {
        "domain": {"file": "cells.csv", "column": "cell", "block_column": ["cell", "cell"]},
        "context": {"form": "nested", "epsilons": [1, 2, 3]},
    },
    {"domain": {"size": 3}, "context": {"form": "graded", "epsilons": {"0": 1, "1": "inf", "2": 2}}},
    {"context": {"form": "graded", "epsilons": {"a": 1, "b": "2"}}},
    {
        "context": {
            "form": "product",
            "first": {"domain": {"values": ["x", "y"]}, "context": {"form": "uniform", "epsilon": 1}},
            "second": {"context": {"form": "blocks", "blocks": {"u": [1, 2], "v": [3]}, "epsilon": 1}},
        }
    },
    {
        "domain": {"values": {"from": 1, "to": 5}},
        "context": {
            "form": "outside",
            "outside": ["prefer not to say", "other"],
            "epsilon": "2",
            "scale": {"form": "metric", "distance": "line", "epsilon": 1},
        },
    },
    {
        "domain": {"values": [{"tuple": ["a", 1]}, {"tuple": ["b", {"tuple": [2]}]}]},
        "context": {"form": "uniform", "epsilon": 1},
    },
    {"domain": {"values": {"from": 18, "to": 29}}, "context": {**METRIC, "points": {"from": 0, "to": 55, "step": 5}}},
    {
        "domain": {"values": {"from": 1, "to": 5}},
        "note": "n",
        "context": {"form": "high_low", "epsilon": 1, "sensitive": {"from": 2, "to": 4, "step": 2}},
    },
    {
        "domain": {"file": "cells.csv", "column": "cell", "block_column": "cell"},
        "context": {"form": "blocks", "epsilon": 1},
    },
    Spec.of_mechanism(MADE[0]).resolved().as_dict(),
    {"domain": {"file": "cells.csv", "column": "cell"}, "context": {"form": "uniform", "epsilon": 1}},
    {"context": {"form": "blocks", "blocks": {"x": [1, 2], "y": [3]}, "epsilons": {"x": 1, "y": 2}}},
    {
        "domain": {"size": 5},
        "context": {"form": "blocks", "sizes": [2, 3], "epsilon": "1/2"},
        "mechanism": {"inner": [{"name": "hadamard"}, {"name": "subset", "d": 1}]},
    },
    {
        "domain": {"values": ["x", 7, "z"]},
        "context": {"form": "uniform", "epsilon": 1},
        "mechanism": {"prior": {"x": "0.5", "z": "0.5"}},
    },
    {
        "domain": {"size": 7},
        "context": {"form": "uniform", "epsilon": 2},
        "mechanism": {"name": "projective", "family": "singer", "key": [2, 3]},
    },
]
QUESTIONS = [
    {
        "name": "a",
        "domain": {"size": 3},
        "context": {"form": "uniform", "epsilon": "1"},
        "mechanism": {"name": "unary"},
    },
    {"name": "b", "context": {"form": "blocks", "epsilon": 1, "blocks": {"n": ["p", "q"], "s": ["r"]}}},
]
BARE = [{"name": name, "domain": {"size": size}} for name, size in (("a", 3), ("b", 2), ("c", 4))]
FORMS = [
    {"form": {"strategy": "each"}, "questions": QUESTIONS, "name": "two"},
    {"form": {"strategy": "one at random"}, "questions": QUESTIONS},
    {"form": {"strategy": "one at random", "epsilon": "1"}, "questions": BARE, "version": 1},
    {"form": {"strategy": "together", "epsilon": 2}, "questions": BARE, "mechanism": {"name": "hadamard"}},
]
_COUNTS = {"mechanism": "subset", "n": 2, "counts": [1, 1]}
FORM_TALLY = {
    "version": 1,
    "fingerprint": "FORM",
    "n": 2,
    "tallies": {name: {**_COUNTS, "fingerprint": name.upper()} for name in ("smokes", "drinks")},
}
LAWS = [json.loads(law_text(mechanism)) for mechanism in MADE]
NAMES = ("narrow", "sets", "wide", "blocks", "high-low", "table")  # those of reader.py

HUGE = [0, -1, 1, 2**31, 2**53, 2**63, 2**64, 10**8, 10**30, 10**590, -(10**30)]
TEXTS = [
    "",
    "1",
    "-1",
    "1/2",
    "1/0",
    "inf",
    "nan",
    "1e9999999",
    "1e-300",
    "1_0",
    "１",
    "\0",
    "\n",
    "\ud800",
    "x" * 3000,
    "9" * 700,
    str(2**64),
    "auto",
    "subset",
    "mixture",
    "law",
    "uniform",
    "../x",
    "/dev/zero",
    "cells.csv",
]
KEYS = [
    "size",
    "d",
    "bits",
    "key",
    "name",
    "law",
    "inner",
    "parts",
    "word_bits",
    "epsilon",
    "file",
    "values",
    "tuple",
    "first",
    "context",
    "",
    "\ud800",
]
ATOMS = st.sampled_from([*HUGE, *TEXTS, None, True, False, 0.5, 1e300, -0.0, [], {}, [[]], [{}], {"name": "hadamard"}])


def nested(depth, kind):
    entry = 1
    for _ in range(depth):
        entry = [entry] if kind else {"a": entry}
    return entry


ENTRIES = st.one_of(
    ATOMS,
    ATOMS,
    st.builds(nested, st.sampled_from([5, 30, 200]), st.booleans()),
    st.builds(lambda entry, times: [entry] * times, ATOMS, st.sampled_from([2, 50, 400])),
)


def places(data, at=()):
    """Every place in a document."""
    yield at
    if isinstance(data, (dict, list)):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*at, key))


def found(data, at):
    for key in at:
        data = data[key]
    return data


def changed(data, at, entry):
    """The document with one entry replaced."""
    if not at:
        return entry
    copied = dict(data) if isinstance(data, dict) else list(data)
    copied[at[0]] = changed(copied[at[0]], at[1:], entry)
    return copied


def without(data, at):
    """The document without one entry."""
    holder = found(data, at[:-1])
    rest = (
        {key: entry for key, entry in holder.items() if key != at[-1]}
        if isinstance(holder, dict)
        else (holder[: at[-1]] + holder[at[-1] + 1 :])
    )
    return changed(data, at[:-1], rest)


@st.composite
def mutant(draw, documents):
    """One of the documents with up to four changes; at times none."""
    data = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(0, 4))):
        every = list(places(data))
        at = draw(st.sampled_from(every))
        change = draw(st.sampled_from(["replace", "replace", "replace", "delete", "copy", "add", "repeat", "shift"]))
        entry = found(data, at)
        if change == "delete" and at:
            data = without(data, at)
        elif change == "copy":
            data = changed(data, at, found(data, draw(st.sampled_from(every))))
        elif change == "add" and isinstance(entry, dict):
            data = changed(data, at, {**entry, draw(st.sampled_from(KEYS)): draw(ENTRIES)})
        elif change == "repeat" and isinstance(entry, list):
            data = changed(data, at, entry * draw(st.sampled_from([2, 30])))
        elif change == "shift" and isinstance(entry, int) and not isinstance(entry, bool):
            data = changed(data, at, entry + draw(st.sampled_from([-1, 1, 10**6, 2**20])))
        else:
            data = changed(data, at, draw(ENTRIES))
    return data


@st.composite
def damaged(draw, contents):
    """The bytes of a document, at times with one of them changed, or the rest cut off."""
    content = draw(contents)
    harm = draw(st.sampled_from(["none"] * 12 + ["cut", "change", "insert"]))
    at = draw(st.integers(0, max(0, len(content) - 1)))
    if harm == "cut":
        return content[:at]
    if harm == "none":
        return content
    return content[:at] + draw(st.binary(min_size=1, max_size=3)) + content[at + (harm == "change") :]


def as_json(data):
    return json.dumps(data).encode()


def as_law(data):
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def as_toml(data):
    written = dumps(data) if isinstance(data, dict) else repr(data)
    return written.encode("utf-8", "surrogatepass")


def with_mechanism(contents):
    """Content for a reader that has a mechanism at hand, with its name."""
    return st.tuples(contents, st.sampled_from(NAMES))


def _tallies():
    for mechanism in MADE[:6]:
        reports = [mechanism.randomize_index(x % mechanism.context.size, dc.random.seeded(x)) for x in range(20)]
        yield json.loads(tally_text(mechanism.tally(reports))) | {"fingerprint": "FINGERPRINT"}
        yield reports_to_envelope(mechanism, reports) | {"fingerprint": "FINGERPRINT"}


COUNTED = [*_tallies(), {"fingerprint": "FINGERPRINT", "n": 3, "counts": [1, 1, 1, 0, 0, 0, 0, 0]}]
WRITTEN = st.one_of(
    st.lists(st.integers(0, 300).map(str), max_size=5).map("\n".join),
    st.sampled_from([10, 18, 40]).flatmap(lambda n: st.text("0123456789abcdef", min_size=n, max_size=n)),
    st.text(max_size=20),
    st.sampled_from(TEXTS),
).map(lambda text: text.encode("utf-8", "surrogatepass"))


def _columns(write):
    """Files with a column of reports that names a mechanism."""
    for kind in (pa.int16(), pa.int64(), pa.string(), pa.binary()):
        entries = pa.array(["1", "2", "3"]).cast(kind)
        field = pa.field("report", kind, metadata={"discreet.fingerprint": "0" * 64})
        with io.BytesIO() as file:
            write(pa.table([entries], schema=pa.schema([field])), file)
            yield file.getvalue()


@st.composite
def flipped(draw, contents):
    """One of the contents with some bytes changed."""
    content = bytearray(draw(st.sampled_from(contents)))
    for at in draw(st.lists(st.integers(0, len(content) - 1), max_size=6)):
        content[at] = draw(st.integers(0, 255))
    return bytes(content)


READERS = {
    "spec.json": damaged(mutant(SPECS).map(as_json)).map(lambda content: (content, None)),
    "spec.toml": damaged(mutant(SPECS).map(as_toml)).map(lambda content: (content, None)),
    "form.json": damaged(mutant(FORMS).map(as_json)).map(lambda content: (content, None)),
    "form tally": damaged(mutant([FORM_TALLY]).map(as_json)).map(lambda content: (content, None)),
    "law": damaged(mutant(LAWS).map(as_law)).map(lambda content: (content, None)),
    "tally": with_mechanism(damaged(mutant(COUNTED).map(as_json))),
    "envelope": with_mechanism(damaged(mutant(COUNTED).map(as_json))),
    "text": with_mechanism(damaged(WRITTEN)),
    "json": with_mechanism(damaged(ENTRIES.map(as_json))),
    "bytes": with_mechanism(st.binary(max_size=40)),
    "file.txt": with_mechanism(damaged(WRITTEN)),
    "file.csv": with_mechanism(damaged(WRITTEN.map(lambda content: b"report\n" + content))),
    "file.jsonl": with_mechanism(damaged(ENTRIES.map(lambda entry: as_json({"report": entry})))),
    "file.parquet": with_mechanism(flipped(list(_columns(parquet.write_table)))),
    "file.arrow": with_mechanism(flipped(list(_columns(feather.write_feather)))),
}
"""For every reader of `reader.py`, what it is given."""
