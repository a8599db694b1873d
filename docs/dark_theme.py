"""Drawings for the dark theme, from those for paper: each colour of `discreet.plots.picture` has a partner."""

import re
from base64 import b64decode, b64encode
from io import BytesIO

from PIL import Image

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
    picture.LAND: "#26292e",
    picture.COAST: "#6a6f77",
    **dict(zip(picture.HEAT, ("#5b2a86", "#a03a83", "#e0556a", "#f99a6c", "#fde5b8"), strict=True)),
    **dict(zip(picture.SHADES, ("#4a4e55", "#8b9097", "#d0d3d8"), strict=True)),
}
"""What is more is darker on paper and lighter on dark ground."""

_COLOUR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
_IMAGE = re.compile(r'(?<="data:image/png;base64,)[^"]*(?=")')


def for_dark_ground(drawing: str) -> str:
    """A drawing with each colour replaced by its partner; what has no colour of its own is drawn in the light ink."""
    drawing = drawing.replace("<svg ", f'<svg fill="{PARTNERS["#000000"]}" ', 1)
    drawing = _COLOUR.sub(lambda found: f"{found[1]}: {PARTNERS.get(found[2], found[2])}", drawing)
    return _IMAGE.sub(lambda found: _recoloured(found[0]), drawing)


def _recoloured(encoded: str) -> str:
    """An image whose palette has the partners of its colours; one without a palette stays as it is."""
    with Image.open(BytesIO(b64decode(encoded))) as image:
        palette = image.getpalette()
        if palette is None:
            return encoded
        colours = [f"#{bytes(palette[place : place + 3]).hex()}" for place in range(0, len(palette), 3)]
        image.putpalette(bytes.fromhex("".join(PARTNERS.get(colour, colour)[1:] for colour in colours)))
        drawn = BytesIO()
        image.save(drawn, "png", optimize=True)
    return b64encode(drawn.getvalue()).decode()
