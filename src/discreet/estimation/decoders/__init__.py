"""Decoders: for each kind of law how reports are counted, and how counts become unbiased shares with exact moments."""

from .decoder import Counter, Decoder, Group
from .registry import DECODERS, decoder_of

__all__ = ["DECODERS", "Counter", "Decoder", "Group", "decoder_of"]
