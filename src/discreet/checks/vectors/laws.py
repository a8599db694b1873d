"""The laws that vectors are made of: every kind of law, every mechanism by name, every form of context."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from ...contexts import Context
from ...core.errors import InvalidInput, NotServed
from ...mechanisms.build import BASES, OTHERS
from ...mechanisms.build import mechanism as named
from ...mechanisms.law import Law
from ...mechanisms.laws import FOLLOWERS, sampler_of
from ...mechanisms.mechanism import Mechanism
from ...mechanisms.sampler import Sampler
from ...planning.design import design

AWKWARD = (1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33)
"""Sizes of a domain: the smallest, primes, and both sides of powers of two."""

WIDE = (52, 53, 54, 63, 64, 65, 130)
"""Sizes at which sets pass 53 bits, which a double holds, and 64, which a word holds."""

TEXTS = ["", " ", "a", "b c", "Ärger", "日本", "\U0001f600", '"quoted"', "back\\slash", "line\nbreak", "\u2028", "\x7f"]
"""Values that each language must write alike before the fingerprint is that of the text."""

WORD = 1 << 64

MATRIX = [["0", "1", "inf", "2"], ["2", "0", "1", "inf"], ["1", "1", "0", "1"], ["inf", "3", "1/3", "0"]]


def small_laws() -> Iterator[Mechanism]:
    """Every kind of law, every name of a mechanism and every form of context, at small sizes."""
    for name in BASES:
        with suppress(InvalidInput):
            yield named(Context.uniform(range(1), "1"), name)
    yield from _bases([2, 5], "1")
    yield from _in_order({**small_examples(), "contexts": _contexts()})
    yield from _wide([53, 64, 65])
    yield from _numbers()


def all_laws() -> Iterator[Mechanism]:
    """Those of `small_laws` and many more, at awkward sizes, at large ones, and at small and large epsilons."""
    yield from small_laws()
    for k in AWKWARD:
        yield from _bases([k], "0.5")
    for epsilon in ("0.01", "3", "20"):
        yield from _bases([6], epsilon)
    yield from _wide(WIDE)
    for k in AWKWARD[2:]:
        yield named(_classes(k), "auto")
    yield from _lines()
    yield from _large()
    yield from _designed()


def _half(k: int, epsilon: str) -> Context:
    return Context.high_low(range(k), range(0, k, 2), epsilon)


def _uneven(k: int, epsilon: str) -> Context:
    """Blocks of k, two and one values, not in order and at different epsilons."""
    blocks: dict[Hashable, Sequence[int]] = {
        "many": range(0, 3 * k, 3),
        "one": [1],
        "two": [2, 4],
        "more": range(3 * k, 4 * k),
    }
    return Context.blocks(blocks, {"many": epsilon, "one": "1", "two": epsilon, "more": "1"})


def _classes(k: int) -> Context:
    """Two classes of values, of which one is hidden better, also from the other."""
    return Context.uniform(range(k), "2") & Context.high_low(range(k), range(0, k, 3), "1")


def _bases(sizes: list[int], epsilon: str) -> Iterator[Mechanism]:
    """Every base alone, on the sensitive values of a high-low context and inside blocks."""
    for k in sizes:
        one = Context.high_low(range(k), [k - 1], epsilon)
        for context in (Context.uniform(range(k), epsilon), _half(k, epsilon), one, _uneven(min(k, 9), epsilon)):
            for name in (*BASES, *OTHERS):
                with suppress(NotServed, InvalidInput):  # cyclotomic response is not for every size
                    yield named(context, name)


ORDER = (
    "table*6 geometric*2 ring*2 torus*3 table*2 nested*2 contexts levels*2 graded_unary contexts*3 table types "
    "graded_unary mixture utility_rappor contexts*2 paired*3 blocks product*2 adaptive post_processed*2 contexts*3 "
    "randomized_response general_hadamard high_low subset high_low*2"
)
"""Whose examples follow each other in the file of vectors that is kept with the client; any other come last."""


def registered_samplers() -> dict[str, type[Sampler]]:
    """Every registered class of samplers by its name; a new one is found here as soon as it is registered."""
    return {kind.name: kind for registry in (BASES, OTHERS, FOLLOWERS) for kind in registry.values()}


def small_examples() -> dict[str, Iterator[Mechanism]]:
    """The examples of every registered class of samplers, by its name."""

    def build(kind: type[Sampler]) -> Iterator[Mechanism]:
        for one in kind.examples():
            yield one if isinstance(one, Mechanism) else named(one.context, one.name, **one.parameters)

    return {name: build(kind) for name, kind in registered_samplers().items()}


def _in_order(examples: dict[str, Iterator[Mechanism]]) -> Iterator[Mechanism]:
    """The examples in the order of the file."""
    for entry in ORDER.split():
        name, _, count = entry.partition("*")
        yield from islice(examples[name], int(count or 1))
    for rest in examples.values():
        yield from rest


def _tree(*branches: int) -> Context:
    """Blocks inside blocks with so many in each, at epsilons that double outwards."""
    *outer, inner = branches
    values = list(range(math.prod(branches)))
    blocks: list[Any] = [values[i : i + inner] for i in range(0, len(values), inner)]
    for count in reversed(outer):
        blocks = [dict(enumerate(blocks[i : i + count])) for i in range(0, len(blocks), count)]
    return Context.nested(blocks[0], [str(2**level) for level in range(len(branches))])


def _contexts() -> Iterator[Mechanism]:
    """Contexts that the examples of no sampler have: other forms, texts, matrices, sums and meets."""
    yield named(Context.nested({"p": {"x": ["a"]}, "q": {"y": ["b"]}}, ["1", "2", "inf"]), "randomized_response")
    yield named(Context.graded({"a": "1", "b": "1/2", "c": "inf"}), "subset")
    yield named(Context.matrix(range(4), MATRIX), "randomized_response")
    yield named(Context.matrix(range(4), MATRIX), "auto")
    yield named(Context.high_low(TEXTS, TEXTS[3:7], "1"), "utility_rappor")
    yield named(Context.uniform([("a", 1), ("b", ("c", 2)), "d", -5, 2**53 - 1], "1"), "hadamard")
    both = Context.high_low(range(6), [0], "1") & Context.high_low(range(6), [1], "2")
    yield named(both, "subset")
    yield named(Context.uniform(range(5), "1") | Context.high_low(range(5), [1, 3], "0.5"), "hadamard")
    yield named(Context.high_low(range(6), [0, 3], "1") + Context.blocks({0: range(3), 1: range(3, 6)}, "1"), "unary")
    classes = named(_classes(8), "auto").law()
    weaker = Context.uniform(range(8), "3") & Context.high_low(range(8), range(0, 8, 3), "2")
    yield Mechanism(weaker, sampler_of(_with_an_empty_type(classes)))


def _with_an_empty_type(law: Any) -> Law:
    """A type before all others that shows no class, for half of the words; the others have half of theirs."""
    units = [[unit // 2 for unit in row] for row in law.units]
    full = tuple((WORD - sum(row), *row) for row in units)
    changed: Law = replace(law, units=full, marks=((0,) * len(units), *law.marks))
    return changed


def _wide(sizes: tuple[int, ...] | list[int]) -> Iterator[Mechanism]:
    """Reports about as wide as a double or a word, and the number of a block, part or passed value above them."""
    for k in sizes:
        yield named(Context.uniform(range(k), "1"), "unary")
        yield named(Context.uniform(range(k), "1"), "subset", d=3)
        yield named(Context.high_low(range(k + 2), range(k), "1"), "subset")
        yield named(Context.high_low(range(k + 2), range(1, k + 1), "2"), "optimised_unary")
        yield named(Context.blocks({"a": range(k), "b": range(k, 2 * k), "c": [2 * k]}, "1"), "subset", d=2)
        yield named(Context.high_low(range(k), range(k - 1), "1"), "utility_rappor")
        yield named(Context.graded({x: "1" if x % 2 else "2" for x in range(k)}), "graded_unary")
    yield named(Context.blocks({"a": range(63), "b": range(63, 126)}, "1"), "unary")  # exactly 2**64 reports
    k = max(sizes)
    parts = [{"name": "subset", "d": 2}, {"name": "subset", "d": 9}]
    yield named(Context.high_low(range(k + 3), range(k), "1"), "mixture", parts=parts, units=[2**60, 15 * 2**60])
    yield named(Context.nested({"p": range(k), "q": range(k, k + 4)}, ["1", "3"]), "nested")
    yield named(_classes(k), "auto", bits=None)


def _numbers() -> Iterator[Mechanism]:
    """Numbers between bounds, which become the nodes of a grid: at random and to the nearest, in every form."""
    yield named(Context.numbers(0, 4000, "1", nodes=5, clip=True), "hadamard")
    yield named(Context.numbers(0, 120, "1", step=10, clip=True, rounding="nearest"), "randomized_response")
    yield named(Context.numbers("-1.5", "2.5", "1", nodes=9), "subset")
    yield named(Context.numbers(0, 10, "0.5", step="0.5", distance="line", clip=True), "geometric")
    yield named(Context.numbers(18, 98, "2", step=8, decimals=0, grades={(18, 30): "1"}), "graded_unary")
    yield named(Context.numbers(0, "0.0001", "3", nodes=2, decimals=13), "randomized_response")
    yield named(Context.numbers(0, 100, "1", step=20).with_outside(["prefer not to say", "none"], "1"), "unary")
    yield named(Context.numbers("-2e9", "2e9", "1", step=10**7, decimals=0, rounding="nearest"), "projective")


def _lines() -> Iterator[Mechanism]:
    """Lines, rings and grids at awkward sizes."""
    for k in (3, 7, 8, 33, 100):
        for epsilon in ("0.05", "2"):
            yield named(Context.metric(range(k), "line", epsilon), "geometric")
            yield named(Context.metric(range(k), "ring", epsilon), "ring")
    yield named(Context.metric([(i, j) for i in range(7) for j in range(5)], "l2", "0.5"), "torus")
    yield named(Context.metric([(i, j, 0) for i in range(4) for j in range(3)], "linf", "1"), "torus")
    yield named(Context.metric([(i, j) for i in range(24) for j in range(23)], "l2", "1"), "torus")  # proved at once
    yield named(Context.metric(range(20), "line", "1"), "exponential")
    yield named(Context.metric(["to 10", "to 20", "above"], "line", "0.04", points=[5, "57.5", 300]), "auto")


def _large() -> Iterator[Mechanism]:
    """Large domains: what "auto" takes for a uniform, a block and a high-low context, and others by name."""
    for k in (1000, 43_750):
        blocks: dict[Hashable, range] = {f"b{i}": range(i, k, 25) for i in range(25)}
        for context in (
            Context.uniform(range(k), "1"),
            Context.blocks(blocks, "1"),
            Context.high_low(range(k), range(k // 5), "1"),
        ):
            yield named(context, "auto")
            yield named(context, "hadamard")
            yield named(context, "randomized_response")
            yield named(context, "projective")
        yield named(Context.metric(range(k), "line", "0.1"), "geometric")
        yield named(Context.nested({name: list(members) for name, members in blocks.items()}, ["1", "4"]), "nested")
    for branches in ((3, 3, 4), (5, 10, 20), (50, 20)):
        yield named(_tree(*branches), "levels")
    yield named(Context.uniform(range(1000), "2"), "subset")
    yield named(Context.uniform(range(1000), "1"), "unary")
    yield named(Context.uniform(range(257), "2"), "cyclotomic")
    yield named(
        Context.blocks({b: range(64 * b, 64 * b + 64) for b in range(17)}, "1"), "unary"
    )  # 17 need a digit more


def _designed() -> Iterator[Mechanism]:
    """Tables that a search has found."""
    yield design(Context.matrix(range(4), MATRIX), seconds=10).mechanism
    yield design(Context.metric(range(6), "line", "0.5"), seconds=10).mechanism
    yield design(Context.metric(range(5), "ring", "1"), seconds=10, worst=True).mechanism
