"""SVG as matplotlib writes it, made lean: paths in steps of a hundredth of a point, and images with a palette."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from io import BytesIO

_DRAWN = re.compile(rb' d="([^"]*)"')
_IMAGE = re.compile(rb'"data:image/png;base64,([^"]*)"')
_TOKEN = re.compile(rb"[MLQCz]|-?[\d.]+(?:e-?\d+)?")
_STEPS = {b"L": b"l", b"Q": b"q", b"C": b"c"}


def lean(svg: bytes) -> bytes:
    """The same picture, to a hundredth of a point, in fewer bytes."""
    svg = _DRAWN.sub(lambda found: b' d="' + _path(found[1]) + b'"', svg)
    return _IMAGE.sub(lambda found: b'"data:image/png;base64,' + _with_palette(found[1]) + b'"', svg)


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
                pieces.append(b"M" + _joined(numbers))
                order, start_x, start_y = b"", numbers[0], numbers[1]
            else:
                step = _STEPS[letter]
                words = _joined([number - (y if place % 2 else x) for place, number in enumerate(numbers)])
                pieces.append(step + words if step != order else (words if words[:1] == b"-" else b" " + words))
                order = step
            x, y = numbers[-2:]
            numbers = []
    return b"".join(pieces)


def _joined(numbers: list[int]) -> bytes:
    """Hundredths as decimals, with a blank only where two would run together."""
    words = [_decimal(number) for number in numbers]
    return b"".join(word if not place or word[:1] == b"-" else b" " + word for place, word in enumerate(words))


def _decimal(hundredths: int) -> bytes:
    """A number without a needless nought: -.5 for -50."""
    whole, part = divmod(abs(hundredths), 100)
    sign = b"-" if hundredths < 0 else b""
    if not part:
        return sign + b"%d" % whole
    return sign + (b"%d" % whole if whole else b"") + b"." + (b"%02d" % part).rstrip(b"0")


def _with_palette(encoded: bytes) -> bytes:
    """The image with each pixel as the number of its colour, where there are at most 256 of them."""
    import numpy as np
    from PIL import Image  # matplotlib's own dependency

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
