"""Drawings for the dark theme, from those for paper: each colour of `discreet.plots.picture` has a partner."""

from discreet.plots import picture

GROUND = "#131416"
"""The ground of the dark theme."""
PARTNERS = {
    "#ffffff": GROUND,
    "#000000": "#e6e6e6",
    picture.INK: "#d6d6d6",
    picture.FAINT: "#3a3d42",
    picture.ESTIMATE: "#4ba6e8",
    picture.INTERVAL: "#2c5f85",
    picture.TRUTH: "#ff8a3d",
}


def for_dark_ground(drawing: str) -> str:
    """A drawing with each colour replaced by its partner; what has no colour of its own is drawn in the light ink."""
    drawing = drawing.replace("<svg ", f'<svg fill="{PARTNERS["#000000"]}" ', 1)
    for light, dark in PARTNERS.items():
        drawing = drawing.replace(f"fill: {light}", f"fill: {dark}").replace(f"stroke: {light}", f"stroke: {dark}")
    return drawing
