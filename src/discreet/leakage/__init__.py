"""What the adversary learns from reports: from one, from many of one person, and from batches that were shuffled."""

from .repetition import Repeated, repeated
from .shuffling import Shuffled, batch_needed, shuffled
from .single_report import Exposure, exposure

__all__ = ["Exposure", "Repeated", "Shuffled", "batch_needed", "exposure", "repeated", "shuffled"]
