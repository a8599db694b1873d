"""Bounds that no mechanism can beat, and what the papers' theory says about any finite channel.

`compare` sets a mechanism's error beside the bounds of its context, and `bounds_for` gives these alone. The rest are
pure functions of finite channels, distributions and parameters. A channel has one row per value and one column per
report; fractions stay exact where the result is rational. Information and divergences are in nats. A `Bound` is
one line of a table.

>>> import discreet as dc
>>> context = dc.Context.uniform(["bus", "car", "bike"], epsilon="1")
>>> bounds = dc.bounds.bounds_for(context, n=10_000)
>>> round(bounds.lower["squared_error"].value, 7), round(bounds.upper["squared_error"].value, 7)
(0.0005027, 0.0005027)
>>> float(dc.bounds.total_variation([0.5, 0.5], [0.75, 0.25]))
0.25
"""

# Each line of names is as full as it can be, for there are many.
# isort: off
# fmt: off
from .attained import (
    AttainedRisk, attained_blocks, attained_blocks_printed, attained_high_low, attained_high_low_printed,
    attained_subset,
)
from .channels.information import InformationChain, best_prior, information_ceiling, information_chain
from .channels.contraction import (
    PrivacyCurve, context_kl_contraction, context_tv_contraction, eta_gamma, eta_kl, eta_tv, kl_contraction,
    over_users, pair_curve, pair_kl_contraction, pair_tv_contraction, pairwise_delta, pairwise_epsilon, phi, phi_n,
    privacy_curve, tv_contraction,
)
from .channels.finite import (
    Bound, bhattacharyya, chernoff_information, chi_square, f_divergence, hellinger_squared, hockey_stick, kl,
    total_variation,
)
from .channels.information import (
    Capacity, SubsetOptimum, blocks_information, capacity, mutual_information, subset_information, subset_optimum,
    unary_information,
)
from .channels.testing import (
    AttainedRegion, attained_region, binary_kl, channel_chernoff_exponent, channel_stein_exponent, error_floor,
    neyman_pearson, stein_exponent, stein_exponent_context, stein_exponent_printed, type_two_floor, users_enough,
    users_to_tell,
)
from .of_context import Comparison, compare
from .minimax.assouad import (
    CubeRisk, assouad_best, assouad_cube, ball_mean, bounded_moment_mean, cube_chi_square, cube_kl,
)
from .minimax.bayes import (
    corollary_3, e_gamma_information, e_gamma_risk, information_risk, theorem_2, theorem_2_best_gamma,
    theorem_2_sharp, uniform_ball,
)
from .minimax.chi_square_method import (
    Family, blocks_family, chi_square_risk, classical_family, insensitive_family, le_cam_metric, le_cam_printed,
    le_cam_squared,
)
from .minimax.fano import (
    FanoInformation, Packing, cube_packing, fano_best, fano_distribution, fano_inequality, fano_information,
    fano_printed, packing, simplex_information, simplex_packing,
)
from .minimax.minimax import (
    MinimaxRisk, minimax_binary, minimax_blocks, minimax_classical, minimax_high_low, minimax_matrix,
)
from .channels.contraction import chi_square_from_tv, kl_after, tv_after
from .minimax.van_trees import (
    PriorRisk, bernoulli_e_gamma, bernoulli_information, dirichlet_best, dirichlet_risk, pair_best, pair_risk,
)
from .of_context import ContextBounds, bounds_for, users_for
from .of_mechanism import worst_shares, worst_squared_error, worst_total_variation
from .attained import SampleSize, blocks_users, classical_users, high_low_users
from .unbiased import (
    subset_trace, unbiased_blocks, unbiased_high_low, unbiased_matrix, unbiased_queries, unbiased_semidefinite,
    unbiased_uniform,
)

__all__ = [
    "AttainedRegion", "AttainedRisk", "Bound", "Capacity", "Comparison", "ContextBounds", "CubeRisk", "Family",
    "FanoInformation", "InformationChain", "MinimaxRisk", "Packing", "PriorRisk", "PrivacyCurve", "SampleSize",
    "SubsetOptimum", "assouad_best", "assouad_cube", "attained_blocks", "attained_blocks_printed", "attained_high_low",
    "attained_high_low_printed", "attained_region", "attained_subset", "ball_mean", "bernoulli_e_gamma",
    "bernoulli_information", "best_prior", "bhattacharyya", "binary_kl", "blocks_family", "blocks_information",
    "blocks_users", "bounded_moment_mean", "bounds_for", "capacity", "channel_chernoff_exponent",
    "channel_stein_exponent", "chernoff_information", "chi_square", "chi_square_from_tv", "chi_square_risk",
    "classical_family", "classical_users", "compare", "context_kl_contraction", "context_tv_contraction", "corollary_3",
    "cube_chi_square", "cube_kl", "cube_packing", "dirichlet_best", "dirichlet_risk", "e_gamma_information",
    "e_gamma_risk", "error_floor", "eta_gamma", "eta_kl", "eta_tv", "f_divergence", "fano_best", "fano_distribution",
    "fano_inequality", "fano_information", "fano_printed", "hellinger_squared", "high_low_users", "hockey_stick",
    "information_ceiling", "information_chain", "information_risk", "insensitive_family", "kl", "kl_after",
    "kl_contraction", "le_cam_metric", "le_cam_printed", "le_cam_squared", "minimax_binary", "minimax_blocks",
    "minimax_classical", "minimax_high_low", "minimax_matrix", "mutual_information", "neyman_pearson", "over_users",
    "packing", "pair_best", "pair_curve", "pair_kl_contraction", "pair_risk", "pair_tv_contraction", "pairwise_delta",
    "pairwise_epsilon", "phi", "phi_n", "privacy_curve", "simplex_information", "simplex_packing", "stein_exponent",
    "stein_exponent_context", "stein_exponent_printed", "subset_information", "subset_optimum", "subset_trace",
    "theorem_2", "theorem_2_best_gamma", "theorem_2_sharp", "total_variation", "tv_after", "tv_contraction",
    "type_two_floor", "unary_information", "unbiased_blocks", "unbiased_high_low", "unbiased_matrix",
    "unbiased_queries", "unbiased_semidefinite", "unbiased_uniform", "uniform_ball", "users_enough", "users_for",
    "users_to_tell", "worst_shares", "worst_squared_error", "worst_total_variation",
]
# fmt: on


def __dir__() -> list[str]:
    return __all__
