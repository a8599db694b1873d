"""What the analysis of a survey costs: scores, likelihoods, cumulative shares.

    python bench/survey.py [--quick] [--only scores columns ...]

Times are the least of a few tries: seconds of one processor where one thread works, of the clock where all do. Each
section is one function that yields lines; a new one goes into `SECTIONS`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from measure import Result, least, memory_beside, table

import discreet as dc
from discreet.bulk.scores import gather_sums
from discreet.estimation.arrays.acceleration import cores
from discreet.mechanisms.mechanism import Mechanism

ONE = "1"
HIGH_LOW = dc.Context.high_low(range(200), range(20), ONE)
BLOCKS = dc.Context.blocks({b: range(20 * b, 20 * b + 20) for b in range(50)}, ONE)
TREE = dc.Context.nested({b: range(20 * b, 20 * b + 20) for b in range(10)}, [ONE, "3"])


def cases() -> Iterator[Mechanism]:
    """The mechanisms whose reports are scored."""
    for k, name in (
        (1000, "hadamard"),
        (43_750, "hadamard"),
        (1000, "projective"),
        (1000, "cyclotomic"),
        (64, "subset"),
        (500, "subset"),
        (30, "unary"),
        (5, "randomized_response"),
    ):
        yield dc.mechanism(dc.Context.uniform(range(k), ONE), name)
    for context in (BLOCKS, HIGH_LOW):
        for name in ("hadamard", "subset"):
            yield dc.mechanism(context, name)
    for name in ("nested", "levels"):
        yield dc.mechanism(TREE, name)


def drawn(mechanism: Mechanism, n: int) -> np.ndarray:
    """Reports of n people whose values are evenly spread."""
    values = np.random.default_rng(1).integers(0, mechanism.context.size, n)
    found: np.ndarray = mechanism.randomize_indices(values, dc.random.seeded(1))
    return found


def scores(n: int) -> Iterator[Result]:
    """Scores of reports on one thread and on all, against counting the same reports; and `weigh` against `decode`."""
    for mechanism in cases():
        sampler, k = mechanism.sampler, mechanism.context.size
        count = n if mechanism.bits <= 16 else n // 10
        reports, w = drawn(mechanism, count), np.linspace(0, 1, k)
        counts = mechanism.tally(reports).counts
        entries = np.asarray(sampler.decode_adjoint(w))
        run = partial(gather_sums, sampler, entries, reports)
        one, tallied = least(partial(run, threads=1)), least(partial(dc.Tally.of, mechanism, reports, threads=1))
        ratios = {"tally": tallied / one}
        if cores() > 1:
            clock = partial(least, clock=time.perf_counter)
            ratios[f"{cores()} threads"] = clock(partial(run, threads=1)) / clock(run)
        weighed = least(partial(sampler.weigh, w)) * 1e3
        decoded = least(partial(sampler.decode, counts)) * 1e3
        note = f"{one:.3f} s; weigh {weighed:.2f} ms, decode {decoded:.2f} ms"
        beside = memory_beside(run)
        yield Result("scores", mechanism.name, k, count, count / one, megabytes=beside, ratios=ratios, note=note)


def columns(n: int) -> Iterator[Result]:
    """The likelihood of every value, for each of n reports or for as many as have 20 million entries."""
    for mechanism in cases():
        k = mechanism.context.size
        count = min(n, 20_000_000 // k)
        reports = drawn(mechanism, count)
        seconds = least(partial(mechanism.columns, reports), tries=2)
        note = f"{seconds:.3f} s, {1e9 * seconds / count / k:.1f} ns an entry"
        yield Result("columns", mechanism.name, k, count, count / seconds, note=note)


def cumulative(n: int) -> Iterator[Result]:
    """The cumulative shares with their intervals from a tally: one calibrated query for each value."""
    for k, name in ((11, "hadamard"), (100, "subset"), (1000, "hadamard"), (1000, "projective")):
        mechanism = dc.mechanism(dc.Context.uniform(range(k), ONE), name, **({"d": 10} if name == "subset" else {}))
        tally = mechanism.tally(drawn(mechanism, n))
        seconds = least(lambda tally=tally: dc.estimate(tally).cumulative().interval(), tries=2)
        note = f"{1e3 * seconds:.1f} ms"
        yield Result("cumulative", mechanism.name, k, n, 1 / seconds, "curves/s", note=note)


SECTIONS: dict[str, Callable[[bool], Iterator[Result]]] = {
    "scores": lambda quick: scores(1_000_000 if quick else 10_000_000),
    "columns": lambda quick: columns(10_000 if quick else 100_000),
    "cumulative": lambda quick: cumulative(10_000 if quick else 100_000),
}
"""The sections by name, each from whether it is to be quick."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a minute instead of five")
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    asked = parser.parse_args()
    print(table([line for name in asked.only for line in SECTIONS[name](asked.quick)]))


if __name__ == "__main__":
    main()
