"""`ByHand`: a table of exact probabilities as a mechanism, certified for the tightest context that it satisfies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from ...contexts import Context
from ...core.domain import Domain, Value, listed_values
from ...core.errors import InvalidInput, check_type, shown
from ...core.exact import Epsilon, exact_number, exp_below, log_of, text_of, within
from ...core.limits import spend
from ..certificate import verify
from ..law import WORD_BITS
from ..mechanism import Mechanism, check_report_names
from ..tables.repair import repaired
from ..tables.table import PAIR, Table, pairs_of

PLACES = 12
"""The decimals of the epsilons of a design, rounded up."""

MAX_ENTRIES = 1 << 14
"""The most entries of a table."""

MAX_DENOMINATOR_DIGITS = 300
"""The most digits of the common denominator of a table."""


class ByHand(Mechanism):
    """A mechanism that people carry out themselves: a table, with a name for each report.

    Nothing here draws their reports, so that the promise is as good as the dice: the certificate is for the exact
    probabilities that were given, and for the table of whole units of 2**-64 next to them, which estimates use. The
    two differ by less than 2**-60 in any estimate, far below its error.

    >>> import discreet as dc
    >>> design = dc.by_hand.warner(p="3/4", reports=["disagree", "agree"])
    >>> design.name, design.report_names
    ('warner', ('disagree', 'agree'))
    """

    def __init__(
        self, context: Context, rows: Sequence[Sequence[Fraction]], design: str, reports: Iterable[str]
    ) -> None:
        self.design, self.rows = design, tuple(map(tuple, rows))
        self.report_names = check_report_names(reports, len(self.rows[0]))
        verify(self.rows, context=context)
        super().__init__(context, _units(self.rows))

    @property
    def name(self) -> str:
        """The name of the design."""
        return self.design


def table(values: Iterable[Value], rows: Iterable[Iterable[Any]], *, reports: Iterable[str] | None = None) -> ByHand:
    """Any design: ``rows[x][y]`` is the probability that who holds value x writes report y.

    Entries are text such as "1/6" or "0.25", Fractions, ints, or floats, which mean the decimals that they print; a row
    must add up to exactly 1. `reports` are what people write, "0", "1", ... unless given.

    >>> import discreet as dc
    >>> design = dc.by_hand.table(["no", "yes"], [["3/4", "1/4"], ["1/2", "1/2"]], reports=["heads", "tails"])
    >>> design.reports_of(["tails", "heads"]), round(design.certificate.realised, 4)
    ([1, 0], 0.6931)

    References: Chaudhuri1988, Acharya2020 (Definition 2: the context is E[x, z] = log max_y Q(y|x) / Q(y|z)).
    """
    exact = rows_of(rows)
    common_denominator(exact)
    for x, row in enumerate(exact):
        if sum(row) != 1:
            raise InvalidInput(
                f"rows[{x}] adds up to {text_of(sum(row, Fraction(0)))}; it must add up to exactly 1. "
                'Floats mean the decimals that they print: write "1/3" as text, or use by_hand.rounded'
            )
    return designed("table", values, exact, reports)


def designed(
    design: str, values: Iterable[Value], rows: Sequence[Sequence[Fraction]], reports: Iterable[str] | None
) -> ByHand:
    """The design with the tightest context that its rows satisfy."""
    domain = Domain(values)
    check_entries(len(rows), len(rows[0]))
    if len(domain) != len(rows):
        raise InvalidInput(f"values: {len(domain)} must be as many as the rows, {len(rows)}")
    E = tightest(rows)
    levels = {entry for x, row in enumerate(E) for z, entry in enumerate(row) if x != z}
    same = levels.pop() if len(levels) == 1 else None
    if isinstance(same, Fraction) and same:
        context = Context.uniform(domain, same)
    else:
        context = Context.matrix(list(domain), E).canonical_form()
    return ByHand(context, rows, design, map(str, range(len(rows[0]))) if reports is None else reports)


def tightest(rows: Sequence[Sequence[Fraction]]) -> list[list[Epsilon]]:
    """The smallest E, to 12 decimals, that both the exact rows and the table of whole units satisfy."""
    spend(2 * len(rows) ** 2 * (len(rows[0]) + PAIR), f"a design of {len(rows)} rows")
    units, scale = _units(rows).rows, common_denominator(rows)
    exact = [[int(entry * scale) for entry in row] for row in rows]
    E: list[list[Epsilon]] = [[Fraction(0) if x == z else math.inf for z in range(len(rows))] for x in range(len(rows))]
    asked, drawn = ({(p.x, p.z): p.ratio for p in pairs_of(of, sum(of[0]))} for of in (exact, units))
    for (x, z), ratio in asked.items():
        E[x][z] = above(max(ratio, drawn[x, z]))
    return E


def common_denominator(rows: Sequence[Sequence[Fraction]]) -> int:
    """The common denominator of all entries; `InvalidInput` where it has too many digits to be computed with."""
    scale = 1
    for entry in (entry for row in rows for entry in row):
        scale = math.lcm(scale, entry.denominator)
        if scale > 10**MAX_DENOMINATOR_DIGITS:
            raise InvalidInput(f"rows must have a common denominator of at most {MAX_DENOMINATOR_DIGITS} digits")
    return scale


def above(ratio: Fraction) -> Fraction:
    """The smallest decimal of 12 places that is certain to be at least the logarithm of a ratio."""
    with localcontext() as context:
        context.prec = 60
        epsilon = Fraction(math.ceil(log_of(ratio) * Decimal(10) ** PLACES), 10**PLACES)
    while not within(ratio, epsilon):
        epsilon += Fraction(1, 10**PLACES)
    return epsilon


def rows_of(rows: Iterable[Iterable[Any]]) -> list[list[Fraction]]:
    """The rows of a table as exact numbers, none negative, all of one length."""
    listed = [listed_values(row, f"rows[{x}]") for x, row in enumerate(listed_values(rows, "rows"))]
    if not listed or not listed[0] or len({len(row) for row in listed}) > 1:
        raise InvalidInput("rows must be at least one row, all of the same length, one entry per report")
    check_entries(len(listed), len(listed[0]))
    return [[chance(entry, f"rows[{x}][{y}]") for y, entry in enumerate(row)] for x, row in enumerate(listed)]


def check_entries(values: int, reports: int) -> None:
    """Refuse a table of too many entries before it is written out."""
    if values * reports > MAX_ENTRIES:
        raise InvalidInput(f"rows: {values} x {reports} entries must be at most {MAX_ENTRIES}")


def chance(given: Any, name: str) -> Fraction:
    """An exact probability; a float means the decimal that it prints."""
    exact = exact_number(given)
    if exact is None or not 0 <= exact <= 1:
        raise InvalidInput(f'{name}={shown(given)} must be a probability from 0 to 1, such as "2/3" or 0.25')
    return exact


def _units(rows: Sequence[Sequence[Fraction]]) -> Table:
    table_of_units = Table.of_fractions(rows)
    for x, (row, units) in enumerate(zip(rows, table_of_units.rows, strict=True)):
        for y, (entry, unit) in enumerate(zip(row, units, strict=True)):
            if entry and not unit:
                raise InvalidInput(f"rows[{x}][{y}] must be 0 or at least 2**-64")
    for y in range(table_of_units.outputs):
        if not table_of_units.is_report(y):
            raise InvalidInput(f"rows: report {y} must be possible for some value")
    return table_of_units


SLACK = Fraction(1, 10**6)
"""How far from 1 a row may add up to: more is no rounding."""


def rounded(rows: Iterable[Iterable[Any]], context: Context, *, reports: Iterable[str] | None = None) -> ByHand:
    """The table next to `rows` that is certified for `context`: for tables of floats, and for those that leak too much.

    Every row is divided by its sum, which must be 1 but for rounding. Then Q is mixed with the mean of its rows,
    ``(1 - t) Q + t mean``, with the smallest t for which every ratio is within ``e**E``,
    ``t = max (Q(y|x) - e**E Q(y|z)) / (Q(y|x) - e**E Q(y|z) + (e**E - 1) mean_y)``, and rounded to whole units.

    >>> import discreet as dc
    >>> context = dc.Context.uniform(["no", "yes"], epsilon="1")
    >>> design = dc.by_hand.rounded([[0.9, 0.1], [0.1, 0.9]], context)
    >>> design.certificate.realised <= 1, len(design.reports())
    (True, 2)
    """
    check_type("context", context, Context, "a context")
    exact = rows_of(rows)
    common_denominator(exact)
    if len(exact) != context.size:
        raise InvalidInput(f"rows: {len(exact)} must be as many as the values of the context, {context.size}")
    for x, row in enumerate(exact):
        if abs(sum(row, Fraction(-1))) > SLACK:
            raise InvalidInput(f"rows[{x}] adds up to {float(sum(row)):.9g}; it must add up to 1 but for rounding")
    whole = [[entry / sum(row) for entry in row] for row in exact]
    E = context.closure().matrix()
    mean = [sum(column, Fraction(0)) / len(whole) for column in zip(*whole, strict=True)]
    t = _needed(whole, mean, E)
    mixed = [[(1 - t) * entry + t * middle for entry, middle in zip(row, mean, strict=True)] for row in whole]
    units = repaired(mixed, E).rows
    final = [[Fraction(unit, 1 << WORD_BITS) for unit in row] for row in units]
    return ByHand(context, final, "table", map(str, range(len(final[0]))) if reports is None else reports)


def _needed(rows: Sequence[Sequence[Fraction]], mean: Sequence[Fraction], E: Sequence[Sequence[Epsilon]]) -> Fraction:
    """The smallest share of the mean that brings every ratio within what E allows."""
    most = Fraction(0)
    for x, row in enumerate(rows):
        for z, other in enumerate(rows):
            if x == z or not isinstance(allowed := E[x][z], Fraction):
                continue
            bound = exp_below(allowed)
            for own, its, middle in zip(row, other, mean, strict=True):
                if (over := own - bound * its) > 0:
                    most = max(most, over / (over + (bound - 1) * middle))
    return most
