"""Budgets that are contexts: which questions each of them counts, and what these have spent of it, pair by pair."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ...contexts import Context
from ...contexts.reading import describe_domain
from ...contexts.structure.entrywise import among, rest, total, unprotected, worst_pair
from ...core.canonical import canonical, loads
from ...core.domain import Domain, Value
from ...core.errors import InvalidInput, Overspent, shown
from ...core.exact import Epsilon, text_of
from ...core.fields import Fields
from ...core.limits import LIFTED, under
from ...wire.contexts import context_of as context_in_spec
from ...wire.contexts import domain_of
from .entries import Budget, Terms


class Payments(NamedTuple):
    """What the debits under one law come to."""

    debits: int = 0
    epsilon: Fraction = Fraction(0)
    shows: bool = False


Paid = Mapping[str, Payments]
"""Payments by the fingerprints of their laws."""


@dataclass(frozen=True)
class Balance:
    """A budget, what answers have spent of it and what is left, as contexts over its values."""

    budget: Context
    spent: Context
    left: Context

    def tightest(self) -> tuple[Value, Value, Epsilon, Epsilon] | None:
        """The two values between which least is left, with the budget there and what was spent; None without any."""
        x, z, _ = worst_pair(self.budget, self.spent)
        values = self.budget.values
        return None if x == z else (values[x], values[z], self.budget.at(x, z), self.spent.at(x, z))


@dataclass
class PairBudget:
    """A budget as a journal has it, with what was paid under each law before it was first set."""

    context: Context
    before: Paid

    def over(self, domain: Domain) -> Context:
        """It as a context over just its values in another order."""
        context = among(self.context, domain)
        assert context is not None
        return context

    def spent(self, paid: Paid, terms: Mapping[str, Context], asked: Context | None = None) -> Context:
        """What the debits of a journal have spent of it, and one more answer under `asked`.

        Debits whose terms are known count exactly if their question has all values of the budget, else not at all. One
        without terms, made before there was a budget to write them for, may have been about these values: it counts
        with its epsilon for every pair, and tells all apart if it may show any.
        """
        domain = self.context.domain
        releases: list[tuple[Context | None, int]] = []
        for fingerprint, payments in paid.items():
            if fingerprint in terms:
                releases.append((among(terms[fingerprint], domain), payments.debits))
            elif fingerprint in self.before:
                releases.append((_anything(domain, self.before[fingerprint]), 1))
        if asked is not None:
            releases.append((among(asked, domain), 1))
        return total(domain, [(context, times) for context, times in releases if context is not None])

    def counts(self, context: Context) -> bool:
        """True if it counts the answers to questions under this context: they have all of its values."""
        return among(context, self.context.domain) is not None

    def balance(self, paid: Paid, terms: Mapping[str, Context]) -> Balance:
        """What was spent and what is left."""
        spent = self.spent(paid, terms)
        return Balance(self.context, spent, rest(self.context, spent))

    def check(self, paid: Paid, terms: Mapping[str, Context], asked: Context) -> None:
        """`Overspent` unless ``(spent + asked).implies(budget)``, naming the pair of values that is furthest beyond.

        That is the same pair whatever value is answered.
        """
        after = self.spent(paid, terms, asked)
        if after.implies(self.context):
            return
        x, z, over = worst_pair(self.context, after)
        values, before = self.context.values, self.spent(paid, terms).at(x, z)
        if not isinstance(over, Fraction) and isinstance(before, Fraction):
            raise Overspent(
                f"this answer may tell {shown(values[x])} from {shown(values[z])} for certain, where the budget allows "
                f"{text_of(self.context.at(x, z))} only; no report was made"
            )
        allowed, more = self.context.at(x, z), among(asked, self.context.domain)
        left = max(allowed - before, Fraction(0)) if isinstance(before, Fraction) else Fraction(0)
        raise Overspent(
            f"this answer would spend {text_of(Fraction(0) if more is None else more.at(x, z))} on telling "
            f"{shown(values[x])} from {shown(values[z])}, and of the budget of {text_of(allowed)} only {text_of(left)} "
            "is left there; no report was made"
        )


def _anything(domain: Domain, paid: Payments) -> Context | None:
    """What answers under an unknown law may have told of values."""
    if paid.shows:
        return unprotected(domain)
    return Context.uniform(domain, paid.epsilon) if paid.epsilon else None


def budget_over(budgets: Iterable[PairBudget], domain: Domain) -> PairBudget | None:
    """The budget over just these values, in any order."""
    return next((budget for budget in budgets if same_values(budget.context.domain, domain)), None)


def same_values(domain: Domain, other: Domain) -> bool:
    """True if two domains have the same values, in any order."""
    return domain == other or (len(domain) == len(other) and all(value in domain for value in other))


# -- contexts as entries -----------------------------------------------------------------------------
def describe_context(context: Context) -> dict[str, Any]:
    """The context and the domain of an entry, as lines hold them; `InvalidInput` where they are not read back alike."""
    data: dict[str, Any] = json.loads(
        canonical({"context": context.describe(), "domain": describe_domain(context.domain)})
    )
    _read(canonical(data))
    return data


def context_of(entry: Budget | Terms) -> Context:
    """The context of an entry; `InvalidInput` unless it is as `describe_context` writes it."""
    return _read(canonical({"context": dict(entry.context), "domain": dict(entry.domain)}))


@lru_cache(maxsize=16)
def _read(written: str) -> Context:
    data = loads(written, InvalidInput)
    with under(LIFTED):
        domain, _ = domain_of(Fields(data["domain"], "domain"), None)
        context = context_in_spec(data["context"], domain)
    if canonical({"context": context.describe(), "domain": describe_domain(context.domain)}) != written:
        raise InvalidInput("a context must be written as the ledger writes it")
    return context
