from __future__ import annotations

import re
from base64 import b64decode, b64encode
from io import BytesIO

import numpy as np
import pytest

from discreet.plots import picture

image = pytest.importorskip("PIL.Image")


def points(path):
    """Where the lines of a path of small letters lead."""
    found, at, start = [], np.zeros(2), np.zeros(2)
    for letter, rest in re.findall(r"([Mlqcz])([^Mlqcz]*)", path):
        if letter == "z":
            at = start
            continue
        numbers = np.array([float(n) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]).reshape(-1, 2)
        step = {"M": 1, "l": 1, "q": 2, "c": 3}[letter]
        for place in range(0, len(numbers), step):
            group = numbers[place : place + step]
            group = group if letter == "M" else group + at
            at = group[-1]
            start = at if letter == "M" else start
            found += group.tolist()
    return np.array(found)


def test_a_path_leads_to_the_same_points_in_fewer_bytes():
    drawn = np.random.default_rng(1).uniform(-300, 300, (500, 2))
    text = "M 1.234567 2.345678 \n" + "".join(f"L {x:.6f} {y:.6f} \n" for x, y in drawn) + "z\n"
    made = picture.lean(f'<path d="{text}"/>'.encode()).decode()
    path = re.search(r' d="([^"]*)"', made)[1]
    assert len(path) < 0.65 * len(text)
    expected = np.concatenate([[[1.234567, 2.345678]], drawn])
    assert np.abs(points(path) - expected).max() <= 0.005 + 1e-9
    assert np.abs(points(path) - expected)[-1].max() <= 0.005 + 1e-9  # errors do not add up


def test_curves_and_several_pieces():
    text = "M 0 0 Q 10 0 10.5 10 C 1 2 3 4 5 6 L 5 6.25 z M 100 -20.5 L 99.99 -20"
    path = re.search(r' d="([^"]*)"', picture.lean(f'<path d="{text}"/>'.encode()).decode())[1]
    assert path == "M0 0q10 0 10.5 10c-9.5-8-7.5-6-5.5-4l0 .25zM100-20.5l-.01 .5"
    assert points(path).tolist()[-1] == pytest.approx([99.99, -20])


def embedded(pixels):
    drawn = BytesIO()
    image.fromarray(pixels).save(drawn, "png")
    return b'<image href="data:image/png;base64,' + b64encode(drawn.getvalue()) + b'"/>'


def test_an_image_of_few_colours_gets_a_palette_and_keeps_every_pixel():
    palette = np.array([[0, 0, 0, 0], [251, 217, 165, 255], [59, 15, 94, 255]], dtype=np.uint8)
    pixels = palette[np.random.default_rng(2).integers(0, 3, (60, 80))]
    given = embedded(pixels)
    made = picture.lean(given)
    assert len(made) < len(given)
    with image.open(BytesIO(b64decode(re.search(rb'base64,([^"]*)"', made)[1]))) as found:
        assert found.mode == "P"
        assert np.array_equal(np.asarray(found.convert("RGBA")), pixels)


def test_an_image_of_many_colours_stays_as_it_is():
    given = embedded(np.random.default_rng(3).integers(0, 256, (30, 30, 4), dtype=np.uint8))
    assert picture.lean(given) == given
