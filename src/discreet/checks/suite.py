"""Check all laws of a mechanism in one call."""

from __future__ import annotations

from ..contexts import Context
from ..core.errors import NotIdentifiable
from ..estimation.decoders import decoder_of
from ..mechanisms.build import mechanism as named
from ..mechanisms.mechanism import Mechanism
from .certificate import check_certificate
from .execution import check_every_word
from .law import check_channel, check_pairs, check_reports, is_small
from .pair_profiles import check_pair_profiles
from .posteriors import check_posteriors
from .round_trips import check_round_trips
from .scores import check_columns, check_scores
from .small_words import Factory
from .statistics import check_influence, check_moments, check_unbiased
from .tallies import check_counting, check_merging
from .words import check_equal_words, check_scalar_is_vector


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
    check_certificate(mechanism)
    check_equal_words(mechanism, seed=seed)
    check_scalar_is_vector(mechanism, seed=seed)
    check_counting(mechanism, seed=seed)
    check_merging(mechanism, seed=seed)
    done = ["certificate", "equal words", "scalar is vector", "counting", "merging"]
    if check_every_word(mechanism.sampler, factory=factory):
        done.append("every word")
    if check_round_trips(mechanism, seed=seed):
        done.append("round trips")
    identifiable = _identifiable(mechanism)
    if identifiable:
        check_scores(mechanism, seed=seed)
        done.append("scores")
    if is_small(mechanism):
        check_channel(mechanism)
        check_reports(mechanism)
        check_pairs(mechanism)
        check_pair_profiles(mechanism)
        check_posteriors(mechanism)
        check_columns(mechanism)
        done += ["channel", "reports", "pairs", "pair profiles", "posteriors", "columns"]
        if identifiable:
            check_unbiased(mechanism)
            check_moments(mechanism, seed=seed)
            check_influence(mechanism)
            done += ["unbiased", "moments", "influence"]
    return tuple(done)


def _identifiable(mechanism: Mechanism) -> bool:
    """False where the reports reveal nothing, as under epsilon 0: there is no estimate to check."""
    try:
        decoder_of(mechanism).influence()
    except NotIdentifiable:
        return False
    return True
