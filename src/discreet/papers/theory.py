"""Which function or command computes each definition, theorem, table and figure of the three papers.

The one table behind ``discreet bounds --list`` and the page of documentation. Names are those under `discreet`; a
name that begins with ``discreet`` is a command.
"""

from __future__ import annotations

from typing import NamedTuple


class Statement(NamedTuple):
    """A numbered item of a paper, what it says, the names that compute it, and what to know when comparing."""

    item: str
    says: str
    names: tuple[str, ...]
    note: str = ""


PAPERS: dict[str, tuple[Statement, ...]] = {
    "Acharya2020": (
        Statement("Definition 1", "local differential privacy", ("Context.uniform",)),
        Statement("Definition 2", "context-aware privacy, any E", ("Context.matrix", "verify")),
        Statement("Definition 3", "high-low privacy", ("Context.high_low",)),
        Statement("Definition 4", "block-structured privacy", ("Context.blocks",)),
        Statement(
            "(3)",
            "users for a classical context",
            ("bounds.classical_users", "bounds.minimax_classical"),
            "numbers on both sides, not orders",
        ),
        Statement(
            "Theorem 1",
            "the errors of tests between two values",
            ("Context.error_region", "bounds.attained_region", "bounds.neyman_pearson"),
        ),
        Statement("Proposition 1", "post-processing", ("post_process",)),
        Statement("Proposition 2", "adaptive composition", ("adaptive", "compose", "Context.__add__")),
        Statement("Proposition 3", "side information", ("Context.posterior_odds_bound",)),
        Statement(
            "Theorem 2",
            "the optimal mechanism for two values",
            ("mechanisms.tables.binary.binary_response", "bounds.minimax_binary"),
            "(9) is 0/0 at zero and infinity; (23)'s second coordinate has E[1, 2] on top",
        ),
        Statement("(10), (11)", "Warner's and Mangat's answers", ("mechanism",), 'by the names "warner" and "mangat"'),
        Statement(
            "Theorem 3",
            "users for a high-low context",
            ("bounds.high_low_users", "bounds.minimax_high_low", "bounds.insensitive_family"),
            "the first entry of p_z needs a minus sign",
        ),
        Statement(
            "(13) to (16)",
            "Hadamard response on the sensitive values, and its estimator",
            ("mechanisms.composed.high_low.HighLowResponse", "mechanisms.uniform.hadamard.Hadamard", "estimate"),
            "(13) must use row x + 1 of the matrix",
        ),
        Statement(
            "Proposition 4",
            "the error of that scheme",
            ("bounds.attained_high_low", "bounds.attained_high_low_printed"),
            "the variance in (26) is not that of the mass; the bound holds",
        ),
        Statement("Lemma 1", "users by the chi-square method", ("bounds.chi_square_risk", "bounds.cube_chi_square")),
        Statement("Claim 1, Lemma 2", "the chi-square of high-low channels", ("bounds.insensitive_family",)),
        Statement(
            "Theorem 4", "users for blocks", ("bounds.blocks_users", "bounds.minimax_blocks", "bounds.blocks_family")
        ),
        Statement(
            "(19)",
            "Hadamard response inside blocks, and its estimator",
            ("mechanisms.composed.blocks.BlockResponse", "estimate"),
        ),
        Statement(
            "Proposition 5",
            "the error of that scheme",
            ("bounds.attained_blocks", "bounds.attained_blocks_printed"),
            "its 12 can be 1",
        ),
        Statement("(21)", "the chi-square of block channels", ("bounds.blocks_family",)),
        Statement(
            "Figure 1",
            "error regions",
            ("discreet papers acharya2020-figure1", "discreet bounds --pair --plot", "plots.plot_error_region"),
        ),
        Statement(
            "Figure 2",
            "four distributions on 1,000 values",
            ("discreet papers acharya2020-figure2",),
            "Geo(0.95) is p_i ~ 0.95^i",
        ),
        Statement("Figure 3", "the map of check-ins", ("discreet papers acharya2020-figure3",)),
        Statement("Table 1", "check-ins in blocks", ("discreet papers acharya2020-table1",), "at epsilon 1, projected"),
    ),
    "Wang2016": (
        Statement(
            "Theorem 2.1",
            "the most information at the uniform prior",
            ("bounds.subset_optimum", "bounds.subset_information"),
            "I_k is unimodal, not concave",
        ),
        Statement("Corollary 2.1", "averaging over orders keeps the information", ("bounds.mutual_information",)),
        Statement(
            "Corollary 2.2",
            "no mechanism beats the best subset size",
            ("bounds.subset_optimum",),
            "(4)'s I_k has e^epsilon in the first logarithm only",
        ),
        Statement("Definition 2.1", "the k-subset mechanism", ("mechanisms.uniform.subset.Subset",)),
        Statement(
            "Section 2.3.1",
            "multivariate randomized response",
            ("mechanisms.uniform.randomized_response.RandomizedResponse", "bounds.subset_information"),
            "optimal when I_1 >= I_2, to be compared directly",
        ),
        Statement(
            "Section 2.3.2, (8)",
            "binary randomized response",
            ("mechanisms.uniform.unary.Unary", "bounds.unary_information"),
            "the last term has e^(+epsilon/2)",
        ),
        Statement("Algorithm 1", "the sampler", ("mechanisms.uniform.subset.Subset", "Mechanism.randomize")),
        Statement("Algorithm 2", "the estimator", ("estimate",)),
        Statement("Theorem 3.1", "the subset size with the least squared error", ("bounds.attained_subset", "explain")),
        Statement(
            "Theorem 3.2",
            "no symmetric mechanism has less squared error",
            ("bounds.unbiased_uniform", "bounds.subset_trace"),
            "here for every unbiased estimate at the uniform prior",
        ),
        Statement(
            "Section 4",
            "I <= log((e-1)/epsilon) + epsilon/(e-1) - 1 <= epsilon^2/8",
            ("bounds.information_chain", "bounds.information_ceiling"),
            "the first two are equal in the limit of many values, and hold at every prior",
        ),
        Statement(
            "Section 6",
            "the best prior, left open",
            ("bounds.best_prior", "bounds.capacity", "bounds.blocks_information"),
        ),
        Statement(
            "Table 1",
            "41 settings beside randomized response",
            ("discreet papers wang2016-table1",),
            "its columns come from independent binomials, not from the mechanism",
        ),
    ),
    "Asoodeh2021": (
        Statement("(1), (2)", "E_gamma and other divergences", ("bounds.hockey_stick", "bounds.f_divergence")),
        Statement("(3)", "contraction coefficients", ("bounds.eta_gamma", "bounds.eta_tv", "bounds.eta_kl")),
        Statement("Definition 1", "(epsilon, delta)-LDP", ("bounds.privacy_curve", "bounds.pairwise_delta")),
        Statement("Theorem 1", "LDP is contraction of E_gamma", ("bounds.eta_gamma", "bounds.privacy_curve")),
        Statement(
            "Example 1",
            "randomized response",
            ("mechanisms.uniform.randomized_response.RandomizedResponse", "bounds.pair_curve"),
            "misses a factor 1/2",
        ),
        Statement(
            "Lemma 1",
            "the contraction of every f-divergence",
            ("bounds.phi", "bounds.tv_contraction", "bounds.kl_contraction"),
            "(e-1+2 delta)/(e+1) is sharper; randomized response has tanh(epsilon/2)^2",
        ),
        Statement("Lemma 2", "the contraction of n users", ("bounds.phi_n", "bounds.over_users")),
        Statement(
            "Lemma 3", "Le Cam's method", ("bounds.le_cam_printed", "bounds.le_cam_metric", "bounds.le_cam_squared")
        ),
        Statement(
            "Example 2, Corollary 1", "a mean with bounded moments", ("bounds.bounded_moment_mean",), "phi, not phi_n"
        ),
        Statement(
            "Lemma 4",
            "Fano's method",
            ("bounds.fano_information", "bounds.fano_printed", "bounds.fano_distribution", "bounds.fano_best"),
        ),
        Statement(
            "(10)",
            "the comparison with Duchi et al.",
            ("bounds.fano_information",),
            "(10) drops a square; with it the comparison holds from epsilon 0.535, not 0.4",
        ),
        Statement("Example 3, Corollary 2", "a mean in a ball", ("bounds.ball_mean",)),
        Statement("(15), Corollary 3", "Bayes risk by information", ("bounds.information_risk", "bounds.corollary_3")),
        Statement(
            "Theorem 2",
            "Bayes risk by E_gamma",
            ("bounds.theorem_2", "bounds.theorem_2_best_gamma", "bounds.theorem_2_sharp"),
            "better at the best gamma",
        ),
        Statement(
            "Example 4, (16)",
            "a coin with a uniform bias",
            ("bounds.bernoulli_e_gamma", "bounds.bernoulli_information", "bounds.e_gamma_information"),
            "P(x^n) is s!(n-s)!/(n+1)!",
        ),
        Statement(
            "Remark 1, (17), (18)",
            "Bayes risk without privacy",
            ("bounds.e_gamma_risk", "bounds.information_risk"),
            "(15) gives 0.0457 and (17) 2/27, printed as 0.03 and 0.08",
        ),
        Statement(
            "Corollary 4",
            "the exponent of type II errors",
            ("bounds.stein_exponent_printed", "bounds.stein_exponent", "bounds.type_two_floor"),
            "type II is Pr(T = 0 | H1)",
        ),
        Statement("Figure 1", "the two bounds on the Bayes risk", ("discreet papers asoodeh2021",)),
    ),
}
"""Every item of each paper, in its order."""


def listing() -> str:
    """The table as text, one line per item."""
    lines = []
    for paper, statements in PAPERS.items():
        wide = max(len(statement.item) for statement in statements)
        lines += [f"{paper}: {statement.item:{wide}}  {', '.join(statement.names)}" for statement in statements]
    return "\n".join(lines)


def markdown() -> str:
    """The table as the documentation has it."""
    parts = []
    for paper, statements in PAPERS.items():
        rows = [f"## {paper}", "", "| item | says | computed by | note |", "|---|---|---|---|"]
        for item, says, names, note in statements:
            rows.append(f"| {item} | {says} | {', '.join(f'`{name}`' for name in names)} | {note} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"
