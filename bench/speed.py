"""Our engines against the plain NumPy form, and against what the machine can do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from cases import HOT, SETS, mechanism, values
from limits import Limits
from measure import Result, least, memory_beside

import discreet as dc
from discreet.bulk.randomizing import randomize_indices
from discreet.core.errors import DiscreetError
from discreet.estimation.arrays import acceleration
from discreet.estimation.arrays.acceleration import cores


def privatise(found: Limits, ks: list[int], n: int) -> Iterator[Result]:
    """Values to reports: compiled on one thread, on all, and NumPy."""
    for k in ks:
        base = 0.0
        for form, name in HOT + SETS:
            words = 1
            try:
                made = mechanism(form, name, k)
            except DiscreetError as problem:
                yield Result("privatise", f"{form} {name}", k, 0, 0.0, note=f"not served: {problem}")
                continue
            words = made.sampler.words
            count = max(200, min(n, 20_000_000 // (words if words > 1 else 1) // (1 if words == 1 else 8)))
            line = _privatise(made, f"{form} {name}", count, found)
            base = base or line.rate
            yield _with(line, hadamard=base / line.rate) if base != line.rate else line


def _privatise(made: dc.Mechanism, case: str, n: int, found: Limits) -> Result:
    sampler, rng = made.sampler, dc.random.secure()
    x = values(sampler.size, n)
    run = partial(randomize_indices, sampler, x, rng)
    one = n / least(partial(run, engine="numba", threads=1))
    few = x[: max(1, min(n, 1_000_000 if sampler.words == 1 else 20_000_000 // sampler.words // 100))]
    plain = len(few) / least(partial(randomize_indices, sampler, few, rng, engine="numpy", threads=1), tries=2)
    clock = partial(least, clock=time.perf_counter)
    ratios = {
        "of AES": one * sampler.words / found.words,
        "of memcpy": one * (x.itemsize + run(threads=1).nbytes / n) / found.copied,
        "numpy": one / plain,
    }
    if cores() > 1:
        ratios[f"{cores()} threads"] = clock(partial(run, engine="numba", threads=1)) / clock(
            partial(run, engine="numba")
        )
    return Result("privatise", case, sampler.size, n, one, megabytes=memory_beside(run), ratios=ratios)


def decode(found: Limits, ks: list[int], n: int) -> Iterator[Result]:
    """Reports to a tally, against NumPy and a plain sum; and a tally to shares with standard errors."""
    for k in ks:
        for form, name in [*HOT[:3], HOT[4], SETS[0]]:
            made = mechanism(form, name, k)
            count = n if made.bits <= 64 else max(200, min(n, 200_000_000 // k))
            reports = made.randomize_indices(values(k, count), dc.random.secure())
            one = count / least(lambda made=made, reports=reports: dc.Tally.of(made, reports, threads=1))
            worth, acceleration.MIN_COMPILED_SIZE = acceleration.MIN_COMPILED_SIZE, 1 << 62
            plain = count / least(lambda made=made, reports=reports: dc.Tally.of(made, reports, threads=1), tries=2)
            acceleration.MIN_COMPILED_SIZE = worth
            kind = reports.dtype.str[1:] if reports.ndim == 1 else f"{reports.shape[1]} words"
            ratios = {"numpy": one / plain}
            if kind in found.summed:
                ratios["of np.sum"] = one / found.summed[kind]
            yield Result("tally", f"{form} {name}, {kind}", k, count, one, ratios=ratios)


def estimate(ks: list[int]) -> Iterator[Result]:
    """A tally to shares and standard errors."""
    for k in ks:
        for form, name in [*HOT[:3], HOT[4]]:
            made = mechanism(form, name, k)
            counts = np.random.default_rng(1).integers(0, 1000, made.sampler.cells)
            tally = dc.Tally(made, counts, int(counts.sum()))

            def shares(tally: dc.Tally = tally) -> None:
                found = dc.estimate(tally)
                found.shares.sum() + found.stderr.sum()

            seconds = least(shares)
            yield Result("estimate", f"{form} {name}", k, 1, 1 / seconds, "estimates/s", note=f"{1e3 * seconds:.2f} ms")


def growth(ns: list[int], ks: list[int]) -> Iterator[Result]:
    """The cost of a report, made and counted, as n and k grow by tens: Hadamard and projective, one thread."""
    for name in ("hadamard", "projective"):
        for k, n in dict.fromkeys([(1000, n) for n in ns] + [(k, ns[0]) for k in ks]):
            made = mechanism("uniform", name, k)
            x, rng = values(k, n), dc.random.secure()
            run = partial(randomize_indices, made.sampler, x, rng, threads=1, engine="numba")
            yield Result("growth", f"privatise {name}", k, n, n / least(run, tries=3), megabytes=memory_beside(run))
            tallied = partial(dc.Tally.of, made, run(), threads=1)
            yield Result("growth", f"tally {name}", k, n, n / least(tallied, tries=3))


def _with(line: Result, **ratios: float) -> Result:
    told = line.ratios or {}
    return Result(
        line.section,
        line.case,
        line.k,
        line.n,
        line.rate,
        line.unit,
        line.megabytes,
        told | {f"{name}/this": value for name, value in ratios.items()},
        line.note,
    )
