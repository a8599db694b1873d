"""The decoder of a mechanism that the package does not have."""

from discreet.estimation.arrays.layout import Array, total_of
from discreet.estimation.decoders.pure import PureDecoder

from .negative_survey import NegativeSurvey


class NegativeSurveyDecoder(PureDecoder[NegativeSurvey]):
    """A report supports every value but the one that it names.

    *Why unbiased.* p and q are the exact shares of the words that lead to any other report.
    """

    def supports(self, counts: Array) -> Array:
        return total_of(counts) - counts

    def cover(self, weights: Array) -> Array:
        return total_of(weights) - weights
