"""Total squared error of the default mechanism relative to subset selection; high-low against the best mixture.

    python bench/accuracy.py [--json FILE]

Everything is computed from exact closed forms; nothing is simulated.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc
from discreet.mechanisms.composed.two_sizes import least_between
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.general_hadamard import GeneralHadamard
from discreet.mechanisms.uniform.subset import least_error_size

EPSILONS = ("0.1", "0.5", "1", "2", "3", "5", "8")
SHOWN = (2, 10, 50, 64, 100, 1000, 1250, 43750)


def subset_error(k: int, epsilon: float) -> float:
    """n times the total squared error of subset selection with its best size, at the uniform distribution."""
    d = least_error_size(k, epsilon)
    g = d / (d + (k - d) * math.exp(-epsilon))
    h = (g * (d - 1) + (1 - g) * d) / (k - 1)
    v0, v1 = h * (1 - h) / (g - h) ** 2, (g * (1 - g) - h * (1 - h)) / (g - h) ** 2
    return k * v0 + v1 + 1 - 1 / k


def uniform_rows() -> list[dict[str, Any]]:
    """The default, Hadamard, general Hadamard and randomised response relative to subset selection."""
    rows = []
    for k in (*range(2, 65), 100, 1000, 1250, 43750):
        for text in EPSILONS:
            context = dc.Context.uniform(range(k), text)
            least = subset_error(k, float(text))
            explanation = dc.explain(context)
            by_name = {c.name: c.error / least for c in explanation.candidates}
            general = dc.mechanism(context, GeneralHadamard.name)
            rows.append(
                {
                    "k": k,
                    "epsilon": text,
                    "chosen": explanation.chosen.name,
                    "ratio": explanation.candidates[0].error / least,
                    "bits": explanation.chosen.bits,
                    "limit_bits": 64 if k <= 64 else math.log2(k) + 8,
                    "hadamard": by_name["hadamard"],
                    "general_hadamard": _error(general) / least,
                    "randomized_response": by_name["randomized_response"],
                }
            )
    return rows


def _error(mechanism: Mechanism) -> float:
    from discreet.planning.choose import candidate_of, prior_of

    return candidate_of(mechanism, prior_of(mechanism.context, None)).error


def mixture_error(s: int, k: int, mass: float, epsilon: float) -> float:
    """A proved lower bound, within a hundred-thousandth, on n times the error of any mixture of subset sizes.

    Columns: a subset of d sensitive values weighing e on it and 1 elsewhere, or one outside value alone. By
    symmetry only the weight of each d matters. The objective trace(M**-1) is convex in the weights; conditional
    gradient steps with line search lower it, and their gap bounds what is left. The sum of squared shares is
    included, as in trace(M**-1).
    """
    e, t = math.exp(epsilon), k - s
    d = np.arange(1, s + 1)
    inside, squares = d * e + s - d, d * e * e + s - d
    scale = mass * inside / s + (1 - mass)  # r . p of a subset column
    vectors = np.stack([inside / math.sqrt(s), np.full(s, math.sqrt(t))]) / scale
    spread = (squares - inside**2 / s) / (s - 1) / scale**2
    per_a, per_b = inside / s / scale, 1 / scale  # what a unit of weight adds to a row of A and of B

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        """f0 and minus its gradient; what the subsets leave of a row of B shows the value itself."""
        shown = 1 - float(weights @ per_b)
        mu = float(weights @ spread)
        if shown <= 0 or mu <= 1e-12:
            return math.inf, np.zeros(s)
        n = (vectors * weights) @ vectors.T
        per_value = shown * t / (1 - mass)  # one outside column, scaled to r . p = 1, has height t / (1 - mass)
        n[1, 1] += per_value
        inverse = np.linalg.inv(n)
        value = float(np.trace(inverse)) + (s - 1) / mu + (t - 1) / per_value
        column = (inverse[:, 1] ** 2).sum() + (t - 1) / per_value**2
        gain = ((inverse @ vectors) ** 2).sum(axis=0) + (s - 1) * spread / mu**2
        return value, gain - column * t / (1 - mass) * per_b

    singles = np.diag(1 / per_a)
    weights = min(singles, key=lambda single: objective(single)[0])
    for _ in range(2000):
        value, slope = objective(weights)
        towards = singles[int(np.argmax(slope / per_a))]
        gap = float(slope @ (towards - weights))
        if gap < 1e-5 * value:
            break
        low, high = 0.0, 1.0
        for _ in range(40):
            third = (high - low) / 3
            here, there = (objective(weights + (low + f * third) * (towards - weights))[0] for f in (1, 2))
            low, high = (low, low + 2 * third) if here <= there else (low + third, high)
        weights = weights + low * (towards - weights)
    return value - gap


def high_low_rows() -> list[dict[str, Any]]:
    """The chosen high-low mechanism against the best mixture, with and without the limit of one word."""
    rows = []
    for s in (3, 10, 50, 200):
        for k in (20, 100, 1000):
            for mass in (0.02, 0.1, 0.5):
                for text in ("0.5", "1", "2", "4", "5", "8"):
                    if s >= k:
                        continue
                    prior = np.r_[np.full(s, mass / s), np.full(k - s, (1 - mass) / (k - s))]
                    context = dc.Context.high_low(range(k), range(s), text)
                    squares = float(np.sum(prior**2))
                    least = mixture_error(s, k, mass, float(text)) - squares
                    free = dc.explain(context, prior=prior, bits=None).candidates[0]
                    word = dc.explain(context, prior=prior).candidates[0]
                    rows.append(
                        {"s": s, "k": k, "mass": mass, "epsilon": text}
                        | {"chosen": free.name, "ratio": free.error / least, "bits": free.bits}
                        | {"in_a_word": word.name, "word_ratio": word.error / least, "word_bits": word.bits}
                    )
    return rows


WORST = ((20, 10, "1"), (100, 50, "3"), (60, 20, "3.5"), (50, 10, "2.5"), (30, 5, "2"), (20, 3, "1"), (300, 100, "5.5"))
"""k values, s of them sensitive, and epsilon, for the worst case."""


def worst_rows() -> list[dict[str, Any]]:
    """The mechanism for the worst shares against the largest, over the sensitive mass, of the least error there."""
    rows = []
    for k, s, text in WORST:
        context = dc.Context.high_low(range(k), range(s), text)

        def least(mass: float, s: int = s, k: int = k, text: str = text) -> float:
            squares = mass**2 / s + (1 - mass) ** 2 / (k - s)
            return mixture_error(s, k, mass, float(text)) - squares

        mass = least_between(lambda m: -least(m), 1e-6, 1 - 1e-6, steps=25)
        optimum = max(least(mass), least(1 - 1e-6))
        free, word = (dc.explain(context, worst=True, bits=bits).candidates[0] for bits in (None, 64))
        rows.append(
            {"k": k, "s": s, "epsilon": text, "mass": mass, "optimum": optimum}
            | {"chosen": free.name, "error": free.error, "bits": free.bits}
            | {"in_a_word": word.name, "word_error": word.error, "word_bits": word.bits}
        )
    return rows


def main() -> None:
    """Print the tables; write them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    uniform = uniform_rows()
    print("Total squared error relative to subset selection (uniform context, uniform distribution)")
    print(f"{'k':>6} {'epsilon':>7} {'chosen':>20} {'ratio':>7} {'bits':>5} {'hadamard':>9} {'general':>8} {'k-RR':>9}")
    for row in uniform:
        if row["k"] in SHOWN:
            print(
                f"{row['k']:6d} {row['epsilon']:>7} {row['chosen']:>20} {row['ratio']:7.3f} {row['bits']:5d} "
                f"{row['hadamard']:9.2f} {row['general_hadamard']:8.2f} {row['randomized_response']:9.2f}"
            )
    small = max(row["ratio"] for row in uniform if row["k"] <= 64)
    large = max(row["ratio"] for row in uniform if row["k"] > 64)
    fits = all(row["bits"] <= row["limit_bits"] for row in uniform)
    print(f"largest ratio: {small:.4f} for k <= 64, {large:.4f} above; every report within its bits: {fits}")
    rows = high_low_rows()
    print("\nHigh-low: relative to the best mixture of subset sizes")
    print(f"{'s':>4} {'k':>5} {'mass':>5} {'epsilon':>7} {'chosen':>30} {'ratio':>7} {'in 64 bits':>30} {'ratio':>7}")
    for row in rows:
        print(
            f"{row['s']:4d} {row['k']:5d} {row['mass']:5.2f} {row['epsilon']:>7} {row['chosen']:>30} "
            f"{row['ratio']:7.4f} {row['in_a_word']:>30} {row['word_ratio']:7.4f}"
        )
    print(f"largest ratio: {max(r['ratio'] for r in rows):.4f}; in 64 bits {max(r['word_ratio'] for r in rows):.4f}")
    worst = worst_rows()
    print("\nHigh-low in the worst case: the largest error at any shares, and the least possible with any mixture")
    print(f"{'k':>4} {'s':>4} {'epsilon':>7} {'possible':>9} {'chosen':>18} {'error':>9} {'ratio':>7} {'64 bits':>7}")
    for row in worst:
        print(
            f"{row['k']:4d} {row['s']:4d} {row['epsilon']:>7} {row['optimum']:9.5f} {row['chosen']:>18} "
            f"{row['error']:9.5f} {row['error'] / row['optimum']:7.4f} {row['word_error'] / row['optimum']:7.4f}"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps({"uniform": uniform, "high_low": rows, "worst": worst}, indent=1))


if __name__ == "__main__":
    main()
