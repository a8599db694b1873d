"""From a law to its decoder: one line for each kind of law that has one of its own.

Any other pure protocol is decoded by which values its reports support, and any other law by writing its channel out.
"""

from __future__ import annotations

from typing import Any

from ...core.registry import Registry
from ...mechanisms.mechanism import Mechanism
from ...mechanisms.sampler import Sampler
from ...mechanisms.uniform.pure import PureSampler
from .decoder import Decoder

DECODERS: Registry[type[Decoder[Any]]] = Registry(
    {
        "blocks": "estimation.decoders.concatenated:BlocksDecoder",
        "cyclic": "estimation.decoders.two_level:CyclicDecoder",
        "general_hadamard": "estimation.decoders.circular:GeneralHadamardDecoder",
        "geometric": "estimation.decoders.circular:GeometricDecoder",
        "graded_unary": "estimation.decoders.sets:GradedUnaryDecoder",
        "hadamard": "estimation.decoders.two_level:HadamardDecoder",
        "high_low": "estimation.decoders.mixture:HighLowDecoder",
        "levels": "estimation.decoders.tree_subsets:TreeSubsetsDecoder",
        "mixture": "estimation.decoders.mixture:MixtureDecoder",
        "nested": "estimation.decoders.nested:NestedDecoder",
        "paired": "estimation.decoders.paired:PairedDecoder",
        "response": "estimation.decoders.two_level:RandomizedResponseDecoder",
        "ring": "estimation.decoders.circular:CircularDecoder",
        "subset": "estimation.decoders.sets:PureSetDecoder",
        "torus": "estimation.decoders.circular:CircularDecoder",
        "types": "estimation.decoders.classwise_mixture:ClasswiseMixtureDecoder",
        "unary": "estimation.decoders.sets:PureSetDecoder",
        "utility_rappor": "estimation.decoders.sets:UtilityRapporDecoder",
    }
)
"""The decoder of each kind of law that has one of its own."""


def decoder_of(subject: Sampler | Mechanism) -> Decoder[Any]:
    """The decoder of what a sampler, or that of a mechanism, writes; made once.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(range(3), epsilon="1"), "hadamard")
    >>> decoder_of(mechanism).cells
    4
    """
    sampler = subject.sampler if isinstance(subject, Mechanism) else subject
    if "decoder" not in sampler.attachments:
        make = DECODERS.get(sampler.law.kind) or _default_decoder(sampler)
        sampler.attachments["decoder"] = make.of(sampler)
    decoder: Decoder[Any] = sampler.attachments["decoder"]
    return decoder


def _default_decoder(sampler: Sampler) -> type[Decoder[Any]]:
    """The decoder of a law that has none of its own."""
    if not isinstance(sampler, PureSampler):
        from .written_out import WrittenOutDecoder

        return WrittenOutDecoder
    if sampler.is_numbered:
        from .pure import PureDecoder

        return PureDecoder
    from .sets import PureSetDecoder

    return PureSetDecoder
