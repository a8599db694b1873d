"""`Context`: the domain and its privacy matrix E, by classes of values that are alike.

Values of one *class* have equal rows and columns in E, so E is known from `between` any two
classes and never needs k x k entries: a uniform context has one class, blocks one per block,
high-low two; only an arbitrary matrix has k.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, overload

from ..core import tables
from ..core.canonical import canonical
from ..core.domain import Alike, Domain, Leaves, Value
from ..core.errors import InvalidContext, check_type
from ..core.exact import Epsilon, text_of
from .reading import Constructors
from .structure import recognition
from .structure.recognition import GridStructure, LineStructure, Part, RingStructure, TreeStructure

if TYPE_CHECKING:
    from ..core.fields import Fields
    from .forms.numbers import NumberBounds
    from .operational import ErrorRegion

MATRIX_LIMIT = 4096
"""The largest domain that `matrix` writes out."""

MAX_SHOWN = 12
"""The most values whose entries a notebook shows."""

CLOSURE_LIMIT = 512
"""The most classes of values over which a closure is worked out unasked."""


def check_writable(size: int) -> None:
    """Refuse to write out the matrix of more than `MATRIX_LIMIT` values."""
    if size > MATRIX_LIMIT:
        raise InvalidContext(f"size={size} must be at most {MATRIX_LIMIT} to write the matrix out")


def first_two(labelled: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """The first two values with each label, from pairs of a label and a value."""
    first: dict[int, list[int]] = {}
    for label, x in labelled:
        if len(values := first.setdefault(label, [])) < 2:
            values.append(x)
    return first


def _written_out(context: Context) -> tuple[tuple[Epsilon, ...], ...]:
    check_writable(context.size)
    return tuple(tuple(context.at(x, z) for z in range(context.size)) for x in range(context.size))


def _from_entries(values: Iterable[Value], entries: Sequence[Sequence[object]]) -> Context:
    """Any context, entry by entry: row x and column z of `entries` is E[x, z], and "inf" asks for nothing.

    >>> import discreet as dc
    >>> context = dc.Context.matrix(["low", "mid", "high"], [[0, 1, "inf"], [1, 0, 1], ["inf", 1, 0]])
    >>> str(context.epsilon("low", "mid")), str(context.epsilon("low", "high"))
    ('1', 'inf')
    """
    from .forms.matrix import Matrix

    return Matrix(Domain(values), entries)


class _MatrixName:
    """``Context.matrix(values, E)`` makes a context; ``context.matrix()`` writes E out."""

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[..., Context]: ...
    @overload
    def __get__(self, instance: Context, owner: type) -> Callable[[], tuple[tuple[Epsilon, ...], ...]]: ...
    def __get__(self, instance: Context | None, owner: type) -> Callable[..., Any]:
        return _from_entries if instance is None else partial(_written_out, instance)


class Context(Constructors, ABC):
    """Who must be hard to tell from whom: E[x, z] bounds log(Q(S | x) / Q(S | z)) for every event S.

    Made by the constructors named for the form: `uniform`, `blocks`, `high_low`, `binary`, `nested`, `graded`,
    `metric`, `matrix` (on an instance, ``matrix()`` writes E out). ``+`` is the context of two adaptive releases
    (Proposition 2), ``&`` the context that asks for both, ``|`` the one that asks for either; ``*`` is the context
    of two questions, over pairs of values.

    Entries are as they were asked for; others may follow from them, as ``E[x, z] <= E[x, w] + E[w, z]``. Whatever
    says what a context allows (tests, odds, sums, forms, bounds) says it of its `closure`.

    >>> import discreet as dc
    >>> context = dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1", "n2"]}, epsilon="1")
    >>> context.epsilon("b1", "b2"), context.epsilon("b1", "n1")
    (Fraction(1, 1), inf)
    >>> context.implies(dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1", "n2"]}, epsilon="2"))
    True

    References: Acharya2020 (Definitions 1 to 4, Propositions 1 to 3, Theorem 1).
    """

    form: ClassVar[str]
    is_canonical: ClassVar[bool] = False
    """True for forms that are their own closure and have no simpler form."""
    is_closed: bool = False
    """True for contexts that are known to be their own closure without working it out."""
    is_finite: bool = False
    """True for contexts that are known to have only finite entries without going through them."""
    domain: Domain
    class_of: Sequence[int]
    """The class of each value, by number; classes are 0 .. C-1."""

    # -- the matrix, by classes ---------------------------------------------------------------
    @abstractmethod
    def between(self, c: int, d: int) -> Epsilon:
        """E[x, z] for different values x of class `c` and z of class `d`."""

    @abstractmethod
    def finite(self) -> Iterator[tuple[int, int]]:
        """The ordered pairs of classes whose entry is finite (all pairs that are protected at all)."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The spec entries of this context, exact and canonical; `read` is the inverse."""

    @classmethod
    @abstractmethod
    def read(cls, fields: Fields, domain: Domain | None) -> Context:
        """The context described by the entries of a spec; only forms that list their values need no domain."""

    @cached_property
    def published(self) -> str:
        """The canonical JSON of context and domain, as published laws begin with it."""
        return f'"context":{canonical(self.describe())},"domain":{canonical(self.domain.describe())}'

    def __getstate__(self) -> dict[str, Any]:
        return {key: entry for key, entry in self.__dict__.items() if key != "published"}

    # -- structure ----------------------------------------------------------------------------
    @property
    def parts(self) -> tuple[Part, ...] | None:
        """The parts that describe this context exactly; None if it has no such parts."""
        return None

    def canonical_form(self) -> Context:
        """The same context in the simplest form that expresses it exactly: one with parts, or its closure."""
        from .structure.simplify import canonical_form

        return canonical_form(self)

    def components(self) -> list[list[int]]:
        """The numbers of the values that are linked by finite entries, directly or through others."""
        return [list(range(self.size))] if self.is_finite else recognition.components(self)

    def coarsest_served(self) -> Context:
        """A context with parts that implies this one: itself in its simplest form, or its smallest entries."""
        from .structure.simplify import coarsest_served

        return coarsest_served(self)

    @cached_property
    def line(self) -> LineStructure | None:
        """The line along which the closure of E adds up; None if there is none."""
        closed = self.closure_if_cheap()
        return recognition.line_of(self) if closed is self else closed.line

    @cached_property
    def ring(self) -> RingStructure | None:
        """The ring around which the closure of E is the shorter way; None if there is none, or if there is a line."""
        closed = self.closure_if_cheap()
        return recognition.ring_of(self) if closed is self else closed.ring

    @cached_property
    def tree(self) -> TreeStructure | None:
        """The tree in which the closure of E is the level of the lowest node above two values; None without one."""
        closed = self.closure_if_cheap()
        return recognition.tree_of(self) if closed is self else closed.tree

    @cached_property
    def grades(self) -> tuple[Fraction, ...] | None:
        """The epsilon of each value if the closure of E depends on the first value alone; else None."""
        closed = self.closure_if_cheap()
        return recognition.grades_of(self) if closed is self else closed.grades

    @property
    def grid(self) -> GridStructure | None:
        """The grid whose cells are the values, for a metric of points in several dimensions; else None."""
        return None

    @property
    def factors(self) -> tuple[Context, Context] | None:
        """The two contexts of a product, with value number ``x1 * k2 + x2`` and E = E1 + E2; None for any other."""
        return None

    @property
    def distance_epsilon(self) -> Fraction | None:
        """The epsilon of a unit of distance; None unless E is that times a distance."""
        return None

    @property
    def number_bounds(self) -> NumberBounds | None:
        """What is promised for any two numbers, on the nodes or between; None for a domain that is not of numbers."""
        from .forms.numbers import number_bounds

        return number_bounds(self)

    @property
    def is_entrywise(self) -> bool:
        """True if files hold E entry by entry, whatever structure it has."""
        return False

    @property
    def outside(self) -> tuple[Context, Fraction] | None:
        """The context of a scale, over the first values, and the epsilon of the values outside it; else None."""
        return None

    @cached_property
    def exchangeable(self) -> tuple[int, ...]:
        """A number for each value, equal for values that can be swapped without changing the closure of E."""
        closed = self.closure_if_cheap()
        return recognition.exchangeable_of(self) if closed is self else closed.exchangeable

    # -- queries -------------------------------------------------------------------------------
    @property
    def size(self) -> int:
        """k, the number of values."""
        return len(self.domain)

    @property
    def values(self) -> Domain:
        """The values, in order."""
        return self.domain

    def at(self, x: int, z: int) -> Epsilon:
        """E between the values numbered `x` and `z`."""
        return Fraction(0) if x == z else self.between(self.class_of[x], self.class_of[z])

    def epsilon(self, x: Value, z: Value) -> Epsilon:
        """E[x, z] as it was asked for, exactly: a `Fraction`, or ``math.inf`` where nothing was.

        >>> import discreet as dc
        >>> context = dc.Context.metric(range(10), "line", epsilon="1/2")
        >>> context.epsilon(2, 5)
        Fraction(3, 2)
        """
        return self.at(self.domain.number_of(x), self.domain.number_of(z))

    matrix = _MatrixName()

    @cached_property
    def members(self) -> Sequence[Sequence[int]]:
        """The values of each class, by number."""
        members: list[list[int]] = [[] for _ in range(max(self.class_of) + 1)]
        for number, label in enumerate(self.class_of):
            members[label].append(number)
        return members

    def pairs(self) -> Iterator[tuple[int, int, Epsilon]]:
        """One ordered pair of different values for every two classes with a finite entry, and that entry."""
        return self.pairs_among(Alike(self.size))

    def pairs_among(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        """One ordered pair of different values for every two classes with a finite entry and every two labels in them.

        What holds for these pairs holds for all, if it depends only on the labels of the two values.
        """

        @cache
        def firsts(c: int) -> dict[int, list[int]]:
            """The first two members of the class with each label."""
            members = self.members[c]
            return first_two((labels[x], x) for x in (members[:2] if isinstance(labels, Alike) else members))

        for c, d in self.finite():
            for a, left in firsts(c).items():
                for b, right in firsts(d).items():
                    z = right[-1] if (c, a) == (d, b) else right[0]
                    if z != left[0]:
                        yield left[0], z, self.between(c, d)

    def generators(self, labels: Sequence[int]) -> Iterator[tuple[int, int, Epsilon]]:
        """Ordered pairs of values whose entries imply the whole context, for a channel that treats equal labels alike.

        A channel Q whose largest ratio between two values depends only on their labels satisfies the context if it
        satisfies these entries: ``Q(y|x) / Q(y|z)`` is the product of the ratios along any path from x to z, so
        entries that are sums of others need no check of their own, and of the pairs with the same two labels only
        those with the smallest entry do. The pair with the least slack is always among these. Where the labels are
        `Leaves`, the pair that parts highest stands for all at one level of a context that is a tree.
        """
        if isinstance(labels, Leaves) and self.tree is not None:
            return recognition.parting_pairs(self.tree, labels)
        return self.pairs_among(labels)

    @cached_property
    def hidden(self) -> frozenset[int]:
        """The classes whose values must be hard to tell from some other value: those with a finite entry."""
        if self.is_finite:
            return frozenset(range(len(self.members)) if self.size > 1 else ())
        return frozenset(c for c, d in self.finite() if c != d or len(self.members[c]) > 1)

    @cached_property
    def protected_pairs(self) -> int:
        """How many ordered pairs of different values have a finite entry."""
        if self.is_finite:
            return self.size * (self.size - 1)
        sizes = [len(members) for members in self.members]
        return sum(sizes[c] * (sizes[d] - (c == d)) for c, d in self.finite())

    @cached_property
    def tightest(self) -> tuple[int, int] | None:
        """The numbers of a pair with the smallest entry; None if nothing is protected."""
        best = min(self.generators(Alike(self.size)), key=lambda pair: pair[2], default=None)
        return None if best is None else best[:2]

    @property
    def smallest(self) -> Epsilon:
        """The smallest entry off the diagonal; ``inf`` if nothing is protected."""
        return math.inf if self.tightest is None else self.at(*self.tightest)

    @cached_property
    def largest(self) -> Fraction:
        """The largest finite entry as it was asked for; 0 if nothing is protected."""
        entries = (self.between(c, d) for c, d in self.finite() if c != d or len(self.members[c]) > 1)
        return max((entry for entry in entries if isinstance(entry, Fraction)), default=Fraction(0))

    @cached_property
    def shows(self) -> bool:
        """True if some entry between two values is infinite: a report may tell these two apart for certain."""
        return self.protected_pairs < self.size * (self.size - 1)

    # -- order and operations -------------------------------------------------------------------
    def implies(self, other: Context) -> bool:
        """True if every channel that satisfies this context satisfies `other`.

        That is E <= E' in every entry that others do not imply, for this context or for its closure (up to 512 classes
        of values).

        >>> import discreet as dc
        >>> strict, mild = (dc.Context.uniform(["no", "yes"], epsilon) for epsilon in ("1", "2"))
        >>> strict.implies(mild), mild.implies(strict)
        (True, False)
        """
        check_type("other", other, Context, "a context")
        if self.domain != other.domain:
            raise InvalidContext("contexts can be compared only over the same values in the same order")
        return self._below(other) or self.closure_if_cheap()._below(other)

    def _below(self, other: Context) -> bool:
        return all(self.at(x, z) <= asked for x, z, asked in other.generators(self.class_of))

    def closure(self) -> Context:
        """The strictest context that every channel of this one satisfies: shortest paths of E.

        A channel with E[x, y] and E[y, z] has E[x, z] <= E[x, y] + E[y, z].

        >>> import discreet as dc
        >>> context = dc.Context.matrix(["a", "b", "c"], [[0, 1, 9], [1, 0, 1], [9, 1, 0]])
        >>> str(context.epsilon("a", "c")), str(context.closure().epsilon("a", "c"))
        ('9', '2')
        """
        return self._closure

    @cached_property
    def _closure(self) -> Context:
        from .structure.simplify import closure_of

        return closure_of(self)

    def closure_if_cheap(self) -> Context:
        """The closure if it is known or few classes of values make it cheap, else this context as it stands."""
        return self.closure() if self.is_closed or len(self.members) <= CLOSURE_LIMIT else self

    def __add__(self, other: Context) -> Context:
        """The context of a release under this one followed by a release under `other` (Proposition 2).

        It adds the entries of the two closures: both releases satisfy these as well.
        """
        return self._joined(other, "+")

    def __and__(self, other: Context) -> Context:
        """The context that requires what both require: the smaller entry for each pair."""
        return self._joined(other, "&")

    def __or__(self, other: Context) -> Context:
        """The context of a release under one of the two, whichever is chosen: the larger entry of the closures."""
        return self._joined(other, "|")

    def _joined(self, other: Context, sign: str) -> Context:
        from .structure.entrywise import combine

        return combine(self, other, sign) if isinstance(other, Context) else NotImplemented

    def __mul__(self, other: Context) -> Context:
        """The context of two questions asked at once, over pairs of values: the entries of the two add up."""
        from .forms.product import ProductContext

        return ProductContext(self, other) if isinstance(other, Context) else NotImplemented

    def with_outside(self, values: Iterable[Value], epsilon: object) -> Context:
        """This context with answers outside its scale, such as "prefer not to say": nobody's neighbours.

        Each of `values` is at `epsilon` from every other value, both ways, and from each other; "inf" lets them show.
        They come last. Two values of the scale are then at 2 `epsilon` at most, as one may be told from the other
        only as well as by way of a value outside: `closure` says so, and every mechanism keeps to it.

        >>> import discreet as dc
        >>> ages = dc.Context.metric(range(18, 100), "line", epsilon="1/10").with_outside(["prefer not to say"], "2")
        >>> [str(ages.epsilon(99, other)) for other in (98, 18, "prefer not to say")]
        ['1/10', '81/10', '2']
        >>> str(ages.closure().epsilon(99, 18))
        '4'
        """
        from .forms.outside import Outside

        return Outside(self, values, epsilon)

    # -- operational meaning ----------------------------------------------------------------------
    def error_region(self, x: Value, z: Value) -> ErrorRegion:
        """The (false alarm, missed detection) pairs that tests between x and z can reach (Theorem 1)."""
        from .operational import ErrorRegion

        return ErrorRegion(self._implied(x, z), self._implied(z, x))

    def posterior_odds_bound(self, x: Value, z: Value, prior_odds: float) -> float:
        """The largest odds of x against z after any report: ``e**E[x,z] * prior odds``, E closed (Proposition 3).

        >>> import discreet as dc
        >>> context = dc.Context.uniform(["no", "yes"], epsilon="1")
        >>> round(context.posterior_odds_bound("yes", "no", prior_odds=0.25), 2)  # 20 % before, at most 40 % after
        0.68
        """
        from .operational import posterior_odds_bound

        return posterior_odds_bound(self._implied(x, z), prior_odds)

    def _implied(self, x: Value, z: Value) -> Epsilon:
        """The entry of the closure between two values, without the others."""
        return recognition.shortest_path(self, self.domain.index(x), self.domain.index(z))

    def _repr_html_(self) -> str:
        """E as a table, a row for each value; of many values what can be said in a line."""
        if self.size > MAX_SHOWN:
            named = [("smallest entry", text_of(self.smallest)), ("largest finite entry", text_of(self.largest))]
            return tables.facts([("context", repr(self)), ("values", f"{self.size:,}"), *named])
        names = [str(value) for value in self.values]
        columns = [("E", "s"), *((name, "") for name in names)]
        rows = [[name, *(text_of(self.at(x, z)) for z in range(self.size))] for x, name in enumerate(names)]
        return tables.html(columns, rows, caption=repr(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        return self.domain == other.domain and self.implies(other) and other.implies(self)

    def __hash__(self) -> int:
        return hash(self.domain)
