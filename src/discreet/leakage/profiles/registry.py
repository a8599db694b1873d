"""From a law to its profile: one line for each kind of law with closed forms; any other is enumerated.

A pure protocol whose reports are numbered has two levels.
"""

from __future__ import annotations

from typing import Any

from ...core.registry import Registry
from ...mechanisms.mechanism import Mechanism
from ...mechanisms.sampler import Sampler
from ...mechanisms.uniform.pure import PureSampler
from .profile import Profile

PROFILES: Registry[type[Profile[Any]]] = Registry(
    {
        "blocks": "leakage.profiles.composed:BlocksProfile",
        "cyclic": "leakage.profiles.pure:CyclicProfile",
        "general_hadamard": "leakage.profiles.pure:GeneralHadamardProfile",
        "geometric": "leakage.profiles.pure:GeometricProfile",
        "graded_unary": "leakage.profiles.pure:GradedUnaryProfile",
        "hadamard": "leakage.profiles.pure:HadamardProfile",
        "high_low": "leakage.profiles.composed:HighLowProfile",
        "levels": "leakage.profiles.tree_subsets:TreeSubsetsProfile",
        "mixture": "leakage.profiles.composed:MixtureProfile",
        "nested": "leakage.profiles.nested:NestedProfile",
        "paired": "leakage.profiles.composed:PairedProfile",
        "response": "leakage.profiles.pure:RandomizedResponseProfile",
        "ring": "leakage.profiles.pure:RingProfile",
        "subset": "leakage.profiles.pure:SubsetProfile",
        "torus": "leakage.profiles.pure:TorusProfile",
        "types": "leakage.profiles.composed:ClasswiseMixtureProfile",
        "unary": "leakage.profiles.pure:UnaryProfile",
        "utility_rappor": "leakage.profiles.pure:UtilityRapporProfile",
    }
)
"""The profile of each kind of law that has closed forms."""


def profile_of(subject: Sampler | Mechanism) -> Profile[Any]:
    """What the adversary sees of a sampler, or of that of a mechanism; made once.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(range(3), epsilon="1"), "randomized_response")
    >>> len(profile_of(mechanism).pair_profile(0, 1))
    4
    """
    sampler = subject.sampler if isinstance(subject, Mechanism) else subject
    if "profile" not in sampler.attachments:
        make = PROFILES.get(sampler.law.kind)
        if make is None and isinstance(sampler, PureSampler) and sampler.is_numbered:
            from .pure import TwoLevelProfile

            make = TwoLevelProfile
        sampler.attachments["profile"] = (make or Profile).of(sampler)
    profile: Profile[Any] = sampler.attachments["profile"]
    return profile
