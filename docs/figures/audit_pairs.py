"""Attack a mechanism and one with a bug: the least epsilon that is proved beside the one that is promised."""

import discreet as dc
from discreet.plots import plot_dots

CONTEXT = dc.Context.uniform(["never", "weekly", "daily"], epsilon="1")
PAIRS = [("never", "weekly"), ("never", "daily"), ("weekly", "daily")]


def draw(path):
    """Draw the figure."""
    honest = dc.mechanism(CONTEXT)
    leaky = dc.mechanism(dc.Context.uniform(CONTEXT.values, epsilon="1.5"))  # more than it says
    rng = dc.random.seeded(1)
    bounds = {}
    for name, subject in (("the mechanism", honest), ("one with a bug", leaky)):
        found = dc.audit(subject, context=CONTEXT, samples=40_000, pairs=PAIRS, rng=rng)
        bounds[f"proved: {name}"] = [finding.epsilon_lower for finding in found.findings]
    groups = [f"{finding.x} against {finding.z}" for finding in found.findings]
    note = "40,000 reports of each value; all bounds hold together, but for one audit in a million. Promised: E = 1."
    plot_dots(groups, bounds, path, x_label="epsilon, at least", title="What an audit proves", note=note)
