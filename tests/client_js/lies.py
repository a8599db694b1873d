"""Published laws that lie: each is an honest one with something changed, written and hashed as if it were honest."""

import copy
import hashlib
import json
import math

import discreet as dc
from discreet import Context
from discreet.mechanisms.composed.adaptive import adaptive
from discreet.wire import law_text

SPACE = 1 << 64
UNIFORM = dc.mechanism(Context.uniform(["a", "b", "c", "d"], "1"), "randomized_response")
SUBSET = dc.mechanism(Context.uniform(range(9), "1"), "subset")
CYCLIC = dc.mechanism(Context.uniform(range(7), "1"), "projective")
HADAMARD = dc.mechanism(Context.uniform(range(7), "1"), "hadamard")
UNARY = dc.mechanism(Context.uniform(range(3), "1"), "unary")
BLOCKS = dc.mechanism(Context.blocks({"x": ["a", "b"], "y": ["c", "d"]}, "1"), "randomized_response")
HIGH_LOW = dc.mechanism(Context.high_low(["a", "b", "c"], ["a", "b"], "1"), "randomized_response")
MATRIX = Context.matrix(range(3), [["0", "1", "2"], ["2", "0", "1"], ["1", "2", "0"]])
TABLE = dc.mechanism(MATRIX, "tight")
BINARY = dc.mechanism(Context.binary("no", "yes", ("2", "1")), "binary")
LINE = dc.mechanism(Context.metric(range(6), "line", "0.5"), "geometric")
RING = dc.mechanism(Context.metric(range(6), "ring", "0.5"), "ring")
TORUS = dc.mechanism(Context.metric([(i, j) for i in range(3) for j in range(3)], "l1", "1"), "torus")
NESTED = dc.mechanism(
    Context.nested({"x": ["a", "b", "c"], "y": ["d", "e", "f"], "z": ["g", "h", "i"]}, ["1", "3"]), "nested"
)
PAIRED = dc.mechanism(
    Context.uniform(["p", "q"], "1") * Context.uniform(["r", "s", "t"], "1"),
    "paired",
    first={"name": "randomized_response"},
    second={"name": "randomized_response"},
)
SMALL = dc.mechanism(Context.uniform(range(3), "1"), "randomized_response")
HONEST = {
    "backslashes before ud": dc.mechanism(
        Context.uniform(["\\ud800", "b\\\\ud", "1", "01"], "1"), "randomized_response"
    ),
    "named and nested values": dc.mechanism(Context.uniform([("1",), (1,), 2, ((3,),)], "1"), "randomized_response"),
    "response": UNIFORM,
    "subset": SUBSET,
    "cyclic": CYCLIC,
    "hadamard": HADAMARD,
    "unary": UNARY,
    "blocks": BLOCKS,
    "high_low": HIGH_LOW,
    "table": TABLE,
    "binary": BINARY,
    "line": LINE,
    "ring": RING,
    "torus": TORUS,
    "nested": NESTED,
    "paired": PAIRED,
    "two reports": dc.compose(SMALL, SMALL).exact(),
    "a second report chosen by the first": adaptive(SMALL, lambda y: SMALL),
    "a report replaced": dc.post_process(SMALL, [["1", "0", "0"], ["0", "1", "0"], ["0", "1/2", "1/2"]]),
}


def number(text):
    """A whole number as a law writes it."""
    whole = int(text)
    return whole if whole < 1 << 53 else str(whole)


def data_of(mechanism):
    return json.loads(law_text(mechanism))


def text_of(data):
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def changed(mechanism, **places):
    """The text of a law with some entries replaced; a place is the keys that lead to it, joined by two underscores."""
    data = copy.deepcopy(data_of(mechanism))
    for place, entry in places.items():
        *way, last = place.split("__")
        inside = data
        for key in way:
            inside = inside[key]
        inside[last] = entry
    return text_of(data)


def law_of(mechanism):
    return data_of(mechanism)["law"]


def moved(mechanism, **steps):
    """The text of a law whose numbers are so much larger or smaller."""
    law = law_of(mechanism)
    return changed(mechanism, **{f"law__{name}": number(int(law[name]) + step) for name, step in steps.items()})


def rounded_torus():
    """Noise on a large torus for values two steps apart, 128 cells apart on it: as doubles would place them."""
    side = 1024
    faded = [math.exp(-0.02 * min(t, side - t)) for t in range(side)]
    units = [int(weight / sum(faded) * 0.9 * 2**64) + int(0.1 / side * 2**64) for weight in faded]
    more, spare = divmod(SPACE - sum(units), side)
    law = {
        "kind": "torus", "shape": [side], "units": [number(unit + more) for unit in units], "spare": spare,
        "cells": {"runs": [[0, 1], [256, 1], [384, 1]]}, "word_bits": 64,
    }  # fmt: skip
    points = [["0"], ["1000000000000000319"], ["1000000000000000321"]]
    context = {"epsilon": "0.02", "form": "metric", "norm": "l1", "points": points}
    return text_of({"context": context, "domain": {"size": 3}, "law": law, "version": 2})


def large_table(rows, columns):
    """A table that keeps its promise, and takes long to check."""
    even, more = divmod(SPACE, columns)
    row = [number(even + more), *[number(even)] * (columns - 1)]
    law = {"kind": "table", "rows": [row] * rows, "word_bits": 64}
    context = {"epsilon": "1", "form": "uniform"}
    return text_of({"context": context, "domain": {"size": rows}, "law": law, "version": 2})


def deep(depth):
    """A law inside so many others."""
    data = data_of(SMALL)
    for _ in range(depth):
        data["law"] = {"kind": "mixture", "parts": [data["law"]], "units": [str(SPACE)]}
    return text_of(data)


def _lies():
    response, subset, ring = law_of(UNIFORM), law_of(SUBSET), law_of(RING)
    stronger = {"epsilon": "0.999999999", "form": "uniform"}
    yield "a context that promises more, all kinds alike", changed(UNIFORM, context=stronger)
    yield "a subset at a promise it misses", changed(SUBSET, context=stronger)
    yield "a cyclic law at a promise it misses", changed(CYCLIC, context=stronger)
    yield "hadamard at a promise it misses", changed(HADAMARD, context=stronger)
    yield "unary at a promise it misses", changed(UNARY, context=stronger)
    yield "one word too many for the truth", moved(UNIFORM, low=-1, high=3)
    yield "one word too many for a set with the own value", moved(SUBSET, true=1)
    yield "one word too many for hadamard's truths", moved(HADAMARD, true=1)
    yield "one neutral word too few", moved(HIGH_LOW, neutral=-1)
    rows = copy.deepcopy(law_of(TABLE)["rows"])
    rows[0][0] = number(int(rows[0][0]) + 1)
    yield "rows that differ in mass", changed(TABLE, law__rows=rows)
    yield (
        "an entry of E that is smaller than the law keeps",
        changed(TABLE, context__E=[["0", "1", "1.9"], ["2", "0", "1"], ["1", "2", "0"]]),
    )
    yield "yes and no exchanged", changed(BINARY, context__epsilon=["1", "2"])
    yield "a pair outside the context that is shown", changed(BLOCKS, context={"epsilon": "1", "form": "uniform"})
    yield "blocks that are cut otherwise", changed(BLOCKS, context__block_of=[0, 1, 0, 1])
    yield "another value sensitive than the law hides", changed(HIGH_LOW, context__sensitive=["a", "c"])
    yield "a value shown that is sensitive", changed(HIGH_LOW, context__sensitive=["a", "b", "c"])
    yield "a sensitive value given twice", changed(HIGH_LOW, context__sensitive=["a", "a"])
    yield "a value given twice", changed(UNIFORM, domain={"values": ["a", "b", "c", "c"]})
    yield "values that the law does not have", changed(UNIFORM, domain={"values": ["a", "b", "c"]})
    yield "a lie likelier than the truth", changed(UNIFORM, law__low=number(SPACE // 3 - 1), law__high=4, law__spare=0)
    yield "all draws from one word", changed(SUBSET, law__steps=[[64, 1]])
    yield "fewer draws than values", changed(SUBSET, law__steps=subset["steps"][:-1])
    yield "draws without end", changed(SUBSET, law__steps=[[1 << 40, 1]])
    yield "steps on a line that are half as long", changed(LINE, context__epsilon="0.25")
    yield (
        "flat words for the own place",
        changed(LINE, law__flat=1, law__units=[number(SPACE - 6 - 2 * 5), 1, 1, 1, 1, 1]),
    )
    yield "a ring that is shorter than its places reach", changed(RING, context__around="3")
    yield (
        "a ring cut open",
        changed(RING, law__units=[number(int(ring["units"][0]) + 2 * int(ring["units"][-1])), *ring["units"][1:-1], 0]),
    )
    units = law_of(TORUS)["units"]
    turned = [units[0], units[2], units[1], units[4], units[3], *units[5:]]
    yield "a torus that prefers one way", changed(TORUS, law__units=turned)
    yield "another norm than the law keeps", changed(TORUS, context__norm="linf")
    places = {"epsilon": "1", "form": "metric", "norm": "l1"}
    yield "two values at one point", changed(SMALL, context={**places, "points": [["0"], ["0"], ["1"]]})
    far = ["0", "999999999999999940", "999999999999999941", "1000000000000000060"]  # doubles cannot tell the last three
    yield (
        "points further apart than doubles are exact",
        changed(UNIFORM, context={**places, "epsilon": "0.01", "points": [[place] for place in far]}),
    )
    yield "a torus whose places doubles would round", rounded_torus()
    yield (
        "a block shown too often by its own values",
        changed(NESTED, law__units=[number(int(unit) // 2) for unit in law_of(NESTED)["units"]]),
    )
    yield "levels that come closer outwards", changed(NESTED, context__epsilons=["3", "1"])
    yield "pairs of answers in another order", changed(PAIRED, domain__values=data_of(PAIRED)["domain"]["values"][::-1])
    yield "two questions for the price of one", changed(PAIRED, context__second__context__epsilon="0.1")
    yield "two reports for the price of one", changed(HONEST["two reports"], context__epsilon="1")
    yield (
        "a second report that leaks",
        changed(
            HONEST["a second report chosen by the first"],
            law__seconds=[
                {"kind": "table", "rows": [[str(SPACE), 0], [0, str(SPACE)], [0, str(SPACE)]], "word_bits": 64}
            ],
        ),
    )
    yield "a replaced report that leaked before", changed(
        HONEST["a report replaced"],
        law__inner={
            "kind": "table", "word_bits": 64,
            "rows": [[str(SPACE), 0, 0], [0, str(SPACE), 0], [0, 0, str(SPACE)]],
        },
    )  # fmt: skip
    leak = {"kind": "table", "rows": [[str(SPACE), 0, 0], [0, str(SPACE), 0], [0, 0, str(SPACE)]], "word_bits": 64}
    rare = {"kind": "mixture", "parts": [law_of(SMALL), leak], "units": [str(SPACE - 1), 1]}
    yield "the plain value, once in 2**64 times", changed(SMALL, law=rare)
    yield "words of 32 bits", changed(UNIFORM, law__word_bits=32)
    yield "half a word", changed(UNIFORM, law__spare=0.5)
    yield "words below zero", changed(UNIFORM, law__spare=-4, law__high=number(int(response["high"]) + 4))
    yield "a truth value for a number", changed(UNIFORM, law__spare=True)
    yield "no number", changed(UNIFORM, law__spare=None)
    yield "more values than any law has", changed(UNIFORM, domain={"size": 1 << 40}, law__size=1 << 40)
    yield "more digits than any number has", changed(UNIFORM, law__high="9" * 700)
    yield "a row of a million millions", changed(BLOCKS, law__block_of={"runs": [[0, 10**12]]})
    yield "a set with bits beyond its size", changed(HIGH_LOW, law__sensitive={"bits": "/w==", "size": 3})
    yield "a set that is no base64", changed(HIGH_LOW, law__sensitive={"bits": "A", "size": 3})
    yield "laws too deep in each other", deep(9)
    yield "a kind that is none", changed(UNIFORM, law__kind="constructor")
    yield "a kind called __proto__", changed(UNIFORM, law__kind="__proto__")
    yield "a form called __proto__", changed(UNIFORM, context__form="__proto__")
    yield "a key called __proto__", changed(UNIFORM, law=law_of(UNIFORM) | {"__proto__": {"size": 4}})
    yield "a key more", changed(UNIFORM, note="trust me")
    yield "another version", changed(UNIFORM, version=3)
    yield "an epsilon that is none", changed(UNIFORM, context__epsilon="NaN")
    yield "an epsilon below zero", changed(UNIFORM, context__epsilon="-1")
    yield "an infinite epsilon", changed(UNIFORM, context__epsilon="inf")
    yield "an epsilon written as a number", changed(UNIFORM, context__epsilon=1)
    yield "a name that is no Unicode", law_text(UNIFORM).replace('"a"', '"\ud800"')
    yield "half a character, escaped", law_text(UNIFORM).replace('"a"', '"\\\\\\ud800"')
    yield "a number beside its text", changed(UNIFORM, domain={"values": [1, "1", "c", "d"]})
    yield "an empty tuple", changed(UNIFORM, domain={"values": [{"tuple": []}, "b", "c", "d"]})
    names = {
        "too few": ["x"],
        "too many": ["x", "y", "z"],
        "that are objects": [{"a": 1}, "y"],
        "that are none": [None, "y"],
        "that are lists": [["x"], "y"],
        "given twice": ["x", "x"],
        "alike as text": [1, "1"],
        "in a text": "xy",
        "as a table": {},
    }
    for what, entry in names.items():
        yield f"names of blocks {what}", changed(BLOCKS, context__names=entry)
    yield "a block without values", changed(BLOCKS, context__block_of=[0, 0, 2, 2], context__names=["x", "y", "z"])
    yield "a table of 900 rows with 200 numbers each", large_table(900, 200)
    yield "a table of 200 rows with 900 numbers each", large_table(200, 900)
    honest = law_text(UNIFORM)
    yield "a key twice", honest.replace('"epsilon":"1"', '"epsilon":"9","epsilon":"1"')
    yield "white space", honest.replace(",", ", ", 1)
    yield "a number with a point", honest.replace('"size":4', '"size":4.0')
    yield "no JSON", honest[:-1]
    yield "no object", "[]"
    yield "nothing", ""


def hashed(text):
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


LIES = {name: {"law": text, "fingerprint": None} for name, text in _lies()}
STALE = {
    "a raised epsilon under the old fingerprint": {
        "law": law_text(dc.mechanism(Context.uniform(["a", "b", "c", "d"], "9"), "randomized_response")),
        "fingerprint": UNIFORM.fingerprint,
    },
    "an honest law under another's fingerprint": {"law": law_text(BLOCKS), "fingerprint": UNIFORM.fingerprint},
}
