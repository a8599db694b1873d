"""The best types for classes of alike values: n times the error, what is proved, and what fits 64 bits.

    python bench/classes.py [--large] [--json FILE]

The errors are those of the certified laws, in whole units, by their closed form; "proved" is a number that no channel
for the context is below, where all types were compared. --large adds 30 and 60 blocks, which take a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.uniform.graded_unary import GradedUnary
from discreet.mechanisms.uniform.subset import least_error_size
from discreet.planning.classwise import certified_types
from discreet.planning.optimize.type_options import Classes
from discreet.planning.optimize.types import best_types

CASES: list[tuple[str, Sequence[int], Sequence[str], Sequence[str]]] = [
    ("uniform 3 & high-low 1, 3 of 12", (3, 9), ("1", "3"), ()),
    ("uniform 4 & high-low 1, 5 of 20", (5, 15), ("1", "4"), ()),
    ("uniform 4 & high-low 1, 10 of 100", (10, 90), ("1", "4"), ()),
    ("uniform 4 & high-low 1, 50 of 1000", (50, 950), ("1", "4"), ()),
    ("graded 1, 2, 3", (20, 30, 50), ("1", "2", "3"), ()),
    ("graded .5, 1, 2, 4", (5, 10, 35, 50), ("0.5", "1", "2", "4"), ()),
    ("graded .2, 1, 5", (10, 100, 190), ("0.2", "1", "5"), ()),
    ("nested 2, 3, 5, 8 at .5 and 2", (2, 3, 5, 8), ("2",) * 4, ("0.5",) * 4),
    ("nested 1, 2, 4, 9, 20 at 1 and 3", (1, 2, 4, 9, 20), ("3",) * 5, ("1",) * 5),
    ("nested 5, 10, 20, 40, 80 at 1 and 3", (5, 10, 20, 40, 80), ("3",) * 5, ("1",) * 5),
]
THIRTY = np.random.default_rng(0).integers(2, 30, 30).tolist()
SIXTY = np.random.default_rng(3).integers(5, 105, 60).tolist()
LARGE: list[tuple[str, Sequence[int], Sequence[str], Sequence[str]]] = [
    ("30 blocks, k = 489, at 1 and 3", THIRTY, ("3",) * 30, ("1",) * 30),
    ("60 blocks, k = 3100, at 1 and 3", SIXTY, ("3",) * 60, ("1",) * 60),
]


def rows(cases: Sequence[tuple[str, Sequence[int], Sequence[str], Sequence[str]]]) -> Iterator[dict[str, Any]]:
    """One line per context: without a limit on bits, and in 64."""
    for name, sizes, across, inside in cases:
        outer = tuple(Fraction(text) for text in across)
        inner = tuple(Fraction(text) for text in inside) or outer
        inner = tuple(a if size == 1 else b for size, a, b in zip(sizes, outer, inner, strict=True))
        of = tuple(c for c, size in enumerate(sizes) for _ in range(size))
        classes = Classes(of, inner, outer, np.array(sizes) / len(of))
        line: dict[str, Any] = {"context": name, "k": len(of), "before": _plain(len(of), float(min(inner)))}
        for key, bits in (("free", None), ("word", 64)):
            begun = time.process_time()
            design = best_types(classes, bits=bits)
            mixture, even = certified_types(design), design.classes.even
            error = float(np.sum(decoder_of(mixture).second_moments(even)) - np.sum(even**2))
            reached = {"error": error, "bits": mixture.bits, "types": len(design.types)}
            line[key] = reached | {"proved": design.bound, "seconds": time.process_time() - begun}
        if not inside:
            made = GradedUnary([outer[c] for c in of], prior=[1 / len(of)] * len(of))
            even = np.full(len(of), 1 / len(of))
            line["unary"] = float(np.sum(decoder_of(made).second_moments(even)) - np.sum(even**2))
        yield line


def _plain(k: int, epsilon: float) -> float:
    """n times the error of subset selection at the smallest entry of E, which knows no classes."""
    d = least_error_size(k, epsilon)
    g = d / (d + (k - d) * np.exp(-epsilon))
    h = (g * (d - 1) + (1 - g) * d) / (k - 1)
    return float(((k - 1) * h * (1 - h) + g * (1 - g)) / (g - h) ** 2 + 1 - 1 / k)


def main() -> None:
    """Print the table; write it as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    print(f"{'context':36} {'subset':>9} {'unary':>8} {'types':>9} {'proved':>9} {'bits':>5} {'s':>6}   in 64 bits, s")
    found = []
    for line in rows([*CASES, *(LARGE if arguments.large else [])]):
        found.append(line)
        free, word = line["free"], line["word"]
        unary = f"{line['unary']:8.2f}" if "unary" in line else f"{'-':>8}"
        proved = f"{free['proved']:9.3f}" if free["proved"] is not None else f"{'-':>9}"
        print(
            f"{line['context']:36} {line['before']:9.1f} {unary} {free['error']:9.3f} {proved} {free['bits']:5d} "
            f"{free['seconds']:6.2f}   {word['error']:9.3f} in {word['bits']:2d} bits, {word['seconds']:.2f}",
            flush=True,
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
