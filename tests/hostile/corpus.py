"""Documents that ask for more than they are worth: short ones that would take hours, gigabytes or a traceback."""

import json

UNIFORM = {"form": "uniform", "epsilon": 1}


def spec(domain=None, context=UNIFORM, mechanism=None, **more):
    written = {"domain": {"size": 6} if domain is None else domain, "context": context, **more}
    return written if mechanism is None else {**written, "mechanism": mechanism}


def points(*coordinates, norm="l2"):
    return {"form": "metric", "epsilon": 1, "points": [[c] for c in coordinates], "norm": norm}


def grid(side):
    points = [[i, j] for i in range(side) for j in range(side)]
    return {"form": "metric", "epsilon": 1, "points": points, "norm": "l2"}


def law(law, domain=6, context=None):
    context = {"form": "uniform", "epsilon": "1"} if context is None else context
    return {"context": context, "domain": {"size": domain}, "law": law, "version": 2}


def product(first, second):
    return {"form": "product", "first": first, "second": second}


def powers(times):
    """A product of pairs of products of pairs, and so on: 2**times values."""
    made = spec({"size": 2})
    for _ in range(times - 1):
        made = {"context": product(made, spec({"size": 2}))}
    return made["context"]


def deep_tuple(depth):
    return {"tuple": [deep_tuple(depth - 1)]} if depth else "a"


def nested_sizes(depth):
    return [nested_sizes(depth - 1)] if depth else 1


def split(parts):
    """So many units that add up to all words."""
    return [str(2**64 - (parts - 1) * (2**64 // parts)), *[str(2**64 // parts)] * (parts - 1)]


RESPONSE = {"kind": "response", "size": 6, "low": 1, "high": 2, "spare": 0, "word_bits": 64}
HUGE = ("1e999999999", "1e99999999", "1e-999999999", "9" * 100_000, "1/" + "9" * 100_000, "1e400", "1e-400")
NOT_NUMBERS = (
    "1_0",
    "1１",
    "１",
    "٣",
    " 1",
    "1 ",
    "+-1",
    "0x10",
    "1e1_0",
    "nan",
    "-inf",
    "1/0",
    "1//2",
    "",
    "\x00",
    "1\n",
)
HUGE_INTEGERS = (10**30, 10**4000, 2**31, 2**40, 10**8, -(10**30), 0)

SPECS = {
    **{f"epsilon {e[:14]!r}": spec(context={"form": "uniform", "epsilon": e}) for e in (*HUGE, *NOT_NUMBERS)},
    **{f"epsilon {str(e)[:14]}": spec(context={"form": "uniform", "epsilon": e}) for e in (1000, 10**300, 10**4000)},
    "epsilon 1e-300": spec(context={"form": "uniform", "epsilon": "1e-300"}),
    **{f"point {e[:14]!r}": spec({"size": 2}, points("0", e)) for e in (*HUGE, *NOT_NUMBERS)},
    **{
        f"E {e[:14]!r}": spec({"size": 2}, {"form": "matrix", "E": [["0", e], [e, "0"]]}) for e in (*HUGE, *NOT_NUMBERS)
    },
    **{
        f"rows {e[:14]!r}": spec({"size": 2}, mechanism={"name": "table", "rows": [[e, "1"], ["1", e]]})
        for e in (*HUGE, *NOT_NUMBERS)
    },
    **{f"prior {e[:14]!r}": spec({"size": 2}, mechanism={"prior": [e, "1"]}) for e in (*HUGE, *NOT_NUMBERS)},
    **{
        f"units {e[:14]!r}": spec(
            context={"form": "high_low", "sensitive": [0, 1], "epsilon": 1},
            mechanism={"name": "mixture", "parts": [{"name": "unary"}], "units": [e], "prior": [1, 0, 0, 0, 0, 0]},
        )
        for e in (*HUGE, *NOT_NUMBERS)
    },
    **{f"size {str(n)[:14]}": spec({"size": n}) for n in HUGE_INTEGERS},
    **{
        f"size {n} with {name}": spec({"size": n}, mechanism={"name": name})
        for n in (10**6, 10**8, 2**31)
        for name in (
            "hadamard",
            "unary",
            "subset",
            "projective",
            "cyclotomic",
            "randomized_response",
            "general_hadamard",
            "optimised_unary",
            "exponential",
            "geometric",
            "levels",
            "nested",
            "ring",
            "torus",
            "tight",
            "utility_rappor",
            "table",
            "binary",
        )
    },
    **{
        f"high-low of {n}": spec({"size": n}, {"form": "high_low", "sensitive": [0, 5], "epsilon": 1})
        for n in (10**6, 10**7, 2**31)
    },
    **{
        f"one block of {n}": spec({"size": n}, {"form": "blocks", "sizes": [n - 1, 1], "epsilon": 1})
        for n in (10**6, 10**7, 2**31)
    },
    **{
        f"{shape} of {n}": spec({"size": n}, {"form": "metric", "distance": shape, "epsilon": 1})
        for n in (10**6, 10**7, 2**31)
        for shape in ("line", "ring")
    },
    "a line of long places": spec(
        {"size": 3000},
        {"form": "metric", "distance": "line", "epsilon": 1, "points": [f"{i}e-299" for i in range(3000)]},
    ),
    "a ring of next to no length": spec(
        {"size": 2}, {"form": "metric", "distance": "ring", "epsilon": 1, "around": "1e-299", "points": ["0", "1e299"]}
    ),
    "a million blocks inside a million": spec(
        {"size": 10**6}, {"form": "nested", "sizes": [[1]] * 10**6, "epsilons": ["1", "2", "3"]}
    ),
    "two million blocks inside each other": spec(
        {"size": 10**6}, {"form": "nested", "block_of": [list(range(10**6)), [0, 1] * 500_000], "epsilons": [1, 2, 3]}
    ),
    "a nested size that overflows": spec({"size": 6}, {"form": "nested", "sizes": [[10**30]], "epsilons": [1, 2, 3]}),
    "sizes deep inside each other": spec(
        {"size": 1}, {"form": "nested", "sizes": nested_sizes(20), "epsilons": [1] * 21}
    ),
    "a thousand grades": spec({"size": 1000}, {"form": "graded", "epsilons": [f"1.{i:03}" for i in range(1000)]}),
    "a hundred thousand grades": spec(
        {"size": 100_000}, {"form": "graded", "epsilons": [f"1.{i:06}" for i in range(100_000)]}
    ),
    "a product of millions": {"context": product(spec({"size": 2**20}), spec({"size": 2**20}))},
    "a product of a thousand and a thousand": {"context": product(spec({"size": 1000}), spec({"size": 1000}))},
    "products inside each other": {"context": powers(10)},
    "values that are deep tuples": spec({"values": [deep_tuple(20), "b"]}),
    "tuples written like texts": spec({"values": [{"tuple": [1, "a"]}, "(1, 'a')"]}),
    "two thousand different blocks": spec(
        {"size": sum(range(1, 1400))}, {"form": "blocks", "sizes": list(range(1, 1400)), "epsilon": 1}
    ),
    "a thousand epsilons": spec(
        {"size": 1000 * 1000},
        {"form": "blocks", "sizes": [1000] * 1000, "epsilons": [f"1.{i:03}" for i in range(1000)]},
    ),
    "ten large blocks, each with its epsilon": spec(
        {"size": 10 * 50_000},
        {"form": "blocks", "sizes": [50_000] * 10, "epsilons": [f"0.{i:03}" for i in range(1, 11)]},
    ),
    "blocks of sizes that overflow": spec({"size": 6}, {"form": "blocks", "sizes": [10**4000, 1], "epsilon": 1}),
    "block numbers that overflow": spec({"size": 2}, {"form": "blocks", "block_of": [0, 10**30], "epsilon": 1}),
    "block numbers that overflow below": spec(
        {"size": 2}, {"form": "blocks", "block_of": [0, -(10**30)], "epsilon": 1}
    ),
    "negative block numbers": spec({"size": 2}, {"form": "blocks", "block_of": [0, -1], "epsilon": 1}),
    "block names that overflow": spec(
        {"size": 2}, {"form": "blocks", "block_of": [0, 2**70], "names": ["a", "b"], "epsilon": 1}
    ),
    **{
        f"singer {key}": spec(mechanism={"name": "projective", "family": "singer", "key": key})
        for key in (
            [10**9 + 7, 3],
            [2, 10**9],
            [2, 33],
            [65521, 3],
            [2**61 - 1, 3],
            [10**4000, 3],
            [0, 0],
            [-5, 3],
            [2, 27],
            [127, 4],
            [4093, 3],
            [251, 4],
            [1621, 4],
            [3, 20],
            "ab",
            ["a", "b"],
            [2.5, 3],
            [[2], 3],
            [True, 3],
            None,
            7,
        )
    },
    **{
        f"{family} {key}": spec(mechanism={"name": "projective", "family": family, "key": [key]})
        for family in ("paley", "trivial", "biquadratic", "biquadratic and zero")
        for key in (4294967291, 2**31, 2**61 - 1, 10**4000, 2**25, 134217467)
    },
    "twin primes": spec(mechanism={"name": "projective", "family": "twin primes", "key": [65027, 65029]}),
    **{
        f"cyclotomic {p}, {d}": spec(mechanism={"name": "cyclotomic", "p": p, "d": d})
        for p, d in (
            (10**9 + 7, 3),
            (2**61 - 1, 3),
            (1000003, 3),
            (10**4000 + 1, 3),
            (7, 10**30),
            (65537, 2),
            (99991, 2),
            ("7", 3),
            (7, [3]),
            (7.5, 3),
            (None, 3),
            (True, True),
        )
    },
    **{
        f"{name} of {bits!r:.14} bits": spec(mechanism={"name": name, "bits": bits})
        for name in ("auto", "projective", "cyclotomic")
        for bits in (10**30, 10**10, 64, 1, 0, -1, "9", [1], 1.5, True)
    },
    **{
        f"high-low {name} of {bits!r:.14} bits": spec(
            context={"form": "high_low", "sensitive": [0, 1, 2], "epsilon": 1}, mechanism={"name": name, "bits": bits}
        )
        for name in ("auto", "projective", "cyclotomic")
        for bits in (10**30, 10**10, 1, "9", [1])
    },
    **{
        f"subset of {str(d)[:14]}": spec(mechanism={"name": "subset", "d": d})
        for d in (10**30, -1, "k", [1], {}, None, True, 1.5, "9" * 5000)
    },
    "one value, matrix": spec({"size": 1}, {"form": "matrix", "E": [[0]]}),
    "one value, metric": spec({"size": 1}, points("0")),
    "one value, metric without coordinates": spec({"size": 1}, {"form": "metric", "epsilon": 1, "points": [[]]}),
    "points without coordinates": spec({"size": 3}, {"form": "metric", "epsilon": 1, "points": [[], [], []]}),
    "a point twice": spec({"size": 3}, points(1, 1, 2)),
    **{
        f"one value, {name}": spec({"size": 1}, mechanism={"name": name})
        for name in (
            "auto",
            "hadamard",
            "exponential",
            "geometric",
            "tight",
            "projective",
            "subset",
            "table",
            "binary",
            "general_hadamard",
        )
    },
    "E of nothing but inf": spec({"size": 3}, {"form": "matrix", "E": [["0", *["inf"] * 2]] + [["inf"] * 3] * 2}),
    "E of inf off the diagonal": spec(
        {"size": 3}, {"form": "matrix", "E": [["0", "inf", "inf"], ["inf", "0", "inf"], ["inf", "inf", "0"]]}
    ),
    "E of zeros": spec({"size": 3}, {"form": "matrix", "E": [[0] * 3] * 3}),
    "E of nothing": spec({"size": 3}, {"form": "matrix", "E": []}),
    "E of long fractions": spec(
        {"size": 20},
        {"form": "matrix", "E": [[0 if x == z else f"1/{10**90 + 20 * x + z}" for z in range(20)] for x in range(20)]},
    ),
    "a thousand points": spec({"size": 1000}, points(*range(1000))),
    "four thousand points": spec({"size": 4000}, points(*range(4000), norm="l1")),
    "four thousand points, none alike": spec({"size": 4000}, points(*(i * i for i in range(4000)))),
    **{
        f"a grid of {side} x {side} for {name}": spec({"size": side * side}, grid(side), {"name": name})
        for side in (30, 100, 300)
        for name in ("torus", "subset", "exponential", "tight", "levels")
    },
    "a grid with a point that is far": spec(
        {"size": 901}, {**grid(30), "points": [*grid(30)["points"], [10**30, 0]]}, {"name": "torus"}
    ),
    "a grid with a point twice": spec({"size": 901}, {**grid(30), "points": [*grid(30)["points"], [0, 0]]}),
    "a grid of ten sides": spec(
        {"size": 1024}, {**grid(1), "points": [[x >> i & 1 for i in range(10)] for x in range(1024)]}, {"name": "torus"}
    ),
    **{
        f"{count} blocks of {size} for {name}": spec(
            {"size": count * size}, {"form": "nested", "sizes": [size] * count, "epsilons": [1, 3]}, {"name": name}
        )
        for count, size in ((2000, 3), (60_000, 2), (500_000, 2), (3, 300_000))
        for name in ("nested", "levels")
    },
    "long coordinates": spec({"size": 100}, points(*(f"0.{'0' * 280}{i:03}" for i in range(100)))),
    "a table of 2000 rows": spec({"size": 2000}, mechanism={"name": "table", "rows": [["1"]] * 2000}),
    "a table of 3700 rows": spec({"size": 3700}, mechanism={"name": "table", "rows": [["1/2", "1/2"]] * 3700}),
    "a wide table": spec({"size": 2}, mechanism={"name": "table", "rows": [["1"] + ["0"] * 20_000] * 2}),
    "an empty table": spec(mechanism={"name": "table", "rows": []}),
    "a table of tables": spec(mechanism={"name": "table", "rows": [[[1]]] * 6}),
    "a range without end": spec({"values": {"from": 0, "to": 2**52}}),
    "a range of a million": spec({"values": {"from": -10, "to": 10**6}}, mechanism={"name": "hadamard"}),
    "a range of huge ends": spec({"values": {"from": -(10**500), "to": 10**500, "step": 10**499}}),
    "a range of points": spec({"size": 10**6}, {"form": "metric", "epsilon": 1, "points": {"from": 1, "to": 10**6}}),
    "a range of points on a short line": spec(
        {"size": 3}, {"form": "metric", "epsilon": 1, "points": [1, "2", "1e999999999"]}
    ),
    "a range of sensitive values": spec(
        {"size": 10**6}, {"form": "high_low", "epsilon": 1, "sensitive": {"from": 0, "to": 2**40}}
    ),
    "blocks of ranges": spec(
        context={"form": "blocks", "epsilon": 1, "blocks": {f"{i}": {"from": 0, "to": 10**6} for i in range(99)}}
    ),
    "blocks of one column": spec(
        {"file": "cells.csv", "column": "cell", "block_column": "cell"}, {"form": "blocks", "epsilon": 1}
    ),
    "blocks of no column": spec(
        {"file": "cells.csv", "column": "cell", "block_column": "none"}, {"form": "blocks", "epsilon": 1}
    ),
    "blocks of a column for nothing": spec({"file": "cells.csv", "column": "cell", "block_column": "cell"}),
    "a long note": spec(note="a" * 10**5),
    "a fingerprint": spec(fingerprint="0" * 64),
    "no fingerprint": spec(fingerprint="\ud800" * 64),
    "negative prior": spec({"size": 2}, mechanism={"prior": [-1, 2]}),
    "prior above one": spec({"size": 2}, mechanism={"prior": ["0.9", "0.9"]}),
    "prior by strange names": spec({"size": 2}, mechanism={"prior": {"7": 1}}),
    "prior of tables": spec({"size": 2}, mechanism={"prior": [{}, []]}),
    "prior of nothing": spec({"size": 2}, mechanism={"prior": []}),
    **{f"query {e[:14]!r}": spec({"size": 2}, mechanism={"query": [e, "1"]}) for e in (*HUGE, *NOT_NUMBERS)},
    "query by strange names": spec({"size": 2}, mechanism={"query": {"7": 1}}),
    "query of tables": spec({"size": 2}, mechanism={"query": [{}, []]}),
    "query of nothing": spec({"size": 2}, mechanism={"query": []}),
    "query of null": spec({"size": 2}, mechanism={"query": None}),
    "query of many wishes": spec({"size": 1000}, mechanism={"query": ["cumulative"] * 10**5}),
    "cumulative shares of a million values": spec({"size": 10**6}, mechanism={"query": "cumulative"}),
    "worst cumulative shares": spec({"size": 4000}, mechanism={"query": "cumulative", "worst": True}),
    "worst mean of many values": spec({"size": 4000}, mechanism={"query": "mean", "worst": True}),
    "worst of two": spec({"size": 2}, mechanism={"worst": [True, False]}),
    "mixture inside mixture": spec(
        context={"form": "high_low", "sensitive": [0, 1], "epsilon": 1},
        mechanism={
            "name": "mixture",
            "units": [str(2**64)],
            "prior": ["1/6"] * 6,
            "parts": [{"name": "mixture", "parts": [{"name": "unary", "word_bits": 8}]}],
        },
    ),
    "mixture with word_bits": spec(
        context={"form": "high_low", "sensitive": [0, 1], "epsilon": 1},
        mechanism={
            "name": "mixture",
            "units": [str(2**64)],
            "prior": ["1/6"] * 6,
            "parts": [{"name": "unary", "word_bits": 8}],
        },
    ),
    "mixture of many": spec(
        context={"form": "high_low", "sensitive": [0, 1], "epsilon": 1},
        mechanism={"name": "mixture", "units": split(3000), "prior": ["1/6"] * 6, "parts": [{"name": "unary"}] * 3000},
    ),
    "inner of a uniform context": spec(mechanism={"name": "hadamard", "inner": [{"name": "hadamard"}]}),
    "inner with strange entries": spec(
        {"size": 4},
        {"form": "blocks", "sizes": [2, 2], "epsilon": 1},
        {"inner": [{"name": "subset", "d": {"a": 1}}, {"name": "projective", "key": {"a": []}}]},
    ),
    "word_bits": spec(mechanism={"name": "hadamard", "word_bits": 8}),
    "size as a parameter": spec(mechanism={"name": "hadamard", "size": 8}),
    "epsilon as a parameter": spec(mechanism={"name": "hadamard", "epsilon": 8}),
    "self as a parameter": spec(mechanism={"name": "hadamard", "self": 8}),
    "parameters as a parameter": spec(mechanism={"name": "hadamard", "parameters": 8, "shares": 1, "name_": 2}),
    "a parameter that is no name": spec(mechanism={"name": "hadamard", "": 8, "a b": 1}),
    "prior for law": spec(mechanism={"name": "law", "law": RESPONSE, "prior": 8}),
    "NUL in values": spec({"values": ["\x00", "a"]}),
    "a lone surrogate in values": spec({"values": ["\ud800", "a"]}),
    "a lone surrogate in a block": spec(
        None, {"form": "blocks", "epsilon": 1, "blocks": {"\udfff": [0, 1, 2, 3, 4, 5]}}
    ),
    "a lone surrogate in the name": spec(name="\ud800"),
    "a lone surrogate as a key": spec(**{"\ud800": 1}),
    "a lone surrogate as mechanism": spec(mechanism={"name": "\ud800"}),
    "line breaks": spec(context={"form": "a\nb\r\n\x0b\x1c\u2028c", "epsilon": 1}),
    "line breaks in a key": spec(**{"a\nb": 1}),
    "a long key": spec(**{"a" * 100_000: 1}),
    "a long form": spec(context={"form": "a" * 100_000, "epsilon": 1}),
    "a long value twice": spec({"values": ["a" * 100_000] * 2}),
    "a long mechanism": spec(mechanism={"name": "a" * 100_000}),
    "values that are huge": spec({"values": [10**4000, 10**4000 + 1, 1]}),
    "values that are floats": spec({"values": [1.5, 2.5]}),
    "file is a device": spec({"file": "/dev/zero"}),
    "file is random": spec({"file": "/dev/urandom"}),
    "file is a pipe": spec({"file": "-"}),
    "file is absolute": spec({"file": "/etc/hostname"}),
    "file is outside": spec({"file": "../../etc/hostname"}),
    "file is a folder": spec({"file": "."}),
    "file is absent": spec({"file": "absent.csv"}),
    "file has NUL": spec({"file": "a\x00b"}),
    "file is a lone surrogate": spec({"file": "\ud800"}),
    "file has a long name": spec({"file": "a" * 5000}),
    "file and no column": spec({"file": "cells.csv"}),
    "file is the spec": spec({"file": "spec.json"}),
    "sensitive that is not there": spec(None, {"form": "high_low", "sensitive": [10**4000], "epsilon": 1}),
    "version": spec(version=10**4000),
    "numbers too far apart for a float": spec(
        {"values": [0, 10**400, 3]}, {"form": "metric", "distance": "line", "epsilon": 1}
    ),
    "nothing where a design needs a probability": {
        "domain": {"values": ["no", "yes"]},
        "reports": ["n", "y"],
        "mechanism": {"name": "kuk", "yes": None, "no": "0.3", "draws": 1},
    },
    "law and mechanism": spec(law=RESPONSE, mechanism={"name": "auto"}),
}

SET = {"size": 6, "bits": "Aw=="}
BIG_ROW = {"runs": [[0, 2**25]]}
UNARY = {"kind": "unary", "size": 6, "own": str(2**63), "other": str(2**62), "word_bits": 64}


def nested(kind, depth):
    inner = UNARY
    for _ in range(depth):
        inner = (
            {"kind": "mixture", "units": [str(2**64)], "parts": [inner]}
            if kind == "mixture"
            else {
                "kind": "high_low",
                "sensitive": {"size": 6, "bits": "Pw=="},
                "inner": inner,
                "neutral": 0,
                "steps": [],
            }
        )
    return inner


def even(size):
    """A response on so many values that its numbers add up."""
    low = 2**64 // (size + 1)
    return {
        "kind": "response",
        "size": size,
        "low": low if low < 2**53 else str(low),
        "high": str(2**64 - (size - 1) * low) if 2**64 - (size - 1) * low >= 2**53 else 2**64 - (size - 1) * low,
        "spare": 0,
        "word_bits": 64,
    }


TYPES = {
    "kind": "types",
    "class_of": {"runs": [[0, 3], [1, 3]]},
    "units": [split(2)] * 2,
    "marks": [[0, 0], [0, 0]],
    "inners": [],
    "word_bits": 64,
}
LEVELS = {
    "kind": "levels",
    "branches": [2, 3],
    "shown": [[1], [0, 0]],
    "inners": [{"kind": "response", "size": 2, "low": str(2**62), "high": str(3 * 2**62), "spare": 0, "word_bits": 64}],
    "leaves": {"runs": [[x, 1] for x in range(6)]},
    "word_bits": 64,
}
GRADED = {
    "kind": "graded_unary",
    "grade_of": {"runs": [[0, 6]]},
    "own": [str(2**63)],
    "other": [str(2**62)],
    "word_bits": 64,
}
LAWS = {
    "a mixture of one response with 3e8 values": law(
        {"kind": "mixture", "units": [str(2**64)], "parts": [even(3 * 10**8)]}
    ),
    "a response with 2**60 values": law({**RESPONSE, "size": str(2**60)}),
    "a response with 2**31 values for itself": law(even(2**31), 2**31),
    "a unary with 2**40 values": law({**UNARY, "size": 2**40}),
    "a unary with a number of 4096 digits": law({**UNARY, "size": "9" * 4096}),
    "a unary that serves": law(UNARY, context={"form": "uniform", "epsilon": "3"}),
    "a unary of a million values": law({**UNARY, "size": 10**6}, 10**6, {"form": "uniform", "epsilon": "3"}),
    "a subset with a size of 4096 digits": law(
        {"kind": "subset", "size": "9" * 4096, "d": 1, "true": str(2**63), "steps": [[1, 1]], "word_bits": 64}
    ),
    "a subset with a d of 4000 digits": law(
        {"kind": "subset", "size": 6, "d": "9" * 4000, "true": str(2**63), "steps": [[1, 1]], "word_bits": 64}
    ),
    "a hadamard with a size of 4096 digits": law({"kind": "hadamard", "size": "9" * 4096, "true": 1, "word_bits": 64}),
    "a general hadamard with large parts": law(
        {
            "kind": "general_hadamard",
            "size": 6,
            "parts": str(10**4000),
            "columns": str(2**4000),
            "low": 1,
            "high": 2,
            "spare": 0,
            "word_bits": 64,
        }
    ),
    "word_bits of 4000 digits": law({**UNARY, "word_bits": "9" * 4000}),
    "word_bits of 10**15": law({**UNARY, "word_bits": 10**15}),
    "negative word_bits": law({**UNARY, "word_bits": -5}),
    "word_bits of 8": law({"kind": "unary", "size": 6, "own": 128, "other": 64, "word_bits": 8}),
    "word_bits of 8 inside": law(
        {
            "kind": "mixture",
            "units": [256],
            "parts": [{"kind": "unary", "size": 6, "own": 128, "other": 64, "word_bits": 8}],
        }
    ),
    "blocks of 20 long rows": law({"kind": "blocks", "block_of": [BIG_ROW] * 20, "kind_of": [0], "kinds": [UNARY]}),
    "blocks of a row of long runs": law(
        {"kind": "blocks", "block_of": {"runs": [[0, 2**24], [1, 2**24]] * 20}, "kind_of": [0], "kinds": [UNARY]}
    ),
    "blocks of a long row": law({"kind": "blocks", "block_of": BIG_ROW, "kind_of": [0], "kinds": [UNARY]}),
    "blocks in blocks with long rows": law(
        {
            "kind": "blocks",
            "block_of": BIG_ROW,
            "kind_of": [0],
            "kinds": [{"kind": "blocks", "block_of": BIG_ROW, "kind_of": [0], "kinds": [UNARY]}] * 20,
        }
    ),
    "blocks of a run of nothing": law(
        {"kind": "blocks", "block_of": {"runs": [[0, 0]]}, "kind_of": [0], "kinds": [UNARY]}
    ),
    "blocks of no runs": law({"kind": "blocks", "block_of": {"runs": []}, "kind_of": [0], "kinds": [UNARY]}),
    "blocks of runs of text": law({"kind": "blocks", "block_of": {"runs": "ab"}, "kind_of": [0], "kinds": [UNARY]}),
    "blocks without kinds": law({"kind": "blocks", "block_of": {"runs": [[0, 6]]}, "kind_of": [], "kinds": []}),
    "blocks of no such kind": law({"kind": "blocks", "block_of": {"runs": [[0, 6]]}, "kind_of": [5], "kinds": [UNARY]}),
    "blocks with high block numbers": law(
        {"kind": "blocks", "block_of": {"runs": [[2**32 - 1, 6]]}, "kind_of": [0], "kinds": [UNARY]}
    ),
    "cyclic without reports": law(
        {
            "kind": "cyclic",
            "size": 6,
            "modulus": 0,
            "low": 1,
            "high": 2,
            "spare": 0,
            "shifts": {"size": 0, "bits": ""},
            "word_bits": 64,
        }
    ),
    "cyclic with a huge modulus": law(
        {
            "kind": "cyclic",
            "size": 6,
            "modulus": "9" * 4000,
            "low": 1,
            "high": 2,
            "spare": 0,
            "shifts": SET,
            "word_bits": 64,
        }
    ),
    "a set with a huge size": law(
        {
            "kind": "high_low",
            "sensitive": {"size": "9" * 4000, "bits": "Aw=="},
            "inner": UNARY,
            "neutral": 1,
            "steps": [],
        }
    ),
    "a set with a negative size": law(
        {"kind": "high_low", "sensitive": {"size": -5, "bits": ""}, "inner": UNARY, "neutral": 1, "steps": []}
    ),
    "a set that is a number": law(
        {"kind": "high_low", "sensitive": {"size": 5, "bits": 7}, "inner": UNARY, "neutral": 1, "steps": []}
    ),
    "high-low of nobody": law(
        {"kind": "high_low", "sensitive": {"size": 6, "bits": "AA=="}, "inner": UNARY, "neutral": 1, "steps": []}
    ),
    "high-low with huge neutral": law(
        {
            "kind": "high_low",
            "sensitive": {"size": 7, "bits": "Pw=="},
            "inner": UNARY,
            "neutral": "9" * 4000,
            "steps": [],
        },
        7,
    ),
    "utility rappor of nobody": law(
        {"kind": "utility_rappor", "sensitive": {"size": 6, "bits": "AA=="}, "inner": UNARY, "neutral": 1}
    ),
    "an empty table": law({"kind": "table", "rows": [], "word_bits": 64}),
    "a table of empty rows": law({"kind": "table", "rows": [[]] * 6, "word_bits": 64}),
    "a table of 3700 rows": law({"kind": "table", "rows": [[str(2**63), str(2**63)]] * 3700, "word_bits": 64}, 3700),
    "a table of different rows": law(
        {"kind": "table", "rows": [[str(2**63 + i), str(2**63 - i)] for i in range(2000)], "word_bits": 64}, 2000
    ),
    "a product of products": law(
        {"kind": "product", "first": {"kind": "product", "first": UNARY, "second": UNARY}, "second": UNARY}
    ),
    "a product of many values": law(
        {
            "kind": "product",
            "first": even(500),
            "second": {"kind": "hadamard", "size": 500, "true": str(2**54), "word_bits": 64},
        },
        500,
    ),
    "a post-processing of much": law(
        {"kind": "post_processed", "inner": even(2000), "weights": [[str(2**64), 0]] * 2000}, 2000
    ),
    "a post-processing without rows": law({"kind": "post_processed", "inner": even(6), "weights": []}),
    "types of nothing": law({**TYPES, "class_of": {"runs": []}, "units": [], "marks": []}),
    "types of classes without values": law({**TYPES, "units": [split(2)] * 3}),
    "types of a long row": law({**TYPES, "class_of": BIG_ROW}),
    "types with word_bits of 10**15": law({**TYPES, "word_bits": 10**15}),
    "types with marks of 4000 digits": law({**TYPES, "marks": [["9" * 4000] * 2] * 2}),
    "types with negative marks": law({**TYPES, "marks": [[-1, 1], [0, 0]]}),
    "types that show sets of bits": law({**TYPES, "marks": [[1, 0], [0, 0]], "inners": [{**UNARY, "size": 3}]}),
    "types inside types": law({**TYPES, "marks": [[1, 0], [0, 0]], "inners": [TYPES]}),
    "many types that each show a million values": law(
        {
            **TYPES,
            "class_of": {"runs": [[0, 10**6], [1, 1]]},
            "units": [split(2000)] * 2,
            "marks": [[1, 0]] * 2000,
            "inners": [even(10**6)],
        },
        10**6 + 1,
    ),
    "many types of many classes": law(
        {
            **TYPES,
            "class_of": {"runs": [[c, 1] for c in range(700)]},
            "units": [split(700)] * 700,
            "marks": [[0] * 700] * 700,
        },
        700,
    ),
    "graded bits with word_bits of 10**15": law({**GRADED, "word_bits": 10**15}),
    "graded bits without grades": law({**GRADED, "own": [], "other": []}),
    "graded bits of a million values": law({**GRADED, "grade_of": {"runs": [[0, 10**6]]}}, 10**6),
    "graded bits of a long row": law({**GRADED, "grade_of": BIG_ROW}),
    "levels of nothing": law({**LEVELS, "branches": [], "shown": [], "inners": []}),
    "levels without leaves": law({**LEVELS, "leaves": {"runs": []}}),
    "levels of a long row": law({**LEVELS, "leaves": BIG_ROW}),
    "levels of one leaf": law({**LEVELS, "leaves": {"runs": [[0, 6]]}}),
    "levels of huge branches": law({**LEVELS, "branches": [10**500, 10**500]}),
    "levels of negative branches": law({**LEVELS, "branches": [-2, -3]}),
    "levels with word_bits of 10**15": law({**LEVELS, "word_bits": 10**15}),
    "levels with negative marks": law({**LEVELS, "shown": [[-1], [0]]}),
    "levels without a row": law({**LEVELS, "shown": [[1]]}),
    "levels inside levels": law({**LEVELS, "inners": [LEVELS]}),
    "levels of levels of bits": law({**LEVELS, "inners": [{**UNARY, "size": 2}]}),
    "levels of sixty depths": law(
        {**LEVELS, "branches": [2] * 60, "shown": [[1] * 2 ** min(depth, 8) for depth in range(60)]}
    ),
    "levels of too many states": law(
        {
            **LEVELS,
            "branches": [2] * 16,
            "shown": [[1] * 2**depth for depth in range(16)],
            "leaves": {"runs": [[x, 1] for x in range(2**16)]},
        },
        2**16,
    ),
    "levels of too many parts": law(
        {
            **LEVELS,
            "branches": [2] * 12,
            "shown": [[1] * 2**depth for depth in range(12)],
            "leaves": {"runs": [[x, 1] for x in range(2**12)]},
        },
        2**12,
    ),
    "levels of pairs without structure": law(
        {
            **LEVELS,
            "branches": [2] * 12,
            "shown": [[1], *([0] * depth + [1] for depth in range(1, 12))],
            "leaves": {"runs": [[x, 1] for x in range(2**12)]},
        },
        2**12,
        {"form": "metric", "distance": "line", "epsilon": 1},
    ),
    "a mixture of nothing": law({"kind": "mixture", "units": [], "parts": []}),
    "a mixture of many": law({"kind": "mixture", "units": split(2000), "parts": [even(10**6)] * 2000}, 10**6),
    "nested mixtures": law(nested("mixture", 7)),
    "nested high-low": law(nested("high_low", 2)),
    "too deep": law(nested("mixture", 300)),
    "a law that is a list": law([1]),
    "a kind that is a list": law({"kind": []}),
    "an unknown kind": law({"kind": "a" * 100_000}),
    "a true number": law({**UNARY, "own": True}),
    "a fractional number": law({**UNARY, "own": 1.5}),
    "version as text": {**law(UNARY), "version": "2"},
}

DEEP = 50_000
RAW = {
    "deep lists": ("spec.json", b"[" * DEEP),
    "deep tables": ("spec.json", b'{"a":' * DEEP),
    "deep values": ("spec.json", b'{"domain":{"values":' + b"[" * 900 + b"]" * 900 + b"}}"),
    "deep context": (
        "spec.json",
        b'{"domain":{"size":3},"context":{"form":"uniform","epsilon":1,"x":' + b"[" * 900 + b"]" * 900 + b"}}",
    ),
    "deep mechanism": (
        "spec.json",
        b'{"domain":{"size":3},"context":{"form":"uniform","epsilon":1},"mechanism":{"name":"law","law":'
        + b'{"a":' * 900
        + b"1"
        + b"}" * 900
        + b"}}",
    ),
    "deep choice": (
        "spec.json",
        b'{"domain":{"size":3},"context":{"form":"uniform","epsilon":1},"mechanism":{"name":"subset","d":'
        + b"[" * 900
        + b"]" * 900
        + b"}}",
    ),
    "a number of a million digits": ("spec.json", b'{"domain":{"size":' + b"9" * 10**6 + b"}}"),
    "a decimal of a million digits": (
        "spec.json",
        b'{"domain":{"size":3},"context":{"form":"uniform","epsilon":1.' + b"9" * 10**6 + b"}}",
    ),
    "a huge exponent": (
        "spec.json",
        b'{"domain":{"size":3},"context":{"form":"uniform","epsilon":1e' + b"9" * 1000 + b"}}",
    ),
    "a huge exponent of a point": (
        "spec.json",
        b'{"domain":{"size":2},"context":{"form":"metric","points":[[0],[1e999999999]],"epsilon":1}}',
    ),
    "a key twice": ("spec.json", b'{"domain":{"size":3},"domain":{"size":4}}'),
    "many keys twice": ("spec.json", b"{" + b",".join(b'"%d":1' % i for i in range(30_000)) + b',"29999":1}'),
    "NaN": ("spec.json", b'{"domain":{"size":NaN}}'),
    "Infinity": ("spec.json", b'{"domain":{"size":3},"context":{"form":"uniform","epsilon":Infinity}}'),
    "nothing": ("spec.json", b""),
    "NUL": ("spec.json", b"\0" * 100),
    "not UTF-8": ("spec.json", b'{"name":"\xff\xfe"}'),
    "UTF-16": ("spec.json", '{"name":"a"}'.encode("utf-16")),
    "an encoded surrogate": ("spec.json", b'{"name":"\xed\xa0\x80"}'),
    "TOML of nothing": ("spec.toml", b""),
    "TOML, blank lines": ("spec.toml", b"\n" * 500_000),
    "TOML, blank lines in a list": ("spec.toml", b"a = [" + b" \n" * 500_000 + b"1]"),
    "TOML, commas": ("spec.toml", b"a = '" + b"," * 500_000 + b"'"),
    "TOML, a long word": ("spec.toml", b"a" * 500_000),
    "TOML, deep lists": ("spec.toml", b"a = " + b"[" * DEEP),
    "TOML, deep inline tables": ("spec.toml", b"a = " + b"{a=" * DEEP),
    "TOML, deep tables": ("spec.toml", b"[" + b".".join([b"a"] * DEEP) + b"]"),
    "TOML, deep keys": ("spec.toml", b".".join([b"a"] * DEEP) + b" = 1"),
    "TOML, many deep tables": ("spec.toml", b"\n".join(b"[" + b".".join([b"a"] * i) + b"]" for i in range(1, 1500))),
    "TOML, deep quotes": ("spec.toml", b'a = "' + b'\\"' * DEEP + b'"'),
    "TOML, a giant number": ("spec.toml", b"[domain]\nsize = " + b"9" * 5000),
    "TOML, a giant hexadecimal": (
        "spec.toml",
        b"[domain]\nsize = 0x" + b"f" * 50_000 + b'\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, a giant binary version": ("spec.toml", b"version = 0b" + b"1" * 500_000),
    "TOML, a giant epsilon": (
        "spec.toml",
        b'[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 0x' + b"f" * 50_000,
    ),
    "TOML, a giant epsilon, certified": (
        "spec.toml",
        b'[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 0x' + b"f" * 200,
    ),
    "TOML, giant d": (
        "spec.toml",
        b'mechanism = {name = "subset", d = 0x'
        + b"f" * 50_000
        + b'}\n[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, giant bits": (
        "spec.toml",
        b"mechanism = {bits = 0x" + b"f" * 50_000 + b'}\n[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, giant key": (
        "spec.toml",
        b'mechanism = {name = "projective", family = "paley", key = [0x'
        + b"f" * 50_000
        + b']}\n[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, giant block": (
        "spec.toml",
        b'[domain]\nsize = 2\n[context]\nform = "blocks"\nepsilon = 1\nblock_of = [0, 0x' + b"f" * 50_000 + b"]",
    ),
    "TOML, giant value": (
        "spec.toml",
        b"[domain]\nvalues = [0, 0x" + b"f" * 50_000 + b']\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, giant unit": (
        "spec.toml",
        b'mechanism = {name = "mixture", parts = [{name = "unary"}], prior = [1,0,0], units = [0x'
        + b"f" * 50_000
        + b']}\n[domain]\nsize = 3\n[context]\nform = "high_low"\nsensitive = [0, 1]\nepsilon = 1',
    ),
    "TOML, giant row": (
        "spec.toml",
        b'mechanism = {name = "table", rows = [[0x'
        + b"f" * 50_000
        + b', 0], [1, 0]]}\n[domain]\nsize = 2\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, giant law": (
        "spec.toml",
        b'mechanism = {name = "law", law = {kind = "unary", size = 3, own = 0x'
        + b"f" * 50_000
        + b', other = 1, word_bits = 64}}\n[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, a date": (
        "spec.toml",
        b'[domain]\nvalues = [1979-05-27, 07:32:00]\n[context]\nform = "uniform"\nepsilon = 1',
    ),
    "TOML, a date for a size": ("spec.toml", b"[domain]\nsize = 1979-05-27T07:32:00Z"),
    "TOML, nan": ("spec.toml", b'[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = nan'),
    "TOML, a huge exponent": (
        "spec.toml",
        b'[domain]\nsize = 2\n[context]\nform = "metric"\npoints = [[0], [1e999999999]]\nepsilon = 1',
    ),
    "TOML, a key twice": ("spec.toml", b"[domain]\nsize = 3\nsize = 4"),
    "TOML, not UTF-8": ("spec.toml", b'name = "\xff"'),
    "TOML, NUL": ("spec.toml", b'name = "\0"'),
}

WIDE = [1 << 14_300, (1 << 14_300) - 1, -(1 << 14_300), 1 << 100_000, -1, 1 << 64, 10**30]
FINGERPRINT = "FINGERPRINT"


def tally(n, counts, **more):
    return {"fingerprint": FINGERPRINT, "n": n, "counts": counts, **more}


TALLIES = {
    "n of 4000 digits": tally(10**4000, [0] * 8),
    "counts of 4000 digits": tally(5, [10**4000] * 8),
    "counts that wrap": tally(2**53 - 1, [2**53 - 1] * 8),
    "negative counts": tally(0, [-1, 1] * 4),
    "counts of text": tally(8, ["1"] * 8),
    "true counts": tally(8, [True] * 8),
    "fractional counts": tally(8, [1.0] * 8),
    "counts of lists": tally(8, [[1]] * 8),
    "too few": tally(0, []),
    "too many": tally(0, [0] * 10**6),
    "counts that are a table": tally(0, {}),
    "a long unknown entry": tally(0, [0] * 8, **{"a" * 10**5: 1}),
    "a long mechanism": {"fingerprint": "b" * 10**5, "n": 1, "counts": [1] + [0] * 7, "mechanism": "a" * 10**5},
    "lines in the mechanism": {"fingerprint": "b\nc", "n": 1, "counts": [1] + [0] * 7, "mechanism": "a\nb"},
    "a long version": tally(0, [0] * 8, version="1" * 10**5),
    "a version of 4000 digits": tally(0, [0] * 8, version=10**4000),
    "a lone surrogate": tally(0, [0] * 8, mechanism="\ud800"),
    "a lone surrogate as fingerprint": {"fingerprint": "\ud800", "n": 0, "counts": [0] * 8},
    "a list": [1, 2],
    "nothing": {},
}


def cases():
    """Every document with a name: the reader, its content and what else it needs."""
    for name, document in SPECS.items():
        yield f"spec: {name}", "spec.json", json.dumps(document).encode(), None
    for name, document in LAWS.items():
        yield f"law: {name}", "law", json.dumps(document, sort_keys=True, separators=(",", ":")).encode(), None
        yield f"law in a spec: {name}", "spec.json", json.dumps(document).encode(), None
    for name, (reader, content) in RAW.items():
        yield f"raw: {name}", reader, content, None
        if reader == "spec.json":
            yield f"raw law: {name}", "law", content, None
            yield f"raw tally: {name}", "tally", content, "narrow"
            yield f"raw envelope: {name}", "envelope", content, "narrow"
            yield f"raw lines: {name}", "file.jsonl", content, "narrow"
    for name, document in TALLIES.items():
        yield f"tally: {name}", "tally", json.dumps(document).encode(), "narrow"
    for mechanism in ("narrow", "sets", "wide", "very wide", "blocks", "high-low", "table"):
        for report in WIDE:
            packed = report.to_bytes(report.bit_length() // 8 + 1, "little", signed=True)
            yield f"report {report.bit_length()} bits, {mechanism}", "number", packed, mechanism
            yield f"bytes of {report.bit_length()} bits, {mechanism}", "bytes", packed, mechanism
            for form in (f"{report:x}", f"{abs(report):018x}", f"{abs(report):03575x}"):
                yield f"digits {form[:8]} {len(form)}, {mechanism}", "text", form.encode(), mechanism
                yield f"JSON digits {form[:8]} {len(form)}, {mechanism}", "json", json.dumps(form).encode(), mechanism
        for text in (*NOT_NUMBERS, "9" * 10**5, "f" * 10**5, "\ud800"):
            content = text.encode("utf-8", "surrogatepass")
            yield f"text {text[:8]!r}, {mechanism}", "text", content, mechanism
            for suffix in (".txt", ".csv", ".jsonl"):
                head = b"report\n" if suffix == ".csv" else b""
                yield f"file{suffix} {text[:8]!r}, {mechanism}", f"file{suffix}", head + content, mechanism
        yield f"JSON number, {mechanism}", "json", b"9" * 4000, mechanism
        yield f"JSON list, {mechanism}", "json", b"[" * 900 + b"]" * 900, mechanism
        for reports in ([10**4000], ["a" * 10**5], [[1]], [None], [1.5], {}, "ab", [True], [10**400] * 3):
            document = {"version": 1, "fingerprint": FINGERPRINT, "reports": reports}
            yield f"envelope {str(reports)[:20]}, {mechanism}", "envelope", json.dumps(document).encode(), mechanism
    for suffix in (".txt.gz", ".txt.zst", ".parquet", ".arrow", ".arrow.gz"):
        for content in (
            b"",
            b"\0",
            b"\x1f\x8b" + b"\0" * 50,
            b"PAR1" + b"\xff" * 50 + b"PAR1",
            b"ARROW1\0\0" + b"\xff" * 50,
        ):
            yield f"file{suffix} {content[:4]!r}", f"file{suffix}", content, "narrow"
