"""Figure 1, Remark 1 and the examples' closed forms of Asoodeh2021."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np

from .. import theory as bounds
from ..plots import plot_curves
from .data import read_expected
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting, beside_the_print

DELTA = 1e-4
PEOPLE = 20
TOLERANCE = 1e-4
"""Half a unit in the last digit, and a little more for the rounding of the earlier values."""

BOUNDS = {
    "corollary_3": bounds.corollary_3,
    "theorem_2": bounds.theorem_2,
    "theorem_2_best_gamma": bounds.theorem_2_best_gamma,
}
SHOWN = {
    "corollary_3": "Corollary 3",
    "theorem_2": "Theorem 2",
    "theorem_2_best_gamma": "Theorem 2, best gamma",
    "sharp": "Theorem 2, best gamma, sharp contraction",
}


@cache
def risk(name: str, epsilon: float) -> float:
    """One of the bounds of Figure 1 at delta = 1e-4 and 20 people."""
    return BOUNDS[name](epsilon, PEOPLE, delta=DELTA).value


def crossing() -> float:
    """The epsilon from which Corollary 3 is above Theorem 2."""
    low, high = 1.0, 4.0
    for _ in range(16):
        middle = (low + high) / 2
        if risk("theorem_2", middle) > risk("corollary_3", middle):
            low = middle
        else:
            high = middle
    return low


def remark_1() -> tuple[float, float]:
    """The two bounds of Remark 1 for one person: (15), and (17) with the best gamma."""
    information = bounds.information_risk(bounds.bernoulli_information(1))
    gammas = np.linspace(0, 2, 201)
    best = max(bounds.e_gamma_risk(bounds.bernoulli_e_gamma(1, float(gamma)), float(gamma)) for gamma in gammas)
    return information, best


def run(setting: Setting) -> ExperimentReport:
    """The figure, the remark and the closed forms beside what the paper prints."""
    figure, forms, orders = _figure_table(), _forms_table(), _orders_table()
    worst = max(abs(row[1 + i] - row[4 + i]) for row in figure.rows for i in range(3))
    crossed = crossing()
    rows = {float(row[0]): row for row in figure.rows}
    turned = rows[2.0][2] > rows[2.0][1] and rows[3.0][2] < rows[3.0][1]
    off = max(abs(float(row[1]) - float(row[2])) for row in forms.rows)
    checks = [
        CheckedClaim(
            f"our own earlier values within {TOLERANCE:g}", worst <= TOLERANCE, f"largest difference {worst:.1g}"
        ),
        CheckedClaim("Theorem 2 and Corollary 3 cross between epsilon 2 and 3", turned, f"at {crossed:.3f}"),
        CheckedClaim(
            "with the best gamma Theorem 2 is above the other two in every row",
            all(row[3] > max(row[1], row[2]) for row in figure.rows),
            f"{len(figure.rows)} values of epsilon",
        ),
        CheckedClaim("every closed form equals the computed quantity", off < 1e-9, f"largest difference {off:.1g}"),
    ]
    return ExperimentReport(
        "asoodeh2021",
        "bounds on the Bayes risk, contraction and their closed forms",
        f"""
        Asoodeh2021, Figure 1: lower bounds on the mean absolute error of a uniform Bernoulli parameter
        estimated from {PEOPLE} private reports, delta = {DELTA:g}. The paper prints no numbers; the *earlier* ones
        are our own, of a calculation made before this program; tolerance {TOLERANCE:g}. Theorem 2 holds for
        every gamma, and with the best one, rather than e^epsilon, it is above both curves of the paper at the
        epsilons of the table. The 20 answers themselves tell {bounds.bernoulli_information(PEOPLE):.4f} nats of the
        parameter.

        Deviations from the paper's print: in Remark 1, (15) gives 0.0457, not 0.03, and (17) gives 2/27, not
        0.08 (first table); Example 1 leaves out the factor 1/2 of the definition of E_gamma, and the contraction
        of KL by a binary symmetric channel is (1-2w)^2, not 1-2w^2, with 1-2w = tanh(epsilon/2) (third table).
        """,
        [figure, forms, orders],
        checks,
        {"asoodeh2021": _draw},
        beside=_beside_print(),
    )


def _figure_table() -> ReportTable:
    rows = []
    for row in read_expected("asoodeh2021_figure1"):
        results = [risk(name, float(row["epsilon"])) for name in BOUNDS]
        rows.append([float(row["epsilon"]), *results, *(float(row[name]) for name in BOUNDS)])
    columns = [("epsilon", "g"), *((SHOWN[name], ".4f") for name in BOUNDS)]
    columns += [(f"earlier {number}", ".4f") for number in ("C3", "T2", "T2 best")]
    return ReportTable("figure1", "Lower bounds on the Bayes risk, beside our own earlier values", columns, rows)


def _beside_print() -> ReportTable:
    """The only numbers that the paper prints."""
    information, best = remark_1()
    rows = [
        ("I(Theta; X) in nats", "0.19", bounds.bernoulli_information(1)),
        ("bound (15)", "0.03", information),
        ("bound (17), best gamma", "0.08", best),
    ]
    return beside_the_print("Remark 1: one person, no privacy; Figure 1 is printed without numbers", rows)


def _forms_table() -> ReportTable:
    """Closed forms of the examples beside the same quantity computed from the channel."""
    rows: list[tuple[str, float, float, str]] = []
    for epsilon in (0.5, 1.0, 2.0):
        gamma = math.exp(epsilon)
        flip = _response(2, gamma)
        first, second = ([p * keep + (1 - p) * other for keep, other in zip(*flip, strict=True)] for p in (0.9, 0.2))
        spread = sum(abs(a - gamma * b) for a, b in zip(first, second, strict=True))
        contracted = float(bounds.hockey_stick(first, second, gamma))
        rows += [
            (f"1/2 sum |PK - e QK|, epsilon {epsilon:g} (Example 1)", spread / 2, (gamma - 1) / 2, "(e-1)/2"),
            (f"E_gamma(PK || QK), epsilon {epsilon:g} (Example 1)", contracted, 0.0, "0"),
            (
                f"eta_gamma of 5-ary response, epsilon {epsilon:g}",
                float(bounds.eta_gamma(_response(5, gamma), gamma)),
                0.0,
                "0",
            ),
            (f"eta_KL, epsilon {epsilon:g}", bounds.eta_kl(flip), math.tanh(epsilon / 2) ** 2, "tanh^2(epsilon/2)"),
            (f"eta_TV, epsilon {epsilon:g}", float(bounds.eta_tv(flip)), math.tanh(epsilon / 2), "tanh(epsilon/2)"),
        ]
    for gamma in (0.5, 1.0, 1.5):
        form = gamma**2 / 4 if gamma <= 1 else (2 - gamma) ** 2 / 4
        rows.append(
            (f"I_gamma(Theta; X), gamma {gamma:g} (Remark 1)", bounds.bernoulli_e_gamma(1, gamma), form, "(18)")
        )
    columns = [("quantity", "s"), ("computed", ".6f"), ("closed form", ".6f"), ("form", "s")]
    return ReportTable("forms", "The closed forms of Example 1, Lemma 1 and Remark 1", columns, rows)


def _response(k: int, gamma: float) -> list[list[float]]:
    """The channel of k-ary randomized response with ratio gamma."""
    return [[(gamma if x == y else 1.0) / (gamma + k - 1) for y in range(k)] for x in range(k)]


def _orders_table() -> ReportTable:
    """Our lower bounds for Examples 2 and 3, beside the orders that the paper gives."""
    rows = []
    for epsilon in (0.5, 1.0, 2.0):
        share = bounds.phi(epsilon)
        for n in (1_000, 100_000):
            mean = bounds.bounded_moment_mean(2, n, epsilon=epsilon).value
            ball = bounds.ball_mean(16, 1.0, n, epsilon=epsilon).value
            rows.append((epsilon, n, mean, 1 / math.sqrt(n * share**2), ball, min(1 / n, 16 / n**2)))
    columns = [("epsilon", "g"), ("n", ",d"), ("bounded variance", ".3g"), ("order (8)", ".3g")]
    columns += [("ball, 16 dimensions", ".3g"), ("order (12)", ".3g")]
    caption = (
        "Examples 2 and 3: our lower bounds beside the paper's orders, which have no constants; in (12) phi_n is 1"
    )
    return ReportTable("orders", caption, columns, rows)


@cache
def _series() -> tuple[list[float], dict[str, list[float]]]:
    """The curves of the figure: epsilons, and each bound at these."""
    epsilons = [float(x) for x in np.geomspace(0.01, 4, 40)]
    series = {SHOWN[name]: [risk(name, epsilon) for epsilon in epsilons] for name in BOUNDS}
    series[SHOWN["sharp"]] = [bounds.theorem_2_sharp(e, PEOPLE, delta=DELTA).value for e in epsilons]
    return epsilons, series


def _draw(path: Path) -> None:
    epsilons, series = _series()
    highest = [max(heights) for heights in zip(*series.values(), strict=True)]
    panel = {
        "title": f"{PEOPLE} people, delta = {DELTA:g}",
        "x": epsilons,
        "series": series,
        "bands": {"out of reach": ([0.0] * len(epsilons), highest)},
    }
    note = "Shaded: mean absolute errors that no estimator has, by the highest of these lower bounds. Exact, no data."
    plot_curves([panel], path, x_label="epsilon", y_label="lower bound on the Bayes risk", log_x=True, note=note)
