"""The classical designs of randomized response, each by the name that the literature gives it.

Where a design has two values, the second is the sensitive one ("yes"), with share pi; lambda is the probability of the
second report, and n the number of people.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import Any

from ...core.domain import Domain, Value, listed_values
from ...core.errors import InvalidInput, shown
from ...core.per_value import per_value
from .exact_table import ByHand, chance, check_entries, designed

NO_YES = ("no", "yes")

MOST_DRAWS = 64
"""The most cards that one person draws."""


def forced_response(
    values: Iterable[Value] = NO_YES, *, truth: Any, forced: Any = None, reports: Iterable[str] | None = None
) -> ByHand:
    """Say the truth with probability `truth`; else say what the dice demand, whatever you hold.

    ``Q(y | x) = truth 1{x = y} + forced_y``. `forced` gives the probability of each forced answer, in order or by
    value; unless given, what is left of the truth is shared evenly. For yes and no
    ``pi = (lambda - forced_yes) / truth``, ``Var = lambda (1 - lambda) / (n truth**2)``. Any number of values.

    >>> import discreet as dc
    >>> design = dc.by_hand.forced_response(truth="2/3")
    >>> round(float(dc.estimate(design.tally(design.reports_of(["yes"] * 40 + ["no"] * 60)))["yes"]), 4)
    0.35

    References: Boruch1971, Fox1986, Blair2015.
    """
    domain, t = Domain(values), chance(truth, "truth")
    k = len(domain)
    check_entries(k, k)
    if t == 0:
        raise InvalidInput("truth=0 must be more: reports would say nothing")
    if forced is None:
        dictated = [(1 - t) / k] * k
    else:
        entries = listed_values(per_value(domain, forced, name="forced"), "forced")
        dictated = [chance(p, f"forced[{x}]") for x, p in enumerate(entries)]
    if len(dictated) != k or t + sum(dictated) != 1:
        raise InvalidInput(f"truth={shown(truth)} and {len(dictated)} forced answers must add up to 1, one a value")
    rows = [[t * (x == y) + p for y, p in enumerate(dictated)] for x in range(k)]
    return designed("forced_response", domain, rows, map(str, domain) if reports is None else reports)


def warner(values: Iterable[Value] = NO_YES, *, p: Any, reports: Iterable[str] = NO_YES) -> ByHand:
    """A spinner shows "I am" with probability p, else "I am not"; say whether it is right, not which it was.

    ``Pr(yes | yes) = p``, ``Pr(yes | no) = 1 - p``; ``pi = (lambda - (1 - p)) / (2p - 1)``,
    ``Var = pi (1 - pi) / n + p (1 - p) / (n (2p - 1)**2)``.

    >>> import discreet as dc
    >>> design = dc.by_hand.warner(p="3/4")
    >>> round(design.certificate.realised, 4)
    1.0986
    >>> round(float(dc.estimate(design.tally(design.reports_of(["yes"] * 40 + ["no"] * 60)))["yes"]), 4)
    0.3

    References: Warner1965.
    """
    q = _informative(p, "p")
    return designed("warner", values, [[q, 1 - q], [1 - q, q]], reports)


def unrelated_question(
    values: Iterable[Value] = NO_YES, *, p: Any, prevalence: Any, reports: Iterable[str] = NO_YES
) -> ByHand:
    """With probability p the sensitive question, else a harmless one with a known share of yes; nobody sees which.

    ``Pr(yes | yes) = p + (1 - p) prevalence``, ``Pr(yes | no) = (1 - p) prevalence``;
    ``pi = (lambda - (1 - p) prevalence) / p``, ``Var = lambda (1 - lambda) / (n p**2)``. The harmless answer must have
    nothing to do with the sensitive one.

    >>> import discreet as dc
    >>> design = dc.by_hand.unrelated_question(p="2/3", prevalence="1/4")
    >>> round(design.certificate.realised, 4)
    1.2993

    References: Greenberg1969.
    """
    q, share = chance(p, "p"), chance(prevalence, "prevalence")
    if q == 0:
        raise InvalidInput("p=0 must be more: nobody would be asked the sensitive question")
    yes = (1 - q) * share
    return designed("unrelated_question", values, [[1 - yes, yes], [1 - q - yes, q + yes]], reports)


def crosswise(
    values: Iterable[Value] = NO_YES, *, prevalence: Any, reports: Iterable[str] = ("different", "same")
) -> ByHand:
    """Two questions at once, the second harmless with a known share of yes: are your answers different, or the same?

    ``Pr(same | yes) = prevalence``, ``Pr(same | no) = 1 - prevalence``: Warner's design without a device, such as with
    "was your mother born in January to March"; ``pi = (lambda + prevalence - 1) / (2 prevalence - 1)``,
    ``Var = pi (1 - pi) / n + prevalence (1 - prevalence) / (n (2 prevalence - 1)**2)``.

    >>> import discreet as dc
    >>> design = dc.by_hand.crosswise(prevalence="1/4")
    >>> round(float(dc.estimate(design.tally(design.reports_of(["same"] * 65 + ["different"] * 35)))["yes"]), 4)
    0.2

    References: Yu2008.
    """
    q = _informative(prevalence, "prevalence")
    return designed("crosswise", values, [[q, 1 - q], [1 - q, q]], reports)


def triangular(
    values: Iterable[Value] = NO_YES, *, prevalence: Any, reports: Iterable[str] = ("neither", "one or both")
) -> ByHand:
    """Two questions at once, the second harmless with a known share of yes: is it neither, or one or both?

    ``Pr(neither | no) = 1 - prevalence``, and 0 for yes: who says so is known not to hold the sensitive value, which is
    the price of its precision. ``pi = (lambda - prevalence) / (1 - prevalence)``,
    ``Var = pi (1 - pi) / n + (1 - pi) prevalence / (n (1 - prevalence))``.

    >>> import discreet as dc
    >>> design = dc.by_hand.triangular(prevalence="1/4")
    >>> round(float(dc.estimate(design.tally(design.reports_of(["neither"] * 60 + ["one or both"] * 40)))["yes"]), 4)
    0.2

    References: Yu2008.
    """
    q = chance(prevalence, "prevalence")
    if q in (0, 1):
        raise InvalidInput(f"prevalence={shown(prevalence)} must be between 0 and 1")
    return designed("triangular", values, [[1 - q, q], [Fraction(0), Fraction(1)]], reports)


def kuk(
    values: Iterable[Value] = NO_YES, *, yes: Any, no: Any, draws: int = 1, reports: Iterable[str] | None = None
) -> ByHand:
    """Draw cards from two decks, and say how many red ones came from the deck of your own answer.

    `yes` and `no` are the shares of red cards in the decks, and the report is a number from 0 to `draws`, binomial.
    With one draw ``pi = (lambda - no) / (yes - no)``, ``Var = lambda (1 - lambda) / (n (yes - no)**2)``. With m draws
    Kuk's estimator takes the mean of red cards; the one of this library is linear in the counts of all reports, and
    varies no more at even shares.

    >>> import discreet as dc
    >>> design = dc.by_hand.kuk(yes="3/4", no="1/4", draws=2)
    >>> design.report_names, [[str(entry) for entry in row] for row in design.channel()]
    (('0', '1', '2'), [['9/16', '3/8', '1/16'], ['1/16', '3/8', '9/16']])

    References: Kuk1990.
    """
    own, other = chance(yes, "yes"), chance(no, "no")
    if own == other:
        raise InvalidInput(f"yes={shown(yes)} and no={shown(no)} must differ: the decks would say the same")
    if isinstance(draws, bool) or not isinstance(draws, int) or not 1 <= draws <= MOST_DRAWS:
        raise InvalidInput(f"draws={shown(draws)} must be a whole number from 1 to {MOST_DRAWS}")
    rows = [[comb(draws, y) * red**y * (1 - red) ** (draws - y) for y in range(draws + 1)] for red in (other, own)]
    return designed("kuk", values, rows, reports)


def _informative(given: Any, name: str) -> Fraction:
    exact = chance(given, name)
    if exact == Fraction(1, 2):
        raise InvalidInput(f"{name}={shown(given)} must not be 1/2: reports would say nothing")
    return exact
