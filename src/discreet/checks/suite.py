"""Check all laws of a mechanism, or that another engine is equal to the reference, in one call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..bulk.randomizing import randomize_indices
from ..bulk.words import seeded
from ..contexts import Context
from ..core.errors import CheckFailed, UnknownValue
from ..core.random import Source
from ..mechanisms.build import mechanism as named
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.sampler import Sampler
from .execution import (
    Factory,
    as_integers,
    check_equal_words,
    check_every_word,
    check_scalar_is_vector,
    is_identifiable,
    must_refuse,
    some_values,
)
from .law import check_certificate, check_channel, check_pairs, check_reports, check_round_trips, is_small
from .pair_profiles import check_pair_profiles, check_posteriors
from .statistics import (
    check_columns,
    check_counting,
    check_merging,
    check_moments,
    check_reach,
    check_scores,
    check_unbiased,
)


def check_mechanism(
    subject: Mechanism | tuple[str, Context], *, factory: Factory | None = None, seed: int = 1
) -> tuple[str, ...]:
    """Check every law that a mechanism must obey; `CheckFailed` says in one sentence which is broken first.

    `subject` is a mechanism, or its name and the context. Laws that need the channel written out are
    checked on small domains; the names of the laws that were checked are returned. `factory` rebuilds
    a sampler of one's own with small words, see `narrow`.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> laws = dc.checks.check_mechanism(mechanism)
    >>> len(laws) > 10, laws[:3]
    (True, ('certificate', 'equal words', 'scalar is vector'))
    """
    mechanism = subject if isinstance(subject, Mechanism) else named(subject[1], subject[0])
    done = _run(mechanism, check_certificate)
    done += _run(mechanism, check_equal_words, check_scalar_is_vector, check_counting, check_merging, seed=seed)
    if check_every_word(mechanism.sampler, factory=factory):
        done.append("every word")
    if check_round_trips(mechanism, seed=seed):
        done.append("round trips")
    identifiable = is_identifiable(mechanism.sampler)
    if identifiable:
        done += _run(mechanism, check_scores, seed=seed)
    if is_small(mechanism):
        done += _run(mechanism, check_channel, check_reports, check_pairs)
        done += _run(mechanism, check_pair_profiles, check_posteriors, check_columns)
        if identifiable:
            done += _run(mechanism, check_unbiased)
            done += _run(mechanism, check_moments, seed=seed)
            done += _run(mechanism, check_reach)
    return tuple(done)


def _run(mechanism: Mechanism, *checks: Callable[..., object], **how: Any) -> list[str]:
    """Run some checks; the names of their laws, such as "equal words" of `check_equal_words`."""
    for check in checks:
        check(mechanism, **how)
    return [check.__name__.removeprefix("check_").replace("_", " ") for check in checks]


Engine = Callable[[Sampler, Any, Source], Any]
"""``engine(sampler, indices, rng)`` gives the reports of `discreet.bulk.randomizing.randomize_indices`."""


def check_engine(engine: Engine, mechanism: Mechanism, *, n: int = 4000, seed: int = 1) -> None:
    """`engine` equals the plain integers on a few reports and the NumPy reference on `n`, and refuses bad indices."""
    sampler = mechanism.sampler
    values = some_values(sampler.size, n, seed)
    few = values[: max(2, min(100, 100_000 // sampler.words))]
    alone = seeded(seed)
    expected = [mechanism.randomize_index(int(x), alone) for x in few]
    _compare(mechanism, expected, as_integers(engine(sampler, few, seeded(seed))))
    reference = randomize_indices(sampler, values, seeded(seed))
    drawn = engine(sampler, values, seeded(seed))
    if drawn.dtype != reference.dtype or drawn.shape != reference.shape:
        raise CheckFailed(
            f"{mechanism.name}: the engine gives {drawn.dtype} {drawn.shape}, not {reference.dtype} {reference.shape}"
        )
    _compare(mechanism, as_integers(reference), as_integers(drawn))
    for wrong in ([-1], [sampler.size], [0.5]):
        message = f"{mechanism.name}: the engine randomizes the index {wrong[0]}, which is not in the domain"
        must_refuse(partial(engine, sampler, wrong, seeded(seed)), UnknownValue, message)


def _compare(mechanism: Mechanism, expected: list[int], drawn: list[int]) -> None:
    for at, (one, other) in enumerate(zip(expected, drawn, strict=True)):
        if one != other:
            raise CheckFailed(f"{mechanism.name}: report {at} is {one} by the reference and {other} by the engine")
