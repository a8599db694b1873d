"""What the adversary learns from reports: from one, from many of one person, and from batches that were shuffled."""

from .exposing import Exposure, exposure
from .repetition import Repeated, repeated
from .shuffling import Shuffled, batch_needed, shuffled

__all__ = ["Exposure", "Repeated", "Shuffled", "batch_needed", "exposure", "repeated", "shuffled"]
