"""Composition: two releases about the same value, under the sum of their contexts (Proposition 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...contexts import Context
from ...core.arithmetic import Arithmetic
from ...core.domain import Value
from ...core.errors import InvalidInput, check_type
from ..law import Law
from ..laws import sampler_of
from ..mechanism import Mechanism
from ..sampler import Sampler
from ..tables.table import WrittenOut

if TYPE_CHECKING:
    from ...core.random import Source

MAX_ENTRIES = 1 << 20
"""The most entries with which the channel of a pair of reports is written out."""


@dataclass(frozen=True)
class ProductLaw(Law):
    """The first words draw a report by `first`, the others one by `second`, for the same value."""

    kind = "product"

    first: Law
    second: Law


class Product(WrittenOut):
    """Both reports as one: ``y * (outputs of the second) + y'``, each drawn from its own words.

    *Why private.* ``Q(y|x) Q'(y'|x) / (Q(y|z) Q'(y'|z))`` is a product of two bounded ratios; the
    certificate does not rely on this but compares the entries.

    References: Acharya2020 (Proposition 2).
    """

    name = "product"
    law: ProductLaw
    follows = ProductLaw

    def __init__(self, first: Sampler, second: Sampler) -> None:
        self._follow(ProductLaw(first.law, second.law), first, second)

    def follow(self, law: ProductLaw) -> None:
        self._follow(law, sampler_of(law.first), sampler_of(law.second))

    def _follow(self, law: ProductLaw, first: Sampler, second: Sampler) -> None:
        if first.size != second.size or first.word_bits != second.word_bits:
            raise InvalidInput("both samplers must have the same values and words of the same width")
        self.law, self.first, self.second = law, first, second
        self.size, self.word_bits, self.words = first.size, first.word_bits, first.words + second.words
        self.outputs = first.outputs * second.outputs
        if self.outputs * self.size > MAX_ENTRIES:
            raise InvalidInput(f"{self.size} x {self.outputs} entries are too many to write out")
        self.space = 1 << self.word_bits * self.words
        self.rows = tuple(self._row(x) for x in range(self.size))
        self._check_rows()

    def with_word_bits(self, word_bits: int, epsilon: Fraction | None = None) -> Product:
        return Product(self.first.with_word_bits(word_bits, epsilon), self.second.with_word_bits(word_bits, epsilon))

    def _row(self, x: int) -> tuple[int, ...]:
        one = units_of(self.first, x)
        two = units_of(self.second, x)
        return tuple(a * b for a in one for b in two)

    def draw(self, x: Any, words: Sequence[Any], ops: Arithmetic) -> Any:
        one = self.first.draw(x, words[: self.first.words], ops)
        return one * self.second.outputs + self.second.draw(x, words[self.first.words :], ops)

    def split(self, report: int) -> tuple[int, int]:
        """The two reports."""
        return divmod(report, self.second.outputs)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "parts": [self.first.describe(), self.second.describe()]}

    @classmethod
    def examples(cls) -> Iterator[Mechanism]:
        from ..build import mechanism

        context = Context.uniform(range(3), "1")
        response, hadamard = (mechanism(context, name) for name in ("randomized_response", "hadamard"))
        yield compose(response, hadamard).exact()
        yield compose(hadamard, compose(response, response).exact()).exact()


def units_of(sampler: Sampler, x: int) -> list[int]:
    """The law of one value over all numbers below `outputs`, in units of all the words it takes."""
    space = 1 << sampler.word_bits * sampler.words
    return [int(sampler.probability(x, y) * space) for y in range(sampler.outputs)]


@dataclass(frozen=True)
class Composition:
    """Two mechanisms that both report the same value; together they satisfy the sum of their contexts.

    Each part was certified when it was made, so any number of values is allowed; `exact` writes the pair out
    and certifies it as one mechanism.
    """

    first: Mechanism
    second: Mechanism

    @cached_property
    def context(self) -> Context:
        """E1 + E2, entry by entry."""
        return self.first.context + self.second.context

    def randomize(self, value: Value, rng: Source) -> tuple[int, int]:
        """Both reports of one person, each from fresh words."""
        return self.first.randomize(value, rng), self.second.randomize(value, rng)

    def randomize_many(self, values: Any, rng: Source) -> tuple[Any, Any]:
        """Both reports of each of many values, as `Mechanism.randomize_many` makes them."""
        return self.first.randomize_many(values, rng), self.second.randomize_many(values, rng)

    def randomize_indices(self, indices: Any, rng: Source) -> tuple[Any, Any]:
        """Both reports of each of many values given by their numbers in the domain."""
        return self.first.randomize_indices(indices, rng), self.second.randomize_indices(indices, rng)

    def exact(self) -> Mechanism:
        """The pair as one mechanism, its channel the product, certified for the sum (small domains)."""
        return Mechanism(self.context, Product(self.first.sampler, self.second.sampler))


def compose(first: Mechanism, second: Mechanism) -> Composition:
    """Two releases about the same value: both reports, under the context ``first.context + second.context``.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> both = dc.compose(mechanism, mechanism)
    >>> both.context
    Context.binary('no', 'yes', epsilon=(2, 2))
    >>> both.randomize("yes", dc.random.seeded(1))
    (0, 1)
    """
    for name, given in (("first", first), ("second", second)):
        check_type(name, given, Mechanism, "a mechanism")
    if first.context.domain != second.context.domain:
        raise InvalidInput("mechanisms can be composed only over the same values in the same order")
    return Composition(first, second)
