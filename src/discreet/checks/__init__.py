"""The conformance suite: laws that every mechanism, engine and store must obey, to run on your own ones.

::

    from discreet.checks import check_mechanism, check_engine

    check_mechanism(mechanism)                   # raises CheckFailed, an AssertionError, with one sentence
    check_mechanism(("subset", context))         # the same by name
    check_engine(my_randomize_indices, mechanism)   # another engine, word for word
    check_vectors("vectors.jsonl")               # every engine, against a file that clients in other languages read too
    check_store(lambda folder: MyStore(folder / "store"))   # another store of a collector

>>> import discreet as dc
>>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
>>> dc.checks.check_mechanism(mechanism)[:3]
('certificate', 'equal words', 'scalar is vector')
"""

from ..core.errors import CheckFailed
from .execution import check_equal_words, check_every_word, check_scalar_is_vector, narrow
from .law import check_certificate, check_channel, check_pairs, check_reports, check_round_trips
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
from .store import check_store
from .suite import check_engine, check_mechanism
from .vectors import check_form_vectors, check_vectors, write_form_vectors, write_vectors

__all__ = [
    "CheckFailed",
    "check_certificate",
    "check_channel",
    "check_columns",
    "check_pair_profiles",
    "check_counting",
    "check_engine",
    "check_equal_words",
    "check_every_word",
    "check_form_vectors",
    "check_reach",
    "check_mechanism",
    "check_merging",
    "check_moments",
    "check_pairs",
    "check_reports",
    "check_round_trips",
    "check_scalar_is_vector",
    "check_scores",
    "check_store",
    "check_posteriors",
    "check_unbiased",
    "check_vectors",
    "narrow",
    "write_form_vectors",
    "write_vectors",
]


def __dir__() -> list[str]:
    return __all__
