"""Two answers together, from one report of both."""

import numpy as np

import discreet as dc

DRINKS, SMOKES = ["never", "weekly", "daily"], ["no", "used to", "yes"]
TRUTH = np.array([[0.28, 0.07, 0.05], [0.20, 0.12, 0.08], [0.05, 0.05, 0.10]])


def draw(path):
    """Draw the figure."""
    form = dc.Form({"drinks": DRINKS, "smokes": SMOKES}, "together", epsilon="2")
    held = np.random.default_rng(3).choice(9, 8_000, p=TRUTH.ravel())
    answers = {"drinks": np.array(DRINKS)[held // 3], "smokes": np.array(SMOKES)[held % 3]}
    made = form.randomize_many(answers, dc.random.seeded(8))
    (part,) = form.parts  # both questions are one report
    table = dc.crosstab(dc.Survey(form.mechanisms[part], made.reports[part]), names=("drinks", "smokes"))
    table.plot(path, title="Drinking and smoking, 8,000 made-up people, epsilon 2 for both")
