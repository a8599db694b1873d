"""What the time of one report tells: how often truth or lie, and which of two values, is guessed from it.

`randomize` is called one report at a time, the two cases in random order, with the words already drawn, so that the
noise of the system's randomness does not count. One half of the times fixes the best single threshold; the
other half says how often it guesses right when both cases are equally likely: 50 % is a coin. The value, or the pair of
values, for which guessing is easiest counts. Two controls frame the figures: cases assigned at random, which no time
can tell, and a mechanism that returns early when it tells the truth, which must be caught.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from time import perf_counter_ns
from typing import Any

import numpy as np
from measure import Result, least
from numpy.typing import NDArray

import discreet as dc
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.hadamard import Hadamard

ROWS = 2000
"""The most reports whose words are drawn beforehand for a case, and fewer if they take many words."""

UNIFORM = dc.Context.uniform(range(300), "1")
NAMES = dc.Context.uniform([f"place {i}" for i in range(300)], "1")
BLOCKS = dc.Context.blocks({b: range(75 * b, 75 * b + 75) for b in range(4)}, "1")
HIGH_LOW = dc.Context.high_low(range(300), range(100, 200), "1")
SMALL = dc.Context.uniform(range(5), "1")
BASES = ["randomized_response", "hadamard", "projective", "cyclotomic", "subset", "unary", "optimised_unary"]


def mechanisms() -> Iterator[tuple[str, Mechanism]]:
    """Every kind of law by name, on 300 values where nothing else is said."""
    for base in [*BASES, "general_hadamard"]:
        yield base, dc.mechanism(UNIFORM, base)
    yield "randomized_response, epsilon 4", dc.mechanism(dc.Context.uniform(range(300), "4"), "randomized_response")
    yield "hadamard, values by name", dc.mechanism(NAMES, "hadamard")
    for base in BASES:
        yield f"blocks({base})", dc.mechanism(BLOCKS, base)
        yield f"high_low({base})", dc.mechanism(HIGH_LOW, base)
    yield "utility_rappor", dc.mechanism(HIGH_LOW, "utility_rappor")
    parts = [{"name": "subset", "d": d} for d in (2, 3)]
    high_low = dc.Context.high_low(range(30), range(10), "1")
    yield "mixture, k = 30", dc.mechanism(high_low, "mixture", parts=parts, units=[1 << 63, 1 << 63])
    yield "binary", dc.mechanism(dc.Context.binary("no", "yes", ("2", "1")), "binary")
    line = dc.Context.metric(range(40), lambda a, b: abs(a - b), "0.1")
    yield "exponential, k = 40", dc.mechanism(line, "exponential")
    small = dc.mechanism(SMALL, "randomized_response")
    yield "product, k = 5", dc.compose(small, dc.mechanism(SMALL, "hadamard")).exact()
    yield "adaptive, k = 5", dc.adaptive(small, lambda y: dc.mechanism(SMALL, "hadamard"))
    shift = [["1/2" if i in (y, (y + 1) % 5) else 0 for i in range(5)] for y in range(5)]
    yield "post_processed, k = 5", dc.post_process(small, shift)


class Early(Hadamard):
    """The planted fault: a truthful column is returned at once."""

    def draw(self, x: Any, words: Sequence[Any], ops: Any) -> Any:
        column = ops.position(words[0], self.outputs)
        if ops.less(ops.fraction(words[0], self.outputs), self.bound) and not ops.parity((x + 1) & column):
            return column
        return super().draw(x, words, ops)


class Unpaused(Mechanism):
    """The same mechanism without the random pause: what the work alone tells."""

    def randomize(self, value: Any, rng: Any) -> int:
        return self.randomize_index(self.context.domain.index(value), rng)


class Drawn:
    """A source of words that were drawn before, so that taking them costs the same whatever they are."""

    words: list[int]

    def take(self, count: int) -> list[int]:
        """The words of this report."""
        return self.words

    def fill(self, count: int) -> NDArray[np.uint64]:
        """The same as an array."""
        return np.array(self.words, dtype=np.uint64)


def rows_of(mechanism: Mechanism) -> int:
    """How many reports' words are drawn beforehand."""
    return min(ROWS, max(200, (1 << 17) // mechanism.sampler.words))


def supported(mechanism: Mechanism, x: int, report: int) -> bool:
    """True if a report speaks for x: told as it is, or in the likelier set."""
    counts = np.zeros(mechanism.sampler.cells)
    for cell in mechanism.sampler.cells_of(report):
        counts[cell] += 1
    return bool(decoder_of(mechanism.sampler).decode(counts)[x] > 0)


def truths_and_lies(mechanism: Mechanism, x: int) -> list[list[list[int]]]:
    """Words that make x lie, and words that make it tell the truth."""
    source = dc.random.secure()
    found: tuple[list[list[int]], list[list[int]]] = ([], [])
    known: dict[int, bool] = {}
    width, most = mechanism.sampler.words, rows_of(mechanism)
    while min(map(len, found)) < most:
        words = source.fill(64 * width).reshape(64, width)
        for row in words.tolist():
            report = mechanism.randomize_index(x, dc.random.replay(row))
            if report not in known:
                known[report] = supported(mechanism, x, report)
            if len(found[known[report]]) < most:
                found[known[report]].append(row)
    return list(found)


def times(mechanism: Mechanism, cases: Sequence[tuple[Any, list[list[int]]]], calls: int) -> list[NDArray[np.int64]]:
    """Nanoseconds of single calls for each case of (value, words to draw from), in random order."""
    rng = np.random.default_rng()
    order = rng.permutation(np.repeat(np.arange(len(cases)), calls)).tolist()
    picks = [rng.integers(0, len(words), calls).tolist() for _, words in cases]
    source = Drawn()
    taken: list[list[int]] = [[] for _ in cases]
    call, clock = mechanism.randomize, perf_counter_ns
    gc.collect()
    gc.disable()
    try:
        for case in order:
            value, words = cases[case]
            source.words = words[picks[case].pop()]
            sum(source.words)  # as near at hand as words that were drawn just now
            start = clock()
            call(value, source)
            taken[case].append(clock() - start)
    finally:
        gc.enable()
    return [np.array(some) for some in taken]


def accuracy(one: NDArray[np.int64], two: NDArray[np.int64]) -> float:
    """How often the best threshold of one half of the times is right about the other half."""
    half = len(one) // 2
    levels = np.unique(np.concatenate([one[:half], two[:half]]))
    above = [1 - np.searchsorted(np.sort(part[:half]), levels, side="right") / half for part in (one, two)]
    gain = above[1] - above[0]
    best = int(np.argmax(np.abs(gain)))
    right = np.mean(two[half:] > levels[best]) - np.mean(one[half:] > levels[best])
    return 0.5 + 0.5 * float(np.sign(gain[best]) * right)


def hidden_values(mechanism: Mechanism) -> list[int]:
    """The first, middle and last of values that must be hard to tell apart, and of those that need no protection."""
    first = np.asarray(decoder_of(mechanism.sampler).groups()[0].values)[0].tolist()
    passed = [x for x in mechanism.sampler.disclosed if x in first]
    parts = [passed, [x for x in first if x not in set(passed)]]
    return sorted({some[at] for some in parts if some for at in (0, len(some) // 2, -1)})


def truth_or_lie(mechanism: Mechanism, calls: int, *, control: bool = False) -> float:
    """How often the time of a call tells truth from lie: the value for which that is easiest."""
    found = []
    for x in hidden_values(mechanism):
        value, cases = mechanism.context.domain[x], truths_and_lies(mechanism, x)
        if control:
            cases = [[*cases[0], *cases[1]]] * 2
        found.append(accuracy(*times(mechanism, [(value, words) for words in cases], calls)))
    return max(found)


def which_value(mechanism: Mechanism, calls: int) -> float:
    """How often the time of a call tells two values apart: the two for which that is easiest."""
    width, rows = mechanism.sampler.words, rows_of(mechanism)
    words = dc.random.secure().fill(rows * width).reshape(rows, width).tolist()
    values = [mechanism.context.domain[x] for x in hidden_values(mechanism)]
    taken = times(mechanism, [(value, words) for value in values], calls)
    return max(accuracy(a, b) for i, a in enumerate(taken) for b in taken[:i])


def timing(calls: int) -> Iterator[Result]:
    """A line for each control and each mechanism."""
    hadamard = dc.mechanism(UNIFORM, "hadamard")
    yield _line("control: cases at random", hadamard, calls, f"{truth_or_lie(hadamard, calls, control=True):.1%}")
    early = Mechanism(UNIFORM, Early(300, UNIFORM.level)), Unpaused(UNIFORM, Early(300, UNIFORM.level))
    caught, seen = (truth_or_lie(one, calls) for one in early)
    yield _line("control: the truth returns early", early[0], calls, f"{caught:.1%}; without the pause {seen:.1%}")
    for name, mechanism in mechanisms():
        each = min(calls, max(2000, (1 << 20) // mechanism.sampler.words))
        alone = Unpaused(mechanism.context, mechanism.sampler, served=mechanism.served)
        truth, value, work, worth = (
            guessed(subject, each) for subject in (mechanism, alone) for guessed in (truth_or_lie, which_value)
        )
        note = f"truth or lie {truth:.1%}, which value {value:.1%}; without the pause {work:.1%}, {worth:.1%}"
        yield _line(name, mechanism, each, note)


def _line(name: str, mechanism: Mechanism, calls: int, note: str) -> Result:
    value, source = mechanism.context.domain[0], dc.random.secure()
    taken = least(lambda: [mechanism.randomize(value, source) for _ in range(100)])
    return Result("timing", name, mechanism.context.size, calls, 100 / taken, note=note)
