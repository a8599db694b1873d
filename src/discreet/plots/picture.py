"""What all pictures share: colours, a figure without a screen, plain axes, and lean files written completely or not."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import Any

from ..core.errors import InvalidInput, MissingExtra

INK = "#333333"
FAINT = "#d9d9d9"
ESTIMATE = "#0072b2"
INTERVAL = "#8cc0e0"
TRUTH = "#d55e00"
COLOURS = (INK, ESTIMATE, TRUTH, "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#7f7f7f")
"""The colours of lines and bars, in the order in which they are drawn: those of Okabe and Ito, which stay apart for
the colour-blind (the yellow is left out, too faint on white)."""
PAPER = "#ffffff"
"""The ground of a picture, and of the water on maps."""
LAND, COAST = "#f0efeb", "#a3a3a0"
"""The land of maps, and the lines around it."""
HEAT = ("#fbd9a5", "#f99a6c", "#e0526a", "#93307f", "#3b0f5e")
"""Five steps from little to much, as evenly apart in lightness as the colours of magma."""
SHADES = ("#c4c3be", "#85847e", "#3f3e3a")
"""Three greys from little to much, for what lies behind the data."""
MARKERS = "osD^vPX*"
"""The markers that go with them, so that a print without colours can be read too."""
KINDS = ("png", "svg", "pdf")
"""The formats of pictures: points, and two that can be drawn at any size."""

DPI = 200
"""The points per inch of a .png."""


def new_figure(width: float, height: float) -> Any:
    """An empty figure of that size in inches; `MissingExtra` names the install line if matplotlib is absent."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def new_axes(path: str | Path, width: float, height: float) -> tuple[Any, Any]:
    """A figure for this file and its axes; `InvalidInput` for a name that is not a picture's."""
    kind_of(path)
    figure = new_figure(width, height)
    return figure, figure.subplots()


def new_grid(path: str | Path, width: float, height: float, shape: tuple[int, int], **shared: bool) -> tuple[Any, Any]:
    """A figure for this file and its panels in rows and columns; `InvalidInput` for a name that is not a picture's."""
    kind_of(path)
    figure = new_figure(width, height)
    return figure, figure.subplots(*shape, squeeze=False, **shared)


def plain(axes: Any, *, x_label: str = "", y_label: str = "", title: str = "") -> None:
    """Give the axes a thin grey grid, no frame and small labels."""
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0, labelsize=8, labelcolor=INK)
    axes.set_xlabel(x_label, fontsize=8.5, color=INK)
    axes.set_ylabel(y_label, fontsize=8.5, color=INK)
    axes.set_title(title, fontsize=10, color=INK, loc="left")
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)


def add_title(figure: Any, title: str) -> None:
    """Write the title, if there is one, above all panels."""
    if title:
        figure.suptitle(title, fontsize=11.5, color=INK, x=0.01, ha="left")


def add_legend(figure: Any, columns: int, *, axes: Any = None) -> None:
    """Explain what is drawn, in so many columns below the picture: all of it once, or what these axes have."""
    entries = () if axes is None else axes.get_legend_handles_labels()
    figure.legend(*entries, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)


def annotate(axes: Any, text: str, place: Any, offset: tuple[float, float], **style: Any) -> None:
    """Write text so many points away from a place."""
    axes.annotate(text, place, xytext=offset, textcoords="offset points", **style)


def plain_numbers(scale: Any) -> None:
    """Label a logarithmic scale in plain numbers: the powers of ten and, where it is short, 2 and 5 times a power."""
    from matplotlib.ticker import FuncFormatter

    def some(value: float, _: int) -> str:
        low, high = scale.get_view_interval()
        return f"{value:,.9g}" if f"{value:e}"[0] in "25" and high < 400 * low else ""

    scale.set_major_formatter("{x:,.9g}")
    scale.set_minor_formatter(FuncFormatter(some))


def kind_of(path: str | Path) -> str:
    """The format, png, svg or pdf, by the name of the file; `InvalidInput` for any other name."""
    suffix = Path(path).suffix.lstrip(".").lower()
    if suffix not in KINDS:
        raise InvalidInput(f"{path}: a picture must be a .png, .svg or .pdf file")
    return suffix


def save(figure: Any, path: str | Path, *, note: str = "") -> None:
    """Write the picture, completely or not at all, in the format that its name means.

    `note` stands below, inside the picture: what its data are, and what is shaded. The same figure gives the same
    bytes every time: no date, and no random names. A .png has a palette of 128 colours, a third of the size.
    """
    from matplotlib import rc_context

    from ..core.documents import replacing

    kind = kind_of(path)
    _fix_layout(figure)
    if note:
        lines = "\n".join(wrap(note, int(14.5 * figure.get_figwidth())))
        figure.text(0.01, -0.01, lines, fontsize=7.5, color=INK, va="top", linespacing=1.3)
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    drawn = BytesIO()
    with rc_context({"svg.hashsalt": "discreet", "pdf.fonttype": 42}):
        figure.savefig(drawn, format=kind, dpi=DPI, bbox_inches="tight", pad_inches=0.08, metadata=undated)
    with replacing(path) as file:
        if kind == "png":
            _write_png(drawn, file)
        else:
            file.write(lean(drawn.getvalue()) if kind == "svg" else drawn.getvalue())


def _fix_layout(figure: Any) -> None:
    """Lay the figure out, and hold everything in its place, legends too, when the picture is cut to what is drawn."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for legend in figure.legends:
        legend.set_bbox_to_anchor((0, 0, 1, 1), transform=figure.transFigure)


def _write_png(drawn: BytesIO, file: Any) -> None:
    """Write the picture with 128 colours."""
    from PIL import Image

    with Image.open(drawn) as picture:
        few = picture.convert("RGB").quantize(128, method=Image.Quantize.MAXCOVERAGE)
        few.save(file, "png", optimize=True, dpi=(DPI, DPI))


_DRAWN = re.compile(rb' d="([^"]*)"')
_IMAGE = re.compile(rb'"data:image/png;base64,([^"]*)"')
_TOKEN = re.compile(rb"[MLQCz]|-?[\d.]+(?:e-?\d+)?")
_STEPS = {b"L": b"l", b"Q": b"q", b"C": b"c"}


def lean(svg: bytes) -> bytes:
    """The same picture, to a hundredth of a point, in fewer bytes."""
    svg = _DRAWN.sub(lambda match: b' d="' + _path(match[1]) + b'"', svg)
    return _IMAGE.sub(lambda match: b'"data:image/png;base64,' + _in_palette(match[1]) + b'"', svg)


def _path(drawn: bytes) -> bytes:
    """A path with every point as the step from the one before, in whole hundredths, so that no error adds up."""
    pieces: list[bytes] = []
    order, letter = b"", b"M"
    x = y = start_x = start_y = 0
    numbers: list[int] = []
    for token in _TOKEN.findall(drawn):
        if token in b"MLQC":
            letter = token
        elif token == b"z":
            pieces.append(b"z")
            order, x, y = b"", start_x, start_y
        else:
            numbers.append(round(100 * float(token)))
            if len(numbers) < {b"Q": 4, b"C": 6}.get(letter, 2):
                continue
            if letter == b"M":
                pieces.append(b"M" + _join_numbers(numbers))
                order, start_x, start_y = b"", numbers[0], numbers[1]
            else:
                step = _STEPS[letter]
                words = _join_numbers([number - (y if place % 2 else x) for place, number in enumerate(numbers)])
                pieces.append(step + words if step != order else (words if words[:1] == b"-" else b" " + words))
                order = step
            x, y = numbers[-2:]
            numbers = []
    return b"".join(pieces)


def _join_numbers(numbers: list[int]) -> bytes:
    """Hundredths as decimals, with a blank only where two would run together."""
    words = [_decimal(number) for number in numbers]
    return b"".join(word if not place or word[:1] == b"-" else b" " + word for place, word in enumerate(words))


def _decimal(hundredths: int) -> bytes:
    """A number without needless zeros: -.5 for -50."""
    whole, part = divmod(abs(hundredths), 100)
    sign = b"-" if hundredths < 0 else b""
    if not part:
        return sign + b"%d" % whole
    return sign + (b"%d" % whole if whole else b"") + b"." + (b"%02d" % part).rstrip(b"0")


def _in_palette(encoded: bytes) -> bytes:
    """The image with each pixel as the number of its colour, where there are at most 256 of them."""
    import numpy as np
    from PIL import Image

    with Image.open(BytesIO(b64decode(encoded))) as image:
        pixels = np.asarray(image.convert("RGBA")).view(np.uint32)[:, :, 0]
    packed, numbers = np.unique(pixels, return_inverse=True)
    if len(packed) > 256:
        return encoded
    colours = packed[:, None].view(np.uint8)
    few = Image.fromarray(numbers.reshape(pixels.shape).astype(np.uint8))
    few.putpalette(colours[:, :3].tobytes())
    drawn = BytesIO()
    few.save(drawn, "png", optimize=True, transparency=colours[:, 3].tobytes())
    return min(encoded, b64encode(drawn.getvalue()), key=len)
