"""What the forms share when they are read from a spec, and the constructors of contexts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.domain import Domain, Value
from ..core.errors import InvalidSpec
from ..core.exact import epsilon_of
from ..core.fields import Fields, number, text, values_in, whole
from ..core.limits import check
from ..core.numbers import AT_RANDOM, NumberDomain

if TYPE_CHECKING:
    from .context import Context


def require_domain(domain: Domain | None) -> Domain:
    """The domain; `InvalidSpec` if it is missing, as this form needs one."""
    if domain is None:
        raise InvalidSpec("domain is missing")
    return domain


def epsilon_in(fields: Fields) -> object:
    """The entry `epsilon`."""
    return level(fields.required("epsilon"), fields.name("epsilon"))


def level(data: object, name: str) -> object:
    """An epsilon for a constructor, which checks it: an exact decimal or a fraction such as ``"1/3"``."""
    exact = number(data, name)
    if isinstance(exact, str) and "/" in exact:
        try:
            return epsilon_of(exact)
        except (ValueError, ZeroDivisionError):
            raise InvalidSpec(f'{name}={exact!r} must be a non-negative decimal or fraction, or "inf"') from None
    return exact


def context_in(fields: Fields, domain: Domain | None) -> Context:
    """The context that a table of a spec describes, whatever its form."""
    from . import DERIVED_FORMS, FORMS

    forms = FORMS | DERIVED_FORMS
    form = text(fields.required("form"), fields.name("form"))
    if form not in forms:
        raise InvalidSpec(f"{fields.name('form')}={form!r} must be one of {', '.join(forms)}")
    context: Context = forms[form].read(fields, domain)
    fields.close()
    return context


def domain_in(fields: Fields) -> Domain:
    """The domain of a table that lists its values, gives their number, or the bounds of numbers."""
    if "low" in fields or "high" in fields:
        return NumberDomain.read(fields)
    if fields.has("size") == fields.has("values"):
        raise InvalidSpec(f"{fields.path} must give exactly one of values and size")
    if fields.has("values"):
        domain = Domain(values_in(fields.required("values"), fields.name("values")))
    else:
        size = whole(fields.required("size"), fields.name("size"))
        if size < 1:
            raise InvalidSpec(f"{fields.name('size')}={size} must be at least 1")
        check("values", size, fields.name("size"))
        domain = Domain(range(size))
    check("values", len(domain), fields.path)
    return domain


class Constructors:
    """The constructors of `Context`, one per form, but for ``Context.matrix``."""

    @staticmethod
    def uniform(values: Iterable[Value], epsilon: object) -> Context:
        """Classical local differential privacy: every pair at `epsilon`.

        >>> import discreet as dc
        >>> context = dc.Context.uniform(["bus", "car", "bike"], epsilon="1")
        >>> context
        Context.uniform(3 values, epsilon=1)
        >>> str(context.epsilon("bus", "car"))
        '1'
        """
        from .forms.uniform import Uniform

        return Uniform(values if isinstance(values, Domain) else Domain(values), epsilon)

    @staticmethod
    def blocks(blocks: Mapping[Hashable, Iterable[Value]], epsilon: object) -> Context:
        """Pairs inside a block at `epsilon` (one for all, or ``{block: epsilon}``); the block itself may be shown.

        >>> import discreet as dc
        >>> context = dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1", "n2", "n3"]}, epsilon="1")
        >>> [str(context.epsilon("b1", other)) for other in ("b2", "n1")]
        ['1', 'inf']
        """
        from .forms.blocks import Blocks

        return Blocks.from_mapping(blocks, epsilon)

    @staticmethod
    def high_low(values: Iterable[Value], sensitive: Iterable[Value], epsilon: object) -> Context:
        """Sensitive values at `epsilon` from every other value; the others need no protection.

        >>> import discreet as dc
        >>> context = dc.Context.high_low(["none", "cold", "flu", "hiv"], sensitive=["hiv"], epsilon="1")
        >>> [str(context.epsilon(*pair)) for pair in (("hiv", "flu"), ("flu", "hiv"), ("flu", "cold"))]
        ['1', 'inf', 'inf']
        """
        from .forms.high_low import HighLow

        return HighLow(Domain(values), sensitive, epsilon)

    @staticmethod
    def binary(first: Value, second: Value, epsilon: Sequence[object]) -> Context:
        """Two values with ``epsilon = (E[first, second], E[second, first])``; 0 and "inf" are allowed.

        >>> import discreet as dc
        >>> context = dc.Context.binary("yes", "no", ("1", "inf"))
        >>> [str(context.epsilon(*pair)) for pair in (("yes", "no"), ("no", "yes"))]
        ['1', 'inf']
        """
        from .forms.uniform import Binary

        return Binary(Domain((first, second)), epsilon)

    @staticmethod
    def nested(blocks: Mapping[Hashable, Any], epsilon: Sequence[object]) -> Context:
        """Blocks inside blocks, ``{"fr": {"paris": values, ...}, ...}``, the further apart the less hidden.

        `epsilon` is a list from the inside outwards: for pairs inside an innermost block, then for those that only
        share a block of each next level, last for those that share none, where "inf" is allowed.

        >>> import discreet as dc
        >>> streets = {"spain": {"madrid": ["m1", "m2"], "seville": ["s1"]}, "peru": {"lima": ["l1"]}}
        >>> context = dc.Context.nested(streets, ("1/2", "1", "2"))
        >>> [str(context.epsilon("m1", other)) for other in ("m2", "s1", "l1")]
        ['1/2', '1', '2']
        """
        from .forms.nested import NestedBlocks

        return NestedBlocks.from_mapping(blocks, epsilon)

    @staticmethod
    def graded(epsilons: Mapping[Value, object]) -> Context:
        """Every value at an epsilon of its own from every other value, ``{value: epsilon}``; "inf" asks for nothing.

        >>> import discreet as dc
        >>> context = dc.Context.graded({"none": "3", "cold": "2", "hiv": "1/2"})
        >>> [str(context.epsilon(*pair)) for pair in (("hiv", "none"), ("none", "hiv"))]
        ['1/2', '3']
        """
        from .forms.graded import Graded

        return Graded.from_mapping(epsilons)

    @staticmethod
    def numbers(
        low: object,
        high: object,
        epsilon: object,
        *,
        step: object = None,
        nodes: int | None = None,
        decimals: int | None = None,
        clip: bool = False,
        rounding: str = AT_RANDOM,
        distance: str | None = None,
        grades: Mapping[Any, object] | None = None,
    ) -> Context:
        """Numbers from `low` to `high`, any two at `epsilon`; the values are the nodes of a grid, `step` apart.

        People hold any decimal: it is read to so many `decimals` and becomes one of the two nodes beside it at random,
        so that means stay unbiased, or the "nearest" one. There are 33 nodes unless `nodes` or `step` says otherwise.
        With `clip` numbers beyond the bounds count as the nearest bound, else they are refused. ``distance="line"``
        hides two numbers by `epsilon` times their distance, and `grades` have epsilons of their own,
        ``{(from, to): epsilon}``, for the numbers between `from` and `to`.

        >>> import discreet as dc
        >>> incomes = dc.Context.numbers(0, 4000, "1", clip=True)
        >>> mechanism = dc.mechanism(incomes)
        >>> tally = mechanism.tally(mechanism.randomize_many([850.5, 1200, 9000] * 1000, dc.random.seeded(1)))
        >>> mean = dc.estimate(tally).mean()  # of numbers cut at 4000: (850.5 + 1200 + 4000) / 3 = 2016.8
        >>> abs(mean.value - 2016.8) < 3 * mean.stderr
        True
        """
        from .forms.numbers import numbers, step_for

        if distance is not None and step is None and nodes is None:
            step = step_for(low, high, epsilon)
        domain = NumberDomain(low, high, step=step, nodes=nodes, decimals=decimals, clip=clip, rounding=rounding)
        return numbers(domain, epsilon, distance=distance, grades=grades)

    @staticmethod
    def metric(
        values: Iterable[Value],
        distance: str | Callable[[Any, Any], object],
        epsilon: object,
        *,
        points: Iterable[Any] | None = None,
        around: object = None,
    ) -> Context:
        """Near values are hard to tell apart, distant ones less so: E[x, z] = epsilon * distance(x, z).

        The distance is a function of two values, or a word for places that are numbers, "line" or "ring" (of length
        `around`), or coordinates, "l1", "l2" or "linf"; the places are the values themselves, or `points`.

        >>> import discreet as dc
        >>> ages = dc.Context.metric(range(18, 66), "line", epsilon="1/10")
        >>> [str(ages.epsilon(30, other)) for other in (31, 40)]
        ['1/10', '1']
        """
        from .forms.metric import Metric

        return Metric.from_distance(Domain(values), distance, epsilon, points=points, around=around)
