"""Post-processing: nothing done to reports afterwards weakens their privacy (Proposition 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.domain import listed_values
from ...core.errors import InvalidInput, check_type
from ...core.exact import probability_of
from ...core.limits import spend
from ..law import Law
from ..laws import sampler_of
from ..mechanism import Mechanism
from ..sampler import Sampler
from ..tables.table import WrittenOut, check_row, filled
from ..units import check_law

MAX_REPORTS = 1 << 12
"""The most reports for which a post-processing is written out."""


@dataclass(frozen=True)
class PostProcessedLaw(Law):
    """A report y drawn by `inner` is replaced by v with ``weights[y][v]`` of one more word.

    Numbers that are no reports of `inner` have the row of the first one that is.
    """

    kind = "post_processed"

    inner: Law
    weights: tuple[tuple[int, ...], ...]


class PostProcessed(WrittenOut):
    """The reports of another sampler, each replaced by a draw from its row of a stochastic matrix W.

    The report y is drawn as before and one more word chooses by row y of W, held in units of a word. The law is
    exactly the product Q W of the two laws as drawn.

    *Why private.* ``sum_y Q(y|x) W(v|y) <= max_y (Q(y|x) / Q(y|z)) * sum_y Q(y|z) W(v|y)``; the
    certificate does not rely on this but compares the entries of Q W.

    References: Acharya2020 (Proposition 1).
    """

    name = "post_processed"
    law: PostProcessedLaw
    follows = PostProcessedLaw

    def __init__(self, inner: Sampler, weights: Sequence[Sequence[int]]) -> None:
        _check_few(inner)
        rows = dict(zip(inner.reports(), map(tuple, weights), strict=True))
        anything = next(iter(rows.values()))
        self._follow(PostProcessedLaw(inner.law, tuple(rows.get(y, anything) for y in range(inner.outputs))), inner)

    def follow(self, law: PostProcessedLaw) -> None:
        self._follow(law, sampler_of(law.inner))

    def _follow(self, law: PostProcessedLaw, inner: Sampler) -> None:
        _check_few(inner)
        self.law, self.inner = law, inner
        self.size, self.word_bits, self.words = inner.size, inner.word_bits, inner.words + 1
        reports = list(inner.reports())
        check_law(bool(reports) and bool(law.weights), law.kind, "it must have reports, and weights for each of them")
        spend(30 * self.size * len(reports) * (len(law.weights[0]) + 1), f"{law.kind} of {self.size} values")
        rows = len(law.weights) == inner.outputs
        check_law(rows, law.kind, f"its weights must have {inner.outputs} rows, one per number below that")
        self.weights = tuple(law.weights[y] for y in reports)
        known = set(reports)
        spread = all(row == self.weights[0] for y, row in enumerate(law.weights) if y not in known)
        check_law(spread, law.kind, "numbers that are no reports must have the weights of the first that is")
        self.outputs = len(law.weights[0])
        for y, row in enumerate(law.weights):
            check_row(row, self.outputs, 1 << self.word_bits, name=f"weights of report {y}")
        self.space = 1 << self.word_bits * self.words
        scale = self.space >> self.word_bits
        self.rows = tuple(self._row([inner.probability(x, y) * scale for y in reports]) for x in range(self.size))
        self._check_rows()
        self._bounds = tuple(tuple(bound * self.scale for bound in accumulate(row)) for row in law.weights)

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> PostProcessed:
        inner = self.inner.with_word_bits(word_bits, epsilon)
        rows = [[unit >> self.word_bits - word_bits for unit in row] for row in self.weights]
        return PostProcessed(inner, [filled(row, 1 << word_bits) for row in rows])

    def _row(self, law: Sequence[Fraction]) -> tuple[int, ...]:
        """One row of Q W in whole units; Q is in units of the words that the inner sampler takes."""
        columns = zip(*self.weights, strict=True)
        return tuple(int(sum(q * weight for q, weight in zip(law, column, strict=True))) for column in columns)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        return ops.rank(self._bounds, self.inner.draw(x, words[: self.inner.words], ops), words[self.inner.words])

    def describe(self) -> dict[str, Any]:
        weights = [[str(unit) for unit in row] for row in self.weights]
        return {"name": self.name, "inner": self.inner.describe(), "weights": weights}

    @classmethod
    def examples(cls) -> Iterator[Mechanism]:
        from ..build import mechanism

        context = Context.uniform(range(3), "1")
        response, hadamard = (mechanism(context, name) for name in ("randomized_response", "hadamard"))
        yield post_process(response, [["1/2", "1/2", 0], [0, 1, 0], ["1/3", 0, "2/3"]])
        yield post_process(hadamard, [[1, 0], [0, 1], ["1/7", "6/7"], [0, 1]])


def _check_few(inner: Sampler) -> None:
    """Refuse a sampler with too many reports to write out."""
    if inner.outputs > MAX_REPORTS:
        raise InvalidInput(f"post_process: {inner.outputs} reports are more than {MAX_REPORTS}, the most written out")


def post_process(mechanism: Mechanism, matrix: Sequence[Sequence[Any]]) -> Mechanism:
    """The mechanism whose reports are those of `mechanism`, each replaced at random by a stochastic matrix W.

    `matrix` has one row for each of ``mechanism.reports()``, in order, of exact probabilities (ints, Fractions or
    text) that add up to one; they are rounded to whole units of a word. The result is certified for the same
    context. Small domains only: the product is written out.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> noisier = dc.post_process(mechanism, [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> round(mechanism.certificate.realised, 4), round(noisier.certificate.realised, 4)
    (2.0, 0.802)
    """
    check_type("mechanism", mechanism, Mechanism, "a mechanism")
    matrix = [listed_values(row, f"matrix[{y}]") for y, row in enumerate(listed_values(matrix, "matrix"))]
    inner = mechanism.sampler
    _check_few(inner)
    reports = list(mechanism.reports())
    if len(matrix) != len(reports):
        raise InvalidInput(f"matrix has {len(matrix)} rows; it must have one per report, {len(reports)}")
    space = 1 << inner.word_bits
    weights = []
    for number, row in enumerate(matrix):
        exact = [probability_of(entry, name=f"matrix[{number}][{v}]") for v, entry in enumerate(row)]
        if not exact or sum(exact) != 1 or len(exact) != len(matrix[0]):
            raise InvalidInput(
                f"matrix[{number}] must be exact probabilities that add up to 1, as many as in the other rows"
            )
        weights.append(filled([int(entry * space) for entry in exact], space))
    return Mechanism(mechanism.context, PostProcessed(inner, weights), served=mechanism.served)
