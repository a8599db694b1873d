"""What a share becomes if some people say no whatever they hold."""

import numpy as np

import discreet as dc


def draw(path):
    """Draw the figure."""
    design = dc.by_hand.forced_response(["no", "yes"], truth="2/3")
    tally = design.tally(design.reports_of(["yes"] * 390 + ["no"] * 1110))
    curve = dc.noncompliance(tally, report="no", query={"yes": 1}, share=np.linspace(0, 0.3, 31), threshold=0.2)
    curve.plot(path, title="1,500 answers by a die: how many would have to evade")
